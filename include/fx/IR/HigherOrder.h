//===- HigherOrder.h - operators on sub-graphs, by their parts --*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_HIGHERORDER_H
#define FX_IR_HIGHERORDER_H

#include "fx/IR/Arguments.h"

namespace fx {

/// What a higher-order operator does with its sub-graphs.
enum class Flow {
  /// cond(pred, true, false, [operands])
  Cond,
  /// while_loop(cond, body, [carried], [additional])
  While,
  /// map_impl(body, [scanned], [additional])
  Map,
  /// scan(body, [carried], [scanned], [additional])
  Scan,
  /// associative_scan(body, [scanned], [additional])
  AssociativeScan,
  /// Operators that run one sub-graph once: invoke_subgraph, strict_mode,
  /// hints_wrapper, the wrap_… family.
  Call
};

/// The sub-graphs and operands of a call of a higher-order operator, by their
/// meaning. It is a view: valid while the call stays as it is.
class HigherOrderView {
public:
  /// The view of `op`; fails where `op` is no higher-order operator of a form
  /// that is listed in `Flow`. A call of such an operator whose arguments do
  /// not have the form is reported through `emitError`, if given.
  static mlir::FailureOr<HigherOrderView>
  get(mlir::Operation *op,
      llvm::function_ref<mlir::InFlightDiagnostic()> emitError = nullptr);

  NodeOpInterface getNode() const { return node; }
  Flow getFlow() const { return flow; }

  /// The sub-graphs in order: both branches, condition and body, or the body.
  llvm::ArrayRef<GraphOp> getGraphs() const { return graphs; }
  GraphOp getBody() const { return graphs.back(); }
  /// What a diagnostic calls sub-graph `i`.
  llvm::StringRef getGraphName(unsigned i) const;

  /// The condition of a cond.
  const Argument &getPredicate() const { return predicate; }
  /// Values that go from iteration to iteration, as the first iteration gets
  /// them.
  llvm::ArrayRef<Argument> getCarried() const { return carried; }
  /// Tensors of which each iteration gets one slice along dimension 0.
  llvm::ArrayRef<Argument> getScanned() const { return scanned; }
  /// Values that each iteration, branch or call gets as they are.
  llvm::ArrayRef<Argument> getAdditional() const { return additional; }

  /// The number of operands that the sub-graphs take.
  size_t getNumGraphOperands() const;

  /// Checks the sub-graphs against operands and results: their number, and
  /// dtype and rank where both are known.
  mlir::LogicalResult verify() const;

private:
  mlir::LogicalResult verifyOperands(unsigned graph) const;
  mlir::LogicalResult verifyResults() const;

  NodeOpInterface node;
  Flow flow = Flow::Call;
  llvm::SmallVector<GraphOp, 2> graphs;
  Argument predicate;
  llvm::SmallVector<Argument> carried, scanned, additional;
};

/// The graph that an operand of type `!fx.graph_ref` names; null where it does
/// not come from a `get_attr` of a graph.
GraphOp getReferencedGraph(mlir::Value ref);

/// The graph that a call's `fx.body` names: what a call of a module, a method
/// or a function runs; null where there is none.
GraphOp getModuleBody(mlir::Operation *call);

/// The operands that the inputs of a call's body stand for, in order: all of
/// them, or the tensors alone where the body was recorded from those.
llvm::SmallVector<mlir::Value> getBodyOperands(mlir::Operation *call,
                                               GraphOp body);

/// Whether a graph is reached from itself through the sub-graphs it refers to.
bool callsItself(GraphOp graph);

} // namespace fx

#endif // FX_IR_HIGHERORDER_H

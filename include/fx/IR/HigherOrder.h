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
  /// switch(index, [graphs], [operands])
  Switch,
  /// while_loop(cond, body, [carried], [additional])
  While,
  /// map_impl(body, [scanned], [additional])
  Map,
  /// scan(body, [carried], [scanned], [additional])
  Scan,
  /// associative_scan(body, [scanned], [additional])
  AssociativeScan,
  /// Operators that run one sub-graph once: invoke_subgraph, strict_mode,
  /// hints_wrapper, flex_gemm, the wrap_… family.
  Call
};

/// The sub-graphs and operands of a call of a higher-order operator, sorted by
/// their role. A view is valid as long as the call does not change.
class HigherOrderView {
public:
  /// Returns the view of `op`. Fails silently if `op` is not a call of an
  /// operator that is listed in `Flow`. Fails, and reports through `emitError`
  /// if given, if the arguments do not have the form that is listed there.
  static mlir::FailureOr<HigherOrderView>
  get(mlir::Operation *op,
      llvm::function_ref<mlir::InFlightDiagnostic()> emitError = nullptr);

  NodeOpInterface getNode() const { return node; }
  Flow getFlow() const { return flow; }

  /// Returns the sub-graphs: the true and the false branch, all branches of a
  /// switch, the condition and the body, or the body alone.
  llvm::ArrayRef<GraphOp> getGraphs() const { return graphs; }
  GraphOp getBody() const { return graphs.back(); }
  /// Returns the name of sub-graph `i` in diagnostics.
  std::string getGraphName(unsigned i) const;

  /// Returns the condition of a cond, or the index of a switch.
  const Argument &getPredicate() const { return predicate; }
  /// Returns the initial values of the loop-carried values.
  llvm::ArrayRef<Argument> getCarried() const { return carried; }
  /// Returns the tensors of which each iteration gets one slice along
  /// dimension 0.
  llvm::ArrayRef<Argument> getScanned() const { return scanned; }
  /// Returns the values that each iteration, branch or call gets unchanged.
  llvm::ArrayRef<Argument> getAdditional() const { return additional; }

  /// Returns the number of operands that each sub-graph takes.
  size_t getNumGraphOperands() const;

  /// Verifies that the sub-graphs fit the operands and results in number, and
  /// in dtype and rank if both are known.
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

/// Returns the graph that a value of type `!fx.graph_ref` refers to; null if
/// the value is not defined by a `get_attr` of a graph.
GraphOp getReferencedGraph(mlir::Value ref);

/// Returns the graph that the `fx.body` attribute of a call_module, call_method
/// or call_function names, which is what the call runs; null if there is none.
GraphOp getModuleBody(mlir::Operation *call);

/// Returns the operands of `call` that correspond to the inputs of `body`, in
/// order: all operands if their number fits, else the tensors and symbolic
/// integers, since a recorded body holds all other values as immediates.
llvm::SmallVector<mlir::Value> getBodyOperands(mlir::Operation *call,
                                               GraphOp body);

/// Returns true if `graph` calls itself, directly or through other graphs.
bool callsItself(GraphOp graph);

} // namespace fx

#endif // FX_IR_HIGHERORDER_H

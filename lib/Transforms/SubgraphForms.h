//===- SubgraphForms.h - sub-graphs without mutation ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_SUBGRAPHFORMS_H
#define FX_LIB_TRANSFORMS_SUBGRAPHFORMS_H

#include "fx/Transforms/NodeNamer.h"

#include "fx/IR/HigherOrder.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/MapVector.h"

namespace fx {

/// A call of a higher-order operator, made functional.
struct FunctionalCall {
  /// The new call, in front of the old one.
  mlir::Operation *op = nullptr;
  /// What the old results became.
  llvm::SmallVector<mlir::Value> results;
  /// Operands of the old call (by position) that it wrote, with their last
  /// values.
  llvm::SmallVector<std::pair<unsigned, mlir::Value>> written;
  /// What was made for it.
  llvm::SmallVector<mlir::Operation *> references, graphs;
};

/// The functional forms of sub-graphs that mutate their inputs: graphs that
/// return the last value of each, as a `user_input_mutation` of their
/// signature. A call takes them as its operator needs: a cond and a wrapper
/// return them, a while_loop and a scan carry them.
class SubgraphForms {
public:
  /// Takes `form` as that of `graph`.
  void add(GraphOp graph, GraphOp form);

  /// Whether every sub-graph that `op` refers to is functional as it is.
  bool areFunctional(mlir::Operation *op) const;

  /// A functional call in place of `op`; fails with a reason.
  mlir::FailureOr<FunctionalCall> rewrite(mlir::Operation *op, NodeNamer &namer,
                                          std::string &why);
  /// Takes back what `rewrite` made.
  void erase(FunctionalCall &call);

  /// Erases the graphs that no call uses any more.
  void finish(mlir::ModuleOp module);

private:
  GraphOp getForm(GraphOp graph) const;
  /// The forms of the sub-graphs of a call, and which of their inputs they
  /// write, in ascending order; fails with a reason.
  mlir::LogicalResult findWritten(const HigherOrderView &view,
                                  llvm::SmallVectorImpl<GraphOp> &graphForms,
                                  llvm::SmallVectorImpl<unsigned> &written,
                                  std::string &why) const;

  llvm::MapVector<mlir::Operation *, mlir::OwningOpRef<GraphOp>> forms;
  llvm::SmallVector<GraphOp> created;
};

/// Erases the private graphs that nothing refers to any more.
void eraseUnusedGraphs(mlir::ModuleOp module);

} // namespace fx

#endif // FX_LIB_TRANSFORMS_SUBGRAPHFORMS_H

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

/// The functional replacement of a call of a higher-order operator.
struct FunctionalCall {
  /// The new call, in front of the old one.
  mlir::Operation *op = nullptr;
  /// The values that replace the results of the old call.
  llvm::SmallVector<mlir::Value> results;
  /// The operands (by position) that the old call writes, and their final
  /// values.
  llvm::SmallVector<std::pair<unsigned, mlir::Value>> written;
  /// The references and sub-graphs that were created for the call.
  llvm::SmallVector<mlir::Operation *> references, graphs;
};

/// The functional forms of sub-graphs that mutate their inputs. A form returns
/// the final value of each mutated input as a `user_input_mutation` of its
/// signature. How a call gets these values depends on its operator: a cond and
/// a wrapper return them, a while_loop and a scan carry them.
class SubgraphForms {
public:
  /// Sets the form of `graph`. Takes ownership of `form`.
  void add(GraphOp graph, GraphOp form);

  /// Returns true if every sub-graph that `op` refers to is functional.
  bool areFunctional(mlir::Operation *op) const;

  /// Creates a functional call in front of `op`. Fails and sets `why` to the
  /// reason if this is not possible.
  mlir::FailureOr<FunctionalCall> rewrite(mlir::Operation *op, NodeNamer &namer,
                                          std::string &why);
  /// Erases the call and the references that `rewrite` created.
  void erase(FunctionalCall &call);

  /// Erases the created graphs and the original sub-graphs that no call uses
  /// any more.
  void finish(mlir::ModuleOp module);

private:
  /// Returns `graph` itself if it is functional, else its form; null if there
  /// is none.
  GraphOp getForm(GraphOp graph) const;
  /// Finds the forms of the sub-graphs of a call and the inputs that they
  /// write, in ascending order. Fails and sets `why` to the reason if a
  /// sub-graph has no form.
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

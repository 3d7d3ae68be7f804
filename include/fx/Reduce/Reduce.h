//===- Reduce.h - smaller programs with a property --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_REDUCE_REDUCE_H
#define FX_REDUCE_REDUCE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace fx {

/// Whether a program still has the property that is looked for.
using Predicate = llvm::function_ref<bool(mlir::ModuleOp)>;

struct ReduceStatistics {
  unsigned nodesBefore = 0, nodesAfter = 0;
  /// How often the predicate was asked.
  unsigned numTests = 0;
};

/// Makes an exported program smaller while `predicate` holds: outputs are
/// dropped, the graph is cut short, runs of nodes become inputs or go, a node
/// becomes one of its operands, unused inputs, guards, states and sub-graphs
/// are dropped. `module` must satisfy the predicate. What is given to the
/// predicate passes the verifier; names and types of what is left stay.
ReduceStatistics reduceProgram(mlir::OwningOpRef<mlir::ModuleOp> &module,
                               Predicate predicate);

} // namespace fx

#endif // FX_REDUCE_REDUCE_H

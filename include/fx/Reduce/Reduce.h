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

/// Returns true if a program has the property that the reduction must keep.
using Predicate = llvm::function_ref<bool(mlir::ModuleOp)>;

struct ReduceStatistics {
  unsigned nodesBefore = 0, nodesAfter = 0;
  /// The number of calls of the predicate.
  unsigned numTests = 0;
};

/// Reduces an exported program to a smaller one for which `predicate` holds,
/// like a test case reducer. It removes outputs, nodes at the end of the graph,
/// and unused inputs, guards, states and sub-graphs. It removes consecutive
/// nodes, whose used results become inputs, and replaces a node by one of its
/// operands. `predicate` must hold for `module`. It is called only with
/// programs that pass the verifier. The remaining values keep their names and
/// types.
ReduceStatistics reduceProgram(mlir::OwningOpRef<mlir::ModuleOp> &module,
                               Predicate predicate);

} // namespace fx

#endif // FX_REDUCE_REDUCE_H

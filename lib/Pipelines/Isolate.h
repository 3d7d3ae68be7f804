//===- Isolate.h - compile around nodes that break the compiler -*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_ISOLATE_H
#define FX_LIB_PIPELINES_ISOLATE_H

#include "fx/Pipelines/Compile.h"

#include <map>

namespace fx {

/// What one attempt to compile is told, and what it tells.
struct Isolation {
  /// Nodes that ATen runs though they have native code, by "graph:node", with
  /// the reason.
  std::map<std::string, std::string> withoutNative;

  /// Every node that could be among them, in order. Empty until the graph is
  /// simplified: an error before that is not one of a node's code.
  std::vector<std::string> nodes;

  /// Marks the nodes of a simplified module, and notes all of them.
  void apply(mlir::ModuleOp module, CompileReport &report);
};

/// Attempts to compile. Where code cannot be made of the simplified graph, it
/// looks for the node that this is due to: the one that the error names, else
/// by bisection. ATen runs that one, and the rest is compiled. The error is
/// that of the first attempt where nothing helps.
llvm::Expected<CompileReport> compileAround(
    llvm::function_ref<llvm::Expected<CompileReport>(Isolation &)> attempt);

} // namespace fx

#endif // FX_LIB_PIPELINES_ISOLATE_H

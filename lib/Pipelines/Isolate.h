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

/// The input and the result of one attempt to compile.
struct Isolation {
  /// Input: nodes ("graph:node", "method.graph:node") that ATen runs although
  /// they have native code, with the reason.
  std::map<std::string, std::string> withoutNative;

  /// Result: all nodes that can be isolated, in order. Empty if the attempt
  /// fails before the graph is simplified, because such an error does not
  /// concern the code of a node.
  std::vector<std::string> nodes;

  /// Marks the nodes of `withoutNative` in the simplified module of a method,
  /// and adds them to `report` and all nodes to `nodes`.
  void apply(mlir::ModuleOp module, llvm::StringRef method,
             CompileReport &report);
};

/// Calls `attempt` to compile the model. If the simplified graph cannot be
/// compiled, finds the node that causes the failure: the node that the error
/// names, or else by bisection. Lets ATen run this node and compiles the rest,
/// and repeats. Returns the error of the first attempt if this does not help.
llvm::Expected<CompileReport> compileAround(
    llvm::function_ref<llvm::Expected<CompileReport>(Isolation &)> attempt);

} // namespace fx

#endif // FX_LIB_PIPELINES_ISOLATE_H

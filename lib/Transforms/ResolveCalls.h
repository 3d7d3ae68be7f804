//===- ResolveCalls.h - calls of live graphs to what they run ---*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_RESOLVECALLS_H
#define FX_LIB_TRANSFORMS_RESOLVECALLS_H

#include "fx/Transforms/NodeNamer.h"

#include "fx/IR/FXDialect.h"
#include "llvm/ADT/StringMap.h"

namespace fx {

/// Resolves calls of one graph.
class CallResolver {
public:
  explicit CallResolver(GraphOp graph);

  /// Whether the call became the body that it names; else a remark says why.
  /// Of a body of one operator that stands where the call stood.
  bool resolve(mlir::Operation *call);

private:
  /// The input of the graph that holds the state of a body's input.
  mlir::Value getState(PlaceholderOp input);

  GraphOp graph;
  NodeNamer namer;
  llvm::StringMap<mlir::Value> states;
};

/// The only node of `body` beside inputs and output; null if there are more, or
/// none.
mlir::Operation *getOnlyOperator(GraphOp body);

} // namespace fx

#endif // FX_LIB_TRANSFORMS_RESOLVECALLS_H

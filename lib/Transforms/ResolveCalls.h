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

/// Replaces calls of modules, methods and Python functions in one graph by the
/// bodies that were recorded for them (`fx.body`).
class CallResolver {
public:
  explicit CallResolver(GraphOp graph);

  /// Replaces `call` by the body that it names. Returns false and emits a
  /// remark if this is not possible. The nodes of the body take the position of
  /// the call.
  bool resolve(mlir::Operation *call);

private:
  /// Returns the placeholder of the graph for the state of `input`, which is a
  /// placeholder of a body. Creates it if necessary.
  mlir::Value getState(PlaceholderOp input);

  GraphOp graph;
  NodeNamer namer;
  /// The placeholders of the graph for states, by symbol.
  llvm::StringMap<mlir::Value> states;
};

/// Returns the only node of `body` besides inputs and output; null if there are
/// several or none.
mlir::Operation *getOnlyOperator(GraphOp body);

} // namespace fx

#endif // FX_LIB_TRANSFORMS_RESOLVECALLS_H

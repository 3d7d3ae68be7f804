//===- Extract.h - move nodes into a graph of their own ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_PARTITION_EXTRACT_H
#define FX_LIB_TRANSFORMS_PARTITION_EXTRACT_H

#include "fx/IR/FXDialect.h"
#include "llvm/ADT/SetVector.h"

namespace fx::partition {

/// What crosses the boundary of a block.
struct Boundary {
  /// From outside, in the order of their first use; neither states nor
  /// references, of which a block has its own.
  llvm::SetVector<mlir::Value> inputs;
  /// Placeholders of states and references to graphs.
  llvm::SetVector<mlir::Operation *> copies;
  /// What is used outside.
  llvm::SmallVector<mlir::Value> outputs;
};

/// Of a block of nodes of one graph, in order.
Boundary getBoundary(llvm::ArrayRef<mlir::Operation *> nodes);

/// Moves the nodes into a private graph `<graph>.<name>` of their own and calls
/// it as module `name` where the last of them stands. States and references are
/// the body's own. Nothing outside may stand between two of them that needs the
/// one and is needed by the other.
void makeBlock(GraphOp graph, llvm::ArrayRef<mlir::Operation *> nodes,
               llvm::StringRef name);

} // namespace fx::partition

#endif // FX_LIB_TRANSFORMS_PARTITION_EXTRACT_H

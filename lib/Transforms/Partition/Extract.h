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

/// The values that cross the boundary of a block.
struct Boundary {
  /// Values from outside in the order of their first use, except states and
  /// references, of which a block has its own copies.
  llvm::SetVector<mlir::Value> inputs;
  /// The placeholders of states and the references to graphs to copy.
  llvm::SetVector<mlir::Operation *> copies;
  /// Values of the block that are used outside.
  llvm::SmallVector<mlir::Value> outputs;
};

/// Returns the boundary of a block. `nodes` are nodes of one graph, in order.
Boundary getBoundary(llvm::ArrayRef<mlir::Operation *> nodes);

/// Moves the nodes into a new private graph `<graph>.<name>` and calls it as
/// module `name` at the position of the last node. The body gets its own copies
/// of states and references. No node outside may depend on one of the nodes and
/// be needed by another.
void makeBlock(GraphOp graph, llvm::ArrayRef<mlir::Operation *> nodes,
               llvm::StringRef name);

} // namespace fx::partition

#endif // FX_LIB_TRANSFORMS_PARTITION_EXTRACT_H

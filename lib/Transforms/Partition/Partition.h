//===- Partition.h - what goes into which block -----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_PARTITION_PARTITION_H
#define FX_LIB_TRANSFORMS_PARTITION_PARTITION_H

#include "../Sizes.h"
#include "fx/IR/FXDialect.h"

#include "llvm/ADT/DenseMap.h"

#include <string>
#include <vector>

namespace fx::partition {

/// A node that any block may take: arithmetic on sizes, which would else stand
/// between two nodes of one block and part them.
inline constexpr llvm::StringLiteral kAnyColor = "*";

/// Nodes of one color may share a block; a node without one stays in the graph.
struct Coloring {
  llvm::DenseMap<mlir::Operation *, std::string> colors;
  /// Why a node has no color.
  llvm::DenseMap<mlir::Operation *, std::string> reasons;
};

/// What colors nodes.
struct Predicate {
  /// "native", "device", "annotation" or "cost".
  std::string by;
  /// annotation: module paths whose nodes are a color each.
  llvm::SmallVector<std::string> modules;
  /// cost: how many parts of about equal time.
  unsigned parts = 2;
  /// cost: GFLOP/s and GB/s of the roofline, and integers for symbols.
  double peak = 100, bandwidth = 20;
  SizeMap sizes;
};

/// The nodes of the graph that a block may hold, in order: all but inputs,
/// references, guards and the output.
llvm::SmallVector<mlir::Operation *> getNodes(GraphOp graph);

/// Fails with a diagnostic where the predicate cannot be told.
mlir::FailureOr<Coloring> color(GraphOp graph, const Predicate &predicate);

/// Nodes that run as one: a block, or one node that stays in the graph.
struct Unit {
  std::string color;
  std::vector<mlir::Operation *> nodes;
  bool isBlock() const { return !color.empty(); }
};

/// Groups nodes of a color so that no two units need each other, directly or
/// through others; a block of fewer than `minSize` nodes is taken apart, its
/// nodes' reasons say so. In an order in which they can run.
std::vector<Unit> group(llvm::ArrayRef<mlir::Operation *> nodes,
                        Coloring &coloring, unsigned minSize);

} // namespace fx::partition

#endif // FX_LIB_TRANSFORMS_PARTITION_PARTITION_H

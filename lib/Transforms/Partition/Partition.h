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

/// The color of nodes that any block may take: arithmetic on sizes, which could
/// otherwise separate two nodes of one block.
inline constexpr llvm::StringLiteral kAnyColor = "*";

/// Nodes of one color may share a block. A node without a color stays in the
/// graph.
struct Coloring {
  llvm::DenseMap<mlir::Operation *, std::string> colors;
  /// The reasons of nodes without a color.
  llvm::DenseMap<mlir::Operation *, std::string> reasons;
};

/// The criterion by which nodes are colored.
struct Predicate {
  /// "native", "device", "annotation" or "cost".
  std::string by;
  /// annotation: module paths. The nodes of each module are one color.
  llvm::SmallVector<std::string> modules;
  /// cost: the number of parts of about equal time.
  unsigned parts = 2;
  /// cost: GFLOP/s and GB/s of the roofline, and integers for symbols.
  double peak = 100, bandwidth = 20;
  SizeMap sizes;
};

/// Returns the nodes of the graph that a block may contain, in order: all but
/// inputs, references, guards and the output.
llvm::SmallVector<mlir::Operation *> getNodes(GraphOp graph);

/// Colors the nodes of `graph`. Fails with a diagnostic if the predicate cannot
/// be evaluated.
mlir::FailureOr<Coloring> color(GraphOp graph, const Predicate &predicate);

/// A block of nodes, or one node that stays in the graph (without a color).
struct Unit {
  std::string color;
  std::vector<mlir::Operation *> nodes;
  bool isBlock() const { return !color.empty(); }
};

/// Groups nodes of equal color into blocks, without cyclic dependencies between
/// units. Splits a block of fewer than `minSize` nodes into single nodes and
/// sets their reasons. Returns the units in an order in which they can run.
std::vector<Unit> group(llvm::ArrayRef<mlir::Operation *> nodes,
                        Coloring &coloring, unsigned minSize);

} // namespace fx::partition

#endif // FX_LIB_TRANSFORMS_PARTITION_PARTITION_H

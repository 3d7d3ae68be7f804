//===- ChooseTiles.cpp - the expected times of tiles of warpgroups --------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants are clocks of an H200. They were fitted to measured times of
// matmuls of 1024 to 4096 rows with and without a GELU. That of pointwise ops
// was lowered when GELU's division became faster, and was not fitted again.
//
//===----------------------------------------------------------------------===//

#include "../TileChoice.h"
#include "WarpgroupMatMul.h"

#include "fx/Kernels/Analysis.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;

/// A launch, up to the first product and after the last store.
static constexpr int64_t kLaunchClocks = 7300;
/// The launch that combines parts of K, and the bytes of the workspace that all
/// multiprocessors together write or read in a clock.
static constexpr int64_t kCombineClocks = 6000, kWorkspaceBytes = 2000;
/// The waits of one piece of K.
static constexpr int64_t kPieceClocks = 32;
/// A column of the epilogue of 128 rows by two warpgroups, without pointwise
/// ops.
static constexpr int64_t kColumnClocks = 26;
/// The exchange of the sums of a tile between two blocks, beside the bytes, of
/// which so many are stored in a clock. Estimated, not fitted to times.
static constexpr int64_t kExchangeClocks = 2000, kExchangeBytes = 32;
/// Most parts of K.
static constexpr int64_t kMaxParts = 32;

namespace {
/// A matmul of static sizes.
struct Problem {
  int64_t m, n, batch;
  int64_t pieces; ///< of K
  int64_t cost;   ///< of the pointwise ops of an element
  int64_t multiprocessors;

  int64_t estimate(const WarpgroupTiles &tiles) const;
};
} // namespace

int64_t fx::gpu::getPointwiseCost(const MatMulPlan &plan) {
  int64_t cost = 0;
  for (Operation *op : plan.ops)
    if (auto generic = cast<linalg::GenericOp>(op);
        generic != plan.info.op && generic.getNumLoops() > 1)
      cost += kernel::bodyCost(generic);
  return cost;
}

/// Returns the expected clocks of a matmul.
int64_t Problem::estimate(const WarpgroupTiles &tiles) const {
  int64_t columns = tiles.columns;
  // The operands arrive at 64 bytes in a clock, and a clock multiplies 64 rows
  // by 32 columns of one term.
  int64_t perPiece =
      std::max(2 * (tiles.copiedRows() + tiles.copiedColumns()), 4 * columns) +
      kPieceClocks;
  int64_t count = batch * llvm::divideCeil(m, tiles.clusterRows()) *
                  llvm::divideCeil(n, tiles.clusterColumns());
  if (!tiles.arePartsInCluster())
    count *= tiles.parts;
  int64_t waves = llvm::divideCeil(
      count, std::max<int64_t>(multiprocessors / tiles.cluster, 1));
  int64_t main = perPiece * llvm::divideCeil(pieces, tiles.parts);
  bool isSplit = tiles.parts > 1 && !tiles.arePartsInCluster();
  int64_t perColumn = kColumnClocks;
  if (!isSplit)
    perColumn += 3 * cost / 2;
  int64_t last = columns * perColumn;
  if (tiles.arePartsInCluster())
    last += kExchangeClocks + tiles.exchangeBytes() / kExchangeBytes;
  if (tiles.warpgroups == kConsumers) {
    int64_t clocks = kLaunchClocks + waves * (main + last);
    if (!isSplit)
      return clocks;
    int64_t bytes = 2 * tiles.parts * batch * m * n * 4;
    clocks += kCombineClocks + bytes / kWorkspaceBytes;
    return clocks * 21 / 20;
  }
  // One warpgroup takes twice as long, but the other one multiplies meanwhile.
  // The overlap is not perfect.
  last *= 2;
  int64_t both = std::max(waves * main + last,
                          static_cast<int64_t>(llvm::divideCeil(waves, 2)) *
                              (main + last));
  return kLaunchClocks + both * 21 / 20;
}

/// Returns the most stages that fit the shared memory of a block.
static int64_t countStages(WarpgroupTiles tiles, int64_t bytes) {
  for (tiles.stages = 8; tiles.stages > 2; --tiles.stages)
    if (tiles.bytes() + kBoxAlignment <= bytes)
      break;
  return tiles.stages;
}

WarpgroupTiles fx::gpu::chooseWarpgroupTiles(MatMulPlan &plan,
                                             const Index &pieces) {
  WarpgroupTiles best;
  if (auto chosen = getTiles<kernel::WarpgroupAttr>(plan))
    return {chosen.getColumns(), chosen.getStages(), chosen.getParts(),
            chosen.getWarpgroups(), chosen.getCluster()};
  const kernel::TargetInfo &machine = plan.code.machine;
  auto with = [&](int64_t columns, int64_t parts, int64_t warpgroups) {
    WarpgroupTiles tiles{columns, 2, parts, warpgroups};
    tiles.stages = countStages(tiles, machine.maxShared);
    return tiles;
  };
  int64_t most = addsPieces(plan) ? kAddedColumns : 256;
  Index batch = product(plan.code, plan.batchSizes);
  for (const Index &size : {plan.mSize, plan.nSize, pieces, batch})
    if (!size.isStatic()) {
      // Many rows are as likely as few.
      bool isNarrow = plan.nSize.isStatic() && plan.nSize.constant <= 128;
      int64_t columns = !isNarrow ? 256 : plan.nSize.constant <= 64 ? 64 : 128;
      return with(std::min(columns, most), 1, kConsumers);
    }
  Problem problem{plan.mSize.constant,    plan.nSize.constant,
                  batch.constant,         pieces.constant,
                  getPointwiseCost(plan), machine.multiprocessors};
  // Wide and shared tiles and one launch are preferred, within 2 %.
  int64_t least = 0;
  auto consider = [&](const WarpgroupTiles &tiles) {
    if (tiles.columns > most || (addsPieces(plan) && tiles.warpgroups == 1))
      return;
    int64_t clocks = problem.estimate(tiles);
    if (least && 102 * clocks >= 100 * least)
      return;
    least = clocks;
    best = tiles;
  };
  for (int64_t columns : {256, 192, 128, 64})
    consider(with(columns, 1, kConsumers));
  for (int64_t columns : {128, 64})
    consider(with(columns, 1, 1));
  auto considerClusters = [&] {
    int64_t half = llvm::divideCeil(problem.pieces, 2);
    bool hasTwoParts = llvm::divideCeil(problem.pieces, half) == 2;
    for (int64_t columns : {256, 192, 128, 64})
      for (int64_t parts : {1, 2}) {
        WarpgroupTiles tiles{columns, 2, parts, kConsumers, /*cluster=*/2};
        tiles.stages = countStages(tiles, machine.maxShared);
        // Otherwise half of an operand is no sequence of boxes.
        bool areBoxes = tiles.copiedColumns() % kBoxColumns == 0;
        if (areBoxes && (parts == 1 || hasTwoParts))
          consider(tiles);
      }
  };
  if (considersClusters(plan))
    considerClusters();
  int64_t tiles = problem.batch * llvm::divideCeil(problem.m, kBlockRows);
  for (int64_t columns : {128, 64}) {
    int64_t all = tiles * llvm::divideCeil(problem.n, columns);
    for (int64_t parts = 2; parts <= std::min(kMaxParts, problem.pieces) &&
                            all * parts <= machine.multiprocessors;
         ++parts) {
      // No part may be empty.
      int64_t each = llvm::divideCeil(problem.pieces, parts);
      if (llvm::divideCeil(problem.pieces, each) == uint64_t(parts))
        consider(with(columns, parts, kConsumers));
    }
  }
  return best;
}

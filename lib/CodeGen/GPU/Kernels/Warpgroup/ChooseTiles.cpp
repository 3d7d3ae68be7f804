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

#include <cmath>

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

/// Returns all tiles to choose from, the preferred ones first: wide and shared
/// tiles, and one launch.
static SmallVector<WarpgroupTiles> listTiles(MatMulPlan &plan,
                                             const Problem &problem) {
  const kernel::TargetInfo &machine = plan.code.machine;
  SmallVector<WarpgroupTiles> all;
  auto add = [&](WarpgroupTiles tiles) {
    int64_t most = addsPieces(plan) ? kAddedColumns : 256;
    if (tiles.columns > most || (addsPieces(plan) && tiles.warpgroups == 1))
      return;
    tiles.stages = countStages(tiles, machine.maxShared);
    all.push_back(tiles);
  };
  for (int64_t columns : {256, 192, 128, 64})
    add({columns});
  for (int64_t columns : {128, 64})
    add({columns, 2, 1, /*warpgroups=*/1});
  if (considersClusters(plan)) {
    int64_t half = llvm::divideCeil(problem.pieces, 2);
    bool hasTwoParts = llvm::divideCeil(problem.pieces, half) == 2;
    for (int64_t columns : {256, 192, 128, 64})
      for (int64_t parts : {1, 2}) {
        WarpgroupTiles tiles{columns, 2, parts, kConsumers, /*cluster=*/2};
        // Otherwise half of an operand is no sequence of boxes.
        bool areBoxes = tiles.copiedColumns() % kBoxColumns == 0;
        if (areBoxes && (parts == 1 || hasTwoParts))
          add(tiles);
      }
  }
  int64_t tiles = problem.batch * llvm::divideCeil(problem.m, kBlockRows);
  for (int64_t columns : {128, 64}) {
    int64_t count = tiles * llvm::divideCeil(problem.n, columns);
    for (int64_t parts = 2; parts <= std::min(kMaxParts, problem.pieces) &&
                            count * parts <= machine.multiprocessors;
         ++parts) {
      // No part may be empty.
      int64_t each = llvm::divideCeil(problem.pieces, parts);
      if (llvm::divideCeil(problem.pieces, each) == uint64_t(parts))
        add({columns, 2, parts});
    }
  }
  return all;
}

/// Returns the first tiles whose time is at most 2 % longer than the least.
static WarpgroupTiles choose(const Problem &problem,
                             ArrayRef<WarpgroupTiles> all) {
  WarpgroupTiles best;
  int64_t least = 0;
  for (const WarpgroupTiles &tiles : all) {
    int64_t clocks = problem.estimate(tiles);
    if (least && 102 * clocks >= 100 * least)
      continue;
    least = clocks;
    best = tiles;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Dynamic numbers of rows
//===----------------------------------------------------------------------===//

/// The numbers of rows for which times are estimated.
static SmallVector<int64_t> getSamples(const MatMulPlan &plan) {
  int64_t least = std::max<int64_t>(plan.leastRows(), 1);
  int64_t unit = llvm::alignTo(std::max(least, kBlockRows), least);
  SmallVector<int64_t> rows;
  for (int64_t n = 1; n <= 32; ++n)
    rows.push_back(n * unit);
  rows.append({48 * unit, 64 * unit, 128 * unit});
  return rows;
}
/// The most kernels.
static constexpr size_t kMaxRanges = 4;
/// A further kernel must reduce the sum of all estimates by this share.
static constexpr double kKernelCost = 0.02;

/// Divides the numbers of rows into ranges with tiles of their own. A range
/// costs the sum of the times of its samples, each relative to that of the best
/// tiles for it. A number of rows counts as much as twice that number.
static SmallVector<RowRange> chooseByRows(MatMulPlan &plan, Problem problem) {
  SmallVector<int64_t> rows = getSamples(plan);
  problem.m = rows.front();
  SmallVector<WarpgroupTiles> all = listTiles(plan, problem);
  size_t count = rows.size();
  // The costs of the samples in front of each one, for each kind of tiles.
  SmallVector<SmallVector<double>> before(all.size());
  SmallVector<size_t> feasible(all.size(), count);
  double total = 0;
  for (SmallVector<double> &costs : before)
    costs.push_back(0);
  for (auto [s, m] : llvm::enumerate(rows)) {
    problem.m = m;
    int64_t least = problem.estimate(choose(problem, listTiles(plan, problem)));
    // The numbers of rows that the sample stands for, on a logarithmic scale.
    double weight = double(m - (s ? rows[s - 1] : 0)) / double(m);
    total += weight;
    for (auto [t, tiles] : llvm::enumerate(all)) {
      bool isSplit = tiles.parts > 1 && !tiles.arePartsInCluster();
      int64_t blocks = problem.batch * llvm::divideCeil(m, kBlockRows) *
                       llvm::divideCeil(problem.n, tiles.columns);
      if (isSplit &&
          (s + 1 == count || blocks * tiles.parts > problem.multiprocessors))
        feasible[t] = std::min<size_t>(feasible[t], s);
      before[t].push_back(before[t].back() +
                          weight * double(problem.estimate(tiles)) /
                              double(least));
    }
  }
  // best[r][s]: the least cost of the first s samples in r ranges, and the last
  // of these ranges.
  struct Choice {
    double cost = INFINITY;
    size_t first = 0, tiles = 0;
  };
  SmallVector<SmallVector<Choice>> best(kMaxRanges + 1,
                                        SmallVector<Choice>(count + 1));
  best[0][0].cost = 0;
  for (size_t r = 1; r <= kMaxRanges; ++r)
    for (size_t end = 1; end <= count; ++end)
      for (size_t first = 0; first < end; ++first)
        for (size_t t = 0; t < all.size() && best[r - 1][first].cost < INFINITY;
             ++t) {
          double cost = best[r - 1][first].cost + before[t][end] -
                        before[t][first] + kKernelCost * total;
          if (end <= feasible[t] && cost < best[r][end].cost)
            best[r][end] = {cost, first, t};
        }
  size_t ranges = 1;
  for (size_t r = 2; r <= kMaxRanges; ++r)
    if (best[r][count].cost < best[ranges][count].cost)
      ranges = r;
  SmallVector<RowRange> result;
  for (size_t end = count; ranges > 0; --ranges) {
    const Choice &last = best[ranges][end];
    result.push_back({rows[end - 1], all[last.tiles]});
    end = last.first;
  }
  std::reverse(result.begin(), result.end());
  result.back().rows = INT64_MAX;
  return result;
}

SmallVector<RowRange> fx::gpu::chooseWarpgroupTiles(MatMulPlan &plan,
                                                    const Index &pieces) {
  if (auto chosen = getTiles<kernel::WarpgroupAttr>(plan))
    return {{INT64_MAX,
             {chosen.getColumns(), chosen.getStages(), chosen.getParts(),
              chosen.getWarpgroups(), chosen.getCluster()}}};
  Index batch = product(plan.code, plan.batchSizes);
  Problem problem{plan.mSize.constant,    plan.nSize.constant,
                  batch.constant,         pieces.constant,
                  getPointwiseCost(plan), plan.code.machine.multiprocessors};
  if (plan.hasDynamicRows() && pieces.isStatic())
    return chooseByRows(plan, problem);
  bool isStatic =
      llvm::all_of(ArrayRef<Index>{plan.mSize, plan.nSize, pieces, batch},
                   [](const Index &size) { return size.isStatic(); });
  if (isStatic)
    return {{INT64_MAX, choose(problem, listTiles(plan, problem))}};
  // Many rows are as likely as few.
  bool isNarrow = plan.nSize.isStatic() && plan.nSize.constant <= 128;
  int64_t columns = !isNarrow ? 256 : plan.nSize.constant <= 64 ? 64 : 128;
  WarpgroupTiles tiles{
      std::min(columns, addsPieces(plan) ? kAddedColumns : 256)};
  tiles.stages = countStages(tiles, plan.code.machine.maxShared);
  return {{INT64_MAX, tiles}};
}

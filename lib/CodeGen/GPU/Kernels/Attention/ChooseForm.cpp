//===- ChooseForm.cpp - attention by wgmma or by mma.sync -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The estimates are clocks of an H200. They follow from the rates of
// instructions. What does not overlap was fitted to times of 64 heads of 64 and
// 128 elements with 2,048 queries and keys.
//
//===----------------------------------------------------------------------===//

#include "../TileChoice.h"
#include "WarpgroupAttention.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;

/// Products that a multiprocessor's tensor cores add in a clock by wgmma.
static constexpr double kProducts = 2048;
/// The products of attention by mma.sync in a clock, with its softmax. With a
/// causal mask, the pieces on the diagonal are computed for both halves.
static constexpr double kProductsByMMA = 680, kCausalProductsByMMA = 475;
/// The clocks of a score in the softmax: 16 exponentials and 128 other
/// operations in a clock.
static constexpr double kScoreClocks = 1.0 / 16 + 3.5 / 128;
/// The part of the shorter one of matmuls and softmax that does not overlap
/// with the other one, by two and by three warpgroups.
static constexpr double kNotHiddenByTwo = 0.6, kNotHiddenByThree = 0.3;
/// The waits and shuffles of a piece.
static constexpr double kPieceClocks = 150;
/// The clocks of a block before its first and after its last product, and those
/// of a second launch, which combines parts of the keys.
static constexpr double kBlockClocks = 4000, kCombineClocks = 6000;

/// Limits of the tiles.
static constexpr int64_t kMostStages = 4, kMostKeys = 256;
/// The longest heads for which warpgroups take turns.
static constexpr int64_t kTurnColumns = 128;
/// Registers of a thread for other values than sums and operands.
static constexpr int64_t kOtherRegisters = 30;

/// Finds the tensor maps of the operands. Rows of queries, keys and values must
/// be contiguous, and have static sizes.
bool WarpgroupAttention::findMaps() {
  auto isHead = [](const Index &size) {
    return size.isStatic() && size.constant >= 16 &&
           size.constant <= kernel::kMaxHeadSize;
  };
  if (!isHead(scores.kSize) || !isHead(nSize) || kSize == Index::of(0))
    return false;
  auto match = [](MatMulPlan &plan, bool isLhs) {
    return TensorMap::match(plan, isLhs, /*mayBeDynamic=*/true);
  };
  queryMap = match(scores, /*isLhs=*/true);
  keyMap = match(scores, /*isLhs=*/false);
  valueMap = match(*this, /*isLhs=*/false);
  return queryMap && keyMap && valueMap && queryMap->isAlongK &&
         keyMap->isAlongK && !valueMap->isAlongK;
}

/// Returns true if sums and operands fit the registers, and the tiles the
/// shared memory.
bool WarpgroupAttention::fits() const {
  int64_t sums = tiles.n / 2 + tiles.k / 2, operands = tiles.k / 4;
  return warpgroups >= 2 && warpgroups <= 3 && tiles.k >= 16 &&
         tiles.k <= kMostKeys && tiles.k % 16 == 0 &&
         sums + operands + kOtherRegisters <= consumerRegisters() &&
         boxBytes() <= code.machine.maxShared;
}

/// Sets the tiles for a number of warpgroups and keys, with as many stages as
/// fit.
void WarpgroupAttention::setTiles(int64_t numWarpgroups, int64_t numKeys) {
  warpgroups = numWarpgroups;
  tiles = Tiles();
  tiles.m = warpgroups * kWarpgroupRows;
  tiles.n = llvm::alignTo(nSize.constant, 16);
  tiles.k = numKeys;
  tiles.warpsM = 4 * warpgroups;
  tiles.warpsN = 1;
  scores.tiles = tiles;
  scores.tiles.n = numKeys;
  scores.tiles.k = llvm::alignTo(headSize(), 16);
  for (stages = kMostStages; stages > 2; --stages)
    if (boxBytes() <= code.machine.maxShared)
      break;
}

/// Returns the expected clocks with the tiles, for static sizes.
double WarpgroupAttention::estimate() const {
  double blocks = llvm::divideCeil(mSize.constant, tiles.m);
  for (const Index &size : batchSizes)
    blocks *= size.constant;
  double points = double(tiles.m) * tiles.k,
         multiply = points * (scores.tiles.k + tiles.n) / kProducts,
         softmax = points * kScoreClocks;
  double piece = std::max(multiply, softmax) +
                 (warpgroups == 3 ? kNotHiddenByThree : kNotHiddenByTwo) *
                     std::min(multiply, softmax) +
                 kPieceClocks;
  double longest =
      kBlockClocks + llvm::divideCeil(kSize.constant, tiles.k) * piece;
  double devices = code.machine.multiprocessors;
  if (!causal)
    return std::ceil(blocks / devices) * longest;
  // Blocks see half of the keys on average; those that see most begin first.
  double all = blocks / devices * (longest + kBlockClocks) / 2;
  return std::max(all, longest);
}

/// Returns the expected clocks of the kernel for mma.sync, whose blocks are
/// small, and share keys if they are few.
double WarpgroupAttention::estimateMMA() const {
  double rows = mSize.constant;
  for (const Index &size : batchSizes)
    rows *= size.constant;
  double products = rows * kSize.constant * (headSize() + nSize.constant);
  double devices = code.machine.multiprocessors,
         clocks = kBlockClocks + (causal ? products / 2 / kCausalProductsByMMA
                                         : products / kProductsByMMA) /
                                     devices;
  return rows / 64 < devices ? clocks + kCombineClocks : clocks;
}

bool WarpgroupAttention::areSizesKnown() const {
  return mSize.isStatic() && kSize.isStatic() &&
         llvm::all_of(batchSizes,
                      [](const Index &size) { return size.isStatic(); });
}

bool WarpgroupAttention::isFaster() const {
  // Many queries are as likely as few, and the host tests for few.
  return !areSizesKnown() || estimate() < estimateMMA();
}

/// Chooses the tiles that are expected to take the least time. Returns false if
/// none fit.
bool WarpgroupAttention::findTiles() {
  // With masks, a thread needs registers for their coordinates.
  bool mayBeThree = scaled && headSize() <= 64 && nSize.constant <= 64;
  bool isKnown = areSizesKnown();
  std::optional<std::pair<int64_t, int64_t>> best;
  double least = 0;
  for (int64_t numWarpgroups : {3, 2})
    for (int64_t numKeys : {128, 96, 64}) {
      if (numWarpgroups == 3 && !mayBeThree)
        continue;
      setTiles(numWarpgroups, numKeys);
      if (!fits())
        continue;
      double clocks = isKnown ? estimate() : 0;
      if (best && (!isKnown || clocks >= least * 0.98))
        continue;
      best = {numWarpgroups, numKeys};
      least = clocks;
    }
  if (!best)
    return false;
  setTiles(best->first, best->second);
  // As in FlashAttention-3: the products of longer rows take longer than the
  // softmax.
  hasTurns = headSize() <= kTurnColumns && nSize.constant <= kTurnColumns;
  return true;
}

bool WarpgroupAttention::matches() {
  if (code.machine.matrixUnit != kernel::MatrixUnit::WGMMA)
    return false;
  split();
  if (m.empty())
    return false;
  // A block has rows of one loop, so that they are a dimension of the tensor
  // map. Heads that share keys are like those that do not.
  batch.append(m.begin(), m.end() - 1);
  batchSizes.append(mSizes.begin(), mSizes.end() - 1);
  m.erase(m.begin(), m.end() - 1);
  mSizes.erase(mSizes.begin(), mSizes.end() - 1);
  mSize = mSizes.back();
  mapLoops();
  auto asked = getTiles<kernel::AttentionAttr>(*this);
  if ((asked && !asked.getWarpgroups()) || !findMaps())
    return false;
  // The epilogue computes what follows the attention.
  llvm::erase_if(ops, [&](Operation *op) {
    return llvm::is_contained(attention.ops, op);
  });
  if (!asked)
    return findTiles() && isFaster();
  setTiles(asked.getWarpgroups(), asked.getKeys() ? asked.getKeys() : 64);
  hasTurns = asked.getTurns();
  return fits();
}

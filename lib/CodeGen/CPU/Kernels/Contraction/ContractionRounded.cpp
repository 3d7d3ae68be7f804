//===- ContractionRounded.cpp - rows of 8 bits by integer weights ---------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If rows of f32 may be rounded to 8 bits, a block of 32 terms becomes signed
// bytes q with a scale s, the largest magnitude over 127. That is done once for
// the whole left operand, before the loop over tasks. With unsigned weights
// u = w + o, where o is 8 or 128, the sum of a block is
//
//   sum q w = sum u q - o sum q.
//
// It is exact in 32 bits, and starts at the second term, which a block of a row
// has for all columns. The sum over all terms adds s, times the scale of the
// group, times these sums, in f32 and in the order of the blocks. So a row has
// the same results with any number of other rows.
//
//===----------------------------------------------------------------------===//

#include "../Emitters.h"
#include "ContractionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx::cpu;

/// The terms of a block.
static constexpr int64_t kBlockTerms = kFixedPointTerms;

bool ContractionEmitter::roundsToBytes() {
  // Rows are found by their position among all elements of the left operand.
  return kernel::mayRoundToInt8(info) && multipliesIntegers() &&
         (mLoop || hasOneRow()) &&
         llvm::all_of(info.lhsMap().getResults(), llvm::IsaPred<AffineDimExpr>);
}

void ContractionEmitter::roundLeftToBytes(Scope &scope) {
  Index size = leftSize();
  allocateRounded(code.add(size, Index::of(padding())));
  forLeft(scope, kBlockTerms, [&](const Index &at) {
    roundBlock(at, code.floorDiv(at, kBlockTerms), size);
  });
}

void ContractionEmitter::decodeBytes(Scope &scope, Value memory,
                                     const Index &first, const Index &terms) {
  Scope steps;
  auto loop = code.beginFor(scope, steps, Index::of(0), terms, depth());
  Index from(loop.getInductionVar());
  Index step = code.floorDiv(code.add(first, from), depth());
  Index bAt = code.add(bBase, code.mul(step, reductions[0].b));
  for (int64_t v = 0; v < vectors; ++v)
    for (auto [part, bytes] : llvm::enumerate(getUnsigned(bAt, v))) {
      Index to =
          code.mul(code.add(from, Index::of(4 * part)), Index::of(panel()));
      to = code.add(to, Index::of(v * width()));
      vector::StoreOp::create(code.b, code.loc, bytes, memory,
                              code.materialize(to));
    }
  code.endFor(loop);
}

// Few rows wait for the weights: each of their tiles prefetches a share of the
// part of the panel after this one. The last part is followed by the next
// panel.
void ContractionEmitter::prefetchPart(const Index &next, const Index &tile,
                                      const Index &term) {
  int64_t lines = kBlockTerms * panel() / (nibbles ? 2 : 1) / kLine;
  int64_t numTiles =
      mSize.isStatic() ? llvm::divideCeil(mSize.constant, decodedRows()) : 0;
  if (numTiles < 1 || numTiles > lines)
    return;
  int64_t share = llvm::divideCeil(lines, numTiles);
  Index at =
      code.add(bBase, code.mul(code.floorDiv(next, depth()), reductions[0].b));
  Index place =
      code.add(code.mul(code.floorDiv(term, kBlockTerms), Index::of(numTiles)),
               code.floorDiv(tile, decodedRows()));
  at = code.add(at, code.mul(place, Index::of(share * kLine)));
  for (int64_t line = 0; line < share; ++line)
    memref::PrefetchOp::create(
        code.b, code.loc, b->flat,
        code.materialize(code.add(at, Index::of(line * kLine))),
        /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
}

/// Returns the number of the block of element `at`. Rows at constant distances
/// have blocks at constant distances.
static Index blockAt(KernelCode &code, const Index &at) {
  if (at.isStatic() || at.constant % kBlockTerms)
    return code.floorDiv(at, kBlockTerms);
  return code.add(code.floorDiv(Index(at.value), kBlockTerms),
                  Index::of(at.constant / kBlockTerms));
}

void ContractionEmitter::multiplyBytes(Scope &scope, Value weights,
                                       ArrayRef<Index> left, const Index &tile,
                                       const Index &first, const Index &terms,
                                       SmallVector<Value> &acc) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  VectorType floats = code.vectorType(b.getF32Type());
  auto bytes = VectorType::get({width()}, b.getI8Type());
  Scope inner;
  auto loop =
      code.beginFor(scope, inner, Index::of(0), terms, kBlockTerms, acc);
  acc.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  Index term(loop.getInductionVar());
  prefetchPart(code.add(first, terms), tile, term);
  SmallVector<Index> rows, blocks;
  SmallVector<Value> sums(acc.size());
  for (auto [i, from] : llvm::enumerate(left)) {
    rows.push_back(code.add(from, term));
    blocks.push_back(blockAt(code, rows.back()));
    for (int64_t v = 0; code.machine.hasByteDot && v < vectors; ++v)
      sums[i * vectors + v] = loadOffset(blocks.back(), 0);
  }
  for (int64_t step = 0; step < kBlockTerms; step += 4) {
    Index at = code.mul(code.add(term, Index::of(step)), Index::of(panel()));
    SmallVector<Value> right;
    for (int64_t v = 0; v < vectors; ++v)
      right.push_back(vector::LoadOp::create(
          b, loc, bytes, weights,
          code.materialize(code.add(at, Index::of(v * width())))));
    for (auto [i, row] : llvm::enumerate(rows)) {
      Value x = loadRounded(code.add(row, Index::of(step)));
      for (int64_t v = 0; v < vectors; ++v) {
        Value &sum = sums[i * vectors + v];
        sum = addByteProducts(sum, right[v], x);
      }
    }
  }
  SmallVector<Value> ofGroup;
  if (info.groupSize)
    ofGroup = loadScales(code.floorDiv(code.add(first, term), info.groupSize));
  for (auto [i, block] : llvm::enumerate(blocks)) {
    Value mine = code.splat(
        memref::LoadOp::create(b, loc, fixed.scales, code.materialize(block)));
    for (int64_t v = 0; v < vectors; ++v) {
      Value sum = scaleByteSum(sums[i * vectors + v], 1);
      if (!code.machine.hasByteDot)
        sum = arith::AddIOp::create(b, loc, sum, loadOffset(block, 0));
      sum = arith::SIToFPOp::create(b, loc, floats, sum);
      Value scale = mine;
      if (info.groupSize)
        scale = arith::MulFOp::create(b, loc, mine, ofGroup[v]);
      Value &total = acc[i * vectors + v];
      total = vector::FMAOp::create(b, loc, sum, scale, total);
    }
  }
  code.endFor(loop, acc);
  acc.assign(loop.getResults().begin(), loop.getResults().end());
}

//===- ContractionPrefetch.cpp - prefetches of a contraction -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prefetches the next panel of the right operand, and what the epilogue reads.
//
//===----------------------------------------------------------------------===//

#include "../Emitters.h"
#include "ContractionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fx::cpu;

/// How far a single tile prefetches ahead, in bytes. Measured on Zen 5 with
/// f32: 4 % faster than no prefetching; no clear difference from 2 to 32 KiB.
static constexpr int64_t kAhead = 4096;

/// Returns the offset in the next panel from which the tile at `row`
/// prefetches. Each of the first `prefetch` tiles prefetches an equal part.
Index ContractionEmitter::prefetchStart(const Index &row,
                                        ArrayRef<ReductionLoop> loops,
                                        const Index &bOff) {
  int64_t size = panelVectors * width();
  for (const ReductionLoop &r : loops)
    size *= r.size.constant;
  size /= prefetch;
  Index tile =
      code.add(firstTile, code.floorDiv(code.sub(row, firstRow), rows));
  return code.add(code.add(bOff, Index::of(size * prefetch)),
                  code.mul(tile, Stride{size, fetchScale}));
}

/// If there are fewer tiles than `prefetch`, each of them prefetches several
/// parts.
void ContractionEmitter::scalePrefetch(const Index &count) {
  if (prefetch <= 1 || count.isStatic())
    return;
  Value tiles = code.materialize(code.ceilDiv(count, rows));
  fetchScale = code.constant(1);
  for (int64_t least = prefetch; least > 1; least /= 2) {
    Value isFewer =
        arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::slt,
                              tiles, code.constant(least));
    fetchScale = arith::SelectOp::create(code.b, code.loc, isFewer,
                                         code.constant(2 * prefetch / least),
                                         fetchScale);
  }
}

/// Emits the prefetches of one step. A single tile prefetches what it needs
/// kAhead bytes after `bAt`, each cache line once: step `unrolled` of an
/// iteration prefetches only if it starts a line. Several tiles prefetch the
/// next panel at `next`. That advances by a few bytes a step, so that lines are
/// prefetched more than once, which costs less than counting them.
void ContractionEmitter::emitPrefetch(const Index &bAt, const Index &next,
                                      int64_t unrolled) {
  // Into the first-level cache if the sums wait for memory alone. For weights
  // of four bits on Zen 4, that takes 0.96 of the time without prefetches, and
  // prefetches into the second-level cache 1.09.
  int locality = usesFixedPoint() && code.lanes >= 16 ? 3 : 2;
  auto fetch = [&](const Index &at) {
    memref::PrefetchOp::create(code.b, code.loc, b->flat,
                               ValueRange{code.materialize(at)},
                               /*isWrite=*/false, locality,
                               /*isDataCache=*/true);
  };
  if (prefetch > 1)
    return fetch(next);
  int64_t size = b->element.getIntOrFloatBitWidth() / 8;
  int64_t bytes = panelVectors * width() * size;
  for (int64_t at = 0; at < bytes; at += kLine)
    if (bytes >= kLine || unrolled * bytes % kLine == 0)
      fetch(code.add(bAt, Index::of((kAhead + at) / size)));
}

bool ContractionEmitter::fetchesLeft(ArrayRef<ReductionLoop> loops,
                                     int64_t count) {
  if (!mLoop || !packed || loops.size() != 1 || !a ||
      !a->element.isIntOrFloat() || code.machine.isNEON)
    return false;
  const ReductionLoop &r = loops.front();
  Stride row = aStride[*mLoop];
  auto type = cast<RankedTensorType>(info.lhs().getType());
  int64_t step = r.a.constant * a->element.getIntOrFloatBitWidth() / 8;
  return r.size.isStatic() && !r.a.value &&
         row.isStatic(r.size.constant * r.a.constant) && step > 0 &&
         count * step <= kLine &&
         (!type.hasStaticShape() ||
          getLeastBytes(info.lhs()) > code.machine.sharedCache);
}

int64_t fx::cpu::getLeastBytes(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  for (int64_t size : type.getShape())
    bytes *= ShapedType::isDynamic(size) ? 1 : size;
  return bytes;
}

void ContractionEmitter::prefetchEpilogue(const Index &row, int64_t count) {
  if (!mLoop)
    return;
  SmallVector<std::pair<const Buffer *, SmallVector<int>>> read;
  for (Operation *op : ops) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || op == info.op)
      continue;
    for (OpOperand *operand : generic.getDpsInputOperands()) {
      AffineMap map = generic.getMatchingIndexingMap(operand);
      if (!isa<BlockArgument>(operand->get()) || !map.isProjectedPermutation())
        continue;
      SmallVector<int> of;
      for (unsigned d = 0; d < map.getNumResults(); ++d)
        of.push_back(labels.ofLoops(op)[map.getDimPosition(d)]);
      // The CPU hides the latency of its caches itself.
      Value tensor = operand->get();
      if (cast<RankedTensorType>(tensor.getType()).hasStaticShape() &&
          getLeastBytes(tensor) <= code.machine.sharedCache)
        continue;
      const Buffer *buffer = code.buffer(tensor);
      if (buffer && llvm::is_contained(of, int(*mLoop)) &&
          llvm::is_contained(of, int(nLoop)))
        read.emplace_back(buffer, of);
    }
  }
  for (auto &[buffer, of] : read)
    for (int64_t i = 0; i < count; ++i)
      for (int64_t v = 0; v < vectors; ++v) {
        at[*mLoop] = code.add(row, Index::of(i));
        at[nLoop] = code.add(column, Index::of(v * code.lanes));
        code.prefetch(*buffer, coords(of));
      }
}

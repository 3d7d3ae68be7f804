//===- EmitPointwise.cpp - kernels without a reduction --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Emitters.h"
#include "fx/Kernels/Analysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;
using namespace fx::cpu;

/// Elements per task of a kernel that walks all its dimensions as one.
static constexpr int64_t kFlatChunk = 8192;
/// The highest cost (`bodyCost`) of a kernel whose loops are unrolled for NEON.
static constexpr int64_t kCheap = 8;

void fx::cpu::storeOutputs(KernelCode &code, Scope &scope,
                           ArrayRef<Coord> coords) {
  for (unsigned i = 0; i < code.numOutputs(); ++i) {
    Value value = code.eval(scope, code.output(i), coords);
    code.store(*code.buffer(code.outputArg(i)), coords, value);
  }
}

/// Returns the number of vectors of an iteration. NEON's vectors are short, so
/// that the overhead of a loop counts.
static int64_t chooseUnroll(KernelCode &code) {
  if (!code.machine.isNEON)
    return 1;
  int64_t cost = 0;
  for (auto op : code.source.getBody().front().getOps<linalg::GenericOp>())
    cost += bodyCost(op);
  return cost <= kCheap ? 4 : 1;
}

/// The largest last dimension whose vectors are interleaved.
static constexpr int64_t kInterleaved = 4;

/// Interleaves the elements of `rows`: element j of the result, over all of its
/// vectors, is element j / n of row j % n, where n is the number of rows.
static SmallVector<Value> interleave(KernelCode &code, ArrayRef<Value> rows) {
  int64_t n = rows.size(), lanes = code.lanes;
  SmallVector<Value> result;
  for (int64_t k = 0; k < n; ++k) {
    // Each step adds the elements of a row to those of the rows before it.
    Value all = rows[0];
    for (int64_t row = 1; row < n; ++row) {
      SmallVector<int64_t> mask;
      for (int64_t j = 0; j < lanes; ++j) {
        int64_t element = k * lanes + j, from = element % n;
        mask.push_back(from == row              ? lanes + element / n
                       : row == 1 || from > row ? element / n
                                                : j);
      }
      all = vector::ShuffleOp::create(code.b, code.loc, all, rows[row], mask);
    }
    result.push_back(all);
  }
  return result;
}

/// Stores the outputs at all coordinates of the last dimension, for a vector
/// along the dimension before it.
static void storeInterleaved(KernelCode &code, Scope &scope, Coords coords,
                             int64_t width) {
  for (unsigned i = 0; i < code.numOutputs(); ++i) {
    const Buffer &to = *code.buffer(code.outputArg(i));
    VectorType type = code.vectorType(to.element);
    SmallVector<Value> rows;
    for (int64_t k = 0; k < width; ++k) {
      coords.back().base = Index::of(k);
      rows.push_back(code.splat(code.eval(scope, code.output(i), coords)));
    }
    // LLVM scalarizes shuffles of bf16 without AVX512-BF16.
    bool isBF16 = to.element.isBF16();
    if (isBF16)
      for (Value &row : rows)
        row = arith::BitcastOp::create(code.b, code.loc,
                                       type.clone(code.b.getI16Type()), row);
    Coords place(coords);
    place[coords.size() - 2].lane = 0;
    for (auto [k, value] : llvm::enumerate(interleave(code, rows))) {
      // The rows of the last dimension follow each other in memory.
      place.back() = {Index::of(k * code.lanes), 1};
      if (isBF16)
        value = arith::BitcastOp::create(code.b, code.loc, type, value);
      code.store(to, place, value);
    }
  }
}

/// Returns true if a tensor in memory is contiguous along dimension `d` of the
/// outputs.
static bool readsAlong(KernelCode &code, int64_t d) {
  SmallVector<Operation *> ops;
  std::optional<LoopLabels> labels = fx::codegen::labelOutput(code, ops);
  if (!labels)
    return false;
  auto isAlong = [&](OpOperand *operand) {
    auto op = cast<linalg::GenericOp>(operand->getOwner());
    const Buffer *buffer = isa<RankedTensorType>(operand->get().getType())
                               ? code.buffer(operand->get())
                               : nullptr;
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!buffer || map.getNumResults() < 2)
      return false;
    for (auto [expr, stride] : llvm::zip(map.getResults(), buffer->strides))
      if (auto dim = dyn_cast<AffineDimExpr>(expr);
          dim && stride.isStatic(1) &&
          labels->ofLoops(op)[dim.getPosition()] == d)
        return true;
    return false;
  };
  return llvm::any_of(ops, [&](Operation *op) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    return generic && llvm::any_of(generic.getDpsInputOperands(), isAlong);
  });
}

/// Returns the dimension along which the lanes walk: the last one, or, if that
/// is narrow, a wide one. Stores are then interleaved or scattered. Scattering
/// is only worthwhile if operands are read along the wide dimension: it takes 3
/// to 25 times as long as vectors of which half of the lanes are used.
static int64_t chooseLane(KernelCode &code, RankedTensorType type) {
  int64_t last = type.getRank() - 1, size = type.getShape().back();
  if (last < 1 || ShapedType::isDynamic(size) || 2 * size > code.lanes)
    return last;
  for (int64_t d = last - 1; d >= 0; --d)
    if (type.isDynamicDim(d) || type.getDimSize(d) >= code.lanes)
      return size <= kInterleaved || readsAlong(code, d) ? d : last;
  return last;
}

static void emitPointwise(KernelCode &code) {
  Value first = code.output(0);
  int64_t rank = cast<RankedTensorType>(first.getType()).getRank();

  int64_t merged = countMergedDims(code);
  if (emitTransposed(code, merged))
    return;

  auto type = cast<RankedTensorType>(first.getType());
  int64_t lane = merged == 1 && rank > 1 ? chooseLane(code, type) : rank - 1;
  // Whole vectors of adjacent rows are interleaved, rather than scattered.
  int64_t narrow = type.getRank() ? type.getShape().back() : 0;
  bool interleaves = lane == rank - 2 && narrow > 1 && narrow <= kInterleaved;
  Scope top;
  SmallVector<Index> sizes;
  SmallVector<int64_t> walked; // the dimension of each of `sizes`
  Index inner = Index::of(1);
  for (int64_t d = 0; d < rank; ++d) {
    Index size = code.size(code.outputArg(0), d);
    if (d == rank - 1 && interleaves)
      continue;
    if (d == lane || (d >= rank - merged && merged > 1)) {
      inner = code.mul(inner, size);
    } else {
      sizes.push_back(size);
      walked.push_back(d);
    }
  }
  auto emit = [&](Scope &scope, ArrayRef<Index> outer, const Index &at,
                  bool isVector) {
    Coords coords(rank, Coord{Index::of(0), false});
    for (auto [d, iv] : llvm::zip(walked, outer))
      coords[d] = {iv, false};
    if (rank)
      coords[lane] = {at, isVector};
    if (interleaves && !code.mask)
      return storeInterleaved(code, scope, coords, narrow);
    for (int64_t k = 0; k < (interleaves ? narrow : 1); ++k) {
      if (interleaves)
        coords.back().base = Index::of(k);
      storeOutputs(code, scope, coords);
    }
  };
  Scope inForall;
  SmallVector<Index> ivs;
  if (rank == 0)
    return emit(top, {}, Index::of(0), false);
  bool isFlat = sizes.empty();
  if (isFlat && !(inner.isStatic() && inner.constant <= 2 * kFlatChunk))
    sizes.push_back(code.ceilDiv(inner, kFlatChunk));
  int64_t work = isFlat ? kFlatChunk : inner.isStatic() ? inner.constant : 0;
  work *= interleaves ? narrow : 1;
  Operation *forall = code.beginForall(top, inForall, sizes, ivs, work);
  Index from = Index::of(0), to = inner;
  if (isFlat && !ivs.empty()) {
    from = code.mul(ivs[0], Index::of(kFlatChunk));
    to = code.min(code.add(from, Index::of(kFlatChunk)), inner);
  }
  code.forVectors(
      inForall, from, to,
      [&](Scope &scope, const Index &at) { emit(scope, ivs, at, true); },
      chooseUnroll(code));
  code.endForall(forall);
}

//===----------------------------------------------------------------------===//
// The class
//===----------------------------------------------------------------------===//

/// Returns the op that defines the first result; null if the kernel reduces.
static Operation *findRoot(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  for (auto op : body.getOps<linalg::GenericOp>())
    if (op.getNumReductionLoops())
      return nullptr;
  return body.getTerminator()->getOperand(0).getDefiningOp();
}

static std::optional<KernelMatch> matchPointwise(func::FuncOp kernel,
                                                 const TargetInfo &) {
  Operation *root = findRoot(kernel);
  if (!root || isa<linalg::PackOp>(root))
    return std::nullopt;
  return KernelMatch{root, PointwiseAttr::get(kernel.getContext())};
}

namespace fx::cpu {
KernelClass getPointwiseClass() {
  return {PointwiseAttr::getMnemonic(), /*benefit=*/1, matchPointwise,
          emitPointwise};
}
} // namespace fx::cpu

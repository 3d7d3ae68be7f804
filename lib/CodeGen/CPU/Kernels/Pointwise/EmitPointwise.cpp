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

static void emitPointwise(KernelCode &code) {
  Value first = code.output(0);
  int64_t rank = cast<RankedTensorType>(first.getType()).getRank();

  int64_t merged = countMergedDims(code);
  if (emitTransposed(code, merged))
    return;

  // The lanes walk the last dimension. If it is narrow and another one is wide,
  // they walk the wide one, and the stores are scattered.
  int64_t lane = rank - 1;
  auto type = cast<RankedTensorType>(first.getType());
  if (merged == 1 && rank > 1 && !type.isDynamicDim(lane) &&
      2 * type.getDimSize(lane) <= code.lanes)
    for (int64_t d = rank - 2; d >= 0 && lane == rank - 1; --d)
      if (type.isDynamicDim(d) || type.getDimSize(d) >= code.lanes)
        lane = d;
  Scope top;
  SmallVector<Index> sizes;
  SmallVector<int64_t> walked; // the dimension of each of `sizes`
  Index inner = Index::of(1);
  for (int64_t d = 0; d < rank; ++d) {
    Index size = code.size(code.outputArg(0), d);
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
    storeOutputs(code, scope, coords);
  };
  Scope inForall;
  SmallVector<Index> ivs;
  if (rank == 0)
    return emit(top, {}, Index::of(0), false);
  bool isFlat = sizes.empty();
  if (isFlat && !(inner.isStatic() && inner.constant <= 2 * kFlatChunk))
    sizes.push_back(code.ceilDiv(inner, kFlatChunk));
  int64_t work = isFlat ? kFlatChunk : inner.isStatic() ? inner.constant : 0;
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

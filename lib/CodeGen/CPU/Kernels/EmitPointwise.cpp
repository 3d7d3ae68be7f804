//===- EmitPointwise.cpp - kernels without a reduction ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis.h"
#include "KernelCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fx::cpu;

/// Elements that one task of a flat kernel handles.
static constexpr int64_t kFlatChunk = 8192;

void fx::cpu::emitPointwise(KernelCode &code) {
  unsigned numOutputs = code.numOutputs();
  Value first = code.output(0);
  int64_t rank = cast<RankedTensorType>(first.getType()).getRank();

  SmallVector<Operation *> ops;
  for (Operation &op : code.source.getBody().front().without_terminator())
    ops.push_back(&op);

  // Label the dimensions of the first output and walk as one as many trailing
  // ones as lie together in all operands.
  int64_t merged = rank > 0 ? 1 : 0;
  bool onlyGenerics = true;
  for (unsigned i = 0; i < numOutputs; ++i)
    onlyGenerics &= isa_and_nonnull<linalg::GenericOp>(
        code.output(i).getDefiningOp());
  if (rank > 1 && onlyGenerics) {
    auto root = first.getDefiningOp<linalg::GenericOp>();
    AffineMap map = root.getIndexingMapMatchingResult(cast<OpResult>(first));
    SmallVector<int> loops(root.getNumLoops(), LoopLabels::kUnknown);
    for (unsigned d = 0; d < rank; ++d)
      loops[map.getDimPosition(d)] = d;
    LoopLabels labels;
    labels.setRoot(root, loops);
    bool known = labels.propagate(ops);
    for (Operation *op : ops)
      if (isa<linalg::GenericOp>(op))
        known &= labels.isComplete(op) &&
                 !llvm::is_contained(labels.ofLoops(op), LoopLabels::kUnit);
    while (known && merged < rank &&
           canMergeLabels(ops, labels, rank - merged - 1, rank - merged))
      ++merged;
  }

  // The lanes walk the last dimension, or, where that is narrow and another is
  // wide, that one: stores are scattered then.
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
    for (unsigned i = 0; i < numOutputs; ++i) {
      Coords coords(rank, Coord{Index::of(0), false});
      for (auto [d, iv] : llvm::zip(walked, outer))
        coords[d] = {iv, false};
      if (rank)
        coords[lane] = {at, isVector};
      Value value = code.eval(scope, code.output(i), coords);
      code.store(*code.buffer(code.outputArg(i)), coords, value);
    }
  };
  Scope inForall;
  SmallVector<Index> ivs;
  if (rank == 0)
    return emit(top, {}, Index::of(0), false);
  bool isFlat = sizes.empty();
  if (isFlat && !(inner.isStatic() && inner.constant <= 2 * kFlatChunk))
    sizes.push_back(code.ceilDiv(inner, kFlatChunk));
  int64_t work = isFlat             ? kFlatChunk
                 : inner.isStatic() ? inner.constant
                                    : 0;
  Operation *forall = code.beginForall(top, inForall, sizes, ivs, work);
  Index from = Index::of(0), to = inner;
  if (isFlat && !ivs.empty()) {
    from = code.mul(ivs[0], Index::of(kFlatChunk));
    to = code.min(code.add(from, Index::of(kFlatChunk)), inner);
  }
  code.forVectors(inForall, from, to, [&](Scope &scope, const Index &at) {
    emit(scope, ivs, at, true);
  });
  code.endForall(forall);
}

// packed[o..., i] = source[...] with the tiled dimension at o * tile + i.
void fx::cpu::emitPack(KernelCode &code) {
  auto pack = code.output(0).getDefiningOp<linalg::PackOp>();
  auto tile = getConstantIntValue(pack.getMixedTiles()[0]);
  if (!tile || pack.getInnerDimsPos().size() != 1)
    return code.fail("packing of several dimensions");
  const Buffer *from = code.buffer(pack.getSource());
  if (!from)
    return code.fail("packing of a computed tensor");
  unsigned pos = pack.getInnerDimsPos()[0];
  int64_t rank = pack.getSourceRank();
  SmallVector<int64_t> perm(pack.getOuterDimsPerm());
  if (perm.empty())
    for (int64_t d = 0; d < rank; ++d)
      perm.push_back(d);
  Scope top, scope;
  SmallVector<Index> sizes, ivs;
  for (int64_t d = 0; d < rank; ++d)
    sizes.push_back(code.size(code.outputArg(0), d));
  Index limit = code.size(pack.getSource(), pos);
  Operation *forall = code.beginForall(top, scope, sizes, ivs);
  for (int64_t lane = 0; lane < *tile; lane += code.lanes) {
    Coords source(rank), packed;
    for (int64_t d = 0; d < rank; ++d) {
      packed.push_back({ivs[d], false});
      source[perm[d]] = {ivs[d], false};
    }
    packed.push_back({Index::of(lane), true});
    Index column = code.add(code.mul(ivs[llvm::find(perm, pos) - perm.begin()],
                                     Index::of(*tile)),
                            Index::of(lane));
    source[pos] = {column, true};
    // Lanes past the end load as zero.
    bool exact = limit.isStatic() && limit.constant % *tile == 0;
    Value rest = exact ? Value() : code.maskBelow(code.sub(limit, column));
    code.mask = rest;
    Value value = code.load(*from, source);
    code.mask = Value();
    if (lane + code.lanes > *tile)
      code.mask = code.maskBelow(Index::of(*tile - lane));
    if (Value padding = pack.getPaddingValue(); padding && rest)
      value = arith::SelectOp::create(code.b, code.loc, rest, value,
                                      code.splat(code.scalar(padding)));
    code.store(*code.buffer(code.outputArg(0)), packed, value);
    code.mask = Value();
  }
  code.endForall(forall);
}

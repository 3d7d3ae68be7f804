//===- KernelLoops.cpp - loops of kernels ---------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/KernelCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <deque>

using namespace mlir;
using namespace fx::codegen;

scf::ForOp KernelCode::beginFor(Scope &outer, Scope &inner, const Index &from,
                                const Index &to, int64_t step,
                                ValueRange carried) {
  auto loop = scf::ForOp::create(b, loc, materialize(from), materialize(to),
                                 constant(step), carried);
  if (carried.empty())
    loop.getBody()->getTerminator()->erase();
  inner.parent = &outer;
  inner.loop = loop;
  b.setInsertionPointToStart(loop.getBody());
  return loop;
}

void KernelCode::endFor(scf::ForOp loop, ValueRange carried) {
  scf::YieldOp::create(b, loc, carried);
  b.setInsertionPointAfter(loop);
}

/// Long reductions are divided into blocks of so many elements.
static constexpr int64_t kReductionBlock = 1024;
/// Reductions by several loops are divided if they have so many elements.
static constexpr int64_t kLongReduction = 64 * kReductionBlock;

SmallVector<Value> KernelCode::forReduction(
    Scope &outer, linalg::LinalgOp op, MutableArrayRef<Index> at,
    ValueRange init,
    llvm::function_ref<void(Scope &, MutableArrayRef<Value>)> body,
    llvm::function_ref<void(MutableArrayRef<Value>, ValueRange)> merge) {
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  auto isLong = [&](unsigned d) {
    Index size = loopSize(op, d);
    return !size.isStatic() || size.constant >= 4 * kReductionBlock;
  };
  auto count = [&](ArrayRef<unsigned> dims) {
    int64_t product = 1;
    for (unsigned d : dims)
      product *= loopSize(op, d).constant;
    return product;
  };
  /// A loop whose iterations begin with neutral values is one that merges.
  struct Level {
    scf::ForOp loop;
    bool merges;
  };
  SmallVector<Level> nest;
  SmallVector<Value> acc(init);
  std::deque<Scope> scopes;
  Scope *current = &outer;
  auto begin = [&](const Index &from, const Index &to, int64_t step,
                   bool merges) {
    Scope &inner = scopes.emplace_back();
    scf::ForOp loop = beginFor(*current, inner, from, to, step, acc);
    nest.push_back({loop, merges});
    current = &inner;
    if (merges)
      acc.assign(init.begin(), init.end());
    else
      acc.assign(loop.getRegionIterArgs().begin(),
                 loop.getRegionIterArgs().end());
    return Index(loop.getInductionVar());
  };
  bool isAnyLong = merge && llvm::any_of(reduced, isLong);
  for (auto [level, d] : llvm::enumerate(reduced)) {
    Index size = loopSize(op, d), first = Index::of(0), end = size;
    if (size == Index::of(1)) {
      at[d] = Index::of(0);
      continue;
    }
    if (merge && isLong(d)) {
      first = begin(first, size, kReductionBlock, /*merges=*/true);
      end = add(first, Index::of(kReductionBlock));
      if (!size.isStatic() || size.constant % kReductionBlock)
        end = min(end, size);
    }
    bool merges =
        merge && !isAnyLong && count(reduced) >= kLongReduction &&
        count(ArrayRef(reduced).drop_front(level + 1)) >= kReductionBlock;
    at[d] = begin(first, end, 1, merges);
  }
  body(*current, acc);
  for (Level &level : llvm::reverse(nest)) {
    if (level.merges) {
      SmallVector<Value> all(level.loop.getRegionIterArgs());
      merge(all, acc);
      acc = all;
    }
    endFor(level.loop, acc);
    acc.assign(level.loop.getResults().begin(), level.loop.getResults().end());
  }
  return acc;
}

Operation *KernelCode::beginForall(Scope &outer, Scope &inner,
                                   ArrayRef<Index> sizes,
                                   SmallVectorImpl<Index> &ivs, int64_t work) {
  inner.parent = &outer;
  inner.loop = nullptr;
  ivs.assign(sizes.size(), Index::of(0));
  SmallVector<OpFoldResult> bounds;
  for (const Index &size : sizes)
    if (!(size == Index::of(1)))
      bounds.push_back(size.isStatic()
                           ? OpFoldResult(b.getIndexAttr(size.constant))
                           : OpFoldResult(materialize(size)));
  if (bounds.empty())
    return nullptr;
  auto loop = scf::ForallOp::create(b, loc, bounds, ValueRange(), std::nullopt);
  inner.loop = loop;
  // Waking a thread takes microseconds, as long as tens of thousands of
  // elements.
  constexpr int64_t kThreadWork = 64 * 1024;
  if (work > 0)
    loop->setAttr("fx.grain", b.getI64IntegerAttr(
                                  std::max<int64_t>(1, kThreadWork / work)));
  unsigned next = 0;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!(size == Index::of(1)))
      ivs[i] = Index(loop.getInductionVar(next++));
  b.setInsertionPointToStart(loop.getBody());
  return loop;
}

void KernelCode::endForall(Operation *forall) {
  if (forall)
    b.setInsertionPointAfter(forall);
}

void KernelCode::fillRegion(Scope &outer, Operation *op, Region &region,
                            llvm::function_ref<void(Scope &)> body) {
  Block *block = region.empty() ? b.createBlock(&region) : &region.front();
  b.setInsertionPointToStart(block);
  Scope branch;
  branch.parent = &outer;
  branch.loop = op;
  branch.isGuarded = true;
  body(branch);
  if (!block->mightHaveTerminator())
    scf::YieldOp::create(b, loc);
  b.setInsertionPointAfter(op);
}

void KernelCode::forVectors(
    Scope &outer, const Index &from, const Index &to,
    llvm::function_ref<void(Scope &, const Index &)> body, int64_t unroll) {
  Value outerMask = mask;
  mask = Value();
  Index count = sub(to, from);
  Index whole = mul(floorDiv(count, lanes), Index::of(lanes));
  Index end = add(from, whole), begin = from;
  int64_t block = unroll * lanes;
  if (unroll > 1 && !(count.isStatic() && count.constant < block)) {
    begin = add(from, mul(floorDiv(count, block), Index::of(block)));
    Scope inner;
    scf::ForOp loop = beginFor(outer, inner, from, begin, block);
    for (int64_t u = 0; u < unroll; ++u)
      body(inner, Index(loop.getInductionVar(), u * lanes));
    endFor(loop);
  }
  if (!(begin == end) && !(count.isStatic() && count.constant < lanes)) {
    if (count == Index::of(lanes)) {
      Scope inner;
      inner.parent = &outer;
      body(inner, from);
    } else {
      Scope inner;
      scf::ForOp loop = beginFor(outer, inner, begin, end, lanes);
      body(inner, Index(loop.getInductionVar()));
      endFor(loop);
    }
  }
  Index rest = sub(count, whole);
  if (!rest.isStatic()) {
    Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                       materialize(rest), constant(0));
    auto branch = scf::IfOp::create(b, loc, some, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    Scope inner;
    inner.parent = &outer;
    inner.loop = branch;
    mask = maskBelow(rest);
    body(inner, end);
    b.setInsertionPointAfter(branch);
  } else if (rest.constant > 0) {
    Scope inner;
    inner.parent = &outer;
    mask = maskBelow(rest);
    body(inner, end);
  }
  mask = outerMask;
}

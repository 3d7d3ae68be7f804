//===- ContractionParts.cpp - parts of panels in the first-level cache ----===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each tile of rows reads a panel of the right operand. A long panel does not
// fit the first-level cache, and a very long one not the second-level cache
// either. So all rows of a task multiply a part of the panel before the next
// part is read, as in Goto and van de Geijn, "Anatomy of high-performance
// matrix multiplication" (2008). Their sums are in memory of the task
// meanwhile. In the end, each row reads its sums for the epilogue.
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <deque>

using namespace mlir;
using namespace fx::cpu;

/// The most sums of a task, 256 KiB on the stack.
static constexpr int64_t kMaxSums = 64 * 1024;

bool fx::cpu::allowsParts(const Contraction &contraction) {
  return !contraction.isInteger() && !contraction.isDouble() &&
         !contraction.hasByteWeights() && !contraction.groupSize;
}

bool ContractionEmitter::hasParts(int64_t most) {
  if (terms <= 0 || !mLoop || !packed || tiles || !allowsParts(info) ||
      most <= 0 || most * panel() > kMaxSums)
    return false;
  int64_t steps = 1;
  for (const ReductionLoop &r : reductions) {
    if (!r.size.isStatic())
      return false;
    steps *= r.size.constant;
  }
  return steps > std::max<int64_t>(1, terms / depth());
}

SmallVector<ReductionLoop> ContractionEmitter::splitTerms() {
  int64_t most = std::max<int64_t>(1, terms / depth()), size = 1;
  unsigned first = reductions.size();
  while (first > 0 && size * reductions[first - 1].size.constant <= most)
    size *= reductions[--first].size.constant;
  SmallVector<ReductionLoop> outside(reductions.begin(),
                                     reductions.begin() + first);
  part.loops.assign(reductions.begin() + first, reductions.end());
  // Parts of equal size if there are such, or else a shorter last one.
  ReductionLoop &last = outside.back();
  int64_t all = last.size.constant, step = std::max<int64_t>(1, most / size);
  int64_t divisor = step;
  while (all % divisor)
    --divisor;
  if (2 * divisor >= step)
    step = divisor;
  part.loops.insert(part.loops.begin(),
                    ReductionLoop{Index::of(step), last.a, last.b});
  last = {Index::of(llvm::divideCeil(all, step)), code.scale(last.a, step),
          code.scale(last.b, step)};
  return outside;
}

Value ContractionEmitter::placeInPart(const Index &row, int64_t vector) {
  Index at = code.mul(code.sub(row, firstRow), Index::of(panel()));
  return code.materialize(code.add(at, Index::of(vector * code.lanes)));
}

void ContractionEmitter::addPart(Scope &scope, const Index &row,
                                 int64_t count) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  prefetchEpilogue(row, count);
  Index aOff =
      code.add(code.add(aBase, part.a), code.mul(row, aStride[*mLoop]));
  Index bOff = code.add(bBase, part.b);
  bool fetches =
      prefetch > 1 && llvm::all_of(part.loops, [&](const ReductionLoop &r) {
        return r.b.constant % prefetch == 0;
      });
  Index pOff = fetches ? prefetchStart(row, part.loops, bOff) : Index::of(0);
  SmallVector<ReductionLoop> loops(ArrayRef<ReductionLoop>(part.loops));
  loops.front().size = part.size;
  SmallVector<Value> sums = sum(scope, loops, aOff, bOff, pOff, fetches, count);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t v = 0; v < vectors; ++v) {
      Value at = placeInPart(code.add(row, Index::of(i)), v);
      Value old = vector::LoadOp::create(b, loc, code.vectorType(sumType()),
                                         part.sums, at);
      vector::StoreOp::create(b, loc, add(old, sums[i * vectors + v]),
                              part.sums, at);
    }
}

void ContractionEmitter::emitParts(Scope &scope, const TaskTile &tile,
                                   int64_t most,
                                   llvm::function_ref<void(Scope &)> emitRows) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  part.sums = memref::AllocaOp::create(
      b, loc, MemRefType::get({most * panel()}, sumType()),
      b.getI64IntegerAttr(64));
  // Other tasks do not prefetch parts of this panel.
  firstTile = Index::of(0);
  Scope clear;
  auto zeros = code.beginFor(scope, clear, Index::of(0),
                             Index::of(most * panel()), code.lanes);
  vector::StoreOp::create(b, loc, code.splatConstant(zeroSum()), part.sums,
                          zeros.getInductionVar());
  code.endFor(zeros);
  SmallVector<ReductionLoop> outside = splitTerms();
  std::deque<Scope> scopes;
  SmallVector<scf::ForOp> nest;
  Scope *current = &scope;
  part.a = part.b = Index::of(0);
  for (const ReductionLoop &r : outside) {
    scopes.emplace_back();
    nest.push_back(
        code.beginFor(*current, scopes.back(), Index::of(0), r.size, 1));
    current = &scopes.back();
    Index iv(nest.back().getInductionVar());
    part.a = code.add(part.a, code.mul(iv, r.a));
    part.b = code.add(part.b, code.mul(iv, r.b));
  }
  // The last part may be shorter.
  int64_t all = reductions[outside.size() - 1].size.constant;
  part.size = part.loops.front().size;
  if (all % part.size.constant) {
    Index begin = code.mul(Index(nest.back().getInductionVar()), part.size);
    part.size = code.min(part.size, code.sub(Index::of(all), begin));
  }
  emitRows(*current);
  for (scf::ForOp loop : llvm::reverse(nest))
    code.endFor(loop);
  Scope end;
  auto rows = code.beginFor(scope, end, tile.from, tile.to, 1);
  Index row(rows.getInductionVar());
  SmallVector<Value> sums;
  for (int64_t v = 0; v < vectors; ++v)
    sums.push_back(vector::LoadOp::create(b, loc, code.vectorType(sumType()),
                                          part.sums, placeInPart(row, v)));
  emitEpilogue(end, row, 1, sums);
  code.endFor(rows);
}

//===- EmitContraction.cpp - matmuls and convolutions ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register tile of `rows` by `vectors` vectors of the result is accumulated
// over all reduction loops, then the pointwise ops of the group are evaluated
// on it and stored. The left operand is broadcast from memory at an address
// that is linear in the loops, so a convolution is a matmul with more reduction
// loops. The right one is read in panels, packed or not.
//
//===----------------------------------------------------------------------===//

#include "../Emitters.h"
#include "ContractionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/SaveAndRestore.h"

#include <deque>

using namespace mlir;
using namespace fx::cpu;

Coords ContractionEmitter::coords(ArrayRef<int> of) {
  Coords result;
  for (int label : of)
    result.push_back(label < 0 ? Coord{Index::of(0), false}
                               : Coord{at[label], unsigned(label) == nLoop});
  return result;
}

SmallVector<Value>
ContractionEmitter::accumulate(Scope &scope, const Index &row, int64_t count) {
  Index aRow = mLoop ? code.add(aBase, code.mul(row, aStride[*mLoop])) : aBase;
  bool fetches = prefetch > 0 && packed && !reductions.empty() &&
                 llvm::all_of(reductions, [&](const ReductionLoop &r) {
                   return r.size.isStatic() && r.b.constant % prefetch == 0;
                 });
  Index pOff = fetches && prefetch > 1 ? prefetchStart(row, reductions, bBase)
                                       : Index::of(0);
  if (fixed.bytes)
    return sumFixedPoint(scope, aRow, bBase, pOff, fetches);
  if (info.groupSize)
    return sumGroups(scope, aRow, bBase, pOff, fetches, count);
  SmallVector<Value> sums =
      sum(scope, reductions, aRow, bBase, pOff, fetches, count);
  if (unit() == 1)
    return sums;
  // The sums are multiples of the unit, 16.
  for (Value &v : sums)
    v = arith::ShRSIOp::create(code.b, code.loc, v,
                               code.splatConstant(code.b.getI32IntegerAttr(4)));
  return sums;
}

SmallVector<Value> ContractionEmitter::loadScales(const Index &group) {
  SmallVector<Value> scales;
  Type f32 = code.b.getF32Type();
  Index first = code.add(tBase, code.mul(group, groupStride));
  for (int64_t v = 0; v < vectors; ++v) {
    Index at = code.add(first, Index::of(v * code.lanes));
    Value x =
        vector::LoadOp::create(code.b, code.loc, code.vectorType(t->element),
                               t->flat, code.materialize(at));
    scales.push_back(
        t->element == f32
            ? x
            : arith::ExtFOp::create(code.b, code.loc, code.vectorType(f32), x));
  }
  return scales;
}

SmallVector<Value> ContractionEmitter::sumGroups(Scope &scope, Index aOff,
                                                 Index bOff, Index pOff,
                                                 bool fetches, int64_t count) {
  OpBuilder &builder = code.b;
  Location loc = code.loc;
  const ReductionLoop &all = reductions[0];
  int64_t steps = info.groupSize / depth();
  Value zero = code.splatConstant(builder.getF32FloatAttr(0.0));
  SmallVector<Value> totals(count * vectors, zero);
  Scope inner;
  auto loop = code.beginFor(scope, inner, Index::of(0),
                            code.floorDiv(all.size, steps), 1, totals);
  totals.assign(loop.getRegionIterArgs().begin(),
                loop.getRegionIterArgs().end());
  Index group(loop.getInductionVar());
  Index first = code.mul(group, Index::of(steps));
  aOff = code.add(aOff, code.mul(first, all.a));
  bOff = code.add(bOff, code.mul(first, all.b));
  if (fetches && prefetch > 1)
    pOff = code.add(pOff, code.mul(first, fetchStride(all.b)));
  SmallVector<Value> sums =
      sum(inner, ReductionLoop{Index::of(steps), all.a, all.b}, aOff, bOff,
          pOff, fetches, count);
  VectorType type = code.vectorType(builder.getF32Type());
  for (auto [v, scale] : llvm::enumerate(loadScales(group))) {
    if (unit() != 1)
      scale = arith::MulFOp::create(
          builder, loc, scale,
          code.splatConstant(builder.getF32FloatAttr(1 / unit())));
    for (int64_t i = 0; i < count; ++i) {
      Value s = sums[i * vectors + v], &total = totals[i * vectors + v];
      if (info.isInteger())
        s = arith::SIToFPOp::create(builder, loc, type, s);
      total = vector::FMAOp::create(builder, loc, s, scale, total);
    }
  }
  code.endFor(loop, totals);
  return SmallVector<Value>(loop.getResults());
}

int64_t ContractionEmitter::chooseUnroll(ArrayRef<ReductionLoop> loops,
                                         int64_t count) {
  if (loops.empty() || count * vectors >= 8)
    return 1;
  int64_t unroll = llvm::PowerOf2Ceil(llvm::divideCeil(8, count * vectors));
  Index size = loops.back().size;
  if (size.isStatic())
    while (unroll > 1 && size.constant % unroll)
      unroll /= 2;
  return unroll;
}

void ContractionEmitter::emitStep(const StepOffsets &from, bool fetches,
                                  int64_t unrolled, MutableArrayRef<Value> sums,
                                  MutableArrayRef<Value> quads) {
  // Four steps advance by a cache line at most if several tiles prefetch.
  if (fetches && (quads.empty() || prefetch <= 1 || unrolled % 4 == 0))
    emitPrefetch(from.b, from.fetch, unrolled);
  if (from.nextRows)
    memref::PrefetchOp::create(code.b, code.loc, a->flat,
                               ValueRange{code.materialize(from.nextA)},
                               /*isWrite=*/false, /*localityHint=*/2,
                               /*isDataCache=*/true);
  SmallVector<Value> right;
  for (int64_t v = 0; v < vectors; ++v)
    right.push_back(loadRight(from.b, v));
  int64_t count = sums.size() / vectors;
  for (int64_t part = 0; part < numParts(); ++part) {
    SmallVector<Value> bs = getPart(right, part);
    Index aPart = code.add(from.a, Index::of(part * depth() / numParts()));
    int64_t word = (unrolled * numParts() + part) % 4;
    for (int64_t i = 0; i < count; ++i) {
      MutableArrayRef<Value> own = sums.slice(i * vectors, vectors);
      if (isOffset() && i + 1 == count) {
        Value offset = code.splatConstant(
            code.b.getI32IntegerAttr(static_cast<int32_t>(0x80808080u)));
        multiply(bs, offset, own);
        continue;
      }
      Index row = aPart;
      if (mLoop)
        row = code.add(aPart, code.mul(Index::of(i), aStride[*mLoop]));
      if (quads.empty()) {
        multiply(bs, loadLeft(row), own);
        continue;
      }
      if (word == 0)
        quads[i] = loadQuad(row);
      SmallVector<int64_t> lane(code.lanes, word);
      multiply(
          bs,
          vector::ShuffleOp::create(code.b, code.loc, quads[i], quads[i], lane),
          own);
    }
  }
}

SmallVector<scf::ForOp>
ContractionEmitter::beginSum(Scope &scope, ArrayRef<ReductionLoop> loops,
                             int64_t steps, bool fetches, StepOffsets &from,
                             SmallVector<Value> &acc) {
  SmallVector<scf::ForOp> nest;
  std::deque<Scope> scopes;
  Scope *current = &scope;
  for (auto [d, r] : llvm::enumerate(loops)) {
    bool last = d + 1 == loops.size();
    Index to = r.size;
    if (last && steps > 1 && !(to.isStatic() && to.constant % steps == 0))
      to = code.mul(code.floorDiv(to, steps), Index::of(steps));
    scopes.emplace_back();
    auto loop = code.beginFor(*current, scopes.back(), Index::of(0), to,
                              last ? steps : 1, acc);
    current = &scopes.back();
    Index iv(loop.getInductionVar());
    from.a = code.add(from.a, code.mul(iv, r.a));
    from.b = code.add(from.b, code.mul(iv, r.b));
    if (fetches && prefetch > 1)
      from.fetch = code.add(from.fetch, code.mul(iv, fetchStride(r.b)));
    if (from.nextRows)
      from.nextA =
          code.add(from.nextA, code.mul(iv, code.scale(r.a, from.nextRows)));
    acc.assign(loop.getRegionIterArgs().begin(),
               loop.getRegionIterArgs().end());
    nest.push_back(loop);
  }
  return nest;
}

void ContractionEmitter::emitRemainder(Scope &scope,
                                       ArrayRef<ReductionLoop> loops,
                                       ArrayRef<scf::ForOp> nest, int64_t steps,
                                       StepOffsets from,
                                       MutableArrayRef<Value> sums) {
  for (unsigned o = 0; o + 1 < nest.size(); ++o) {
    scf::ForOp outerLoop = nest[o];
    Index iv(outerLoop.getInductionVar());
    from.a = code.add(from.a, code.mul(iv, loops[o].a));
    from.b = code.add(from.b, code.mul(iv, loops[o].b));
  }
  const ReductionLoop &r = loops.back();
  Scope tail;
  Index begin = code.mul(code.floorDiv(r.size, steps), Index::of(steps));
  SmallVector<Value> carried(sums.begin(), sums.end());
  auto rest = code.beginFor(scope, tail, begin, r.size, 1, carried);
  carried.assign(rest.getRegionIterArgs().begin(),
                 rest.getRegionIterArgs().end());
  Index iv(rest.getInductionVar());
  from.a = code.add(from.a, code.mul(iv, r.a));
  from.b = code.add(from.b, code.mul(iv, r.b));
  // The few elements of a remainder are not worth prefetches.
  from.nextRows = 0;
  emitStep(from, /*fetches=*/false, 0, carried);
  code.endFor(rest, carried);
  llvm::copy(rest.getResults(), sums.begin());
}

SmallVector<Value> ContractionEmitter::sum(Scope &scope,
                                           ArrayRef<ReductionLoop> loops,
                                           Index aOff, Index bOff, Index pOff,
                                           bool fetches, int64_t count) {
  StepOffsets first{aOff, bOff, pOff};
  if (fetchesLeft(loops, count)) {
    first.nextA = code.add(aOff, code.mul(Index::of(count), aStride[*mLoop]));
    first.nextRows = count;
  }
  int64_t unroll = chooseUnroll(loops, count);
  int64_t quadSteps = getQuadSteps(loops), steps = std::max(unroll, quadSteps);
  int64_t tile = (count + isOffset()) * vectors;
  Value zero = code.splatConstant(zeroSum());
  SmallVector<Value> acc(tile * unroll, zero), quads;
  if (quadSteps > 1)
    quads.resize(count);
  StepOffsets from = first;
  SmallVector<scf::ForOp> nest =
      beginSum(scope, loops, steps, fetches, from, acc);
  MutableArrayRef<Value> all(acc);
  if (loops.empty()) {
    emitStep(from, fetches, 0, all);
  } else {
    const ReductionLoop &r = loops.back();
    for (int64_t u = 0; u < steps; ++u) {
      StepOffsets stepAt = from;
      stepAt.a = code.add(from.a, code.mul(Index::of(u), r.a));
      stepAt.b = code.add(from.b, code.mul(Index::of(u), r.b));
      stepAt.fetch =
          code.add(from.fetch, code.mul(Index::of(u), fetchStride(r.b)));
      stepAt.nextA =
          code.add(from.nextA, code.mul(Index::of(u * from.nextRows), r.a));
      emitStep(stepAt, fetches, u, all.slice(u % unroll * tile, tile), quads);
    }
  }
  for (auto [d, loop] : llvm::enumerate(llvm::reverse(nest))) {
    code.endFor(loop, acc);
    acc.assign(loop.getResults().begin(), loop.getResults().end());
    Index size = loops.back().size;
    if (d == 0 && steps > 1 && !(size.isStatic() && size.constant % steps == 0))
      emitRemainder(scope, loops, nest, steps, first,
                    MutableArrayRef<Value>(acc).take_front(tile));
  }
  for (int64_t u = unroll / 2; u >= 1; u /= 2)
    for (int64_t i = 0; i < u * tile; ++i)
      acc[i] = add(acc[i], acc[i + u * tile]);
  acc.resize(tile);
  if (isOffset()) {
    for (int64_t i = 0; i < count * vectors; ++i)
      acc[i] = arith::SubIOp::create(code.b, code.loc, acc[i],
                                     acc[count * vectors + i % vectors]);
    acc.resize(count * vectors);
  }
  return acc;
}

void ContractionEmitter::emitElements(Scope &scope, Value sum) {
  Value result = info.op->getResult(0);
  Value init = info.op.getDpsInits()[0];
  auto fill = init.getDefiningOp<linalg::FillOp>();
  bool fromZero =
      fill && (matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) ||
               matchPattern(fill.getInputs()[0], m_Zero()));
  Coords where = coords(labels.ofTensor(result));
  if (!fromZero)
    sum = add(sum, code.splat(code.eval(scope, init, where)));
  code.know(scope, result, where, sum);
  for (unsigned o = 0; o < code.numOutputs(); ++o) {
    Coords to = coords(labels.ofTensor(code.output(o)));
    Value value = code.eval(scope, code.output(o), to);
    code.store(*code.buffer(code.outputArg(o)), to, value);
  }
}

void ContractionEmitter::emitEpilogue(Scope &scope, const Index &row,
                                      int64_t count, ArrayRef<Value> acc) {
  for (int64_t i = 0; i < count; ++i)
    for (int64_t v = 0; v < vectors; ++v) {
      Scope here;
      here.parent = &scope;
      if (mLoop)
        at[*mLoop] = code.add(row, Index::of(i));
      at[nLoop] = code.add(column, Index::of(v * code.lanes));
      code.mask = masked ? masks[v] : Value();
      emitElements(here, acc[i * vectors + v]);
      code.mask = Value();
    }
}

void ContractionEmitter::emitTile(Scope &scope, const Index &row,
                                  int64_t count) {
  if (part.sums)
    return addPart(scope, row, count);
  prefetchEpilogue(code.add(row, Index::of(nextTile)), count);
  SmallVector<Value> acc = accumulate(scope, row, count);
  // An expensive epilogue is emitted once, in a loop over the rows, which
  // reloads sums that were stored to the output.
  int64_t cost = 0;
  for (Operation *op : ops)
    if (op != info.op)
      cost += bodyCost(cast<linalg::GenericOp>(op));
  Value result = info.op->getResult(0);
  bool fits = code.numOutputs() == 1 && mLoop && count > 1 &&
              code.output(0).getType() == result.getType() &&
              labels.ofTensor(code.output(0)) == labels.ofTensor(result);
  if (cost < 10 || !fits)
    return emitEpilogue(scope, row, count, acc);
  const Buffer &out = *code.buffer(code.outputArg(0));
  auto place = [&](const Index &r, int64_t v) {
    at[*mLoop] = r;
    at[nLoop] = code.add(column, Index::of(v * code.lanes));
    code.mask = masked ? masks[v] : Value();
    return coords(labels.ofTensor(result));
  };
  for (int64_t i = 0; i < count; ++i)
    for (int64_t v = 0; v < vectors; ++v) {
      Coords where = place(code.add(row, Index::of(i)), v);
      code.store(out, where, acc[i * vectors + v]);
    }
  code.mask = Value();
  Scope inner;
  auto loop =
      code.beginFor(scope, inner, row, code.add(row, Index::of(count)), 1);
  SmallVector<Value> sums;
  for (int64_t v = 0; v < vectors; ++v) {
    Coords where = place(Index(loop.getInductionVar()), v);
    sums.push_back(code.load(out, where));
    code.mask = Value();
  }
  emitEpilogue(inner, Index(loop.getInductionVar()), 1, sums);
  code.endFor(loop);
}

void ContractionEmitter::emitTileOfLoop(Scope &scope, const Index &row) {
  // The sums of a tile may be shorter than a read from memory.
  llvm::SaveAndRestore next(nextTile, rows);
  emitTile(scope, row, rows);
}

void ContractionEmitter::emitRowsOf(Scope &scope, const Index &from,
                                    const Index &to) {
  Index count = code.sub(to, from);
  if (count.isStatic()) {
    int64_t whole = count.constant / rows * rows;
    if (whole == rows) {
      emitTile(scope, from, rows);
    } else if (whole > 0) {
      Scope inner;
      auto loop = code.beginFor(scope, inner, from,
                                code.add(from, Index::of(whole)), rows);
      emitTileOfLoop(inner, Index(loop.getInductionVar()));
      code.endFor(loop);
    }
    if (count.constant > whole)
      emitTile(scope, code.add(from, Index::of(whole)), count.constant - whole);
    return;
  }
  Index whole = code.mul(code.floorDiv(count, rows), Index::of(rows));
  Index end = code.add(from, whole);
  Scope inner;
  auto loop = code.beginFor(scope, inner, from, end, rows);
  emitTileOfLoop(inner, Index(loop.getInductionVar()));
  code.endFor(loop);
  // Emit a tile of each smaller height: the remaining rows are computed in one
  // pass over the panel.
  if (rows == 1)
    return;
  Value rest = code.materialize(code.sub(count, whole));
  SmallVector<int64_t> cases;
  for (int64_t r = 1; r < rows; ++r)
    cases.push_back(r);
  auto pick = scf::IndexSwitchOp::create(code.b, code.loc, TypeRange(), rest,
                                         cases, cases.size());
  // There may be no row at `end`.
  code.fillRegion(scope, pick, pick.getDefaultRegion(), [](Scope &) {});
  for (int64_t r : cases)
    code.fillRegion(scope, pick, pick.getCaseRegions()[r - 1],
                    [&](Scope &branch) { emitTile(branch, end, r); });
}

void ContractionEmitter::emitBlock(Scope &scope, const Index &from) {
  int64_t whole = rowBlock / rows * rows;
  Scope inner;
  auto loop =
      code.beginFor(scope, inner, from, code.add(from, Index::of(whole)), rows);
  emitTileOfLoop(inner, Index(loop.getInductionVar()));
  code.endFor(loop);
  if (rowBlock > whole)
    emitTile(scope, code.add(from, Index::of(whole)), rowBlock - whole);
}

std::optional<int64_t> ContractionEmitter::countLastVectors() {
  if (!nSize.isStatic() || nSize.constant <= panel())
    return std::nullopt;
  int64_t count = llvm::divideCeil(nSize.constant % panel(), code.lanes);
  if (count == 0 || count == vectors)
    return std::nullopt;
  return count;
}

void ContractionEmitter::emitRowsOfPanels(
    Scope &scope, const Index &panel, int64_t lastVectors,
    llvm::function_ref<void(Scope &)> emitRows) {
  int64_t last = nSize.constant / this->panel();
  Value isLast =
      arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::eq,
                            code.materialize(panel), code.constant(last));
  auto branch = scf::IfOp::create(code.b, code.loc, isLast,
                                  /*withElseRegion=*/true);
  llvm::SaveAndRestore width(vectors, lastVectors);
  llvm::SaveAndRestore fetch(prefetch, int64_t(0));
  llvm::SaveAndRestore mask(masked, nSize.constant % code.lanes != 0);
  code.fillRegion(scope, branch, branch.getThenRegion(), emitRows);
  vectors = panelVectors;
  prefetch = fetch.get();
  masked = false;
  code.fillRegion(scope, branch, branch.getElseRegion(), emitRows);
}

void ContractionEmitter::emit() {
  if (!chooseLoops())
    return code.fail("the groups of the contraction do not fit");
  if (tiles && !fitsTiles()) {
    if (!hasDots())
      return code.fail("the operands of the contraction do not fit into tiles");
    tiles = false;
    rows = 8;
  }
  at.assign(info.op.getNumLoops(), Index::of(0));
  masked = !(nSize.isStatic() && nSize.constant % panel() == 0);
  balanceBlocks();
  bool blocked = mLoop && rowBlock > 0 &&
                 !(mSize.isStatic() && mSize.constant <= rowBlock);
  SmallVector<TaskLoop> order = orderTasks(blocked);
  SmallVector<Index> sizes, ivs;
  for (const TaskLoop &entry : order)
    sizes.push_back(entry.size);
  Scope top, task;
  if (roundsToBytes())
    roundLeftToBytes(top);
  else if (usesFixedPoint())
    roundLeft(top);
  else if (decodesToPairs())
    roundLeftToPairs(top);
  // Assume some rows if their number is dynamic.
  constexpr int64_t kSomeRows = 16;
  int64_t taskRows = !mSize.isStatic() ? kSomeRows
                     : blocked         ? rowBlock
                                       : mSize.constant;
  Operation *forall =
      code.beginForall(top, task, sizes, ivs, estimateWork(taskRows));
  TaskTile tile = placeTask(order, ivs);
  firstRow = tile.from;
  if (!tiles && !mSize.isStatic())
    scalePrefetch(code.sub(tile.to, tile.from));
  countFirstTile(order, ivs, blocked);
  column = code.mul(tile.panel, Index::of(panel()));
  if (masked)
    for (int64_t v = 0; v < vectors; ++v)
      masks.push_back(code.maskBelow(
          code.sub(code.sub(nSize, column), Index::of(v * code.lanes))));
  bool isFull = blocked && tile.to.value && tile.from.value &&
                mSize.isStatic() && mSize.constant % rowBlock == 0;
  int64_t most = blocked ? rowBlock : mSize.isStatic() ? mSize.constant : 0;
  auto emitRows = [&](Scope &scope) {
    if (isFull)
      emitBlock(scope, tile.from);
    else
      emitRowsOf(scope, tile.from, tile.to);
  };
  if (tiles)
    emitTiles(task, tile.from,
              isFull ? Index::of(rowBlock) : code.sub(tile.to, tile.from));
  else if (mLoop && (fixed.bytes || decodes()))
    emitByteRows(task, tile.from, tile.to);
  else if (hasParts(most))
    emitParts(task, tile, most, emitRows);
  else if (std::optional<int64_t> last = countLastVectors())
    emitRowsOfPanels(task, tile.panel, *last, emitRows);
  else
    emitRows(task);
  code.endForall(forall);
  if (fixed.bytes)
    freeRounded();
  if (pairsOfLeft)
    memref::DeallocOp::create(code.b, code.loc, pairsOfLeft);
}

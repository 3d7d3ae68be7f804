//===- ConsumePieces.cpp - the warpgroups of attention on sm_90a ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpgroupAttention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cmath>

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;
using codegen::Scope;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value WarpgroupAttention::startScores(const Ring &ring) {
  Value mine = i.mul(myNumber(), kWarpgroupRows * kBoxBytes);
  Value left = i.add(boxes.address, mine);
  Value right = i.add(boxes.address, stageOffset(ring.stage));
  SmallVector<Value> xs, ys;
  for (int64_t box = 0; box < boxesOf(headSize()); ++box) {
    xs.push_back(group.describe(i.add(left, box * tiles.m * kBoxBytes),
                                /*isAlongK=*/true, kBoxColumns));
    ys.push_back(group.describe(i.add(right, box * tiles.k * kBoxBytes),
                                /*isAlongK=*/true, kBoxColumns));
  }
  Value sums = group.undefined(tiles.k);
  group.fence();
  constexpr int64_t kSteps = kBoxColumns / 16;
  for (int64_t step = 0; 16 * step < headSize(); ++step) {
    auto operand = [&](ArrayRef<Value> of) {
      return group.advance(of[step / kSteps], /*isAlongK=*/true, step % kSteps);
    };
    sums = group.multiply(sums, operand(xs), /*xAlongK=*/true, operand(ys),
                          /*yAlongK=*/true, tiles.k, /*isFirst=*/step == 0);
  }
  group.commit();
  return sums;
}

Value WarpgroupAttention::startProducts(const State &state) {
  Value right =
      i.add(i.add(boxes.address, stageOffset(state.ring.stage)), keyBytes());
  Value y = group.describe(right, /*isAlongK=*/false, tiles.k);
  Value sums = group.pack(state.rows.acc);
  group.fence();
  for (int64_t step = 0; step < tiles.k / 16; ++step)
    sums = group.multiply(
        sums, ArrayRef(state.probabilities).slice(4 * step, 4),
        group.advance(y, /*isAlongK=*/false, step), /*yAlongK=*/false, tiles.n);
  group.commit();
  return sums;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

bool WarpgroupAttention::hasMasks() const {
  return !scaled || scaled->causal || !isMultiple(kSize, tiles.k);
}

void WarpgroupAttention::release(Value barrier) {
  group.first(lane, [&] { group.arrive(barrier); });
}

std::pair<SmallVector<Value>, SmallVector<Value>>
WarpgroupAttention::computePiece(Scope &scope, const Index &number,
                                 bool isMasked, Value scores, Rows &rows) {
  SmallVector<Value> x = group.unpack(scores);
  Index key0 = code.mul(pieceOf(number), Index::of(tiles.k));
  if (isMasked && scaled)
    maskScores(key0, x);
  else if (isMasked)
    mask(scope, key0, x);
  SmallVector<Value> factors = softmax(rows, x);
  return {x, factors};
}

SmallVector<Value> WarpgroupAttention::roundAll(ArrayRef<Value> probabilities) {
  SmallVector<Value> rounded;
  for (int64_t step = 0; step < tiles.k / 16; ++step)
    llvm::append_range(rounded, roundProbabilities(probabilities, 0, step));
  return rounded;
}

void WarpgroupAttention::ifThere(const Index &number,
                                 llvm::function_ref<void()> body) {
  OpBuilder &b = code.b;
  Value isThere =
      arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::slt,
                            code.materialize(number), code.materialize(pieces));
  auto branch =
      scf::IfOp::create(b, code.loc, isThere, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

void WarpgroupAttention::waitForKeys(const Ring &ring, const Index &number) {
  ifThere(number,
          [&] { group.wait(barrier(FullKeys, ring.stage), ring.parity); });
}

// Barrier 1 + w of the block begins a turn of warpgroup w. It counts the
// threads of this warpgroup and of the one before it.

void WarpgroupAttention::beginTurn() {
  if (hasTurns)
    group.meet(i.add(myNumber(), 1), 2 * kWarpgroup);
}

void WarpgroupAttention::beginTurns() {
  if (!hasTurns)
    return;
  OpBuilder &b = code.b;
  Value isLast = arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::eq,
                                       myNumber(), i.of(warpgroups - 1));
  auto branch = scf::IfOp::create(b, code.loc, isLast, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  ifThere(Index::of(1), [&] { group.announce(i.of(1), 2 * kWarpgroup); });
}

void WarpgroupAttention::endTurn(const Index &number) {
  if (!hasTurns)
    return;
  OpBuilder &b = code.b;
  Value mine = myNumber();
  Value isLast = arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::eq,
                                       mine, i.of(warpgroups - 1));
  auto branch = scf::IfOp::create(b, code.loc, isLast, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  ifThere(number, [&] { group.announce(i.of(1), 2 * kWarpgroup); });
  b.setInsertionPointToStart(branch.elseBlock());
  group.announce(i.add(mine, 2), 2 * kWarpgroup);
}

WarpgroupAttention::State WarpgroupAttention::beginPieces(Scope &scope,
                                                          bool isMasked) {
  State state;
  state.ring = {i.of(0), i.of(0)};
  state.rows.max.assign(2, number(-INFINITY));
  state.rows.sum.assign(2, number(0));
  state.rows.acc.assign(tiles.n / 2, number(0));
  group.wait(queryBarrier(), i.of(0));
  group.wait(barrier(FullKeys, state.ring.stage), state.ring.parity);
  Value x = group.finish(0, startScores(state.ring));
  release(barrier(EmptyKeys, state.ring.stage));
  SmallVector<Value> p =
      computePiece(scope, Index::of(0), isMasked, x, state.rows).first;
  state.probabilities = roundAll(p);
  waitForKeys(state.ring.next(i, stages), Index::of(1));
  return state;
}

void WarpgroupAttention::walkPieces(Scope &scope, const Index &from,
                                    const Index &to, bool isMasked,
                                    State &state) {
  size_t numAcc = state.rows.acc.size(), numP = state.probabilities.size();
  SmallVector<Value> carried = {state.ring.stage, state.ring.parity};
  auto carry = [&](ArrayRef<Value> values) {
    carried.append(values.begin(), values.end());
  };
  auto carryAll = [&] {
    carry(state.rows.max);
    carry(state.rows.sum);
    carry(state.rows.acc);
    carry(state.probabilities);
  };
  carryAll();
  auto take = [&](ValueRange values) {
    auto next = [&](SmallVector<Value> &to, size_t count) {
      to.assign(values.begin(), values.begin() + count);
      values = values.drop_front(count);
    };
    state.ring = {values[0], values[1]};
    values = values.drop_front(2);
    next(state.rows.max, 2);
    next(state.rows.sum, 2);
    next(state.rows.acc, numAcc);
    next(state.probabilities, numP);
  };
  Scope inPiece;
  auto loop = code.beginFor(scope, inPiece, from, to, 1, carried);
  take(loop.getRegionIterArgs());
  Index number(loop.getInductionVar());
  Ring ring = state.ring.next(i, stages);
  beginTurn();
  Value x = startScores(ring);
  group.wait(barrier(FullValues, state.ring.stage), state.ring.parity);
  Value y = startProducts(state);
  endTurn(code.add(number, Index::of(1)));
  x = group.finish(1, x);
  release(barrier(EmptyKeys, ring.stage));
  auto [p, factors] = computePiece(inPiece, number, isMasked, x, state.rows);
  // Within a block of code, ptxas would move the softmax behind the wait for
  // the products. So the wait for the next keys, which is a loop, is between.
  waitForKeys(ring.next(i, stages), code.add(number, Index::of(1)));
  SmallVector<Value> reads = state.probabilities;
  llvm::append_range(reads, state.rows.sum);
  y = group.finish(0, y, reads);
  release(barrier(EmptyValues, state.ring.stage));
  state.rows.acc = group.unpack(y);
  rescale(state.rows.acc, factors);
  state.probabilities = roundAll(p);
  carried = {ring.stage, ring.parity};
  carryAll();
  code.endFor(loop, carried);
  take(loop.getResults());
}

void WarpgroupAttention::consume(Scope &scope) {
  warpRow = i.add(warp, -4);
  bool isMasked = hasMasks();
  if (isMasked)
    placeRows();
  State state = beginPieces(scope, isMasked);
  beginTurns();
  // The pieces that all rows of the block see are the last ones to be computed.
  Index masked = isMasked ? pieces : Index::of(1);
  if (isMasked && scaled) {
    assert(bounds.first.empty() && "the first piece may be behind these");
    Index whole = code.floorDiv(countCommonKeys(), tiles.k);
    whole = code.min(code.sub(whole, firstPiece), pieces);
    masked = atLeastOne(code, code.sub(pieces, whole));
  }
  if (!(masked == Index::of(1)))
    walkPieces(scope, Index::of(1), masked, /*isMasked=*/true, state);
  if (!(masked == pieces))
    walkPieces(scope, masked, pieces, /*isMasked=*/false, state);
  group.wait(barrier(FullValues, state.ring.stage), state.ring.parity);
  Value y = group.finish(0, startProducts(state));
  state.rows.acc = group.unpack(y);
  finishRows(scope, state.rows);
}

void WarpgroupAttention::finishRows(Scope &scope, Rows rows) {
  Value buffer = place(i.add(i.mul(warpRow, kSumBytes), sumStart()));
  int64_t columns = llvm::alignTo(tiles.n, kSumColumns);
  store(rows, place(i.of(rowSumStart())), [&](ValueRange acc) {
    // Columns beyond the end are not stored.
    SmallVector<Value> padded(acc);
    padded.resize(columns / 2, number(0));
    WarpgroupEpilogue epilogue{*this,   i,    group,  columns, tiles.m,
                               hasRuns, lane, buffer, {},      {}};
    epilogue.emit(scope, code.add(row0, Index(i.toIndex(i.mul(warpRow, 16)))),
                  Index::of(0), {group.pack(padded)});
  });
}

//===- AttentionRanges.cpp - the keys that each tile of rows sees ---------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A causal mask, a sliding window or the length of a sequence bound the keys
// that a row sees. A task finds the bounds of each tile of its rows before it
// looks at keys. Of a block of keys, a tile then multiplies only the panels
// that one of its rows sees: under a causal mask, half of the last block, and
// with a window of 128 keys, two panels more than the window has.
//
//===----------------------------------------------------------------------===//

#include "../Tiles.h"
#include "AttentionEmitter.h"

#include "fx/CodeGen/Common/EvalKeyBound.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;
using namespace fx::cpu;

bool AttentionEmitter::isBounded() const {
  return !usesDots &&
         (isCausalInRows() || !bounds.first.empty() || !bounds.last.empty());
}

Index AttentionEmitter::endOfLastRow() {
  Index last = code.min(add(row0, Index::of(taskRows)), numRows);
  Value seen = code.materialize(add(last, Index::of(causal->offset)));
  seen = arith::MaxSIOp::create(code.b, code.loc, seen, code.constant(0));
  return wholeVectors(Index(seen));
}

Index AttentionEmitter::wholeVectors(const Index &end) {
  return code.min(mul(code.ceilDiv(end, code.lanes), code.lanes), numKeys);
}

std::pair<Value, Value> AttentionEmitter::boundsOfRow(Scope &scope) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value first = code.constant(0), end = code.materialize(numKeys);
  if (isCausalInRows()) {
    Index last = add(at[row], Index::of(causal->offset + 1));
    end = arith::MaxSIOp::create(b, loc, code.materialize(last),
                                 code.constant(0));
  }
  auto eval = [&](const KeyBound &bound, bool isLast) {
    return evalKeyBound(code, scope, bound, labels.ofLoops(bound.op), at,
                        numKeys, isLast);
  };
  for (const KeyBound &bound : bounds.first)
    first = arith::MaxSIOp::create(b, loc, first, eval(bound, false));
  for (const KeyBound &bound : bounds.last) {
    // The comparisons of a causal mask are among the bounds.
    bool isPosition = bound.dependsOnRows && !bound.readsMemory;
    if (!isPosition || !isCausalInRows())
      end = arith::MinSIOp::create(b, loc, end, eval(bound, true));
  }
  return {first, end};
}

void AttentionEmitter::findRanges(Scope &task) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto type = MemRefType::get({taskRows / tileRows}, b.getIndexType());
  firstKeys = memref::AllocaOp::create(b, loc, type);
  endKeys = memref::AllocaOp::create(b, loc, type);
  // A step of AMX takes the terms of 32 keys.
  int64_t width = panelVectors * code.lanes;
  if (usesTiles)
    width = std::max(width, 2 * kTileRows);
  Value none = code.constant(0), all = code.materialize(numKeys);
  // The first key of all rows, and their end.
  Scope tiles;
  auto loop = code.beginFor(task, tiles, Index::of(0), rowsPadded, tileRows,
                            {all, none});
  Index tile(loop.getInductionVar());
  Scope rows;
  auto inner = code.beginFor(tiles, rows, Index::of(0), Index::of(tileRows), 1,
                             {all, none});
  Index i = add(tile, Index(inner.getInductionVar()));
  placeRow(i);
  auto [first, end] = boundsOfRow(rows);
  auto least = [&](Value x, Value y) -> Value {
    return arith::MinSIOp::create(b, loc, x, y);
  };
  auto most = [&](Value x, Value y) -> Value {
    return arith::MaxSIOp::create(b, loc, x, y);
  };
  code.endFor(inner, {least(inner.getRegionIterArg(0), first),
                      most(inner.getRegionIterArg(1), end)});
  // Whole panels, which begin at multiples of their size in each block. The
  // end of the block is that of the keys that some row sees.
  Value from = code.materialize(
      mul(code.floorDiv(Index(inner.getResult(0)), width), width));
  Value to = code.materialize(
      mul(code.ceilDiv(Index(inner.getResult(1)), width), width));
  Value place = code.materialize(code.floorDiv(tile, tileRows));
  memref::StoreOp::create(b, loc, from, firstKeys, place);
  memref::StoreOp::create(b, loc, to, endKeys, place);
  code.endFor(loop, {least(loop.getRegionIterArg(0), from),
                     most(loop.getRegionIterArg(1), inner.getResult(1))});
  keysBegin = Index(loop.getResult(0));
  keysEnd = wholeVectors(Index(loop.getResult(1)));
}

AttentionEmitter::Range AttentionEmitter::rangeOf(const Index &i) {
  if (!firstKeys)
    return {Index::of(0), count};
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value place = code.materialize(code.floorDiv(i, tileRows));
  auto load = [&](Value memory) {
    Value key = memref::LoadOp::create(b, loc, memory, place);
    key = code.materialize(code.sub(Index(key), key0));
    return Index(arith::MaxSIOp::create(b, loc, key, code.constant(0)));
  };
  return {load(firstKeys), code.min(load(endKeys), count)};
}

Index AttentionEmitter::firstPanel() {
  if (!firstKeys)
    return Index::of(0);
  Value first = arith::MaxSIOp::create(
      code.b, code.loc, code.materialize(code.sub(keysBegin, key0)),
      code.constant(0));
  return code.floorDiv(Index(first), panelVectors * code.lanes);
}

void AttentionEmitter::ifSeen(Scope &scope, const Range &range,
                              llvm::function_ref<void(Scope &)> body) {
  if (!firstKeys)
    return body(scope);
  OpBuilder &b = code.b;
  Value isSeen = arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::slt,
                                       code.materialize(range.from),
                                       code.materialize(range.to));
  auto branch = scf::IfOp::create(b, code.loc, isSeen, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Scope inner;
  inner.parent = &scope;
  inner.loop = branch;
  body(inner);
}

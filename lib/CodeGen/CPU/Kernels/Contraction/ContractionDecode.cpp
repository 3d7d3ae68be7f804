//===- ContractionDecode.cpp - integer weights that many rows multiply ----===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights of bytes or nibbles that f32 is multiplied by are converted to f32.
// Few rows convert them in registers, in each tile: memory limits the kernel.
// For many rows, a part of the panel is converted once, with the scales of
// groups, into memory of the task that stays in the first-level cache. All
// tiles of a block of rows add its products to their sums, which are in memory
// of the task, too.
//
// If the operands may be rounded to bf16, the weights become pairs of bf16
// instead. So does the whole left operand, before the loop over tasks. See
// ContractionRounded.cpp for operands that may be rounded to 8 bits.
//
//===----------------------------------------------------------------------===//

#include "../Emitters.h"
#include "ContractionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx::cpu;

/// The least number of rows for which the conversion pays.
static int64_t getLeastRows(bool nibbles) { return nibbles ? 6 : 16; }
/// The rows whose sums are kept, and the terms of a part of the panel.
static constexpr int64_t kRows = 128, kPartTerms = 256;

bool ContractionEmitter::decodes() {
  return info.hasByteWeights() && packed && mLoop && !tiles &&
         reductions.size() == 1 && reductions[0].size.isStatic() &&
         kPartTerms % std::max<int64_t>(info.groupSize, depth()) == 0 &&
         !(mSize.isStatic() && mSize.constant < getLeastRows(nibbles));
}

bool ContractionEmitter::decodesToPairs() {
  if (!decodes())
    return false;
  const ReductionLoop &r = reductions[0];
  return mayRoundToBF16(info) && code.machine.hasBF16Dot &&
         !code.machine.isNEON && depth() > 1 && r.a.isStatic(depth()) &&
         r.size.constant * depth() % (2 * code.lanes) == 0 &&
         llvm::all_of(info.lhsMap().getResults(), llvm::IsaPred<AffineDimExpr>);
}

/// Returns the rows of tiles of at most `most` rows: those past the end of the
/// last tile are computed in vain.
static int64_t balanceRows(const Index &size, int64_t most) {
  if (!size.isStatic() || size.constant == 0)
    return most;
  return llvm::divideCeil(size.constant, llvm::divideCeil(size.constant, most));
}

int64_t ContractionEmitter::decodedRows() {
  if (roundsToBytes()) {
    // The sums of a block fill half of the registers. With weights of 8 bits on
    // Zen 4, 7 rows of two vectors take 1.02 times as long as 8, and 12 rows
    // 1.18 times.
    return balanceRows(mSize, code.machine.registers / (2 * vectors));
  }
  // All registers but those of a row of weights and an element of the left
  // operand: the sums of groups need none of their own here.
  int64_t registers = code.machine.registers;
  int64_t most = std::min<int64_t>((registers - 1 - vectors) / vectors,
                                   code.lanes >= 16      ? 12
                                   : code.machine.isNEON ? 8
                                                         : 6);
  return balanceRows(mSize, most);
}

void ContractionEmitter::decodePart(Scope &scope, Value memory,
                                    const Index &first, const Index &terms) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  const ReductionLoop &r = reductions[0];
  // Steps of one group share their scales.
  int64_t group = info.groupSize ? info.groupSize : depth();
  Scope groups;
  auto outer = code.beginFor(scope, groups, Index::of(0), terms, group);
  Index from(outer.getInductionVar()), term = code.add(first, from);
  SmallVector<Value> scales;
  if (info.groupSize)
    scales = loadScales(code.floorDiv(term, info.groupSize));
  Scope steps;
  auto loop =
      code.beginFor(groups, steps, Index::of(0), Index::of(group), depth());
  Index step(loop.getInductionVar());
  Index at = code.floorDiv(code.add(term, step), depth());
  Index bAt = code.add(bBase, code.mul(at, r.b));
  SmallVector<Value> right;
  for (int64_t v = 0; v < vectors; ++v)
    right.push_back(loadRight(bAt, v));
  // Two parts make a word if the terms become pairs.
  int64_t perWord = pairsOfLeft ? 2 : 1;
  for (int64_t part = 0; part < numParts(); part += perWord) {
    SmallVector<SmallVector<Value>> terms;
    for (int64_t i = 0; i < perWord; ++i)
      terms.push_back(getPart(right, part + i));
    for (int64_t v = 0; v < vectors; ++v) {
      SmallVector<Value> word;
      for (ArrayRef<Value> term : terms) {
        Value x = term[v];
        if (info.groupSize)
          x = arith::MulFOp::create(b, loc, x, scales[v]);
        word.push_back(pairsOfLeft ? toBF16(code, x) : x);
      }
      Index to = code.floorDiv(code.add(code.add(from, step), Index::of(part)),
                               perWord);
      to =
          code.add(code.mul(to, Index::of(panel())), Index::of(v * code.lanes));
      vector::StoreOp::create(
          b, loc, pairsOfLeft ? joinBF16(code, word[0], word[1]) : word[0],
          memory, code.materialize(to));
    }
  }
  code.endFor(loop);
  code.endFor(outer);
}

int64_t ContractionEmitter::padding() {
  return mLoop && !aStride[*mLoop].value
             ? (decodedRows() - 1) * aStride[*mLoop].constant
             : 0;
}

Index ContractionEmitter::leftSize() {
  Index size = Index::of(1);
  for (AffineExpr expr : info.lhsMap().getResults())
    size = code.mul(
        size, code.loopSize(info.op, cast<AffineDimExpr>(expr).getPosition()));
  return size;
}

void ContractionEmitter::forLeft(Scope &scope, int64_t step,
                                 llvm::function_ref<void(const Index &)> body) {
  constexpr int64_t kChunk = 16384;
  Index size = leftSize();
  SmallVector<Index> ivs;
  Scope task, steps;
  Operation *forall =
      code.beginForall(scope, task, {code.ceilDiv(size, kChunk)}, ivs, kChunk);
  Index from = code.mul(ivs[0], Index::of(kChunk));
  Index to = code.min(code.add(from, Index::of(kChunk)), size);
  auto loop = code.beginFor(task, steps, from, to, step);
  body(Index(loop.getInductionVar()));
  code.endFor(loop);
  code.endForall(forall);
}

void ContractionEmitter::roundLeftToPairs(Scope &scope) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Index size = leftSize();
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getF32Type());
  pairsOfLeft =
      memref::AllocOp::create(b, loc, type,
                              ValueRange{code.materialize(code.floorDiv(
                                  code.add(size, Index::of(padding())), 2))},
                              ValueRange(), b.getI64IntegerAttr(64));
  forLeft(scope, 2 * code.lanes, [&](const Index &at) {
    SmallVector<Value> halves;
    for (int64_t half : {0, 1}) {
      Index place = code.add(at, Index::of(half * code.lanes));
      Value x = vector::LoadOp::create(b, loc, code.vectorType(b.getF32Type()),
                                       a->flat, code.materialize(place));
      halves.push_back(toBF16(code, x));
    }
    vector::StoreOp::create(b, loc, toPairs(code, halves), pairsOfLeft,
                            code.materialize(code.floorDiv(at, 2)));
  });
}

SmallVector<Value> ContractionEmitter::loadDecoded(Value weights,
                                                   const Index &k) {
  VectorType type = code.vectorType(code.b.getF32Type());
  SmallVector<Value> result;
  for (int64_t v = 0; v < vectors; ++v) {
    Index at =
        code.add(code.mul(k, Index::of(panel())), Index::of(v * code.lanes));
    result.push_back(vector::LoadOp::create(code.b, code.loc, type, weights,
                                            code.materialize(at)));
  }
  return result;
}

void ContractionEmitter::multiplyPairs(Scope &scope, Value weights,
                                       ArrayRef<Index> left, const Index &terms,
                                       SmallVector<Value> &acc) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto pairs = VectorType::get({2 * code.lanes}, b.getBF16Type());
  Scope steps;
  auto loop = code.beginFor(scope, steps, Index::of(0), code.floorDiv(terms, 2),
                            1, acc);
  acc.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  Index k(loop.getInductionVar());
  SmallVector<Value> right = loadDecoded(weights, k);
  for (Value &v : right)
    v = vector::BitCastOp::create(b, loc, pairs, v);
  for (auto [i, from] : llvm::enumerate(left)) {
    Index at = code.add(code.floorDiv(from, 2), k);
    Value word =
        memref::LoadOp::create(b, loc, pairsOfLeft, code.materialize(at));
    Value x = vector::BitCastOp::create(b, loc, pairs, code.splat(word));
    for (int64_t v = 0; v < vectors; ++v)
      acc[i * vectors + v] =
          addDotProducts(code, acc[i * vectors + v], x, right[v]);
  }
  code.endFor(loop, acc);
  acc.assign(loop.getResults().begin(), loop.getResults().end());
}

void ContractionEmitter::multiplyFloats(Scope &scope, Value weights,
                                        ArrayRef<Index> left,
                                        const Index &terms,
                                        SmallVector<Value> &acc) {
  // The stride of one term.
  Stride stride = reductions[0].a;
  stride.constant /= depth();
  Scope steps;
  auto loop = code.beginFor(scope, steps, Index::of(0), terms, 1, acc);
  acc.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  Index k(loop.getInductionVar());
  SmallVector<Value> right = loadDecoded(weights, k);
  for (auto [i, from] : llvm::enumerate(left))
    multiply(right, loadLeft(code.add(from, code.mul(k, stride))),
             MutableArrayRef<Value>(acc).slice(i * vectors, vectors));
  code.endFor(loop, acc);
  acc.assign(loop.getResults().begin(), loop.getResults().end());
}

void ContractionEmitter::multiplyDecoded(Scope &scope, Value weights,
                                         Value sums, const Index &row,
                                         const Index &tile, const Index &last,
                                         const Index &first,
                                         const Index &terms) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  VectorType type = code.vectorType(b.getF32Type());
  int64_t rows = decodedRows();
  // Rows past the end repeat the last one, unless there is memory after it.
  // Their sums are not used.
  bool isPadded = (pairsOfLeft || fixed.bytes) && padding();
  SmallVector<Index> left;
  for (int64_t i = 0; i < rows; ++i) {
    Index at = code.add(code.add(row, tile), Index::of(i));
    if (!isPadded)
      at = code.min(at, last);
    at = code.add(aBase, code.mul(at, aStride[*mLoop]));
    left.push_back(
        code.add(at, code.mul(code.floorDiv(first, depth()), reductions[0].a)));
  }
  auto place = [&](int64_t i, int64_t v) {
    return code.materialize(
        code.add(code.mul(code.add(tile, Index::of(i)), Index::of(panel())),
                 Index::of(v * code.lanes)));
  };
  SmallVector<Value> acc;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t v = 0; v < vectors; ++v)
      acc.push_back(vector::LoadOp::create(b, loc, type, sums, place(i, v)));
  if (fixed.bytes)
    multiplyBytes(scope, weights, left, tile, first, terms, acc);
  else if (pairsOfLeft)
    multiplyPairs(scope, weights, left, terms, acc);
  else
    multiplyFloats(scope, weights, left, terms, acc);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t v = 0; v < vectors; ++v)
      vector::StoreOp::create(b, loc, acc[i * vectors + v], sums, place(i, v));
}

void ContractionEmitter::emitDecoded(Scope &scope, const Index &from,
                                     const Index &to) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto allocate = [&](int64_t size, Type element) -> Value {
    auto type = MemRefType::get({size}, element);
    return memref::AllocaOp::create(b, loc, type, b.getI64IntegerAttr(64));
  };
  Type f32 = b.getF32Type();
  int64_t size = reductions[0].size.constant * depth();
  int64_t all = mSize.isStatic() ? std::min(mSize.constant, kRows) : kRows;
  int64_t rows = decodedRows(), most = llvm::alignTo(std::max(all, rows), rows);
  Value weights = allocate(std::min(size, kPartTerms) * panel(),
                           fixed.bytes ? b.getI8Type() : f32),
        sums = allocate(most * panel(), f32);
  Index last = code.sub(to, Index::of(1));
  Scope block;
  auto blocks = code.beginFor(scope, block, from, to, most);
  Index row(blocks.getInductionVar());
  Index here = code.min(Index::of(most), code.sub(to, row));
  Value zero = code.splatConstant(b.getF32FloatAttr(0));
  {
    Scope inner;
    auto loop = code.beginFor(block, inner, Index::of(0),
                              Index::of(most * panel()), code.lanes);
    vector::StoreOp::create(b, loc, zero, sums, loop.getInductionVar());
    code.endFor(loop);
  }
  {
    Scope part;
    auto parts = code.beginFor(block, part, Index::of(0), Index::of(size),
                               std::min(size, kPartTerms));
    Index first(parts.getInductionVar());
    Index terms =
        size % kPartTerms && size > kPartTerms
            ? code.min(Index::of(kPartTerms), code.sub(Index::of(size), first))
            : Index::of(std::min(size, kPartTerms));
    if (fixed.bytes)
      decodeBytes(part, weights, first, terms);
    else
      decodePart(part, weights, first, terms);
    Scope inner;
    auto loop = code.beginFor(part, inner, Index::of(0), here, rows);
    multiplyDecoded(inner, weights, sums, row, Index(loop.getInductionVar()),
                    last, first, terms);
    code.endFor(loop);
    code.endFor(parts);
  }
  Scope end;
  auto loop = code.beginFor(block, end, Index::of(0), here, 1);
  Index i(loop.getInductionVar());
  SmallVector<Value> acc;
  for (int64_t v = 0; v < vectors; ++v) {
    Index at =
        code.add(code.mul(i, Index::of(panel())), Index::of(v * code.lanes));
    acc.push_back(vector::LoadOp::create(
        b, loc, code.vectorType(b.getF32Type()), sums, code.materialize(at)));
  }
  emitEpilogue(end, code.add(row, i), 1, acc);
  code.endFor(loop);
  code.endFor(blocks);
}

void ContractionEmitter::emitByteRows(Scope &scope, const Index &from,
                                      const Index &to) {
  Index count = code.sub(to, from);
  if (count.isStatic() || mSize.isStatic() || fixed.bytes)
    return emitDecoded(scope, from, to);
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value isMany = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                       code.materialize(count),
                                       code.constant(getLeastRows(nibbles)));
  auto branch = scf::IfOp::create(b, loc, isMany, /*withElseRegion=*/true);
  auto fill = [&](Block *block, auto emit) {
    b.setInsertionPointToStart(block);
    Scope inner;
    inner.parent = &scope;
    inner.loop = branch;
    emit(inner);
  };
  fill(branch.thenBlock(), [&](Scope &inner) { emitDecoded(inner, from, to); });
  fill(branch.elseBlock(), [&](Scope &inner) { emitRowsOf(inner, from, to); });
  b.setInsertionPointAfter(branch);
}

//===- AttentionBlocks.cpp - an attention's work on a block of keys -------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::kernel;
using namespace fx::cpu;

/// Returns the greater of two vectors or scalars. A NaN of `x` is ignored: the
/// term of the softmax that it leads to is NaN, too.
static Value greater(KernelCode &code, Value x, Value max) {
  Value is = arith::CmpFOp::create(code.b, code.loc, arith::CmpFPredicate::OGT,
                                   x, max);
  return arith::SelectOp::create(code.b, code.loc, is, x, max);
}

/// Returns the maximum of the lanes, none of which is NaN.
static Value reduceMaximum(KernelCode &code, Value v) {
  return vector::ReductionOp::create(code.b, code.loc,
                                     vector::CombiningKind::MAXIMUMF, v,
                                     arith::FastMathFlags::nnan);
}

//===----------------------------------------------------------------------===//
// Hidden blocks
//===----------------------------------------------------------------------===//

// A block is hidden if -inf replaces, or is added to, each of its scores. So
// the input of the softmax is evaluated for scores of 0. The last row comes
// first: under most masks it sees the most keys.
Value AttentionEmitter::emitIsVisible(Scope &scope) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  SmallVector<Index> outside = at;
  Value no = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  SmallVector<Type> types = {b.getIndexType(), b.getI1Type()};
  Value rows = code.materialize(rowsHere);
  auto loop = scf::WhileOp::create(b, loc, types, ValueRange{rows, no});
  SmallVector<Location> locs(2, loc);
  Block *before = b.createBlock(&loop.getBefore(), {}, types, locs);
  Value left = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                     before->getArgument(0), code.constant(0));
  Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  Value open = arith::XOrIOp::create(b, loc, before->getArgument(1), yes);
  scf::ConditionOp::create(b, loc, arith::AndIOp::create(b, loc, left, open),
                           before->getArguments());
  Block *after = b.createBlock(&loop.getAfter(), {}, types, locs);
  Index i = code.sub(Index(after->getArgument(0)), Index::of(1));
  Scope body;
  body.parent = &scope;
  body.loop = loop;
  placeRow(i);
  Value result = attention.scores.op->getResult(0);
  auto element = [&](float c) {
    return code.splatConstant(b.getF32FloatAttr(c));
  };
  SmallVector<Value> seen = {element(0)};
  forKeys(body, rangeOf(i), seen,
          [&](Scope &here, const Index &j, bool isLast,
              MutableArrayRef<Value> carried) {
            at[attention.key] = add(key0, j);
            code.know(here, result, place(result, attention.key), element(0));
            Value x = emitInput(here);
            Value is = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE,
                                             x, element(-INFINITY));
            if (isLast)
              is = arith::AndIOp::create(b, loc, is, code.mask);
            carried[0] =
                arith::SelectOp::create(b, loc, is, element(1), carried[0]);
          });
  Value any = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                    reduceMaximum(code, seen[0]), number(0));
  scf::YieldOp::create(b, loc, ValueRange{code.materialize(i), any});
  b.setInsertionPointAfter(loop);
  at = outside;
  return loop.getResult(1);
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

// A panel may contain the keys up to the end of its last vector, and some keys
// of the next block are prefetched. Past the last key, the last one is
// repeated.
void AttentionEmitter::locateRows(Scope &scope, const Operand &operand,
                                  ArrayRef<int> labels, int64_t ahead) {
  int64_t width = panelVectors * code.lanes;
  Index last = code.sub(numKeys, Index::of(1));
  Index end = add(mul(code.ceilDiv(count, width), width), Index::of(ahead));
  forEach(scope, end, 1, [&](Scope &here, const Index &j) {
    at[attention.key] = code.min(add(key0, j), last);
    Coords where = place(labels);
    tensor::ExtractOp extract = operand.gather->extract;
    Index offset;
    for (auto [index, stride] :
         llvm::zip(extract.getIndices().drop_back(), operand.memory.strides))
      offset = code.add(
          offset,
          code.mul(Index(code.evalBody(here, operand.gather->op, index, where)),
                   stride));
    memref::StoreOp::create(code.b, code.loc, code.materialize(offset),
                            operand.offsets, code.materialize(j));
  });
}

// A panel holds the keys of `panelVectors` vectors: for each inner index, one
// element of every key.
void AttentionEmitter::packKeys(Scope &scope) {
  forEach(scope, firstPanel(), code.ceilDiv(count, panelVectors * code.lanes),
          1,
          [&](Scope &inner, const Index &panel) { packPanel(inner, panel); });
}

void AttentionEmitter::packPanel(Scope &scope, const Index &panel) {
  int64_t width = panelVectors * code.lanes;
  Index memory = mul(panel, width * innerSize / depth());
  for (int64_t v = 0; v < panelVectors; ++v)
    packChunk(scope, add(mul(panel, width), Index::of(v * code.lanes)),
              add(memory, Index::of(v * code.lanes)));
}

void AttentionEmitter::packChunk(Scope &scope, const Index &first,
                                 const Index &to) {
  int64_t L = code.lanes, width = panelVectors * L;
  const Index &all = firstKeys ? numKeys : count;
  bool isWhole = all.isStatic() && all.constant % width == 0;
  Index last = code.sub(numKeys, Index::of(1));
  int64_t blocked =
      isContiguous(keys, keyLabels, kInner) ? innerSize / L * L : 0;
  if (blocked) {
    // Past the last key, the last one is read again: its scores are masked.
    SmallVector<Index> chunk;
    for (int64_t j = 0; j < L; ++j) {
      Index key = add(key0, add(first, Index::of(j)));
      chunk.push_back(isWhole ? key : code.min(key, last));
    }
    int64_t step = L * depth();
    forEach(scope, Index::of(blocked), step, [&](Scope &here, const Index &e) {
      SmallVector<Value> square;
      for (const Index &key : chunk) {
        at[attention.key] = key;
        SmallVector<Value> elements;
        for (int64_t d = 0; d < depth(); ++d) {
          inner = add(e, Index::of(d * L));
          Coords where = place(keyLabels, kInner);
          elements.push_back(usesPairs ? loadBF16(here, keys, where)
                                       : loadF32(here, keys, where));
        }
        square.push_back(usesPairs ? toPairs(code, elements) : elements[0]);
      }
      transposeVectors(code, square);
      Index first = code.floorDiv(e, depth());
      for (auto [i, v] : llvm::enumerate(square))
        storeVector(panels, add(to, mul(add(first, Index::of(i)), width)), v);
    });
  }
  if (blocked == innerSize)
    return;
  Scope rest;
  auto loop =
      code.beginFor(scope, rest, Index::of(blocked), Index::of(innerSize), 1);
  inner = Index(loop.getInductionVar());
  at[attention.key] = add(key0, first);
  if (!isWhole) {
    Value left = code.materialize(code.sub(count, first));
    left = arith::MaxSIOp::create(code.b, code.loc, left, code.constant(0));
    code.mask = code.maskBelow(Index(left));
  }
  Value v = loadF32(rest, keys, place(keyLabels, attention.key));
  code.mask = Value();
  storeVector(panels, add(to, mul(inner, width)), v);
  code.endFor(loop);
}

// The panel stays in the first-level cache while the queries stream through it.
void AttentionEmitter::multiplyKeys(Scope &scope) {
  int64_t width = panelVectors * code.lanes;
  auto multiply = [&](Scope &here, const Index &i, const Index &panel) {
    Range range = rangeOf(i);
    Index first = mul(panel, width);
    // The panel and the tile's range, which consists of panels.
    Value from =
        arith::MaxSIOp::create(code.b, code.loc, code.materialize(range.from),
                               code.materialize(first));
    Range both{Index(from), code.min(range.to, add(first, Index::of(width)))};
    ifSeen(here, both, [&](Scope &seen) {
      if (usesTiles)
        multiplyPanelInTiles(seen, i, panel);
      else
        multiplyPanel(seen, i, panel);
    });
  };
  forEach(scope, firstPanel(), code.ceilDiv(count, width), 1,
          [&](Scope &mid, const Index &panel) {
            forEach(
                mid, rowsPadded, tileRows,
                [&](Scope &here, const Index &i) { multiply(here, i, panel); });
          });
}

void AttentionEmitter::multiplyPanel(Scope &scope, const Index &i,
                                     const Index &panel) {
  int64_t L = code.lanes, V = panelVectors;
  SmallVector<Value> acc(tileRows * V,
                         code.splatConstant(code.b.getF32FloatAttr(0)));
  Scope steps;
  int64_t words = innerSize / depth();
  auto loop =
      code.beginFor(scope, steps, Index::of(0), Index::of(words), 1, acc);
  acc.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  Index e(loop.getInductionVar());
  Index from = mul(add(mul(panel, words), e), V * L);
  SmallVector<Value> right;
  for (int64_t v = 0; v < V; ++v)
    right.push_back(loadVector(panels, add(from, Index::of(v * L))));
  for (int64_t r = 0; r < tileRows; ++r) {
    Value q = loadScalar(rowsOfQueries,
                         add(mul(add(i, Index::of(r)), queryStride), e));
    multiply(q, right, MutableArrayRef<Value>(acc).slice(r * V, V));
  }
  code.endFor(loop, acc);
  for (int64_t r = 0; r < tileRows; ++r)
    for (int64_t v = 0; v < V; ++v)
      storeVector(scores,
                  add(mul(add(i, Index::of(r)), scoreStride),
                      add(mul(panel, V * L), Index::of(v * L))),
                  loop.getResult(r * V + v));
}

/// The largest number of products of vectors of a key and all rows whose loop
/// is unrolled.
static constexpr int64_t kUnrolledProducts = 64;

bool AttentionEmitter::isStream(const Operand &operand,
                                ArrayRef<int> operandLabels, int64_t size) {
  if (operand.gather)
    return false;
  for (auto [label, stride] : llvm::zip(operandLabels, operand.memory.strides))
    if (label == int(attention.key))
      return stride.isStatic(size);
  return false;
}

void AttentionEmitter::prefetchRow(const Operand &operand,
                                   ArrayRef<int> operandLabels, int lane,
                                   Index &index, int64_t size) {
  if (operand.isComputed)
    return;
  // One row of bf16 is multiplied faster than memory is read.
  if (tileRows == 1 && !operand.element().isF32() &&
      isStream(operand, operandLabels, size))
    return;
  int64_t line = 64 * 8 / operand.element().getIntOrFloatBitWidth();
  Index outside = index;
  for (int64_t e = 0; e < size; e += line) {
    index = Index::of(e);
    auto [memory, where] = locate(operand, place(operandLabels, lane));
    for (codegen::Coord &c : where)
      c.lane = 0;
    code.prefetch(memory, where, /*isFarAhead=*/true);
  }
  index = outside;
}

// Keys are read one after the other, in the order of memory. With several keys
// in turn, the prefetcher of the CPU finds no stream: a microbenchmark of the
// two orders read 14 and 29 GB/s on Zen 4. Rows of several heads in turn, and
// the pages of a table, are no streams either.
void AttentionEmitter::multiplyDots(Scope &scope) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value zero = code.splatConstant(b.getF32FloatAttr(0));
  Index last = code.sub(numKeys, Index::of(1));
  forEach(scope, count, 1, [&](Scope &here, const Index &j) {
    Index key = add(key0, j);
    at[attention.key] = code.min(add(key, Index::of(keysAhead)), last);
    prefetchRow(keys, keyLabels, kInner, inner, innerSize);
    at[attention.key] = key;
    prefetchRow(values, valueLabels, column, at[column], columns);
    SmallVector<Value> sums(tileRows, zero);
    auto addPairs = [&](Scope &step, const Index &e) {
      SmallVector<Value> halves;
      for (int64_t d = 0; d < 2; ++d) {
        inner = add(e, Index::of(d * code.lanes));
        halves.push_back(loadBF16(step, keys, place(keyLabels, kInner)));
      }
      Value k = asPairs(toPairs(code, halves));
      Index word = code.floorDiv(e, 2);
      for (int64_t r = 0; r < tileRows; ++r)
        sums[r] = addDotProducts(
            code, sums[r],
            asPairs(loadVector(rowsOfQueries,
                               add(Index::of(r * queryStride), word))),
            k);
    };
    auto addProducts = [&](Scope &step, const Index &e) {
      if (dotsPairs)
        return addPairs(step, e);
      inner = e;
      Value k = loadF32(step, keys, place(keyLabels, kInner));
      for (int64_t r = 0; r < tileRows; ++r) {
        Value q = loadVector(rowsOfQueries, add(Index::of(r * queryStride), e));
        sums[r] = vector::FMAOp::create(b, loc, q, k, sums[r]);
      }
    };
    int64_t width = queryDepth() * code.lanes;
    if (innerSize / width * tileRows <= kUnrolledProducts) {
      for (int64_t e = 0; e < innerSize; e += width)
        addProducts(here, Index::of(e));
    } else {
      Scope steps;
      auto loop = code.beginFor(here, steps, Index::of(0), Index::of(innerSize),
                                width, sums);
      sums.assign(loop.getRegionIterArgs().begin(),
                  loop.getRegionIterArgs().end());
      addProducts(steps, Index(loop.getInductionVar()));
      code.endFor(loop, sums);
      sums.assign(loop.getResults().begin(), loop.getResults().end());
    }
    for (int64_t r = 0; r < tileRows; ++r) {
      Value score =
          vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD,
                                      sums[r], arith::FastMathFlags::reassoc);
      storeScalar(scores, add(Index::of(r * scoreStride), j), score);
    }
  });
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

Value AttentionEmitter::emitInput(Scope &scope) {
  Value x = code.splat(
      code.eval(scope, attention.x, place(attention.x, attention.key)));
  VectorType type = code.vectorType(code.b.getF32Type());
  return x.getType() == type ? x
                             : arith::ExtFOp::create(code.b, code.loc, type, x);
}

Value AttentionEmitter::maximum(Scope &row, const Index &i,
                                const Range &range) {
  Value result = attention.scores.op->getResult(0);
  Value lowest = code.splatConstant(code.b.getF32FloatAttr(-INFINITY));
  SmallVector<Value> max = {lowest};
  forKeys(row, range, max,
          [&](Scope &here, const Index &j, bool isLast,
              MutableArrayRef<Value> carried) {
            Index where = add(mul(i, scoreStride), j);
            Value x = loadVector(scores, where);
            if (attention.x != result) {
              at[attention.key] = add(key0, j);
              code.know(here, result, place(result, attention.key), x);
              x = emitInput(here);
              storeVector(scores, where, x);
            }
            if (isLast)
              x = arith::SelectOp::create(code.b, code.loc, code.mask, x,
                                          lowest);
            carried[0] = greater(code, x, carried[0]);
          });
  return reduceMaximum(code, max[0]);
}

/// Returns e^x for an x that is at most 0, or NaN.
static Value exponential(KernelCode &code, Value x) {
  auto exp = math::ExpOp::create(code.b, code.loc, x);
  exp->setAttr(fx::kernel::kNonpositiveAttr, code.b.getUnitAttr());
  return exp;
}

Value AttentionEmitter::exponentiate(Scope &row, const Index &i,
                                     const Range &range, Value max) {
  Value zero = code.splatConstant(code.b.getF32FloatAttr(0)),
        shift = code.splat(max);
  SmallVector<Value> sum = {zero};
  forKeys(row, range, sum,
          [&](Scope &, const Index &j, bool isLast,
              MutableArrayRef<Value> carried) {
            Index where = add(mul(i, scoreStride), j);
            Value x = loadVector(scores, where);
            x = arith::SubFOp::create(code.b, code.loc, x, shift);
            x = exponential(code, x);
            if (isLast)
              x = arith::SelectOp::create(code.b, code.loc, code.mask, x, zero);
            // Pairs take the first half of the row, behind what was read.
            if (usesPairs)
              storeVector(scores,
                          add(mul(i, scoreStride), code.floorDiv(j, depth())),
                          toPairs(code, toBF16(code, x)));
            else
              storeVector(scores, where, x);
            carried[0] = arith::AddFOp::create(code.b, code.loc, carried[0], x);
          });
  return vector::ReductionOp::create(code.b, code.loc,
                                     vector::CombiningKind::ADD, sum[0],
                                     arith::FastMathFlags::reassoc);
}

void AttentionEmitter::updateRow(Scope &scope, const Index &i,
                                 const Range &range) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  placeRow(i);
  Value before = loadScalar(maxima, i), lowest = number(-INFINITY);
  Value max = greater(code, maximum(scope, i, range), before);
  storeScalar(maxima, i, max);
  // Until a row sees a key, all its terms are exp(-inf) = 0.
  Value none =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, max, lowest);
  max = arith::SelectOp::create(b, loc, none, number(0), max);
  Value scale =
      exponential(code, code.splat(arith::SubFOp::create(b, loc, before, max)));
  Value sum = exponentiate(scope, i, range, max);
  Value total = arith::MulFOp::create(
      b, loc, loadScalar(totals, i),
      vector::ExtractOp::create(b, loc, scale, ArrayRef<int64_t>{0}));
  storeScalar(totals, i, arith::AddFOp::create(b, loc, total, sum));
  for (int64_t c = 0; c < sumStride; c += code.lanes) {
    Index where = add(mul(i, sumStride), Index::of(c));
    storeVector(sums, where,
                arith::MulFOp::create(b, loc, loadVector(sums, where), scale));
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

// If the number of keys is odd, the second half of the last word is 0, as is
// the term that it is multiplied by.
void AttentionEmitter::packValues(Scope &scope) {
  int64_t L = code.lanes;
  Index last = code.sub(numKeys, Index::of(1));
  bool isEven = numKeys.isStatic() && numKeys.constant % 2 == 0;
  Index first = mul(firstPanel(), panelVectors * L / 2);
  forEach(scope, first, code.ceilDiv(count, 2), 1,
          [&](Scope &here, const Index &pair) {
            Index first = add(key0, mul(pair, 2)),
                  second = add(first, Index::of(1));
            Value exists;
            if (!isEven) {
              exists = arith::CmpIOp::create(
                  code.b, code.loc, arith::CmpIPredicate::sle,
                  code.materialize(second), code.materialize(last));
              second = code.min(second, last);
            }
            for (int64_t c = 0; c < columns; c += L) {
              at[column] = Index::of(c);
              if (columns - c < L)
                code.mask = code.maskBelow(Index::of(columns - c));
              SmallVector<Value> halves;
              for (const Index &key : {first, second}) {
                at[attention.key] = key;
                halves.push_back(loadBF16(
                    here, values, place(ArrayRef<int>(valueLabels), column)));
              }
              if (exists)
                halves[1] = arith::SelectOp::create(
                    code.b, code.loc, exists, halves[1],
                    code.splatConstant(
                        code.b.getFloatAttr(code.b.getBF16Type(), 0)));
              code.mask = Value();
              storeVector(pairsOfValues,
                          add(mul(pair, sumStride), Index::of(c)),
                          joinBF16(code, halves[0], halves[1]));
            }
          });
}

void AttentionEmitter::multiplyValues(Scope &scope) {
  if (usesTiles)
    return multiplyValuesInTiles(scope);
  int64_t width = columnVectors * code.lanes, L = code.lanes;
  int64_t whole = columns / width * width;
  auto tiles = [&](Scope &in, const Index &from, int64_t vectors,
                   int64_t last) {
    forEach(in, rowsPadded, tileRows, [&](Scope &here, const Index &i) {
      Range range = rangeOf(i);
      ifSeen(here, range, [&](Scope &seen) {
        multiplyColumns(seen, i, range, from, vectors, last);
      });
    });
  };
  if (whole)
    forEach(scope, Index::of(whole), width, [&](Scope &in, const Index &from) {
      tiles(in, from, columnVectors, L);
    });
  int64_t rest = columns - whole;
  if (rest)
    tiles(scope, Index::of(whole), (rest + L - 1) / L, rest % L ? rest % L : L);
}

void AttentionEmitter::multiplyColumns(Scope &scope, const Index &i,
                                       const Range &range, const Index &from,
                                       int64_t vectors, int64_t last) {
  int64_t L = code.lanes;
  SmallVector<Value> acc;
  auto place = [&](int64_t r, int64_t v) {
    return add(mul(add(i, Index::of(r)), sumStride),
               add(from, Index::of(v * L)));
  };
  for (int64_t r = 0; r < tileRows; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      acc.push_back(loadVector(sums, place(r, v)));
  Scope steps;
  auto loop = code.beginFor(scope, steps, code.floorDiv(range.from, depth()),
                            code.ceilDiv(range.to, depth()), 1, acc);
  acc.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  Index j(loop.getInductionVar());
  at[attention.key] = add(key0, j);
  SmallVector<Value> right;
  for (int64_t v = 0; v < vectors; ++v) {
    at[column] = add(from, Index::of(v * L));
    if (usesPairs) {
      right.push_back(
          loadVector(pairsOfValues, add(mul(j, sumStride), at[column])));
      continue;
    }
    if (v + 1 == vectors && last < L)
      code.mask = code.maskBelow(Index::of(last));
    right.push_back(loadF32(steps, values,
                            this->place(ArrayRef<int>(valueLabels), column)));
    code.mask = Value();
  }
  for (int64_t r = 0; r < tileRows; ++r) {
    Value term =
        loadScalar(scores, add(mul(add(i, Index::of(r)), scoreStride), j));
    multiply(term, right,
             MutableArrayRef<Value>(acc).slice(r * vectors, vectors));
  }
  code.endFor(loop, acc);
  for (int64_t r = 0; r < tileRows; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      storeVector(sums, place(r, v), loop.getResult(r * vectors + v));
}

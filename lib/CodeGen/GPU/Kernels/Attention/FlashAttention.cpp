//===- FlashAttention.cpp - softmax(Q K^T) V in pieces --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlashAttention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;
using codegen::Scope;

Value FlashAttention::number(float c) {
  return arith::ConstantOp::create(code.b, code.loc, code.b.getF32FloatAttr(c));
}

SmallVector<Value, 4> FlashAttention::loadQueries(int64_t p, int64_t k) {
  return scores.fragment(scores.lhs,
                         core.pointer(memory, i.of(queryBytes()), 3),
                         i.add(i.mul(warpRow, tiles.warpRows()), 16 * p), k);
}

SmallVector<Value>
FlashAttention::multiplyScores(Value stage,
                               ArrayRef<SmallVector<Value, 4>> queries) {
  SmallVector<Value> sums(parts() * keyGroups() * 4, number(0));
  int64_t steps = scores.tiles.k / 16;
  for (int64_t s = 0; s < steps; ++s) {
    SmallVector<SmallVector<Value, 4>> xs;
    for (int64_t p = 0; p < parts(); ++p)
      xs.push_back(keepsQueries() ? queries[p * steps + s]
                                  : loadQueries(p, 16 * s));
    for (int64_t g = 0; g < keyGroups(); g += 2) {
      SmallVector<Value, 4> y =
          scores.fragment(scores.rhs, stage, i.of(8 * g), 16 * s);
      for (int64_t p = 0; p < parts(); ++p)
        for (int64_t half = 0; half < 2; ++half) {
          auto sum = MutableArrayRef<Value>(sums).slice(
              4 * (p * keyGroups() + g + half), 4);
          llvm::copy(
              core.multiply(xs[p], ArrayRef<Value>(y).slice(2 * half, 2), sum),
              sum.begin());
        }
    }
  }
  return sums;
}

void FlashAttention::mask(Scope &scope, const Index &key0,
                          MutableArrayRef<Value> sums) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Index first = code.add(key0, Index(i.toIndex(firstKey())));
  Index last = code.sub(kSize, Index::of(1));
  bool isWhole = isMultiple(kSize, tiles.k);
  Value lowest = number(-INFINITY), result = attention.scores.op->getResult(0);
  SmallVector<Index> block = at;
  for (int64_t n = 0; n < laneKeys(); ++n) {
    Index key = code.add(first, Index::of(keyOffset(n))), there = key;
    Value isInside;
    if (!isWhole)
      isInside =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                code.materialize(key), code.materialize(kSize));
    if (!isWhole && readsMasks)
      there = code.min(key, last);
    for (int64_t row = 0; row < laneRows(); ++row) {
      Value &x = sums[scoreIndex(row, n)];
      at = rowAt[row];
      at[attention.key] = there;
      code.know(scope, result, coords(labels.ofTensor(result)), x);
      x = code.eval(scope, attention.x, coords(labels.ofTensor(attention.x)));
      if (!x.getType().isF32())
        x = arith::ExtFOp::create(b, loc, b.getF32Type(), x);
      if (isInside)
        x = arith::SelectOp::create(b, loc, isInside, x, lowest);
    }
  }
  at = block;
}

void FlashAttention::maskScores(const Index &key0,
                                MutableArrayRef<Value> sums) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Index first = code.add(key0, Index(i.toIndex(firstKey())));
  Value lowest = number(-INFINITY);
  for (int64_t row = 0; row < laneRows(); ++row) {
    Index seen = kSize;
    if (scaled->causal)
      seen = code.min(seen, code.add(rowAt[row][scaled->causal->row],
                                     Index::of(scaled->causal->offset + 1)));
    Value count = i.from(code.materialize(code.sub(seen, first)));
    for (int64_t n = 0; n < laneKeys(); ++n) {
      Value &x = sums[scoreIndex(row, n)];
      Value isSeen = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                           count, i.of(keyOffset(n)));
      x = arith::SelectOp::create(b, loc, isSeen, x, lowest);
    }
  }
}

float FlashAttention::factor() const {
  return float(M_LOG2E) * (scaled ? scaled->scale : 1);
}

Value FlashAttention::power(Value x, Value minus) {
  return exp2(
      math::FmaOp::create(code.b, code.loc, x, number(factor()), minus));
}

Value FlashAttention::negated(Value max) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value isMasked = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, max,
                                         number(-INFINITY));
  Value minus = arith::MulFOp::create(b, loc, max, number(-factor()));
  return arith::SelectOp::create(b, loc, isMasked, number(0), minus);
}

SmallVector<Value> FlashAttention::softmax(Rows &rows,
                                           MutableArrayRef<Value> sums) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  SmallVector<Value> factors;
  for (int64_t row = 0; row < laneRows(); ++row) {
    SmallVector<Value *> mine;
    for (int64_t n = 0; n < laneKeys(); ++n)
      mine.push_back(&sums[scoreIndex(row, n)]);
    Value max = rows.max[row];
    for (Value *x : mine)
      max = larger(max, *x);
    max = combineLanes(max, [&](Value x, Value y) { return larger(x, y); });
    Value minus = negated(max);
    Value scale = power(rows.max[row], minus);
    Value sum = arith::MulFOp::create(b, loc, rows.sum[row], scale);
    for (Value *x : mine) {
      *x = power(*x, minus);
      sum = arith::AddFOp::create(b, loc, sum, *x);
    }
    rows.max[row] = max;
    rows.sum[row] = sum;
    factors.push_back(scale);
  }
  return factors;
}

Value FlashAttention::rowInBlock(int64_t row) {
  return i.add(i.add(i.mul(warpRow, tiles.warpRows()), i.div(lane, 4)),
               8 * row);
}

Value FlashAttention::numberInRow() { return i.rem(lane, 4); }

Value FlashAttention::firstKey() { return i.mul(numberInRow(), 2); }

Value FlashAttention::firstColumn() { return i.mul(numberInRow(), 2); }

Value FlashAttention::larger(Value x, Value y) {
  return arith::MaximumFOp::create(code.b, code.loc, x, y);
}

Value FlashAttention::combineLanes(Value v,
                                   llvm::function_ref<Value(Value, Value)> op) {
  for (int64_t distance : {1, 2})
    v = op(v, core.shuffle(v, distance));
  return v;
}

void FlashAttention::rescale(MutableArrayRef<Value> acc,
                             ArrayRef<Value> factors) {
  for (auto [row, factor] : llvm::enumerate(factors))
    for (int64_t c = 0; c < columnGroups(); ++c)
      for (int64_t e = 0; e < 2; ++e) {
        Value &y = acc[4 * (row / 2 * columnGroups() + c) + row % 2 * 2 + e];
        y = arith::MulFOp::create(code.b, code.loc, y, factor);
      }
}

SmallVector<Value, 4>
FlashAttention::roundProbabilities(ArrayRef<Value> probabilities, int64_t p,
                                   int64_t step) {
  SmallVector<Value, 4> rounded;
  for (int64_t pair = 0; pair < 4; ++pair) {
    int64_t from = 4 * (p * keyGroups() + 2 * step) + 2 * pair;
    rounded.push_back(core.pack(probabilities[from], probabilities[from + 1]));
  }
  return rounded;
}

void FlashAttention::multiplyValues(Value stage, ArrayRef<Value> probabilities,
                                    Rows &rows) {
  Value tile = core.pointer(stage, i.of(scores.rhs.tile.bytes()), 3);
  for (int64_t s = 0; s < tiles.k / 16; ++s) {
    SmallVector<SmallVector<Value, 4>> xs;
    for (int64_t p = 0; p < parts(); ++p)
      xs.push_back(roundProbabilities(probabilities, p, s));
    for (int64_t c = 0; c < columnGroups(); c += 2) {
      SmallVector<Value, 4> y = fragment(rhs, tile, i.of(8 * c), 16 * s);
      for (int64_t p = 0; p < parts(); ++p)
        for (int64_t half = 0; half < 2; ++half) {
          auto sum = MutableArrayRef<Value>(rows.acc).slice(
              4 * (p * columnGroups() + c + half), 4);
          llvm::copy(
              core.multiply(xs[p], ArrayRef<Value>(y).slice(2 * half, 2), sum),
              sum.begin());
        }
    }
  }
}

void FlashAttention::addLanes(Rows &rows) {
  for (Value &sum : rows.sum)
    sum = combineLanes(sum, [&](Value x, Value y) -> Value {
      return arith::AddFOp::create(code.b, code.loc, x, y);
    });
}

void FlashAttention::store(Rows rows, Value rowSums,
                           llvm::function_ref<void(ValueRange acc)> pass) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  addLanes(rows);
  if (attention.isNormalized) {
    SmallVector<Value> factors;
    for (Value sum : rows.sum)
      factors.push_back(arith::DivFOp::create(b, loc, number(1), sum));
    rescale(rows.acc, factors);
    return pass(rows.acc);
  }
  auto slot = [&](Value row) {
    return core.pointer(rowSums, i.mul(row, 4), 3);
  };
  SmallVector<Value> slots;
  for (int64_t row = 0; row < laneRows(); ++row)
    slots.push_back(slot(rowInBlock(row)));
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        numberInRow(), i.of(0));
  auto branch = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  for (auto [sum, to] : llvm::zip(rows.sum, slots))
    LLVM::StoreOp::create(b, loc, sum, to);
  b.setInsertionPointAfter(branch);
  Value result = attention.sum->getResult(0);
  knowOfRow = [&, slot](Scope &scope, const Index &row) {
    Value local = i.from(code.materialize(code.sub(row, row0)));
    Value sum = LLVM::LoadOp::create(b, loc, b.getF32Type(), slot(local));
    code.know(scope, result, coords(labels.ofTensor(result)), sum);
  };
  pass(rows.acc);
  knowOfRow = nullptr;
}

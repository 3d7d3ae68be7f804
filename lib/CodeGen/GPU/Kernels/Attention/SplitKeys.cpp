//===- SplitKeys.cpp - blocks that share the keys of their rows -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../TileChoice.h"
#include "FlashAttention.h"

#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;

/// Warps of a multiprocessor for which a warp's registers suffice.
static constexpr int64_t kResidentWarps = 8;
/// The threads of a block that combines parts, and the parts whose results a
/// thread loads at once.
static constexpr int64_t kCombineThreads = 128, kUnroll = 16;

/// Returns ceil(a / c) for a >= 0 and c > 0.
static Index divideCeil(KernelCode &code, const Index &a, const Index &c) {
  if (c.isStatic())
    return code.ceilDiv(a, c.constant);
  Index last = code.add(a, code.sub(c, Index::of(1)));
  return Value(arith::DivUIOp::create(code.b, code.loc, code.materialize(last),
                                      code.materialize(c)));
}

Index fx::gpu::atLeastOne(KernelCode &code, const Index &x) {
  if (x.isStatic())
    return Index::of(std::max<int64_t>(x.constant, 1));
  return Value(arith::MaxSIOp::create(code.b, code.loc, code.materialize(x),
                                      code.constant(1)));
}

int64_t FlashAttention::chooseParts() {
  auto asked = getTiles<kernel::AttentionAttr>(*this);
  int64_t most = asked ? asked.getParts() : kMaxParts;
  if (!mSize.isStatic() || mSize.constant == 0 || most < 2)
    return 1;
  // All blocks run at the same time.
  int64_t resident = std::clamp<int64_t>(code.machine.maxShared / sharedBytes(),
                                         1, kResidentWarps / tiles.warpsM);
  int64_t target = resident * code.machine.multiprocessors;
  int64_t tilesM = llvm::divideCeil(mSize.constant, tiles.m);
  Index batches = product(code, batchSizes);
  // With any number of batches, workspaces and more kernels are only worthwhile
  // for few rows.
  if (batches == Index::of(0) || (!batches.isStatic() && tilesM > 1))
    return 1;
  most = std::min(
      most, target / (tilesM * (batches.isStatic() ? batches.constant : 1)));
  Index pieces = code.ceilDiv(kSize, tiles.k);
  if (pieces.isStatic()) {
    most = std::min(most, pieces.constant);
    if (most < 2)
      return 1;
    int64_t each = llvm::divideCeil(pieces.constant, most);
    if (!asked && pieces.constant - each < minSavedPieces())
      return 1;
    most = llvm::divideCeil(pieces.constant, each);
  }
  if (most < 2)
    return 1;
  keyParts = code.min(Index::of(most), atLeastOne(code, pieces));
  isAlwaysSplit = batches.isStatic();
  int64_t rows = batches.constant * most * mSize.constant;
  if (!isAlwaysSplit) {
    Index blocks = atLeastOne(code, code.mul(batches, Index::of(tilesM)));
    Index fit(arith::DivUIOp::create(code.b, code.loc, code.constant(target),
                                     code.materialize(blocks)));
    keyParts = atLeastOne(code, code.min(keyParts, fit));
    rows = target / tilesM * mSize.constant;
  }
  Type f32 = code.b.getF32Type();
  partProducts = code.addWorkspace(rows * tiles.n, f32);
  partRows = code.addWorkspace(rows * 2, f32);
  return most;
}

std::pair<Index, Index> FlashAttention::partOf(const Index &begin,
                                               const Index &end) {
  if (!isSplit)
    return {begin, end};
  Index each = divideCeil(code, code.sub(end, begin), keyParts);
  Index first = code.add(begin, code.mul(part, each));
  return {first, code.min(code.add(first, each), end)};
}

/// Stores two f32 values to elements `at` and `at` + 1 of `memory`; `at` is
/// even.
static void storePair(KernelCode &code, Value memory, const Index &at, Value x,
                      Value y) {
  OpBuilder &b = code.b;
  Value pair = vector::FromElementsOp::create(
      b, code.loc, VectorType::get({2}, b.getF32Type()), ValueRange{x, y});
  vector::StoreOp::create(b, code.loc, pair, memory,
                          ValueRange{code.materialize(at)})
      .setAlignment(8);
}

void FlashAttention::storeProducts(const Index &to, int64_t row,
                                   ArrayRef<Value> acc) {
  for (int64_t c = 0; c < columnGroups(); ++c) {
    int64_t first = 4 * (row / 2 * columnGroups() + c) + row % 2 * 2;
    storePair(code, partProducts, code.add(to, Index::of(8 * c)), acc[first],
              acc[first + 1]);
  }
}

void FlashAttention::storePart(Launch &launch, Rows rows) {
  addLanes(rows);
  Index column(i.toIndex(firstColumn()));
  Index end = isMultiple(mSize, tiles.m) ? Index::of(-1) : mSize;
  for (auto [row, sum] : llvm::enumerate(rows.sum)) {
    Index x = code.add(row0, Index(i.toIndex(rowInBlock(row))));
    guarded(code, launch.scope, {{x, end}}, [&](Scope &scope) {
      Index to = code.add(workspaceRow, x);
      guarded(code, scope, {{column, Index::of(1)}}, [&](Scope &) {
        storePair(code, partRows, code.mul(to, Index::of(2)), rows.max[row],
                  sum);
      });
      storeProducts(code.add(code.mul(to, Index::of(tiles.n)), column), row,
                    rows.acc);
    });
  }
}

namespace {
/// Combines the parts of one element of the result.
struct Combination {
  FlashAttention &plan;
  KernelCode &code;
  /// The row among all batches, and the column.
  Index row, column, allRows;

  /// Loads m and l of a row of a part.
  std::pair<Value, Value> loadRow(const Index &part);
  Value loadProduct(const Index &part);
  Index rowOf(const Index &part) {
    return code.add(code.mul(part, allRows), row);
  }
  /// Emits `body` for each part: for several in each iteration of a loop if
  /// there are many. The last part is repeated if they are no multiple; `isNew`
  /// is false then (null: true). `carried` are the values that the loop
  /// carries.
  void forParts(Scope &scope, SmallVector<Value> &carried,
                llvm::function_ref<void(const Index &part, Value isNew)> body);
  /// Returns the combination of l and of y.
  std::pair<Value, Value> combine(Scope &scope);
};
} // namespace

std::pair<Value, Value> Combination::loadRow(const Index &part) {
  OpBuilder &b = code.b;
  Index at = code.mul(rowOf(part), Index::of(2));
  auto pair =
      vector::LoadOp::create(b, code.loc, VectorType::get({2}, b.getF32Type()),
                             plan.partRows, ValueRange{code.materialize(at)});
  pair.setAlignment(8);
  auto get = [&](int64_t e) -> Value {
    return vector::ExtractOp::create(b, code.loc, pair, e);
  };
  return {get(0), get(1)};
}

Value Combination::loadProduct(const Index &part) {
  Index at = code.add(code.mul(rowOf(part), Index::of(plan.tiles.n)), column);
  return memref::LoadOp::create(code.b, code.loc, plan.partProducts,
                                code.materialize(at));
}

void Combination::forParts(
    Scope &scope, SmallVector<Value> &carried,
    llvm::function_ref<void(const Index &part, Value isNew)> body) {
  const Index &parts = plan.keyParts;
  if (parts.isStatic() && parts.constant <= kUnroll) {
    for (int64_t p = 0; p < parts.constant; ++p)
      body(Index::of(p), Value());
    return;
  }
  Scope inner;
  auto loop =
      code.beginFor(scope, inner, Index::of(0), parts, kUnroll, carried);
  carried.assign(loop.getRegionIterArgs().begin(),
                 loop.getRegionIterArgs().end());
  for (int64_t p = 0; p < kUnroll; ++p) {
    Index part(loop.getInductionVar(), p);
    if (p == 0 || isMultiple(parts, kUnroll)) {
      body(part, Value());
      continue;
    }
    Value isNew =
        arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::slt,
                              code.materialize(part), code.materialize(parts));
    body(code.min(part, code.sub(parts, Index::of(1))), isNew);
  }
  code.endFor(loop, carried);
  carried.assign(loop.getResults().begin(), loop.getResults().end());
}

std::pair<Value, Value> Combination::combine(Scope &scope) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  SmallVector<Value> max = {plan.number(-INFINITY)};
  forParts(scope, max, [&](const Index &part, Value) {
    max[0] = arith::MaximumFOp::create(b, loc, max[0], loadRow(part).first);
  });
  Value minus = plan.negated(max[0]);
  SmallVector<Value> sums(2, plan.number(0));
  forParts(scope, sums, [&](const Index &part, Value isNew) {
    auto [m, l] = loadRow(part);
    Value y = loadProduct(part), scale = plan.power(m, minus);
    if (isNew)
      scale = arith::SelectOp::create(b, loc, isNew, scale, plan.number(0));
    sums[0] = math::FmaOp::create(b, loc, scale, l, sums[0]);
    sums[1] = math::FmaOp::create(b, loc, scale, y, sums[1]);
  });
  return {sums[0], sums[1]};
}

void FlashAttention::combineParts() {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Index batches = product(code, batchSizes), rows = code.mul(batches, mSize);
  Index elements = code.mul(rows, nSize);
  Launch launch(code, code.ceilDiv(elements, kCombineThreads), kCombineThreads);
  int64_t numbers = 0;
  for (RankedTensorType type : code.workspaces)
    numbers += type.getNumElements();
  launch.describe(/*bytes=*/numbers * int64_t(sizeof(float)),
                  /*operations=*/2 * numbers);
  Index mine = code.add(code.mul(launch.block, Index::of(kCombineThreads)),
                        launch.thread);
  Index end = isMultiple(elements, kCombineThreads) ? Index::of(-1) : elements;
  guarded(code, launch.scope, {{mine, end}}, [&](Scope &scope) {
    SmallVector<Index> split = delinearize(code, mine, {rows, nSize});
    Combination parts{*this, code, split[0], split[1], rows};
    auto [sum, product] = parts.combine(scope);
    SmallVector<Index> where = delinearize(code, split[0], {batches, mSize});
    place(batch, batchSizes, where[0]);
    if (attention.isNormalized) {
      Value by = arith::DivFOp::create(b, loc, number(1), sum);
      product = arith::MulFOp::create(b, loc, product, by);
    }
    Value result = attention.sum->getResult(0);
    knowOfRow = [&, total = sum](Scope &here, const Index &) {
      code.know(here, result, coords(labels.ofTensor(result)), total);
    };
    storeOutputs(scope, where[1], split[1], product);
    knowOfRow = nullptr;
  });
  launch.close();
}

//===- Epilogue.cpp - from sums of warpgroups to results ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sums of a warp are 16 rows of each product. They go through shared memory
// 64 columns at a time, so that eight lanes have the eight runs of a row. A
// lane has the same columns in all rows, so values that depend on the column
// alone, such as a bias, are evaluated once for each run.
//
// Rows and columns beyond the end are evaluated at the last row or column, and
// not stored. So the loads of several rows need no conditions, and the compiler
// can start all of them before it uses the first.
//
// Costly code that is repeated for each 64 columns would exceed the instruction
// cache. So it is in one loop over the columns; only the stores to shared
// memory, whose registers are fixed, are selected by a switch.
//
//===----------------------------------------------------------------------===//

#include "WarpgroupMatMul.h"

#include "fx/Kernels/Analysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;

/// The rows that a lane evaluates before it stores them.
static constexpr int64_t kRows = 4, kRowsOfCostlyCode = 2;
/// The cost of an element (`bodyCost`) from which the code is costly.
static constexpr int64_t kCostly = 20;

Value WarpgroupEpilogue::at(Value base, Value offset) {
  return TensorCore{i.b, i.loc, core.element}.pointer(base, offset, 3);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

// A row of the buffer has 16 chunks of 16 bytes. Half h of the run u in row r
// is chunk (2 u + h xor u / 4) xor 2 (r % 4). The four rows that half a warp
// stores at once are in different banks, and so are the eight halves of a row
// that a quarter of a warp loads at once.

/// Stores columns `first` to `first` + 63 of the sums of one product.
void WarpgroupEpilogue::stage(Value sums, int64_t first) {
  OpBuilder &b = i.b;
  auto pair = VectorType::get({2}, getSumType(core.element));
  Value row = i.div(lane, 4), half = i.div(i.rem(lane, 4), 2);
  Value base = i.exclusiveOr(i.mul(half, 16), i.mul(i.rem(row, 4), 32));
  base = i.add(i.add(i.mul(row, kSumRow), base), i.mul(i.rem(lane, 2), 8));
  for (int64_t run = 0; run < kSumColumns / 8; ++run) {
    Value to = i.exclusiveOr(base, i.of(32 * run + 16 * (run / 4)));
    for (int64_t lower = 0; lower < 2; ++lower) {
      Value two = LLVM::PoisonOp::create(b, i.loc, pair);
      for (int64_t e = 0; e < 2; ++e) {
        Value sum = LLVM::ExtractValueOp::create(
            b, i.loc, sums, first / 2 + 4 * run + 2 * lower + e);
        two = LLVM::InsertElementOp::create(b, i.loc, two, sum, i.of(e));
      }
      LLVM::StoreOp::create(b, i.loc, two,
                            at(buffer, i.add(to, 8 * lower * kSumRow)),
                            /*alignment=*/8);
    }
  }
}

/// Stores columns of the sums of one product; its number and that of the 64
/// columns are known at run time.
void WarpgroupEpilogue::stageAny(ValueRange sums, Value product, Value chunk) {
  OpBuilder &b = i.b;
  int64_t chunks = productColumns / kSumColumns;
  int64_t cases = chunks * sums.size();
  auto stageCase = [&](int64_t number) {
    stage(sums[number / chunks], number % chunks * kSumColumns);
  };
  if (cases == 1)
    return stageCase(0);
  KernelCode &code = plan.code;
  Value which = code.materialize(
      code.add(code.mul(Index(product), Index::of(chunks)), Index(chunk)));
  SmallVector<int64_t> numbers =
      llvm::to_vector(llvm::seq<int64_t>(0, cases - 1));
  auto branch = scf::IndexSwitchOp::create(b, i.loc, TypeRange(), which,
                                           numbers, cases - 1);
  OpBuilder::InsertionGuard guard(b);
  for (auto [number, region] : llvm::enumerate(branch->getRegions())) {
    // The default region is the first one; it has the last case.
    b.setInsertionPointToStart(&region.emplaceBlock());
    stageCase(number ? number - 1 : cases - 1);
    scf::YieldOp::create(b, i.loc);
  }
}

/// Loads a run, or without runs one sum, of the rows in shared memory.
SmallVector<Value> WarpgroupEpilogue::load(Value row, Value column) {
  OpBuilder &b = i.b;
  Value run = i.div(column, 8), permuted = i.mul(i.rem(row, 4), 32);
  Value chunk = i.add(i.mul(run, 32), i.mul(i.div(run, 4), 16));
  Value start = i.mul(row, kSumRow);
  if (!hasRuns) {
    Value half = i.mul(i.rem(i.div(column, 4), 2), 16);
    chunk = i.exclusiveOr(i.exclusiveOr(chunk, half), permuted);
    Value from = i.add(i.add(start, chunk), i.mul(i.rem(column, 4), 4));
    return {LLVM::LoadOp::create(b, i.loc, getSumType(core.element),
                                 at(buffer, from))};
  }
  auto four = VectorType::get({4}, getSumType(core.element));
  SmallVector<Value> numbers;
  chunk = i.exclusiveOr(chunk, permuted);
  for (int64_t half = 0; half < 2; ++half) {
    Value from = i.add(start, i.exclusiveOr(chunk, i.of(16 * half)));
    Value part = LLVM::LoadOp::create(b, i.loc, four, at(buffer, from),
                                      /*alignment=*/16);
    for (int64_t e = 0; e < 4; ++e)
      numbers.push_back(
          LLVM::ExtractElementOp::create(b, i.loc, part, i.of(e)));
  }
  return numbers;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

MatMulPlan::Stores WarpgroupEpilogue::evaluate(Scope &scope, const Index &row,
                                               const Index &column,
                                               ValueRange sums) {
  KernelCode &code = plan.code;
  if (!workspace)
    return hasRuns ? plan.evalRun(scope, row, column, SmallVector<Value>(sums))
                   : plan.evalOutputs(scope, row, column, sums[0]);
  OpBuilder &b = i.b;
  Location loc = i.loc;
  Value to = code.materialize(
      code.add(code.add(code.mul(row, plan.nSize), column), firstOfPart));
  if (!hasRuns)
    return {[=, this, &b, sum = sums[0]] {
      memref::StoreOp::create(b, loc, sum, workspace, to);
    }};
  Value run = vector::FromElementsOp::create(
      b, loc, VectorType::get({MatMulPlan::kRun}, getSumType(core.element)),
      sums);
  return {[=, this, &b] {
    auto store =
        vector::StoreOp::create(b, loc, run, workspace, ValueRange{to});
    store.setAlignment(16);
  }};
}

bool WarpgroupEpilogue::isCostly() const {
  if (workspace)
    return false;
  int64_t cost = getPointwiseCost(plan);
  // What is computed for a column alone is also code, and needs registers.
  for (Operation *op : plan.ops)
    if (auto generic = cast<linalg::GenericOp>(op); generic.getNumLoops() == 1)
      cost += kernel::bodyCost(generic) / 2;
  return cost >= kCostly;
}

/// Evaluates and stores the outputs of the 16 rows in shared memory, from
/// `row0` on.
void WarpgroupEpilogue::emitRows(Scope &scope, const Index &row0,
                                 const Column &columns) {
  KernelCode &code = plan.code;
  OpBuilder &b = i.b;
  Location loc = i.loc;
  int64_t lanes = hasRuns ? kSumColumns / MatMulPlan::kRun : kWarp;
  int64_t step = kWarp / lanes;
  int64_t rows = step * (isCostly() ? kRowsOfCostlyCode : kRows);
  bool isExact = isMultiple(plan.mSize, blockRows);
  Value myRow = i.div(lane, lanes), last;
  if (!isExact)
    last = i.from(
        code.materialize(code.sub(code.sub(plan.mSize, row0), Index::of(1))));
  Scope inRows;
  auto loop = code.beginFor(scope, inRows, Index::of(0), Index::of(16), rows);
  SmallVector<std::pair<Value, MatMulPlan::Stores>> all;
  for (int64_t r = 0; r < rows; r += step) {
    Value row = i.add(i.add(i.from(loop.getInductionVar()), r), myRow);
    Value isStored = columns.isThere;
    if (!isExact) {
      Value isRow =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, row, last);
      isStored = isStored
                     ? Value(arith::AndIOp::create(b, loc, isStored, isRow))
                     : isRow;
      row = arith::MinSIOp::create(b, loc, row, last);
    }
    SmallVector<Value> sums = load(row, columns.mine);
    all.push_back(
        {isStored, evaluate(inRows, code.add(row0, Index(i.toIndex(row))),
                            columns.column, sums)});
  }
  for (auto &[isStored, stores] : all) {
    OpBuilder::InsertionGuard guard(b);
    if (isStored) {
      auto branch = scf::IfOp::create(b, loc, isStored, /*withElse=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    for (auto &store : stores)
      store();
  }
  code.endFor(loop);
}

/// Returns the lane's columns among the 64 from `first` on: one run, or without
/// runs two columns.
SmallVector<WarpgroupEpilogue::Column>
WarpgroupEpilogue::placeColumns(const Index &first) {
  KernelCode &code = plan.code;
  int64_t width = hasRuns ? MatMulPlan::kRun : 1;
  int64_t together = std::min<int64_t>(kSumColumns, width * kWarp);
  SmallVector<Column> columns;
  for (int64_t c = 0; c < kSumColumns; c += together) {
    Column it;
    it.mine = i.add(i.mul(i.rem(lane, together / width), width), c);
    it.column = code.add(first, Index(i.toIndex(it.mine)));
    if (!isMultiple(plan.nSize, kSumColumns)) {
      Index last = code.sub(plan.nSize, Index::of(width));
      it.isThere = arith::CmpIOp::create(i.b, i.loc, arith::CmpIPredicate::sle,
                                         code.materialize(it.column),
                                         code.materialize(last));
      it.column = code.min(it.column, last);
      it.mine = i.from(code.materialize(code.sub(it.column, first)));
    }
    columns.push_back(it);
  }
  return columns;
}

/// Emits `body` so that it runs if `at` is below `size`, unless `size` is a
/// multiple of the tile's. All lanes take the same branch, so they may
/// synchronize within it. What is evaluated in `body` exists in any case, and
/// may be hoisted.
void WarpgroupEpilogue::forPart(Scope &scope, const Index &at,
                                const Index &size, int64_t tile,
                                llvm::function_ref<void(Scope &)> body) {
  OpBuilder &b = i.b;
  KernelCode &code = plan.code;
  Scope inner;
  inner.parent = &scope;
  if (isMultiple(size, tile))
    return body(inner);
  Value isThere =
      arith::CmpIOp::create(b, i.loc, arith::CmpIPredicate::slt,
                            code.materialize(at), code.materialize(size));
  auto branch = scf::IfOp::create(b, i.loc, isThere, /*withElse=*/false);
  inner.loop = branch;
  b.setInsertionPointToStart(branch.thenBlock());
  body(inner);
  b.setInsertionPointAfter(branch);
}

void WarpgroupEpilogue::emit(Scope &scope, const Index &row0,
                             const Index &column0, ValueRange sums) {
  KernelCode &code = plan.code;
  // The rows of one product, whose sums `stageSums` stores to shared memory.
  auto emitProduct = [&](Scope &outer, const Index &row,
                         ArrayRef<Column> columns,
                         llvm::function_ref<void()> stageSums) {
    forPart(outer, row, plan.mSize, blockRows, [&](Scope &here) {
      stageSums();
      core.synchronizeWarp();
      for (const Column &it : columns)
        emitRows(here, row, it);
      // Other lanes may still read the buffer that is written next.
      core.synchronizeWarp();
    });
  };
  int64_t chunks = productColumns / kSumColumns;
  if (!isCostly()) {
    for (int64_t c = 0; c < chunks; ++c) {
      Index first = code.add(column0, Index::of(c * kSumColumns));
      forPart(scope, first, plan.nSize, productColumns, [&](Scope &inChunk) {
        SmallVector<Column> columns = placeColumns(first);
        for (auto [p, sum] : llvm::enumerate(sums))
          emitProduct(inChunk, code.add(row0, Index::of(p * kWarpgroupRows)),
                      columns, [&] { stage(sum, c * kSumColumns); });
      });
    }
    return;
  }
  Index count = Index::of(chunks);
  if (!isMultiple(plan.nSize, productColumns))
    count = code.min(count,
                     code.ceilDiv(code.sub(plan.nSize, column0), kSumColumns));
  Scope inChunk, inProduct;
  auto overChunks = code.beginFor(scope, inChunk, Index::of(0), count, 1);
  Value chunk = overChunks.getInductionVar();
  SmallVector<Column> columns = placeColumns(
      code.add(column0, code.mul(Index(chunk), Index::of(kSumColumns))));
  auto overProducts = code.beginFor(inChunk, inProduct, Index::of(0),
                                    Index::of(sums.size()), 1);
  Value product = overProducts.getInductionVar();
  emitProduct(
      inProduct,
      code.add(row0, code.mul(Index(product), Index::of(kWarpgroupRows))),
      columns, [&] { stageAny(sums, product, chunk); });
  code.endFor(overProducts);
  code.endFor(overChunks);
}

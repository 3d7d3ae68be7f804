//===- RegisterTiles.cpp - tiles of operands through registers ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegisterTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;

SmallVector<Value>
fx::gpu::loadBelow(KernelCode &code, Scope &scope, const Index &piece,
                   const Index &pieces, ArrayRef<Value> old,
                   llvm::function_ref<SmallVector<Value>(Scope &)> load) {
  if (piece.isStatic() && pieces.isStatic() && piece.constant < pieces.constant)
    return load(scope);
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value isThere =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                            code.materialize(piece), code.materialize(pieces));
  auto branch = scf::IfOp::create(b, loc, ValueRange(old).getTypes(), isThere,
                                  /*withElseRegion=*/true);
  Scope inner;
  inner.parent = &scope;
  inner.loop = branch;
  inner.isGuarded = true;
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, load(inner));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, old);
  b.setInsertionPointAfter(branch);
  return llvm::to_vector_of<Value>(branch.getResults());
}

TileOperand RegisterTiles::describe(bool isLhs) {
  TileOperand operand = plan.describe(isLhs);
  const Index &along = operand.isAlongK ? plan.kSize
                       : isLhs          ? plan.mSize
                                        : plan.nSize;
  if (!operand.isAsync || isMultiple(along, chunk()))
    return operand;
  if (along.isStatic())
    operand.isAsync = false;
  else
    operand.multiples.push_back(plan.code.materialize(along));
  return operand;
}

RegisterTiles::Units RegisterTiles::getUnits(const TileOperand &operand) const {
  int64_t width = operand.tile.rows;
  if (operand.isAlongK)
    return {operand.tile.chunks(), width * operand.tile.chunks()};
  int64_t words = width * plan.elementBytes() / 4;
  return {words, words * operand.tile.chunks()};
}

void RegisterTiles::forUnits(const TileOperand &operand,
                             llvm::function_ref<void(const Unit &)> body) {
  Int32 &i = plan.i;
  KernelCode &code = plan.code;
  Units units = getUnits(operand);
  int64_t threads = plan.tiles.threads();
  bool isBelow = threads % units.perRow == 0;
  for (int64_t e = 0; e < units.total; e += threads) {
    Value linear = isBelow ? plan.thread : i.add(plan.thread, e), isThere;
    if (units.total - e < threads)
      isThere =
          arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::ult,
                                plan.thread, i.of(units.total - e));
    body({i.div(linear, units.perRow), i.rem(linear, units.perRow), isThere,
          isBelow ? e / units.perRow : 0});
  }
}

//===----------------------------------------------------------------------===//
// From memory to registers
//===----------------------------------------------------------------------===//

Value RegisterTiles::loadIf(Value condition, Type type,
                            llvm::function_ref<Value()> load) {
  if (!condition)
    return load();
  OpBuilder &b = plan.code.b;
  Location loc = plan.code.loc;
  auto branch =
      scf::IfOp::create(b, loc, type, condition, /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, load());
  b.setInsertionPointToStart(branch.elseBlock());
  Value zero = LLVM::ZeroOp::create(b, loc, type);
  scf::YieldOp::create(b, loc, zero);
  b.setInsertionPointAfter(branch);
  return branch.getResult(0);
}

static Value both(OpBuilder &b, Location loc, Value x, Value y) {
  return x && y ? Value(arith::AndIOp::create(b, loc, x, y)) : x ? x : y;
}

void RegisterTiles::load(Scope &scope, const TileOperand &operand,
                         const Index &first, const Index &k0,
                         SmallVectorImpl<Value> &loaded) {
  KernelCode &code = plan.code;
  Int32 &i = plan.i;
  OpBuilder &b = code.b;
  Location loc = code.loc;
  const Index &size = operand.isLhs ? plan.mSize : plan.nSize;
  int64_t width = operand.tile.rows, bytes = plan.elementBytes();
  bool isGathered = plan.gatherOf(operand.isLhs).has_value();
  // Null if the coordinate is always within the operand.
  auto isBelow = [&](const Index &at, const Index &end, int64_t tile) -> Value {
    if (isMultiple(end, tile))
      return {};
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                 code.materialize(at), code.materialize(end));
  };
  auto loadAt = [&](Type type, Index x, Index atK, Value condition) {
    condition = both(b, loc, condition, isBelow(atK, plan.kSize, plan.tiles.k));
    // A table has no entries for rows outside of the operand.
    if (isGathered && condition) {
      Index &row = operand.isAlongK ? x : atK;
      const Index &end = operand.isAlongK ? size : plan.kSize;
      row = code.min(row, code.sub(end, Index::of(1)));
    }
    Value isStored,
        from = plan.elementPointer(operand, x, atK, isStored, &scope);
    condition = both(b, loc, condition, isStored);
    return loadIf(condition, type, [&]() -> Value {
      return LLVM::LoadOp::create(b, loc, type, from,
                                  operand.isAlongK ? kChunkBytes : 4);
    });
  };
  forUnits(operand, [&](const Unit &unit) {
    Index row(i.toIndex(unit.row), unit.below);
    if (operand.isAlongK) {
      Index x = code.add(first, row),
            atK = code.add(k0, Index(i.toIndex(i.mul(unit.inRow, chunk()))));
      Value condition = both(b, loc, unit.isThere, isBelow(x, size, width));
      loaded.push_back(loadAt(matrix.chunkType(), x, atK, condition));
      return;
    }
    Index x = code.add(first, Index(i.toIndex(i.mul(unit.inRow, 4 / bytes))));
    Value condition = both(b, loc, unit.isThere, isBelow(x, size, width));
    Index chunk0 = code.add(k0, code.mul(row, Index::of(chunk())));
    for (int64_t e = 0; e < chunk(); ++e)
      loaded.push_back(
          loadAt(b.getI32Type(), x, code.add(chunk0, Index::of(e)), condition));
  });
}

SmallVector<Type> RegisterTiles::getTypes(const TileOperand &operand) {
  int64_t count =
      llvm::divideCeil(getUnits(operand).total, plan.tiles.threads());
  if (operand.isAlongK)
    return SmallVector<Type>(count, matrix.chunkType());
  return SmallVector<Type>(count * chunk(), plan.code.b.getI32Type());
}

//===----------------------------------------------------------------------===//
// From registers to shared memory
//===----------------------------------------------------------------------===//

SmallVector<Value, 2> RegisterTiles::transpose(ArrayRef<Value> words) {
  OpBuilder &b = plan.code.b;
  Location loc = plan.code.loc;
  auto four = VectorType::get({4}, b.getI32Type());
  auto join = [&](ArrayRef<Value> parts) -> Value {
    Value all = LLVM::PoisonOp::create(b, loc, four);
    for (auto [e, part] : llvm::enumerate(parts))
      all = LLVM::InsertElementOp::create(b, loc, all, part, plan.i.of(e));
    return LLVM::BitcastOp::create(b, loc, matrix.chunkType(), all);
  };
  if (plan.elementBytes() == 4)
    return {join(words)};
  // LLVM makes a v_perm_b32 of each shuffle.
  auto two = VectorType::get({2}, b.getI16Type());
  SmallVector<Value> low, high;
  for (size_t e = 0; e < words.size(); e += 2) {
    Value x = LLVM::BitcastOp::create(b, loc, two, words[e]),
          y = LLVM::BitcastOp::create(b, loc, two, words[e + 1]);
    for (int32_t half : {0, 1}) {
      Value pair = LLVM::ShuffleVectorOp::create(
          b, loc, x, y, ArrayRef<int32_t>{half, half + 2});
      (half ? high : low)
          .push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), pair));
    }
  }
  return {join(low), join(high)};
}

void RegisterTiles::store(const TileOperand &operand, ArrayRef<Value> &loaded,
                          Value to) {
  OpBuilder &b = plan.code.b;
  Location loc = plan.code.loc;
  Int32 &i = plan.i;
  forUnits(operand, [&](const Unit &unit) {
    size_t count = operand.isAlongK ? 1 : chunk();
    ArrayRef<Value> mine = loaded.take_front(count);
    loaded = loaded.drop_front(count);
    OpBuilder::InsertionGuard guard(b);
    if (unit.isThere) {
      auto branch =
          scf::IfOp::create(b, loc, unit.isThere, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    auto storeChunk = [&](Value v, Value row, int64_t below, Value at,
                          int64_t across) {
      LLVM::StoreOp::create(
          b, loc, v, plan.locate(operand.tile, to, row, below, at, across),
          kChunkBytes);
    };
    if (operand.isAlongK)
      return storeChunk(mine.front(), unit.row, unit.below, unit.inRow, 0);
    SmallVector<Value, 2> chunks = transpose(mine);
    Value column = i.mul(unit.inRow, chunks.size());
    for (auto [e, v] : llvm::enumerate(chunks))
      storeChunk(v, i.add(column, e), 0, unit.row, unit.below);
  });
}

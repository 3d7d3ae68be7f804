//===- EmitMatMul.cpp - tiled contractions in f32 -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block computes a tile of the result. For each piece of K it loads tiles of
// both operands to shared memory. Each thread keeps the sums of a small tile in
// registers.
//
//===----------------------------------------------------------------------===//

#include "../TileChoice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Coords;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;
using kernel::LoopLabels;

namespace {
/// A block computes a tile of m by n elements, a thread one of tm by tn. A
/// piece of K has k elements.
struct Tiles {
  int64_t m = 64, n = 64, k = 16, tm = 4, tn = 4;
  int64_t threads() const { return (m / tm) * (n / tn); }
};

struct MatMul : MatMulPlan {
  Tiles tiles;
  Index rowTile, columnTile;

  explicit MatMul(KernelCode &code) : MatMulPlan(code) {}
  void emit();
  /// Returns the elements of a row of a tile in shared memory. If the operand
  /// lies along K, neighbouring threads store to one column; 16 bytes of
  /// padding per row avoid bank conflicts.
  int64_t rowElements(bool isLhs) {
    return (isLhs ? tiles.m : tiles.n) + (isAlongK(isLhs) ? 4 : 0);
  }
  void chooseTiles();
  bool fits();
  void fetch(Scope &scope, Launch &launch, bool isLhs, const Index &first,
             const Index &k0, Value memory);
  void storeOperand(Scope &scope, bool isLhs, const Coords &where, Value value);
  SmallVector<Value> multiply(Launch &launch, Value lhs, Value rhs,
                              const Index &row, const Index &column,
                              ValueRange acc);
  void finish(Scope &scope, const Index &row, const Index &column,
              ValueRange acc);
};
} // namespace

/// Stores an element of an operand to the outputs that are the same tensor.
/// Only the first row or column of blocks stores.
void MatMul::storeOperand(Scope &scope, bool isLhs, const Coords &where,
                          Value value) {
  for (unsigned o = 0; o < code.numOutputs(); ++o) {
    if (asOperand(o) != (isLhs ? info.lhs() : info.rhs()))
      continue;
    OpBuilder &b = code.b;
    Value isFirst =
        arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::eq,
                              code.materialize(isLhs ? columnTile : rowTile),
                              code.materialize(Index::of(0)));
    auto branch =
        scf::IfOp::create(b, code.loc, isFirst, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    code.store(*code.buffer(code.outputArg(o)), where, value);
  }
}

void MatMul::chooseTiles() {
  // Large tiles need less memory traffic, but only a large result has enough of
  // them to keep the device busy.
  auto atLeast = [](const Index &size, int64_t n) {
    return size.isStatic() && size.constant >= n;
  };
  if (mSize.isStatic() && mSize.constant <= 16)
    tiles = {16, 64, 32, 1, 4};
  else if (atLeast(mSize, 1024) && atLeast(nSize, 1024))
    tiles = {128, 128, 16, 8, 8};
  if (auto t = getTiles<kernel::MatMulAttr>(*this))
    tiles = {t.getM(), t.getN(), t.getK(), t.getThreadM(), t.getThreadN()};
}

/// Returns true if the tiles are valid: threads form whole warps, and the sums
/// fit the registers and the operands' tiles the shared memory.
bool MatMul::fits() {
  for (int64_t size : {tiles.m, tiles.n, tiles.k, tiles.tm, tiles.tn})
    if (size <= 0)
      return false;
  return tiles.m % tiles.tm == 0 && tiles.n % tiles.tn == 0 &&
         tiles.threads() % kWarp == 0 && tiles.threads() <= 1024 &&
         tiles.tm * tiles.tn <= 128 &&
         (rowElements(true) + rowElements(false)) * tiles.k * 4 <=
             code.machine.staticShared;
}

/// Loads a tile of an operand to `memory`, whose layout is [k][m or n].
/// Elements outside of the operand are zeros.
void MatMul::fetch(Scope &scope, Launch &launch, bool isLhs, const Index &first,
                   const Index &k0, Value memory) {
  OpBuilder &b = code.b;
  Value operand = isLhs ? info.lhs() : info.rhs();
  int64_t width = isLhs ? tiles.m : tiles.n;
  Index size = isLhs ? mSize : nSize;
  // Neighbouring threads load elements that are neighbours in memory.
  bool alongK = isAlongK(isLhs);
  Scope inner;
  auto loop = code.beginFor(scope, inner, launch.thread,
                            Index::of(width * tiles.k), tiles.threads());
  Index e(loop.getInductionVar());
  int64_t fast = alongK ? tiles.k : width;
  SmallVector<Index> split = delinearize(
      code, e, {Index::of(alongK ? width : tiles.k), Index::of(fast)});
  Index x = alongK ? split[0] : split[1], kk = alongK ? split[1] : split[0];
  Index atX = code.add(first, x), atK = code.add(k0, kk);
  auto isInside = [&](const Index &i, const Index &below,
                      int64_t tile) -> Value {
    if (below.isStatic() && below.constant % tile == 0)
      return {};
    return arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::slt,
                                 code.materialize(i), code.materialize(below));
  };
  Value inX = isInside(atX, size, width), inK = isInside(atK, kSize, tiles.k);
  Value inside = inX && inK
                     ? Value(arith::AndIOp::create(b, code.loc, inX, inK))
                 : inX ? inX
                       : inK;
  auto read = [&](Scope &here) -> Value {
    Coords where = operandCoords(isLhs, atX, atK);
    Value value = code.eval(here, operand, where);
    storeOperand(here, isLhs, where, value);
    if (isa<IntegerType>(value.getType()))
      return arith::SIToFPOp::create(b, code.loc, b.getF32Type(), value);
    if (!value.getType().isF32())
      return arith::ExtFOp::create(b, code.loc, b.getF32Type(), value);
    return value;
  };
  Value value;
  if (!inside) {
    value = read(inner);
  } else {
    auto branch = scf::IfOp::create(b, code.loc, b.getF32Type(), inside,
                                    /*withElseRegion=*/true);
    Scope here;
    here.parent = &inner;
    here.loop = branch;
    here.isGuarded = true;
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, code.loc, read(here));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(
        b, code.loc,
        Value(arith::ConstantOp::create(b, code.loc, b.getF32FloatAttr(0.0f))));
    b.setInsertionPointAfter(branch);
    value = branch.getResult(0);
  }
  memref::StoreOp::create(
      b, code.loc, value, memory,
      ValueRange{code.materialize(kk), code.materialize(x)});
  code.endFor(loop);
}

/// Adds the products of the tiles in shared memory to a thread's tile.
SmallVector<Value> MatMul::multiply(Launch &launch, Value lhs, Value rhs,
                                    const Index &row, const Index &column,
                                    ValueRange acc) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Scope inner;
  auto loop = code.beginFor(launch.scope, inner, Index::of(0),
                            Index::of(tiles.k), 1, acc);
  Value k = loop.getInductionVar();
  // Load four elements at a time, 16 bytes, if possible.
  auto read = [&](Value memory, const Index &first, int64_t count) {
    SmallVector<Value> values;
    int64_t step = count % 4 == 0 ? 4 : 1;
    for (int64_t i = 0; i < count; i += step) {
      Value x = code.materialize(code.add(first, Index::of(i)));
      if (step == 1) {
        values.push_back(
            memref::LoadOp::create(b, loc, memory, ValueRange{k, x}));
        continue;
      }
      auto type = VectorType::get({step}, b.getF32Type());
      auto load =
          vector::LoadOp::create(b, loc, type, memory, ValueRange{k, x});
      load.setAlignment(16);
      for (int64_t j = 0; j < step; ++j)
        values.push_back(vector::ExtractOp::create(b, loc, load, j));
    }
    return values;
  };
  SmallVector<Value> xs = read(lhs, row, tiles.tm),
                     ys = read(rhs, column, tiles.tn);
  SmallVector<Value> next;
  for (int64_t i = 0; i < tiles.tm; ++i)
    for (int64_t j = 0; j < tiles.tn; ++j)
      next.push_back(math::FmaOp::create(
          b, loc, xs[i], ys[j], loop.getRegionIterArg(i * tiles.tn + j)));
  code.endFor(loop, next);
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// Passes the sums of a thread to the group's pointwise ops and stores the
/// outputs.
void MatMul::finish(Scope &scope, const Index &row, const Index &column,
                    ValueRange acc) {
  auto bound = [](const Index &size, int64_t tile) {
    return size.isStatic() && size.constant % tile == 0 ? Index::of(-1) : size;
  };
  for (int64_t i = 0; i < tiles.tm; ++i)
    for (int64_t j = 0; j < tiles.tn; ++j) {
      Index r = code.add(row, Index::of(i)), c = code.add(column, Index::of(j));
      guarded(code, scope,
              {{r, bound(mSize, tiles.m)}, {c, bound(nSize, tiles.n)}},
              [&](Scope &here) {
                storeOutputs(here, r, c, acc[i * tiles.tn + j]);
              });
    }
}

void MatMul::emit() {
  split();
  chooseTiles();
  if (!fits())
    return code.fail("tiles that do not fit");
  noteSchedule(*this,
               kernel::MatMulAttr::get(code.b.getContext(), tiles.m, tiles.n,
                                       tiles.k, tiles.tm, tiles.tn));
  SmallVector<Index> grid = batchSizes;
  grid.push_back(code.ceilDiv(mSize, tiles.m));
  grid.push_back(code.ceilDiv(nSize, tiles.n));
  Launch launch(code, product(code, grid), tiles.threads());
  SmallVector<Index> tile = delinearize(code, launch.block, grid);
  for (auto [loop, i] : llvm::zip(batch, tile))
    at[loop] = i;
  rowTile = tile[batch.size()];
  columnTile = tile.back();
  Index row0 = code.mul(rowTile, Index::of(tiles.m));
  Index column0 = code.mul(columnTile, Index::of(tiles.n));
  Type f32 = code.b.getF32Type();
  Value lhs = launch.shared({tiles.k, rowElements(true)}, f32),
        rhs = launch.shared({tiles.k, rowElements(false)}, f32);
  int64_t columns = tiles.n / tiles.tn;
  SmallVector<Index> mine = delinearize(
      code, launch.thread, {Index::of(tiles.m / tiles.tm), Index::of(columns)});
  Index row = code.mul(mine[0], Index::of(tiles.tm)),
        column = code.mul(mine[1], Index::of(tiles.tn));
  Value zero =
      arith::ConstantOp::create(code.b, code.loc, code.b.getF32FloatAttr(0.0f));
  SmallVector<Value> acc(tiles.tm * tiles.tn, zero);
  Scope steps;
  auto loop =
      code.beginFor(launch.scope, steps, Index::of(0), kSize, tiles.k, acc);
  Index k0(loop.getInductionVar());
  fetch(steps, launch, /*isLhs=*/true, row0, k0, lhs);
  fetch(steps, launch, /*isLhs=*/false, column0, k0, rhs);
  mlir::gpu::BarrierOp::create(code.b, code.loc);
  SmallVector<Value> next =
      multiply(launch, lhs, rhs, row, column, loop.getRegionIterArgs());
  // All threads must be done with these tiles before the next ones are stored.
  mlir::gpu::BarrierOp::create(code.b, code.loc);
  code.endFor(loop, next);
  finish(launch.scope, code.add(row0, row), code.add(column0, column),
         loop.getResults());
  launch.close();
}

static void emitMatMul(KernelCode &code) {
  MatMul e(code);
  if (!e.analyse())
    return code.fail("the operands of the contraction do not fit");
  e.emit();
}

static std::optional<codegen::KernelMatch>
matchMatMul(func::FuncOp kernel, const kernel::TargetInfo &target) {
  if (!findContraction(kernel, target))
    return std::nullopt;
  // `noteSchedule` sets the schedule when the tiles are known.
  return codegen::KernelMatch{kernel, {}};
}

namespace fx::gpu {
codegen::KernelClass getMatMulClass() {
  return {kernel::MatMulAttr::getMnemonic(), /*benefit=*/3, matchMatMul,
          emitMatMul};
}
} // namespace fx::gpu

//===- EmitMatMul.cpp - tiled sums of products in f32 -===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block computes a tile of the result. For each piece of K it fetches both
// operands to shared memory; each thread keeps a small tile in registers. The
// loops of the contraction are seen as M, N, K and a batch, each of one or more
// loops, and the operands are evaluated at their coordinates: a convolution is
// the same kernel.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx;
using namespace fx::cuda;
using cpu::Coords;
using cpu::Index;
using cpu::KernelCode;
using cpu::LoopLabels;
using cpu::Scope;

namespace {
/// The tile of a block is m by n, that of a thread tm by tn; k is fetched at
/// once.
struct Tiles {
  int64_t m = 64, n = 64, k = 16, tm = 4, tn = 4;
  int64_t threads() const { return (m / tm) * (n / tn); }
};

struct MatMul {
  KernelCode &code;
  cpu::Contraction info;
  SmallVector<Operation *> ops;
  LoopLabels labels;
  Tiles tiles;
  SmallVector<unsigned> m, n, batch;
  SmallVector<Index> mSizes, nSizes, kSizes;
  Index mSize, nSize, kSize;
  SmallVector<Index> at; // by loop
  Index rowTile, columnTile;

  explicit MatMul(KernelCode &code) : code(code) {}
  bool analyse();
  void emit();
  void chooseTiles();
  /// The operand that output `o` is, of which one row or column of blocks then
  /// stores what it fetches; null: it is made of the sums.
  Value asOperand(unsigned o) {
    Value output = code.output(o);
    return output == info.lhs() || output == info.rhs() ? output : Value();
  }
  bool mayStoreOperand(Value operand);
  void fetch(Scope &scope, Launch &launch, bool isLhs, const Index &first,
             const Index &k0, Value memory);
  void storeOperand(Scope &scope, bool isLhs, const Coords &where, Value value);
  SmallVector<Value> multiply(Launch &launch, Value lhs, Value rhs,
                              const Index &row, const Index &column,
                              ValueRange acc);
  void finish(Scope &scope, const Index &row, const Index &column,
              ValueRange acc);
  void place(ArrayRef<unsigned> loops, ArrayRef<Index> sizes,
             const Index &linear) {
    for (auto [loop, i] : llvm::zip(loops, delinearize(code, linear, sizes)))
      at[loop] = i;
  }
  Coords coords(ArrayRef<int> of) {
    Coords result;
    for (int label : of)
      result.push_back({label < 0 ? Index::of(0) : at[label], false});
    return result;
  }
};
} // namespace

bool MatMul::analyse() {
  for (Operation &op : code.source.getBody().front().without_terminator()) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic)
      continue;
    if (generic.getNumReductionLoops()) {
      auto match = cpu::matchContraction(&op);
      if (!match || info.op)
        return false;
      info = *match;
    }
    ops.push_back(&op);
  }
  if (!info.op)
    return false;
  SmallVector<int> loops;
  SmallVector<int64_t> ranges = info.op.getStaticLoopRanges();
  for (unsigned d = 0; d < info.op.getNumLoops(); ++d)
    loops.push_back(ranges[d] == 1 ? LoopLabels::kUnit : int(d));
  labels.setRoot(info.op, loops);
  if (!labels.propagate(ops))
    return false;
  for (Operation *op : ops)
    if (!labels.isComplete(op))
      return false;
  for (unsigned i = 0; i < code.numOutputs(); ++i) {
    ArrayRef<int> loops = labels.ofTensor(code.output(i));
    if (loops.empty())
      return false;
    // What has sums along k has no place at a result's element.
    bool hasK = llvm::any_of(
        info.k, [&](unsigned k) { return llvm::is_contained(loops, int(k)); });
    Value operand = asOperand(i);
    if (operand ? !mayStoreOperand(operand) : hasK)
      return false;
  }
  return true;
}

/// True if each element of the operand is fetched by the first row or column of
/// blocks.
bool MatMul::mayStoreOperand(Value operand) {
  bool isLhs = operand == info.lhs();
  AffineMap map = isLhs ? info.lhsMap() : info.rhsMap();
  SmallVector<int64_t> ranges = info.op.getStaticLoopRanges();
  auto isThere = [&](unsigned loop) { return ranges[loop] > 0; };
  return info.lhs() != info.rhs() && map.isProjectedPermutation() &&
         llvm::all_of(isLhs ? info.n : info.m, isThere);
}

/// Stores an element of an operand that is an output, too.
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
  // Large tiles read less; they need many of them to keep a device busy.
  auto atLeast = [](const Index &size, int64_t n) {
    return size.isStatic() && size.constant >= n;
  };
  if (mSize.isStatic() && mSize.constant <= 16)
    tiles = {16, 64, 32, 1, 4};
  else if (atLeast(mSize, 1024) && atLeast(nSize, 1024))
    tiles = {128, 128, 16, 8, 8};
}

/// Fetches a tile of an operand to `memory`, [k][m or n]; zeros lie outside.
void MatMul::fetch(Scope &scope, Launch &launch, bool isLhs, const Index &first,
                   const Index &k0, Value memory) {
  OpBuilder &b = code.b;
  Value operand = isLhs ? info.lhs() : info.rhs();
  AffineMap map = isLhs ? info.lhsMap() : info.rhsMap();
  int64_t width = isLhs ? tiles.m : tiles.n;
  Index size = isLhs ? mSize : nSize;
  // Neighbouring threads take what lies together in memory.
  bool alongK =
      map.getNumResults() > 0 && llvm::any_of(info.k, [&](unsigned loop) {
        return map.getResult(map.getNumResults() - 1).isFunctionOfDim(loop);
      });
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
    SmallVector<Index> saved = at;
    place(isLhs ? m : n, isLhs ? mSizes : nSizes, atX);
    place(info.k, kSizes, atK);
    Coords loops, where;
    for (const Index &i : at)
      loops.push_back({i, false});
    for (AffineExpr expr : map.getResults()) {
      auto c = cpu::applyExpr(code, expr, loops);
      if (!c)
        code.fail("an indexing map without code");
      where.push_back(c.value_or(cpu::Coord()));
    }
    at = saved;
    Value value = code.eval(here, operand, where);
    storeOperand(here, isLhs, where, value);
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
  // Four at a time: one access of 16 bytes.
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

/// Evaluates what the group makes of the sums, and stores it.
void MatMul::finish(Scope &scope, const Index &row, const Index &column,
                    ValueRange acc) {
  Value result = info.op->getResult(0), init = info.op.getDpsInits()[0];
  bool fromZero = false;
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    fromZero = matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
  auto bound = [](const Index &size, int64_t tile) {
    return size.isStatic() && size.constant % tile == 0 ? Index::of(-1) : size;
  };
  for (int64_t i = 0; i < tiles.tm; ++i)
    for (int64_t j = 0; j < tiles.tn; ++j) {
      Index r = code.add(row, Index::of(i)), c = code.add(column, Index::of(j));
      guarded(code, scope,
              {{r, bound(mSize, tiles.m)}, {c, bound(nSize, tiles.n)}},
              [&](Scope &here) {
                place(m, mSizes, r);
                place(n, nSizes, c);
                Coords where = coords(labels.ofTensor(result));
                Value sum = acc[i * tiles.tn + j];
                if (!fromZero)
                  sum = arith::AddFOp::create(code.b, code.loc, sum,
                                              code.eval(here, init, where));
                code.know(here, result, where, sum);
                for (unsigned o = 0; o < code.numOutputs(); ++o) {
                  if (asOperand(o))
                    continue;
                  Coords to = coords(labels.ofTensor(code.output(o)));
                  code.store(*code.buffer(code.outputArg(o)), to,
                             code.eval(here, code.output(o), to));
                }
              });
    }
}

void MatMul::emit() {
  // Loops in the result's order, so that neighbours in N are neighbours in
  // memory.
  SmallVector<Index> batchSizes;
  for (AffineExpr expr : info.resultMap().getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    Index size = code.loopSize(info.op, loop);
    if (llvm::is_contained(info.m, loop)) {
      m.push_back(loop);
      mSizes.push_back(size);
    } else if (llvm::is_contained(info.n, loop)) {
      n.push_back(loop);
      nSizes.push_back(size);
    } else {
      batch.push_back(loop);
      batchSizes.push_back(size);
    }
  }
  for (unsigned loop : info.k)
    kSizes.push_back(code.loopSize(info.op, loop));
  mSize = product(code, mSizes);
  nSize = product(code, nSizes);
  kSize = product(code, kSizes);
  chooseTiles();
  at.assign(info.op.getNumLoops(), Index::of(0));
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
  Value lhs = launch.shared({tiles.k, tiles.m}, f32),
        rhs = launch.shared({tiles.k, tiles.n}, f32);
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
  gpu::BarrierOp::create(code.b, code.loc);
  SmallVector<Value> next =
      multiply(launch, lhs, rhs, row, column, loop.getRegionIterArgs());
  // The next tiles must wait until everyone has used these.
  gpu::BarrierOp::create(code.b, code.loc);
  code.endFor(loop, next);
  finish(launch.scope, code.add(row0, row), code.add(column0, column),
         loop.getResults());
  launch.close();
}

void fx::cuda::emitMatMul(KernelCode &code) {
  MatMul e(code);
  if (!e.analyse())
    return code.fail("the operands of the contraction do not fit");
  e.emit();
}

//===- EmitGemv.cpp - matmuls with few rows -------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matmul of at most 16 rows is limited by the memory traffic of its right
// operand. Each of its elements is loaded once, in vectors of 16 bytes, and
// multiplied by all rows from registers.
//
// - If the operand's last dimension is in K, the lanes of a warp take K in
//   turns, and a warp computes one or a few columns of the result.
// - If it is in N, a thread computes a run of columns, and the threads with the
//   same columns take K in turns.
//
// If the columns do not occupy the device, warps of a block share them, and
// each takes a part of K. The sums of lanes are combined with shuffles and
// those of warps through shared memory, always in the same order.
//
// Weights of four bits are dequantized in registers. If all elements of a run
// have the same scale, the sum of the run's products is scaled, not each
// weight: the conversion of the integers takes as many instructions as an H100
// executes in the time in which it reads them.
//
//===----------------------------------------------------------------------===//

#include "../Nibbles.h"
#include "../Runs.h"
#include "../TileChoice.h"

#include "fx/CodeGen/Common/Buffers.h"
#include "fx/Kernels/FewRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Coords;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;

/// The largest cost of an element of the left operand, which each warp computes
/// again.
static constexpr int64_t kMaxLhsCost = 8;
/// The warps that should be there: 16 for each multiprocessor of an H100.
static constexpr int64_t kDeviceWarps = 16 * 132;
/// The most warps of a block that share a column.
static constexpr int64_t kMaxWarpsK = 8;

namespace {
/// A weight in f32 that is the product of a value of the body of `op` and a
/// scale, which is the same for all elements of a run.
struct ScaledWeight {
  linalg::GenericOp op;
  Value element, scale;
};

struct Gemv : MatMulPlan {
  using MatMulPlan::MatMulPlan;

  /// Whether runs extend along K rather than N.
  bool isAlong = false;
  int64_t numRows = 0; ///< M
  Runs *runs = nullptr;

  /// Along K: the columns of a warp, and the warps that share them. Along N:
  /// the lanes of a warp that take different columns, and the warps of a block.
  int64_t columns = 1, lanes = kWarp, warpsK = 1, warpsN = 1;
  int64_t unroll = 1; ///< vectors of a column that a thread loads at once
  std::optional<ScaledWeight> scaled;

  bool fits();
  void emit();
  int64_t chooseWidth();
  void chooseSchedule();
  std::optional<ScaledWeight> findScale();
  /// Evaluates a value of the body of `scaled` at the coordinates of the loops.
  Value evalScaled(Scope &scope, Value v);
  int64_t blockColumns() const {
    return isAlong ? columns * warpsN : lanes * runs->width;
  }
  void emitLaunch();
  SmallVector<Value> sumAlongK(Scope &scope, const Index &column0,
                               const Index &lane, const Index &warpK);
  SmallVector<Value> sumAlongN(Scope &scope, const Index &run,
                               const Index &slice);
  SmallVector<Value> forSteps(
      Scope &scope, const Index &first, const Index &count, int64_t step,
      llvm::function_ref<void(Scope &, ArrayRef<Index>, MutableArrayRef<Value>)>
          body);
  Coords operandAt(bool isLhs);
  Value toFloat(Value v);
  void finish(Launch &launch, Value memory, int64_t parts,
              const Index &column0);
};
} // namespace

/// Returns the cost of computing an element of `v` from memory.
static int64_t costOf(Value v) {
  auto op = v.getDefiningOp<linalg::GenericOp>();
  if (!op)
    return 0;
  int64_t cost = kernel::bodyCost(op);
  for (Value operand : op.getInputs())
    cost += costOf(operand);
  return cost;
}

/// Returns the size in bits of the elements of `v` in memory, the smallest ones
/// if it is computed.
static int64_t bitsOf(Value v) {
  if (getNibbleRows(v))
    return 4;
  int64_t bits =
      8 * codegen::getElementBytes(getElementTypeOrSelf(v.getType()));
  if (auto op = v.getDefiningOp<linalg::GenericOp>())
    for (Value operand : op.getInputs())
      if (auto type = dyn_cast<RankedTensorType>(operand.getType());
          type && type.getRank() > 1)
        bits = std::min(bits, bitsOf(operand));
  return bits;
}

bool Gemv::fits() {
  if (!kernel::hasFewRows(info, code.machine) ||
      costOf(info.lhs()) > kMaxLhsCost)
    return false;
  numRows = mSize.constant;
  for (unsigned o = 0; o < code.numOutputs(); ++o)
    if (asOperand(o))
      return false;
  AffineMap rhs = info.rhsMap();
  unsigned last = rhs.getDimPosition(rhs.getNumResults() - 1);
  isAlong = last == k.back();
  return isAlong || last == n.back();
}

int64_t Gemv::chooseWidth() {
  int64_t bits = bitsOf(info.rhs());
  // Four bits are loaded in vectors of 8 bytes. Along N, each element of a run
  // has a sum for each row, so that longer runs need more registers.
  int64_t most = bits < 8 && isAlong ? 16 : 8;
  int64_t width = std::clamp<int64_t>(128 / bits, 1, most);
  Index size = isAlong ? kSizes.back() : nSizes.back();
  while (width > 1 && size.isStatic() && size.constant % width)
    width /= 2;
  return width;
}

void Gemv::chooseSchedule() {
  int64_t width = runs->width;
  int64_t count = nSize.isStatic() ? nSize.constant : kDeviceWarps;
  for (const Index &size : batchSizes)
    count *= size.isStatic() ? size.constant : 1;
  if (isAlong) {
    columns = numRows <= 4 ? 4 : 2;
    while (columns > 1 && count / columns < kDeviceWarps / 2)
      columns /= 2;
    unroll = numRows > 8 ? 1 : 4 / columns;
    int64_t vectors =
        kSize.isStatic() ? kSize.constant / width / kWarp : kMaxWarpsK * unroll;
    while (warpsK < kMaxWarpsK && count / columns * warpsK < kDeviceWarps &&
           2 * warpsK * unroll <= vectors)
      warpsK *= 2;
    warpsN = std::max<int64_t>(1, 4 / warpsK);
    return;
  }
  warpsK = kMaxWarpsK;
  unroll = numRows * width > 16 ? 2 : 4;
  auto sumBytes = [&] { return warpsK * numRows * lanes * width * 4; };
  // 8 lanes with 16 bytes each fill a cache line, and 4 lanes two sectors.
  while (lanes > 8 && (count / (lanes * width) * warpsK < kDeviceWarps ||
                       sumBytes() > code.machine.staticShared))
    lanes /= 2;
  if (lanes == 8 && count / (lanes * width) < code.machine.multiprocessors)
    lanes = 4;
}

std::optional<ScaledWeight> Gemv::findScale() {
  auto op = info.rhs().getDefiningOp<linalg::GenericOp>();
  if (!op || !isAlong || bitsOf(info.rhs()) >= 8)
    return std::nullopt;
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(0));
  auto product = op.getBody()
                     ->getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<arith::MulFOp>();
  if (!product || !product.getType().isF32() || !map.isProjectedPermutation())
    return std::nullopt;
  // A scale may be extended from 16 bits.
  Value stored = product.getRhs();
  if (auto extension = stored.getDefiningOp<arith::ExtFOp>())
    stored = extension.getIn();
  auto scale = dyn_cast<BlockArgument>(stored);
  if (!scale || scale.getOwner() != op.getBody() ||
      op.getMatchingIndexingMap(&op->getOpOperand(scale.getArgNumber()))
          .isFunctionOfDim(map.getDimPosition(map.getNumResults() - 1)))
    return std::nullopt;
  return ScaledWeight{op, product.getLhs(), product.getRhs()};
}

Value Gemv::evalScaled(Scope &scope, Value v) {
  AffineMap map =
      scaled->op.getIndexingMapMatchingResult(scaled->op->getResult(0));
  Coords loops(map.getNumDims());
  for (auto [d, c] : llvm::enumerate(operandAt(/*isLhs=*/false)))
    loops[map.getDimPosition(d)] = c;
  return code.evalBody(scope, scaled->op, v, loops);
}

Value Gemv::toFloat(Value v) {
  OpBuilder &b = code.b;
  if (isa<IntegerType>(v.getType()))
    return arith::SIToFPOp::create(b, code.loc, b.getF32Type(), v);
  if (!v.getType().isF32())
    return arith::ExtFOp::create(b, code.loc, b.getF32Type(), v);
  return v;
}

/// Returns the coordinates in an operand at the coordinates `at` of the loops.
Coords Gemv::operandAt(bool isLhs) {
  Coords where;
  for (AffineExpr expr : operandMap(isLhs).getResults())
    where.push_back({at[cast<AffineDimExpr>(expr).getPosition()], false});
  return where;
}

/// Emits loops over the indices first, first + step, ... below `count`: one in
/// which an iteration has `unroll` of them, and one for the remainder.
SmallVector<Value> Gemv::forSteps(
    Scope &scope, const Index &first, const Index &count, int64_t step,
    llvm::function_ref<void(Scope &, ArrayRef<Index>, MutableArrayRef<Value>)>
        body) {
  int64_t sums = numRows * (isAlong ? columns : runs->width);
  Value zero =
      arith::ConstantOp::create(code.b, code.loc, code.b.getF32FloatAttr(0));
  SmallVector<Value> acc(sums, zero);
  Index whole =
      code.mul(code.floorDiv(count, step * unroll), Index::of(step * unroll));
  auto loopTo = [&](const Index &from, const Index &to, int64_t each) {
    Scope inner;
    auto loop = code.beginFor(scope, inner, from, to, step * each, acc);
    SmallVector<Index> at;
    for (int64_t u = 0; u < each; ++u)
      at.push_back(Index(loop.getInductionVar(), u * step));
    SmallVector<Value> next(loop.getRegionIterArgs());
    body(inner, at, next);
    code.endFor(loop, next);
    acc.assign(loop.getResults().begin(), loop.getResults().end());
  };
  // `first` is below `step`, so all indices of an iteration exist.
  if (!(whole == Index::of(0)))
    loopTo(first, whole, unroll);
  if (!(whole == count))
    loopTo(code.add(first, whole), count, 1);
  return acc;
}

/// Returns the lane's sums of its columns, row by row.
SmallVector<Value> Gemv::sumAlongK(Scope &scope, const Index &column0,
                                   const Index &lane, const Index &warpK) {
  SmallVector<Index> counts(kSizes);
  counts.back() = code.floorDiv(counts.back(), runs->width);
  Index first = code.add(code.mul(warpK, Index::of(kWarp)), lane);
  SmallVector<SmallVector<Index>> columnAt;
  for (int64_t c = 0; c < columns; ++c) {
    Index column = code.add(column0, Index::of(c));
    if (!isMultiple(nSize, blockColumns()))
      column = code.min(column, code.sub(nSize, Index::of(1)));
    columnAt.push_back(delinearize(code, column, nSizes));
  }
  auto evalRun = [&](Scope &inner, bool isLhs, const Index &base) {
    return runs->forElements([&](int64_t e) {
      at[k.back()] = code.add(base, Index::of(e));
      if (!isLhs && scaled)
        return evalScaled(inner, scaled->element);
      return toFloat(code.eval(inner, operand(isLhs), operandAt(isLhs)));
    });
  };
  auto multiply = [&](ArrayRef<Value> xs, ArrayRef<Value> ys, Value sum) {
    for (auto [x, y] : llvm::zip(xs, ys))
      sum = sum ? Value(math::FmaOp::create(code.b, code.loc, x, y, sum))
                : arith::MulFOp::create(code.b, code.loc, x, y);
    return sum;
  };
  return forSteps(
      scope, first, product(code, counts), kWarp * warpsK,
      [&](Scope &inner, ArrayRef<Index> numbers, MutableArrayRef<Value> acc) {
        SmallVector<SmallVector<Index>> kAt;
        SmallVector<SmallVector<Value>> ys;
        SmallVector<Value> scales;
        for (const Index &number : numbers) {
          kAt.push_back(delinearize(code, number, counts));
          kAt.back().back() = runs->begin(kAt.back().back());
        }
        auto setK = [&](ArrayRef<Index> where) {
          for (auto [loop, i] : llvm::zip(k, where))
            at[loop] = i;
        };
        for (ArrayRef<Index> where : kAt)
          for (int64_t c = 0; c < columns; ++c) {
            setK(where);
            for (auto [loop, i] : llvm::zip(n, columnAt[c]))
              at[loop] = i;
            ys.push_back(evalRun(inner, /*isLhs=*/false, where.back()));
            if (scaled)
              scales.push_back(evalScaled(inner, scaled->scale));
          }
        for (auto [u, where] : llvm::enumerate(kAt))
          for (int64_t r = 0; r < numRows; ++r) {
            setK(where);
            place(m, mSizes, Index::of(r));
            SmallVector<Value> xs =
                evalRun(inner, /*isLhs=*/true, where.back());
            for (int64_t c = 0; c < columns; ++c) {
              int64_t run = u * columns + c;
              Value &sum = acc[r * columns + c];
              sum = scaled ? math::FmaOp::create(code.b, code.loc,
                                                 multiply(xs, ys[run], Value()),
                                                 scales[run], sum)
                           : multiply(xs, ys[run], sum);
            }
          }
      });
}

/// Returns the thread's sums of its run of columns, row by row.
SmallVector<Value> Gemv::sumAlongN(Scope &scope, const Index &run,
                                   const Index &slice) {
  SmallVector<Index> counts(nSizes);
  counts.back() = code.floorDiv(counts.back(), runs->width);
  Index number = run, total = product(code, counts);
  if (!isMultiple(total, lanes))
    number = code.min(run, code.sub(total, Index::of(1)));
  SmallVector<Index> columnAt = delinearize(code, number, counts);
  columnAt.back() = runs->begin(columnAt.back());
  for (auto [loop, i] : llvm::zip(n, columnAt))
    at[loop] = i;
  return forSteps(
      scope, slice, kSize, warpsK * (kWarp / lanes),
      [&](Scope &inner, ArrayRef<Index> terms, MutableArrayRef<Value> acc) {
        SmallVector<SmallVector<Value>> ys;
        for (const Index &term : terms) {
          place(k, kSizes, term);
          ys.push_back(runs->forElements([&](int64_t e) {
            at[n.back()] = code.add(columnAt.back(), Index::of(e));
            return toFloat(code.eval(inner, operand(false), operandAt(false)));
          }));
        }
        for (auto [term, values] : llvm::zip(terms, ys))
          for (int64_t r = 0; r < numRows; ++r) {
            place(k, kSizes, term);
            place(m, mSizes, Index::of(r));
            Value x = toFloat(code.eval(inner, operand(true), operandAt(true)));
            for (auto [e, y] : llvm::enumerate(values)) {
              Value &sum = acc[r * runs->width + e];
              sum = math::FmaOp::create(code.b, code.loc, x, y, sum);
            }
          }
      });
}

/// Adds the sums of the `parts` parts of K, and stores the outputs.
/// `memory`: parts by rows by columns.
void Gemv::finish(Launch &launch, Value memory, int64_t parts,
                  const Index &column0) {
  OpBuilder &b = code.b;
  int64_t width = blockColumns();
  mlir::gpu::BarrierOp::create(b, code.loc);
  Scope inner;
  int64_t threads = kWarp * warpsK * warpsN;
  auto loop = code.beginFor(launch.scope, inner, launch.thread,
                            Index::of(numRows * width), threads);
  Index mine(loop.getInductionVar());
  Value sum;
  for (int64_t p = 0; p < parts; ++p) {
    Value part = memref::LoadOp::create(
        b, code.loc, memory,
        code.materialize(code.add(mine, Index::of(p * numRows * width))));
    sum = sum ? Value(arith::AddFOp::create(b, code.loc, sum, part)) : part;
  }
  SmallVector<Index> where =
      delinearize(code, mine, {Index::of(numRows), Index::of(width)});
  Index column = code.add(column0, where[1]);
  guarded(code, inner,
          {{column, isMultiple(nSize, width) ? Index::of(-1) : nSize}},
          [&](Scope &here) { storeOutputs(here, where[0], column, sum); });
  code.endFor(loop);
}

void Gemv::emitLaunch() {
  OpBuilder &b = code.b;
  at.assign(info.op.getNumLoops(), Index::of(0));
  const Index &runSize = isAlong ? kSizes.back() : nSizes.back();
  if (!runSize.isStatic() && runs->width > 1)
    runs->require(runSize, runs->width);
  chooseSchedule();
  scaled = findScale();
  noteSchedule(*this, kernel::GemvAttr::get(b.getContext(), runs->width,
                                            isAlong ? columns : lanes, unroll,
                                            warpsK, isAlong));
  SmallVector<Index> grid = batchSizes;
  grid.push_back(code.ceilDiv(nSize, blockColumns()));
  Launch launch(code, product(code, grid), kWarp * warpsK * warpsN);
  SmallVector<Index> tile = delinearize(code, launch.block, grid);
  for (auto [loop, i] : llvm::zip(batch, tile))
    at[loop] = i;
  Index column0 = code.mul(tile.back(), Index::of(blockColumns()));
  SmallVector<Index> mine =
      delinearize(code, launch.thread,
                  {Index::of(warpsN), Index::of(warpsK), Index::of(kWarp)});
  SmallVector<Value> sums;
  int64_t each, closest; // sums of a row; the nearest lanes that share them
  Index firstColumn;
  if (isAlong) {
    firstColumn = code.mul(mine[0], Index::of(columns));
    sums = sumAlongK(launch.scope, code.add(column0, firstColumn), mine[2],
                     mine[1]);
    each = columns;
    closest = 1;
  } else {
    SmallVector<Index> inWarp = delinearize(
        code, mine[2], {Index::of(kWarp / lanes), Index::of(lanes)});
    Index slice =
        code.add(code.mul(mine[1], Index::of(kWarp / lanes)), inWarp[0]);
    Index run = code.add(code.mul(tile.back(), Index::of(lanes)), inWarp[1]);
    sums = sumAlongN(launch.scope, run, slice);
    each = runs->width;
    firstColumn = code.mul(inWarp[1], Index::of(runs->width));
    closest = lanes;
  }
  for (Value &sum : sums)
    for (int64_t distance = kWarp / 2; distance >= closest; distance /= 2) {
      Value other = shuffleXor(code, sum, distance);
      sum = arith::AddFOp::create(b, code.loc, sum, other);
    }
  int64_t width = blockColumns();
  Value memory = launch.shared({warpsK * numRows * width}, b.getF32Type());
  guarded(code, launch.scope, {{mine[2], Index::of(closest)}}, [&](Scope &) {
    Index part = code.mul(mine[1], Index::of(numRows * width));
    for (auto [i, sum] : llvm::enumerate(sums)) {
      Index to = code.add(code.add(part, firstColumn),
                          Index::of(i / each * width + i % each));
      memref::StoreOp::create(b, code.loc, sum, memory, code.materialize(to));
    }
  });
  finish(launch, memory, warpsK, column0);
  launch.close();
}

void Gemv::emit() {
  Runs::emitVersions(code, chooseWidth(), [&](Runs &used) {
    Gemv version(*this);
    version.runs = &used;
    version.emitLaunch();
  });
  convertIntegers(code);
}

static void emitGemv(KernelCode &code) {
  Gemv e(code);
  if (!e.analyse())
    return code.fail("the operands of the contraction do not fit");
  e.split();
  if (!e.fits())
    return code.fail("no matmul of few rows");
  if (getTiles<kernel::MatMulAttr>(e) || getTiles<kernel::TensorCoreAttr>(e) ||
      getTiles<kernel::WarpgroupAttr>(e) || getTiles<kernel::MatrixCoreAttr>(e))
    return code.fail("tiles of another class were asked for or measured");
  e.emit();
}

/// The most rows of bf16 or f16 for which a matmul does without tensor cores,
/// which cannot expand weights in registers. With N = K = 4,096, an H200 takes
/// 7.5 us for one row, and for eight rows 19 us, or 10 with tensor cores; the
/// limit is interpolated.
static constexpr int64_t kMostHalfRows = 4;

static std::optional<codegen::KernelMatch>
matchGemv(func::FuncOp kernel, const kernel::TargetInfo &target) {
  auto match = findContraction(kernel, target);
  if (!match || !kernel::hasFewRows(*match, target))
    return std::nullopt;
  SmallVector<int64_t> ranges = match->op.getStaticLoopRanges();
  int64_t rows = 1;
  for (unsigned loop : match->m)
    rows *= ranges[loop];
  if (match->isHalf() && rows > kMostHalfRows &&
      isa<BlockArgument>(match->rhs()))
    return std::nullopt;
  return codegen::KernelMatch{kernel, {}};
}

namespace fx::gpu {
codegen::KernelClass getGemvClass() {
  return {kernel::GemvAttr::getMnemonic(), /*benefit=*/6, matchGemv, emitGemv};
}
} // namespace fx::gpu

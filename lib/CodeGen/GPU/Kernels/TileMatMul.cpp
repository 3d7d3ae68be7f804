//===- TileMatMul.cpp - tiles of matmuls for tensor cores -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileMatMul.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Coords;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Returns the loop that `expr` is, up to a multiple of `chunk`; null if there
/// is none. The columns of an image with few channels are such multiples.
static AffineDimExpr findFastLoop(AffineExpr expr, int64_t chunk) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return dyn_cast<AffineDimExpr>(expr);
  if (sum.getLHS().isMultipleOf(chunk))
    return dyn_cast<AffineDimExpr>(sum.getRHS());
  if (sum.getRHS().isMultipleOf(chunk))
    return dyn_cast<AffineDimExpr>(sum.getLHS());
  return AffineDimExpr(nullptr);
}

/// Returns true if the chunks of the operand are contiguous and aligned,
/// provided that its memory begins at a multiple of `kChunkBytes` and that the
/// values that this function adds to `multiples` are multiples of a chunk.
bool TileMatMul::canCopy(TileOperand &operand) {
  int64_t chunk = operand.tile.chunk();
  const codegen::Buffer *buffer = code.buffer(stored(operand.isLhs));
  AffineMap map = operandMap(operand.isLhs);
  if (!buffer || map.getNumResults() == 0 ||
      !buffer->strides.back().isStatic(1))
    return false;
  unsigned last = map.getNumResults() - 1;
  AffineDimExpr fast = findFastLoop(map.getResult(last), chunk);
  if (!fast)
    return false;
  // Elements of a chunk must differ in this loop only. It must be the innermost
  // loop of M, N or K whose size is not 1.
  ArrayRef<unsigned> loops = operand.isAlongK ? k : operand.isLhs ? m : n;
  ArrayRef<Index> sizes = operand.isAlongK ? kSizes
                          : operand.isLhs  ? mSizes
                                           : nSizes;
  unsigned at = loops.size();
  while (at > 0 && loops[at - 1] != fast.getPosition())
    if (!(sizes[--at] == Index::of(1)))
      return false;
  if (at == 0)
    return false;
  bool isAlone = llvm::all_of(sizes.take_front(at - 1),
                              [](const Index &s) { return s == Index::of(1); });
  if (!isAlone) {
    if (!sizes[at - 1].isStatic())
      operand.multiples.push_back(code.materialize(sizes[at - 1]));
    else if (sizes[at - 1].constant % chunk)
      return false;
  }
  for (AffineExpr expr : map.getResults().take_front(last))
    if (expr.isFunctionOfDim(fast.getPosition()))
      return false;
  auto type = cast<RankedTensorType>(stored(operand.isLhs).getType());
  bool isGathered = gatherOf(operand.isLhs).has_value();
  for (unsigned d = 0; d + 1 < buffer->strides.size(); ++d) {
    codegen::Stride stride = buffer->strides[d];
    // The only coordinate is 0, unless there are zeros around it.
    bool isSingle = type.getDimSize(d) == 1 &&
                    (isGathered || paddingOf(operand.isLhs, d) ==
                                       std::pair<int64_t, int64_t>());
    if (isSingle || stride.constant % chunk == 0)
      continue;
    if (!stride.value)
      return false;
    operand.multiples.push_back(
        code.materialize(code.mul(Index::of(1), stride)));
  }
  return true;
}

TileOperand TileMatMul::describe(bool isLhs) {
  TileOperand operand;
  operand.isLhs = isLhs;
  operand.isAlongK = isAlongK(isLhs);
  int64_t width = isLhs ? tiles.m : tiles.n;
  bool isAlongK = operand.isAlongK || tiles.areAlongK;
  operand.tile =
      isAlongK ? SharedTile{width, tiles.k} : SharedTile{tiles.k, width};
  operand.tile.elementBytes = elementBytes();
  // Only matrices of 2-byte elements can be transposed as they are loaded.
  operand.tile.readsElements = !isAlongK && elementBytes() == 4;
  operand.tile.isPadded = tiles.isPadded;
  // Bytes are not transposed as they are copied.
  operand.isAsync =
      canCopy(operand) && (operand.isAlongK || elementBytes() > 1);
  if (!operand.isAsync)
    return operand;
  OpBuilder &b = code.b;
  Location loc = code.loc;
  operand.address = operandAddress(isLhs);
  operand.pointer = LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), 1), operand.address);
  return operand;
}

Value TileMatMul::isAligned(const TileOperand &operand) {
  if (!operand.isAsync)
    return Value();
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Type i64 = b.getI64Type();
  auto number = [&](int64_t c) {
    return arith::ConstantIntOp::create(b, loc, i64, c);
  };
  Value rest =
      arith::RemUIOp::create(b, loc, operand.address, number(kChunkBytes));
  for (Value v : operand.multiples) {
    Value wide = arith::IndexCastOp::create(b, loc, i64, v);
    Value part =
        arith::RemUIOp::create(b, loc, wide, number(operand.tile.chunk()));
    rest = arith::OrIOp::create(b, loc, rest, part);
  }
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest,
                               number(0));
}

//===----------------------------------------------------------------------===//
// Fragments and sums
//===----------------------------------------------------------------------===//

Value TileMatMul::areAllAligned(ArrayRef<Value> aligned) {
  OpBuilder &b = code.b;
  Value all;
  for (Value part : aligned)
    if (part)
      all = all ? Value(arith::AndIOp::create(b, code.loc, all, part)) : part;
  if (all && hasRuns)
    all = arith::AndIOp::create(b, code.loc, all, areAligned(code));
  return all;
}

void TileMatMul::emitVersions(ArrayRef<Value> aligned,
                              llvm::function_ref<void(bool isAsync)> emitLaunch,
                              bool mayHaveRuns) {
  OpBuilder &b = code.b;
  hasRuns = mayHaveRuns && storesRuns();
  Value all = areAllAligned(aligned);
  if (!all)
    return emitLaunch(/*isAsync=*/false);
  auto branch = scf::IfOp::create(b, code.loc, all, /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  emitLaunch(/*isAsync=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  emitLaunch(/*isAsync=*/false);
  b.setInsertionPointAfter(branch);
}

/// The most rows of launches for few rows.
static constexpr std::array<int64_t, 2> kFewRows = {16, 64};

void TileMatMul::emitByRows(ArrayRef<Value> aligned,
                            llvm::function_ref<void(int64_t rows)> emitFew,
                            llvm::function_ref<void(bool isAsync)> emitLaunch) {
  OpBuilder &b = code.b;
  ArrayRef<int64_t> limits = kFewRows;
  while (!limits.empty() && limits.front() < leastRows())
    limits = limits.drop_front();
  if (limits.empty() || !hasDynamicRows() ||
      !llvm::all_of(aligned, [](Value v) { return bool(v); }))
    return emitVersions(aligned, emitLaunch);
  hasRuns = storesRuns();
  Value all = areAllAligned(aligned);
  // Rows of operands that cannot be copied in chunks count as many.
  Value rows =
      arith::SelectOp::create(b, code.loc, all, code.materialize(mSize),
                              code.constant(limits.back() + 1));
  emitForRows(code, rows, limits, emitFew,
              [&] { emitVersions(aligned, emitLaunch); });
}

void TileMatMul::placeSharedMemory(Launch &launch, int64_t bytes,
                                   bool isDynamic) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value start;
  if (isDynamic) {
    start = launch.dynamicShared();
  } else {
    start = memref::ExtractAlignedPointerAsIndexOp::create(
        b, loc, launch.shared({bytes}, b.getI8Type()));
    start = arith::IndexCastOp::create(b, loc, b.getI64Type(), start);
  }
  memory = LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), 3), start);
}

void TileMatMul::placeThread(const Launch &launch) {
  thread = i.from(code.materialize(launch.thread));
  lane = i.rem(thread, tiles.warp);
  Value warp = i.div(thread, tiles.warp);
  warpRow = i.div(warp, tiles.warpsN);
  warpColumn = i.rem(warp, tiles.warpsN);
}

Value TileMatMul::elementOffset(const TileOperand &operand, Value row,
                                Value column) {
  int64_t chunk = operand.tile.chunk();
  return i.add(operand.tile.offset(i, row, i.div(column, chunk)),
               i.mul(i.rem(column, chunk), elementBytes()));
}

/// Separates a constant that is added to `v`, a multiple of 8.
static int64_t takeConstant(Int32 &i, Value &v) {
  if (std::optional<int64_t> c = getConstantIntValue(v)) {
    v = i.of(0);
    return *c;
  }
  auto add = v.getDefiningOp<arith::AddIOp>();
  std::optional<int64_t> c =
      add ? getConstantIntValue(add.getRhs()) : std::nullopt;
  if (!c || *c % 8)
    return 0;
  v = add.getLhs();
  return *c;
}

SmallVector<Value, 4> TileMatMul::fragment(const TileOperand &operand,
                                           Value tile, Value first, int64_t k) {
  int64_t chunk = operand.tile.chunk();
  if (operand.tile.readsElements) {
    SmallVector<Value, 4> words;
    for (int64_t word = 0; word < 4; ++word) {
      int64_t alongX = operand.isLhs ? word % 2 : word / 2,
              alongK = operand.isLhs ? word / 2 : word % 2;
      Value x = i.add(i.add(first, i.div(lane, 4)), 8 * alongX);
      Value atK = i.add(i.rem(lane, 4), k + 4 * alongK);
      words.push_back(
          core.loadWord(core.pointer(tile, elementOffset(operand, atK, x), 3)));
    }
    return words;
  }
  Value inner = i.rem(lane, 8), one = i.rem(i.div(lane, 8), 2),
        two = i.div(lane, 16);
  // The second matrix follows the first along M in the left operand, and along
  // K in the right one.
  bool isAlongK = operand.isAlongK || tiles.areAlongK;
  if (operand.isLhs != isAlongK)
    std::swap(one, two);
  Value row = i.add(i.mul(one, 8), inner), column = two;
  int64_t more = takeConstant(i, first);
  if (isAlongK)
    row = i.add(row, first);
  else
    column = i.add(column, i.div(first, chunk));
  Value address = locate(operand.tile, tile, row, isAlongK ? more : k, column,
                         (isAlongK ? k : more) / chunk);
  return core.loadMatrices(address, /*isTransposed=*/!isAlongK);
}

static Value isNaN(OpBuilder &b, Location loc, Value v) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, v, v);
}

/// Begins the region of `branch` as a scope.
static void enter(OpBuilder &b, scf::IfOp branch, Scope &outer, Scope &inner) {
  inner.parent = &outer;
  inner.loop = branch;
  inner.isGuarded = true;
  b.setInsertionPointToStart(branch.thenBlock());
}

Value TileMatMul::addProducts(Scope &scope, const Index &row,
                              const Index &column) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0.0f));
  Scope inner;
  auto loop = code.beginFor(scope, inner, firstK, endK, 1, {zero});
  Index atK(loop.getInductionVar());
  Value x = code.eval(inner, operand(true), operandCoords(true, row, atK)),
        y = code.eval(inner, operand(false), operandCoords(false, column, atK));
  code.endFor(loop,
              {math::FmaOp::create(b, loc, x, y, loop.getRegionIterArg(0))});
  return loop.getResult(0);
}

void TileMatMul::repair(Scope &scope, const Index &row, const Index &column,
                        Value address, SmallVectorImpl<Value> &sums) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Type f32 = b.getF32Type();
  Value isAny;
  for (Value v : sums) {
    Value is = isNaN(b, loc, v);
    isAny = isAny ? Value(arith::OrIOp::create(b, loc, isAny, is)) : is;
  }
  SmallVector<Type> types(sums.size(), f32);
  auto any = scf::IfOp::create(b, loc, types, isAny, /*withElseRegion=*/true);
  Scope inAny, each, inNaN;
  enter(b, any, scope, inAny);
  auto loop =
      code.beginFor(inAny, each, Index::of(0), Index::of(sums.size()), 1);
  Index e(loop.getInductionVar());
  Value at = core.pointer(address, i.mul(i.from(code.materialize(e)), 4), 3);
  Value sum = LLVM::LoadOp::create(b, loc, f32, at);
  auto branch = scf::IfOp::create(b, loc, isNaN(b, loc, sum),
                                  /*withElseRegion=*/false);
  enter(b, branch, each, inNaN);
  sum = addProducts(inNaN, row, code.add(column, e));
  LLVM::StoreOp::create(b, loc, sum, at);
  b.setInsertionPointAfter(branch);
  code.endFor(loop);
  SmallVector<Value> repaired;
  if (sums.size() == kRun)
    repaired.assign(core.loadRun(address));
  else
    repaired.push_back(LLVM::LoadOp::create(b, loc, f32, address));
  scf::YieldOp::create(b, loc, repaired);
  b.setInsertionPointToStart(any.elseBlock());
  scf::YieldOp::create(b, loc, sums);
  b.setInsertionPointAfter(any);
  sums.assign(any.getResults().begin(), any.getResults().end());
}

void TileMatMul::finish(Launch &launch, ValueRange acc) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  int64_t columns = tiles.warpColumns() / 8;
  auto pair = VectorType::get({2}, getSumType(core.element));
  Value laneRow = i.div(lane, 4);
  Value myRow = i.add(i.mul(warpRow, 16), laneRow);
  Value myColumn =
      i.add(i.mul(warpColumn, tiles.warpColumns()), i.mul(i.rem(lane, 4), 2));
  auto storeSums = [&](int64_t part) {
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t half = 0; half < 2; ++half) {
        auto mine = acc.slice(4 * (part / 16 * columns + c) + 2 * half, 2);
        Value two = LLVM::PoisonOp::create(b, loc, pair);
        for (int64_t e = 0; e < 2; ++e)
          two = LLVM::InsertElementOp::create(b, loc, two, mine[e], i.of(e));
        Value at = i.add(i.mul(i.add(myRow, 8 * half), sumColumns()),
                         i.add(myColumn, 8 * c));
        LLVM::StoreOp::create(b, loc, two,
                              core.pointer(memory, i.mul(at, 4), 3),
                              /*alignment=*/8);
      }
  };
  // Three products of TF32 give NaN for an infinite element, because its second
  // part is inf - inf.
  finish(launch, storeSums,
         /*repairsNaN=*/core.element.isF32() && !code.machine.roundsToTF32);
}

void TileMatMul::finish(Launch &launch,
                        llvm::function_ref<void(int64_t)> storeSums,
                        bool repairsNaN) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto bound = [](const Index &size, int64_t tile) {
    return isMultiple(size, tile) ? Index::of(-1) : size;
  };
  int64_t rows = tiles.sumRows;
  for (int64_t part = 0; part < tiles.warpRows(); part += rows) {
    // Other threads may still read the previous part.
    mlir::gpu::BarrierOp::create(b, loc);
    storeSums(part);
    mlir::gpu::BarrierOp::create(b, loc);
    // A thread takes a run of columns or one column at a time.
    int64_t width = hasRuns ? kRun : 1;
    Scope inner;
    auto loop = code.beginFor(launch.scope, inner, launch.thread,
                              Index::of(tiles.warpsM * rows * tiles.n / width),
                              tiles.threads());
    SmallVector<Index> at = delinearize(
        code, Index(loop.getInductionVar()),
        {Index::of(tiles.warpsM), Index::of(rows), Index::of(tiles.n / width)});
    at[2] = code.mul(at[2], Index::of(width));
    Index row = code.add(code.mul(at[0], Index::of(tiles.warpRows())), at[1]);
    row = code.add(code.add(row0, row), Index::of(part));
    Index column = code.add(column0, at[2]);
    guarded(code, inner,
            {{row, bound(mSize, tiles.m)}, {column, bound(nSize, tiles.n)}},
            [&](Scope &here) {
              Index linear = code.add(code.mul(at[0], Index::of(rows)), at[1]);
              linear =
                  code.add(code.mul(linear, Index::of(sumColumns())), at[2]);
              Value offset = i.mul(i.from(code.materialize(linear)), 4);
              Value from = core.pointer(memory, offset, 3);
              SmallVector<Value> sums;
              if (hasRuns)
                sums.assign(core.loadRun(from));
              else
                sums.push_back(LLVM::LoadOp::create(
                    b, loc, getSumType(core.element), from));
              if (repairsNaN)
                repair(here, row, column, from, sums);
              if (numParts > 1)
                storePart(row, column, sums);
              else if (hasRuns)
                storeRun(here, row, column, sums);
              else
                storeOutputs(here, row, column, sums.front());
            });
    code.endFor(loop);
  }
}

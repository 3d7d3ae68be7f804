//===- EmitMatrixCore.cpp - contractions on AMD's matrix cores ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block computes a tile of the result, each of its waves a part of the tile.
// Pieces of K go through registers:
//
//   for each piece: barrier; store the next piece, which was loaded in the
//                   iteration before, to shared memory; start the loads of the
//                   piece after it; multiply
//
// Shared memory holds two pieces.
//
// Signed bytes are multiplied to sums of i32; they are not transposed.
//
// Threads load 16 bytes, or 4 where they transpose, but the addresses and
// strides of the operands must be multiples of 16 bytes, which the host checks.
// Otherwise the host launches a second version of the kernel, which copies the
// operands by elements. The sums go through shared memory to the group's
// pointwise ops.
//
//===----------------------------------------------------------------------===//

#include "../TileChoice.h"
#include "../TileMatMul.h"
#include "RegisterTiles.h"

#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;

namespace {
struct MatrixCoreMatMul : TileMatMul {
  explicit MatrixCoreMatMul(KernelCode &code)
      : TileMatMul(code), matrix{code.b, code.loc, Type()} {}
  MatrixCore matrix;
  RegisterTiles registers() { return {*this, matrix}; }

  void emit();

private:
  /// Chooses tiles for `rows` rows, which may be dynamic.
  void chooseTiles(const Index &rows);
  bool fits();
  void emitLaunch(bool isAsync);
  /// Emits a launch for at most `rows` rows.
  void emitFewRows(int64_t rows);
  /// Emit the loops over `pieces` pieces of K from the `first`-th on, and
  /// return the sums.
  SmallVector<Value> emitPipeline(Launch &launch, const Index &first,
                                  const Index &pieces);
  SmallVector<Value> emitElementLoop(Launch &launch, const Index &first,
                                     const Index &pieces);
  /// Loads the pieces of both operands at `k0` to registers.
  SmallVector<Value> load(Scope &scope, const Index &k0);
  /// Stores them to the stage at `stage`.
  void store(ArrayRef<Value> loaded, Value stage);
  Value rhsOf(Value stage) {
    return core.pointer(stage, i.of(lhs.tile.bytes()), 3);
  }
  SmallVector<Value> multiply(Value stage, ValueRange acc);
  void storeSums(ValueRange acc, int64_t row);
  SmallVector<Value> zeroSums();
  int64_t stageBytes() const { return lhs.tile.bytes() + rhs.tile.bytes(); }
  int64_t chunk() const { return kChunkBytes / elementBytes(); }
  int64_t blocksM() const { return tiles.warpRows() / matrix.side; }
  int64_t blocksN() const { return tiles.warpColumns() / matrix.side; }
};
} // namespace

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void MatrixCoreMatMul::chooseTiles(const Index &rows) {
  int64_t k = 64 / elementBytes();
  Index large = countTiles(128, 128);
  if (auto t = getTiles<kernel::MatrixCoreAttr>(*this))
    tiles = {t.getM(), t.getN(), t.getK(), t.getWavesM(), t.getWavesN()};
  else if (rows.isStatic() && rows.constant <= 16)
    tiles = {16, 64, 2 * k, 1, 4};
  else if (rows.isStatic() && rows.constant <= 64)
    tiles = {64, 64, 2 * k, 2, 2};
  else if (!large.isStatic() || large.constant >= code.machine.multiprocessors)
    tiles = {128, 128, k, 2, 2};
  else
    tiles = {64, 64, 2 * k, 2, 2};
  tiles.stages = 2;
  tiles.areAlongK = true;
  tiles.warp = kWave;
  auto isWide = [](int64_t size) { return size % 32 == 0; };
  if (tiles.warpsM > 0 && tiles.warpsN > 0)
    matrix.side =
        isWide(tiles.warpRows()) && isWide(tiles.warpColumns()) ? 32 : 16;
}

/// Returns true if the tiles are valid: each wave has whole products, and
/// shared memory is large enough.
bool MatrixCoreMatMul::fits() {
  for (int64_t size : {tiles.m, tiles.n, tiles.k, tiles.warpsM, tiles.warpsN})
    if (size <= 0)
      return false;
  if (tiles.m % (matrix.side * tiles.warpsM) ||
      tiles.n % (matrix.side * tiles.warpsN) ||
      tiles.k % (matrix.chunks() * chunk()) || tiles.threads() > 1024 ||
      blocksM() * blocksN() * matrix.side * matrix.side / kWave > 256)
    return false;
  int64_t stage = SharedTile{tiles.m, tiles.k, elementBytes()}.bytes() +
                  SharedTile{tiles.n, tiles.k, elementBytes()}.bytes();
  return std::max(tiles.stages * stage, sumBytes()) <= code.machine.maxShared;
}

SmallVector<Value> MatrixCoreMatMul::load(Scope &scope, const Index &k0) {
  SmallVector<Value> loaded;
  registers().load(scope, lhs, row0, k0, loaded);
  registers().load(scope, rhs, column0, k0, loaded);
  return loaded;
}

void MatrixCoreMatMul::store(ArrayRef<Value> loaded, Value stage) {
  registers().store(lhs, loaded, stage);
  registers().store(rhs, loaded, rhsOf(stage));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

SmallVector<Value> MatrixCoreMatMul::zeroSums() {
  Value zero = LLVM::ZeroOp::create(code.b, code.loc, matrix.sumType());
  return SmallVector<Value>(blocksM() * blocksN(), zero);
}

/// Adds the products of a stage to the sums of a wave.
SmallVector<Value> MatrixCoreMatMul::multiply(Value stage, ValueRange acc) {
  Value right = rhsOf(stage), inBlock = i.rem(lane, matrix.side),
        myChunk = i.div(lane, matrix.side);
  auto loadBlocks = [&](const TileOperand &operand, Value from, Value first,
                        int64_t count, int64_t k) {
    SmallVector<Value> blocks;
    Value row = i.add(first, inBlock);
    for (int64_t e = 0; e < count; ++e) {
      Value at = locate(operand.tile, from, row, e * matrix.side, myChunk,
                        k / chunk());
      blocks.push_back(LLVM::LoadOp::create(
          code.b, code.loc, matrix.chunkType(), at, kChunkBytes));
    }
    return blocks;
  };
  Value firstRow = i.mul(warpRow, tiles.warpRows()),
        firstColumn = i.mul(warpColumn, tiles.warpColumns());
  SmallVector<Value> sums(acc);
  for (int64_t k = 0; k < tiles.k; k += matrix.chunks() * chunk()) {
    auto xs = loadBlocks(lhs, stage, firstRow, blocksM(), k),
         ys = loadBlocks(rhs, right, firstColumn, blocksN(), k);
    // A product does not wait for the one before.
    for (int64_t step = 0; step < matrix.steps(); ++step)
      for (auto [r, x] : llvm::enumerate(xs))
        for (auto [c, y] : llvm::enumerate(ys)) {
          Value &sum = sums[r * blocksN() + c];
          sum = matrix.multiply(x, y, step, sum);
        }
  }
  return sums;
}

void MatrixCoreMatMul::storeSums(ValueRange acc, int64_t row) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  int64_t side = matrix.side, apart = 4 * matrix.chunks(), count = 16 / apart;
  int64_t block = row / side, group0 = row % side / apart;
  Value myRow = i.add(i.mul(warpRow, 16), i.mul(i.div(lane, side), 4)),
        myColumn =
            i.add(i.mul(warpColumn, tiles.warpColumns()), i.rem(lane, side));
  for (int64_t c = 0; c < blocksN(); ++c)
    for (int64_t e = 0; e < 4 * count; ++e) {
      Value sum = LLVM::ExtractElementOp::create(
          b, loc, acc[block * blocksN() + c], i.of(4 * group0 + e));
      Value at = i.add(i.mul(i.add(myRow, e / 4 * apart + e % 4), sumColumns()),
                       i.add(myColumn, c * side));
      LLVM::StoreOp::create(b, loc, sum, core.pointer(memory, i.mul(at, 4), 3),
                            /*alignment=*/4);
    }
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

SmallVector<Value> MatrixCoreMatMul::emitPipeline(Launch &launch,
                                                  const Index &first,
                                                  const Index &pieces) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto loadPiece = [&](Scope &scope, const Index &piece) {
    return load(scope, code.mul(code.add(first, piece), Index::of(tiles.k)));
  };
  auto loadNext = [&](Scope &scope, const Index &piece, ArrayRef<Value> old) {
    return loadBelow(code, scope, piece, pieces, old,
                     [&](Scope &inner) { return loadPiece(inner, piece); });
  };
  SmallVector<Value> loaded = loadPiece(launch.scope, Index::of(0));
  store(loaded, memory);
  SmallVector<Value> carried = zeroSums();
  size_t numSums = carried.size();
  carried.append(loadNext(launch.scope, Index::of(1), loaded));
  // The stage to multiply; the other one is stored.
  carried.push_back(i.of(0));
  Scope steps;
  auto loop =
      code.beginFor(launch.scope, steps, Index::of(0), pieces, 1, carried);
  ValueRange args = loop.getRegionIterArgs();
  auto old = llvm::to_vector_of<Value>(args.drop_front(numSums).drop_back());
  Value stage = args.back();
  Value other = arith::SubIOp::create(b, loc, i.of(stageBytes()), stage);
  // All threads have stored this stage, and have multiplied the other one.
  mlir::gpu::BarrierOp::create(b, loc);
  // After the last piece nothing reads what is stored.
  store(old, core.pointer(memory, other, 3));
  SmallVector<Value> next =
      loadNext(steps, Index(loop.getInductionVar(), 2), old);
  SmallVector<Value> sums =
      multiply(core.pointer(memory, stage, 3), args.take_front(numSums));
  sums.append(next);
  sums.push_back(other);
  code.endFor(loop, sums);
  return llvm::to_vector_of<Value>(loop.getResults().take_front(numSums));
}

SmallVector<Value> MatrixCoreMatMul::emitElementLoop(Launch &launch,
                                                     const Index &first,
                                                     const Index &pieces) {
  Scope steps;
  auto loop =
      code.beginFor(launch.scope, steps, Index::of(0), pieces, 1, zeroSums());
  Index k0 = code.mul(code.add(first, Index(loop.getInductionVar())),
                      Index::of(tiles.k));
  // All threads have multiplied the piece before.
  mlir::gpu::BarrierOp::create(code.b, code.loc);
  copyTile(steps, launch, lhs, row0, k0, memory);
  copyTile(steps, launch, rhs, column0, k0, rhsOf(memory));
  mlir::gpu::BarrierOp::create(code.b, code.loc);
  code.endFor(loop, multiply(memory, loop.getRegionIterArgs()));
  return llvm::to_vector_of<Value>(loop.getResults());
}

void MatrixCoreMatMul::emitLaunch(bool isAsync) {
  OpBuilder &b = code.b;
  if (!isAsync)
    lhs.isAsync = rhs.isAsync = hasRuns = false;
  Index tileCount = countTiles(tiles.m, tiles.n);
  Launch launch(code, code.mul(tileCount, Index::of(numParts)),
                tiles.threads());
  if (hasRuns)
    launch.op->setAttr(kAlignmentAttr, b.getI64IntegerAttr(kAlignment));
  at.assign(info.op.getNumLoops(), Index::of(0));
  placeTile(placePart(launch.block, tileCount), tiles.m, tiles.n, row0,
            column0);
  placeThread(launch);
  int64_t stages = isAsync ? tiles.stages : 1;
  placeSharedMemory(launch, std::max(stages * stageBytes(), sumBytes()),
                    /*isDynamic=*/false);
  Index first, pieces;
  placePieces(first, pieces);
  SmallVector<Value> sums = isAsync ? emitPipeline(launch, first, pieces)
                                    : emitElementLoop(launch, first, pieces);
  finish(
      launch, [&](int64_t row) { storeSums(sums, row); },
      /*repairsNaN=*/false);
  launch.close();
  if (numParts > 1)
    emitCombination(*this, workspace, numParts, hasRuns);
}

void MatrixCoreMatMul::emit() {
  OpBuilder &b = code.b;
  split();
  core.element = matrix.element =
      cast<RankedTensorType>(info.lhs().getType()).getElementType();
  chooseTiles(mSize);
  if (!fits())
    return code.fail("tiles that do not fit");
  std::optional<int64_t> asked;
  if (auto given = getTiles<kernel::MatrixCoreAttr>(*this))
    asked = given.getParts();
  chooseParts(asked);
  noteSchedule(*this, kernel::MatrixCoreAttr::get(
                          b.getContext(), tiles.m, tiles.n, tiles.k,
                          tiles.warpsM, tiles.warpsN, numParts));
  lhs = registers().describe(/*isLhs=*/true);
  rhs = registers().describe(/*isLhs=*/false);
  Value canLoad[] = {isAligned(lhs), isAligned(rhs), Value()};
  // The pipeline loads the first piece without asking whether there is one.
  if (canLoad[0] && canLoad[1] && !kSize.isStatic())
    canLoad[2] = arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::sgt,
                                       code.materialize(kSize),
                                       code.materialize(Index::of(0)));
  // Either both operands are loaded in runs, or none.
  if (!canLoad[0] || !canLoad[1] || kSize == Index::of(0))
    canLoad[0] = canLoad[1] = Value();
  auto emitAny = [&](bool isAsync) { emitLaunch(isAsync); };
  // Given tiles are for all numbers of rows.
  if (!canLoad[0] || getTiles<kernel::MatrixCoreAttr>(*this))
    return emitVersions(canLoad, emitAny);
  ArrayRef<Value> needed(canLoad);
  emitByRows(
      needed.drop_back(!canLoad[2]), [&](int64_t rows) { emitFewRows(rows); },
      emitAny);
}

void MatrixCoreMatMul::emitFewRows(int64_t rows) {
  MatrixCoreMatMul few(*this);
  few.maxRows = rows;
  few.chooseTiles(Index::of(rows));
  assert(few.fits() && "tiles for few rows fit");
  few.chooseParts(std::nullopt);
  few.lhs = few.registers().describe(/*isLhs=*/true);
  few.rhs = few.registers().describe(/*isLhs=*/false);
  few.emitLaunch(/*isAsync=*/true);
}

static void emitMatrixCore(KernelCode &code) {
  MatrixCoreMatMul e(code);
  if (!e.analyseTensorCore())
    return;
  e.emit();
}

static std::optional<codegen::KernelMatch>
matchMatrixCore(func::FuncOp kernel, const kernel::TargetInfo &target) {
  auto match = findContraction(kernel, target);
  if (target.matrixUnit != kernel::MatrixUnit::MFMA || !match ||
      (!match->isHalf() && match->kind != kernel::OperandKind::SignedInt8 &&
       match->kind != kernel::OperandKind::F32))
    return std::nullopt;
  return codegen::KernelMatch{kernel, {}};
}

namespace fx::gpu {
codegen::KernelClass getMatrixCoreClass() {
  return {kernel::MatrixCoreAttr::getMnemonic(), /*benefit=*/4, matchMatrixCore,
          emitMatrixCore};
}
} // namespace fx::gpu

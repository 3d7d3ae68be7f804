//===- EmitTensorCore.cpp - contractions on tensor cores ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block computes a tile of the result, each of its warps a part of the tile.
// Pieces of K are copied to a ring of buffers in shared memory, some pieces
// ahead of the one that is multiplied:
//
//   for each piece: wait for its copies; barrier; start the copies of a later
//                   piece; multiply
//
// A copy moves 16 bytes, so the addresses and strides of the operands must be
// multiples of 16 bytes, which the host checks. Otherwise the host launches a
// second version of the kernel, which fetches the operands by elements. The
// sums go through shared memory to the group's pointwise ops, so that
// neighbouring threads store neighbouring elements.
//
//===----------------------------------------------------------------------===//

#include "../TileChoice.h"
#include "../TileMatMul.h"

#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Coords;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;

namespace {
struct TensorCoreMatMul : TileMatMul {
  using TileMatMul::TileMatMul;

  void chooseTiles();
  bool fits();
  void emit();
  void emitLaunch(bool isAsync);
  void fetch(Scope &scope, Launch &launch, const Index &piece, Value stage);
  SmallVector<Value> multiply(Value stage, ValueRange acc);
  int64_t stageBytes() const { return lhs.tile.bytes() + rhs.tile.bytes(); }
};
} // namespace

void TensorCoreMatMul::chooseTiles() {
  auto isLarge = [](const Index &size) {
    return !size.isStatic() || size.constant >= 1024;
  };
  if (auto t = getTiles<kernel::TensorCoreAttr>(*this)) {
    tiles = {t.getM(),      t.getN(),      t.getK(),
             t.getWarpsM(), t.getWarpsN(), t.getStages()};
    return;
  }
  if (mSize.isStatic() && mSize.constant <= 16)
    tiles = {16, 64, 64, 1, 4, 4};
  else if (isLarge(mSize) && isLarge(nSize) &&
           (mSize.isStatic() || nSize.isStatic()))
    tiles = {128, 128, 32, 2, 4, 3};
}

/// Returns true if the tiles are valid: each warp has whole products, all
/// threads copy the same number of chunks, and shared memory is large enough.
bool TensorCoreMatMul::fits() {
  for (int64_t size : {tiles.m, tiles.n, tiles.k, tiles.warpsM, tiles.warpsN})
    if (size <= 0)
      return false;
  if (tiles.m % (16 * tiles.warpsM) || tiles.n % (16 * tiles.warpsN) ||
      tiles.k % 16 || tiles.threads() > 1024 || tiles.stages < 2)
    return false;
  int64_t stage = 0;
  for (int64_t width : {tiles.m, tiles.n}) {
    if (width * tiles.k / kChunk % tiles.threads())
      return false;
    // Assume the larger one of both layouts of the operand.
    stage += std::max(SharedTile{width, tiles.k}.bytes(),
                      SharedTile{tiles.k, width}.bytes());
  }
  return std::max(tiles.stages * stage, sumBytes()) <=
         code.machine.staticShared;
}

/// Starts the copies of the `piece`-th piece of K to the stage at `stage`.
void TensorCoreMatMul::fetch(Scope &scope, Launch &launch, const Index &piece,
                             Value stage) {
  Index k0 = code.mul(piece, Index::of(tiles.k));
  for (const TileOperand *operand : {&lhs, &rhs}) {
    Value to =
        operand->isLhs ? stage : core.pointer(stage, i.of(lhs.tile.bytes()), 3);
    const Index &first = operand->isLhs ? row0 : column0;
    copyTile(scope, launch, *operand, first, k0, to);
  }
}

/// Adds the products of a stage to the sums of a warp. The sums are matrices of
/// 16 by 8 elements, row by row.
SmallVector<Value> TensorCoreMatMul::multiply(Value stage, ValueRange acc) {
  int64_t rows = tiles.warpRows() / 16, columns = tiles.warpColumns() / 8;
  SmallVector<Value> sums(acc);
  Value right = core.pointer(stage, i.of(lhs.tile.bytes()), 3);
  Value firstRow = i.mul(warpRow, tiles.warpRows()),
        firstColumn = i.mul(warpColumn, tiles.warpColumns());
  for (int64_t k = 0; k < tiles.k; k += 16) {
    SmallVector<SmallVector<Value, 4>> xs, ys;
    for (int64_t r = 0; r < rows; ++r)
      xs.push_back(fragment(lhs, stage, i.add(firstRow, 16 * r), k));
    for (int64_t c = 0; c < columns; c += 2)
      ys.push_back(fragment(rhs, right, i.add(firstColumn, 8 * c), k));
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        auto sum = MutableArrayRef<Value>(sums).slice(4 * (r * columns + c), 4);
        llvm::copy(core.multiply(xs[r],
                                 ArrayRef<Value>(ys[c / 2]).slice(c % 2 * 2, 2),
                                 sum),
                   sum.begin());
      }
  }
  return sums;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void TensorCoreMatMul::emitLaunch(bool isAsync) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  if (!isAsync)
    lhs.isAsync = rhs.isAsync = hasRuns = false;
  Launch launch(code, countTiles(tiles.m, tiles.n), tiles.threads());
  if (hasRuns)
    launch.op->setAttr(kAlignmentAttr, b.getI64IntegerAttr(kAlignment));
  at.assign(info.op.getNumLoops(), Index::of(0));
  placeTile(launch.block, tiles.m, tiles.n, row0, column0);
  placeThread(launch);
  Value shared = launch.shared(
      {std::max(tiles.stages * stageBytes(), sumBytes())}, b.getI8Type());
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, shared);
  start = arith::IndexCastOp::create(b, loc, b.getI64Type(), start);
  memory = LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), 3), start);

  Index pieces = code.ceilDiv(kSize, tiles.k);
  auto fetchGuarded = [&](Scope &scope, const Index &piece, Value stage) {
    bool isThere = piece.isStatic() && pieces.isStatic() &&
                   piece.constant < pieces.constant;
    guarded(code, scope, {{piece, isThere ? Index::of(-1) : pieces}},
            [&](Scope &here) { fetch(here, launch, piece, stage); });
    core.commit();
  };
  int64_t ahead = tiles.stages - 1;
  for (int64_t s = 0; s < ahead; ++s)
    fetchGuarded(launch.scope, Index::of(s),
                 core.pointer(memory, i.of(s * stageBytes()), 3));
  Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0.0f));
  // The loop carries the sums, the stage to multiply, and the stage that the
  // next copies write.
  SmallVector<Value> carried(
      tiles.warpRows() / 16 * (tiles.warpColumns() / 8) * 4, zero);
  size_t numSums = carried.size();
  carried.push_back(i.of(0));
  carried.push_back(i.of(ahead * stageBytes()));
  Scope steps;
  auto loop =
      code.beginFor(launch.scope, steps, Index::of(0), pieces, 1, carried);
  ValueRange args = loop.getRegionIterArgs();
  core.wait(ahead - 1);
  // The barrier also ensures that no thread still reads the stage that the next
  // copies write.
  mlir::gpu::BarrierOp::create(b, loc);
  fetchGuarded(steps, Index(loop.getInductionVar(), ahead),
               core.pointer(memory, args[numSums + 1], 3));
  SmallVector<Value> next = multiply(core.pointer(memory, args[numSums], 3),
                                     args.take_front(numSums));
  for (Value stage : args.take_back(2)) {
    Value end = i.of(ahead * stageBytes());
    Value isLast =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, stage, end);
    next.push_back(arith::SelectOp::create(b, loc, isLast, i.of(0),
                                           i.add(stage, stageBytes())));
  }
  code.endFor(loop, next);
  finish(launch, loop.getResults().take_front(numSums));
  launch.close();
}

void TensorCoreMatMul::emit() {
  split();
  chooseTiles();
  if (!fits())
    return code.fail("tiles that do not fit");
  noteSchedule(*this, kernel::TensorCoreAttr::get(
                          code.b.getContext(), tiles.m, tiles.n, tiles.k,
                          tiles.warpsM, tiles.warpsN, tiles.stages));
  core.element = cast<RankedTensorType>(info.lhs().getType()).getElementType();
  lhs = describe(/*isLhs=*/true);
  rhs = describe(/*isLhs=*/false);
  emitVersions({isAligned(lhs), isAligned(rhs)},
               [&](bool isAsync) { emitLaunch(isAsync); });
}

static void emitTensorCore(KernelCode &code) {
  TensorCoreMatMul e(code);
  if (!e.analyseHalves())
    return;
  e.emit();
}

static std::optional<codegen::KernelMatch>
matchTensorCore(func::FuncOp kernel, const kernel::TargetInfo &target) {
  if (target.matrixUnit == kernel::MatrixUnit::None ||
      !hasHalfContraction(kernel, target))
    return std::nullopt;
  return codegen::KernelMatch{kernel, {}};
}

namespace fx::gpu {
codegen::KernelClass getTensorCoreClass() {
  return {kernel::TensorCoreAttr::getMnemonic(), /*benefit=*/4, matchTensorCore,
          emitTensorCore};
}
} // namespace fx::gpu

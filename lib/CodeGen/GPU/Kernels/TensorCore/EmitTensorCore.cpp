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
// Bytes, unsigned by signed ones, are multiplied to sums of i32. Their rows in
// shared memory extend along K; an operand whose rows do not is fetched by
// elements. Eight-bit floats become f16 in registers, in which they are exact:
// that needs no newer chip, and sums of f32 are those of the hardware for f16,
// which are more exact than those for bytes.
//
// Operands of f32 are split into two numbers of TF32 each, x = x1 + x2, and
// multiplied three times: x y = x1 y1 + x1 y2 + x2 y1, without x2 y2, which is
// below the last bit of f32 (Ootomo and Yokota, "Recovering single precision
// accuracy from Tensor Cores while surpassing the FP32 theoretical peak
// performance", 2022). As tensor cores round their sums toward zero, they sum
// products of 8 elements of K only, and the kernel adds these sums. If
// an operand is infinite, a part or a product of parts is NaN, so results that
// are NaN are computed again without tensor cores.
//
//===----------------------------------------------------------------------===//

#include "../TileChoice.h"
#include "../TileMatMul.h"
#include "../WidenFloat8.h"

#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

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

  /// Chooses tiles for `rows` rows, which may be dynamic.
  void chooseTiles(const Index &rows);
  bool fits();
  void emit();
  void emitLaunch(bool isAsync);
  /// Emits a launch for at most `rows` rows.
  void emitFewRows(int64_t rows);
  void fetch(Scope &scope, Launch &launch, const Index &piece, Value stage);
  void loadFragments(Value stage, int64_t k,
                     SmallVectorImpl<SmallVector<Value, 4>> &xs,
                     SmallVectorImpl<SmallVector<Value, 4>> &ys);
  SmallVector<Value> multiply(Value stage, ValueRange acc);
  SmallVector<Value> multiplyF32(Value stage, ValueRange acc);
  SmallVector<Value> multiplyFloat8(Value stage, ValueRange acc);
  bool isF32() const { return core.element.isF32(); }
  /// Returns the terms of a product.
  int64_t productK() const { return elementBytes() == 1 ? 32 : 16; }
  int64_t stageBytes() const { return lhs.tile.bytes() + rhs.tile.bytes(); }
};
} // namespace

void TensorCoreMatMul::chooseTiles(const Index &rows) {
  auto isLarge = [](const Index &size) {
    return !size.isStatic() || size.constant >= 1024;
  };
  bool areFew = rows.isStatic() && rows.constant <= 16;
  if (auto t = getTiles<kernel::TensorCoreAttr>(*this)) {
    tiles = {t.getM(),      t.getN(),      t.getK(),
             t.getWarpsM(), t.getWarpsN(), t.getStages()};
  } else if (isF32()) {
    // Larger tiles of f32 are not faster: the products take most of the time.
    tiles = areFew ? Tiles{16, 64, 32, 1, 4, 3} : Tiles{64, 64, 32, 2, 2, 3};
  } else {
    tiles = {};
    if (areFew)
      tiles = {16, 64, 64, 1, 4, 4};
    else if (isLarge(rows) && isLarge(nSize) &&
             (rows.isStatic() || nSize.isStatic()))
      tiles = {128, 128, 32, 2, 4, 3};
    else if (kSize.isStatic() && kSize.constant >= 512)
      tiles = {64, 64, 64, 2, 2, 4};
    // The same number of bytes.
    if (elementBytes() == 1)
      tiles.k *= 2;
  }
  // ldmatrix transposes matrices of two bytes only.
  tiles.areAlongK = elementBytes() == 1;
}

/// Returns true if the tiles are valid: each warp has whole products, all
/// threads copy the same number of chunks, and shared memory is large enough.
bool TensorCoreMatMul::fits() {
  for (int64_t size : {tiles.m, tiles.n, tiles.k, tiles.warpsM, tiles.warpsN})
    if (size <= 0)
      return false;
  if (tiles.m % (16 * tiles.warpsM) || tiles.n % (16 * tiles.warpsN) ||
      tiles.k % productK() || tiles.threads() > 1024 || tiles.stages < 2)
    return false;
  int64_t stage = 0, size = elementBytes();
  for (int64_t width : {tiles.m, tiles.n}) {
    if (width * tiles.k * size / kChunkBytes % tiles.threads())
      return false;
    // Assume the larger one of both layouts of the operand.
    stage += std::max(
        SharedTile{width, tiles.k, size}.bytes(),
        SharedTile{tiles.k, width, size, /*readsElements=*/isF32()}.bytes());
  }
  return std::max(tiles.stages * stage, sumBytes()) <= code.machine.maxShared;
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

/// Loads the operands of a warp's products at `k` of a stage: of each 16 rows
/// and of each 16 columns.
void TensorCoreMatMul::loadFragments(
    Value stage, int64_t k, SmallVectorImpl<SmallVector<Value, 4>> &xs,
    SmallVectorImpl<SmallVector<Value, 4>> &ys) {
  Value right = core.pointer(stage, i.of(lhs.tile.bytes()), 3);
  Value firstRow = i.mul(warpRow, tiles.warpRows()),
        firstColumn = i.mul(warpColumn, tiles.warpColumns());
  for (int64_t r = 0; r < tiles.warpRows(); r += 16)
    xs.push_back(fragment(lhs, stage, i.add(firstRow, r), k));
  for (int64_t c = 0; c < tiles.warpColumns(); c += 16)
    ys.push_back(fragment(rhs, right, i.add(firstColumn, c), k));
}

/// Adds the products of a stage to the sums of a warp. The sums are matrices of
/// 16 by 8 elements, row by row.
SmallVector<Value> TensorCoreMatMul::multiply(Value stage, ValueRange acc) {
  if (isF32())
    return multiplyF32(stage, acc);
  if (info.kind == kernel::OperandKind::Float8)
    return multiplyFloat8(stage, acc);
  int64_t columns = tiles.warpColumns() / 8;
  SmallVector<Value> sums(acc);
  for (int64_t k = 0; k < tiles.k; k += productK()) {
    SmallVector<SmallVector<Value, 4>> xs, ys;
    loadFragments(stage, k, xs, ys);
    for (size_t r = 0; r < xs.size(); ++r)
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

/// Does the same for f32, by one product of TF32 if the target allows it, or by
/// three: products of 8 elements of K are summed by the tensor cores, the small
/// terms first.
SmallVector<Value> TensorCoreMatMul::multiplyF32(Value stage, ValueRange acc) {
  OpBuilder &b = code.b;
  int64_t columns = tiles.warpColumns() / 8;
  Value zero = arith::ConstantOp::create(b, code.loc, b.getF32FloatAttr(0.0f));
  SmallVector<Value> sums(acc);
  auto split = [&](SmallVectorImpl<SmallVector<Value, 4>> &parts) {
    SmallVector<SmallVector<Value, 4>> rests(parts.size());
    for (auto [part, rest] : llvm::zip(parts, rests))
      for (Value &v : part) {
        auto [high, low] = core.splitTF32(v);
        v = high;
        rest.push_back(low);
      }
    return rests;
  };
  auto multiplyAdd = [&](ArrayRef<SmallVector<Value, 4>> xs,
                         ArrayRef<SmallVector<Value, 4>> ys,
                         MutableArrayRef<Value> to) {
    for (size_t r = 0; r < xs.size(); ++r)
      for (int64_t c = 0; c < columns; ++c) {
        auto sum = to.slice(4 * (r * columns + c), 4);
        auto right = ArrayRef<Value>(ys[c / 2]).slice(c % 2 * 2, 2);
        llvm::copy(core.multiplyTF32(xs[r], right, sum), sum.begin());
      }
  };
  for (int64_t k = 0; k < tiles.k; k += 8) {
    SmallVector<SmallVector<Value, 4>> xs, ys;
    loadFragments(stage, k, xs, ys);
    if (code.machine.roundsToTF32) {
      for (SmallVector<Value, 4> &part :
           llvm::concat<SmallVector<Value, 4>>(xs, ys))
        for (Value &v : part)
          v = core.roundTF32(v);
      multiplyAdd(xs, ys, sums);
      continue;
    }
    auto xRests = split(xs), yRests = split(ys);
    SmallVector<Value> products(sums.size(), zero);
    // Three rounds over all sums, so that a product does not wait for the one
    // before.
    multiplyAdd(xRests, ys, products);
    multiplyAdd(xs, yRests, products);
    multiplyAdd(xs, ys, products);
    for (auto [sum, product] : llvm::zip(sums, products))
      sum = arith::AddFOp::create(b, code.loc, sum, product);
  }
  return sums;
}

/// Does the same for eight-bit floats, as f16. A register of f16 has two terms,
/// one of bytes four: the terms are multiplied in another order, which is the
/// same for both operands.
SmallVector<Value> TensorCoreMatMul::multiplyFloat8(Value stage,
                                                    ValueRange acc) {
  TensorCore half{code.b, code.loc, code.b.getF16Type()};
  int64_t columns = tiles.warpColumns() / 8;
  SmallVector<Value> sums(acc);
  using Pairs = SmallVector<std::pair<Value, Value>, 4>;
  auto widen = [&](ArrayRef<SmallVector<Value, 4>> fragments, Type type) {
    SmallVector<Pairs> wide;
    for (ArrayRef<Value> fragment : fragments)
      wide.push_back(Pairs(llvm::map_range(fragment, [&](Value v) {
        return widenFloat8(code.b, code.loc, v, type);
      })));
    return wide;
  };
  for (int64_t k = 0; k < tiles.k; k += productK()) {
    SmallVector<SmallVector<Value, 4>> xs, ys;
    loadFragments(stage, k, xs, ys);
    SmallVector<Pairs> left = widen(xs, info.getElement(info.a)),
                       right = widen(ys, info.getElement(info.b));
    // The first and the second 16 terms.
    for (int64_t part = 0; part < 2; ++part)
      for (size_t r = 0; r < xs.size(); ++r)
        for (int64_t c = 0; c < columns; ++c) {
          auto sum =
              MutableArrayRef<Value>(sums).slice(4 * (r * columns + c), 4);
          auto upper = left[r][2 * part], lower = left[r][2 * part + 1],
               y = right[c / 2][c % 2 * 2 + part];
          llvm::copy(half.multiply(
                         {upper.first, lower.first, upper.second, lower.second},
                         {y.first, y.second}, sum),
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
  int64_t bytes = std::max(tiles.stages * stageBytes(), sumBytes());
  bool isDynamic = bytes > code.machine.staticShared;
  Index tileCount = countTiles(tiles.m, tiles.n);
  Launch launch(code, code.mul(tileCount, Index::of(numParts)), tiles.threads(),
                isDynamic ? bytes : 0);
  if (hasRuns)
    launch.op->setAttr(kAlignmentAttr, b.getI64IntegerAttr(kAlignment));
  at.assign(info.op.getNumLoops(), Index::of(0));
  placeTile(placePart(launch.block, tileCount), tiles.m, tiles.n, row0,
            column0);
  placeThread(launch);
  placeSharedMemory(launch, bytes, isDynamic);

  Index first, pieces;
  placePieces(first, pieces);
  auto fetchGuarded = [&](Scope &scope, const Index &piece, Value stage) {
    bool isThere = piece.isStatic() && pieces.isStatic() &&
                   piece.constant < pieces.constant;
    guarded(code, scope, {{piece, isThere ? Index::of(-1) : pieces}},
            [&](Scope &here) {
              fetch(here, launch, code.add(first, piece), stage);
            });
    core.commit();
  };
  int64_t ahead = tiles.stages - 1;
  for (int64_t s = 0; s < ahead; ++s)
    fetchGuarded(launch.scope, Index::of(s),
                 core.pointer(memory, i.of(s * stageBytes()), 3));
  Value zero = arith::ConstantOp::create(
      b, loc, b.getZeroAttr(getSumType(core.element)));
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
  if (numParts > 1)
    emitCombination(*this, workspace, numParts, hasRuns);
}

void TensorCoreMatMul::emit() {
  split();
  core.element = info.getElement(info.a);
  chooseTiles(mSize);
  if (!fits())
    return code.fail("tiles that do not fit");
  // A kernel of another class that this one stands in for has a schedule.
  if (!code.source->hasAttr(kernel::kScheduleAttr)) {
    std::optional<int64_t> asked;
    if (auto given = getTiles<kernel::TensorCoreAttr>(*this))
      asked = given.getParts();
    chooseParts(asked);
  }
  noteSchedule(*this, kernel::TensorCoreAttr::get(
                          code.b.getContext(), tiles.m, tiles.n, tiles.k,
                          tiles.warpsM, tiles.warpsN, tiles.stages, numParts));
  lhs = describe(/*isLhs=*/true);
  rhs = describe(/*isLhs=*/false);
  SmallVector<Value> aligned = {isAligned(lhs), isAligned(rhs)};
  auto emitAny = [&](bool isAsync) { emitLaunch(isAsync); };
  // Given tiles are for all numbers of rows.
  if (getTiles<kernel::TensorCoreAttr>(*this))
    return emitVersions(aligned, emitAny);
  emitByRows(aligned, [&](int64_t rows) { emitFewRows(rows); }, emitAny);
}

void TensorCoreMatMul::emitFewRows(int64_t rows) {
  TensorCoreMatMul few(*this);
  few.maxRows = rows;
  few.chooseTiles(Index::of(rows));
  assert(few.fits() && "tiles for few rows fit");
  few.chooseParts(std::nullopt);
  few.lhs = few.describe(/*isLhs=*/true);
  few.rhs = few.describe(/*isLhs=*/false);
  few.emitLaunch(/*isAsync=*/true);
}

static void emitTensorCore(KernelCode &code) {
  TensorCoreMatMul e(code);
  if (!e.analyseTensorCore())
    return;
  e.emit();
}

static std::optional<codegen::KernelMatch>
matchTensorCore(func::FuncOp kernel, const kernel::TargetInfo &target) {
  auto match = findContraction(kernel, target);
  if (!kernel::hasTensorCores(target.matrixUnit) || !match ||
      (!match->isHalf() && !match->hasBytes() &&
       match->kind != kernel::OperandKind::F32))
    return std::nullopt;
  return codegen::KernelMatch{kernel, {}};
}

namespace fx::gpu {
codegen::KernelClass getTensorCoreClass() {
  return {kernel::TensorCoreAttr::getMnemonic(), /*benefit=*/4, matchTensorCore,
          emitTensorCore};
}
} // namespace fx::gpu

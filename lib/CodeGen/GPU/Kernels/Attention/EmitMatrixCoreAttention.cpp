//===- EmitMatrixCoreAttention.cpp - attention on AMD's matrix cores ------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixCoreAttention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;
using codegen::Scope;

/// The shared memory of a block, if two blocks are to run on a compute unit.
static constexpr int64_t kHalfShared = 32 * 1024;
/// The longest queries of four waves that fit in shared memory.
static constexpr int64_t kMaxQuery = 240;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void MatrixCoreAttention::chooseTiles() {
  int64_t rows = mSize.isStatic() ? mSize.constant : INT64_MAX;
  matrix.side = rows <= 16 ? 16 : 32;
  int64_t inner =
              llvm::alignTo(scores.kSize.constant, kChunk * matrix.chunks()),
          columns = llvm::alignTo(nSize.constant, matrix.side);
  bool isWide = std::max(inner, columns) > kMaxQuery;
  tiles.warp = kWave;
  tiles.warpsN = 1;
  tiles.warpsM = rows <= 32 ? 1 : rows <= 64 || isWide ? 2 : 4;
  tiles.m = tiles.warpsM * matrix.side;
  tiles.n = columns;
  tiles.k = inner <= 64 && columns <= 64 ? 64 : 32;
  tiles.areAlongK = true;
  tiles.sumRows = 8;
  scores.tiles = tiles;
  scores.tiles.n = tiles.k;
  scores.tiles.k = inner;
}

SmallVector<Value> MatrixCoreAttention::describeOperands() {
  matrix.element = core.element;
  scores.lhs = ofScores().describe(/*isLhs=*/true);
  scores.rhs = ofScores().describe(/*isLhs=*/false);
  scores.rhs.tile.pairs = matrix.chunks();
  rhs = ofValues().describe(/*isLhs=*/false);
  tiles.stages = 1;
  if (2 * stageBytes() <= std::max(kHalfShared, sharedBytes()))
    tiles.stages = 2;
  // Either all operands are loaded in chunks, or none.
  Values aligned = {scores.isAligned(scores.lhs), scores.isAligned(scores.rhs),
                    isAligned(rhs)};
  if (!llvm::all_of(aligned, [](Value v) { return bool(v); }))
    return Values(3);
  return aligned;
}

int64_t MatrixCoreAttention::sharedBytes() const {
  return std::max({tiles.stages * stageBytes(), scores.lhs.tile.bytes(),
                   sumBytes() + tiles.m * int64_t(sizeof(float))});
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

MatrixCoreAttention::Values
MatrixCoreAttention::loadPiece(Scope &scope, const Index &piece,
                               const Index &end, ArrayRef<Value> old) {
  return loadBelow(code, scope, piece, end, old, [&](Scope &here) {
    SmallVector<Value> loaded;
    Index key0 = code.mul(piece, Index::of(tiles.k));
    ofScores().load(here, scores.rhs, key0, Index::of(0), loaded);
    ofValues().load(here, rhs, Index::of(0), key0, loaded);
    return loaded;
  });
}

void MatrixCoreAttention::storePiece(ArrayRef<Value> loaded, Value stage) {
  ofScores().store(scores.rhs, loaded, stage);
  ofValues().store(rhs, loaded, valuesOf(stage));
}

MatrixCoreAttention::Rows
MatrixCoreAttention::unpack(ValueRange carried) const {
  size_t rows = laneRows(), numAcc = rows * columnBlocks();
  return Rows{llvm::to_vector(carried.take_front(rows)),
              llvm::to_vector(carried.slice(rows, rows)),
              llvm::to_vector(carried.slice(2 * rows, numAcc))};
}

void MatrixCoreAttention::walkPieces(Launch &launch, const Index &from,
                                     const Index &to, const Index &end,
                                     ArrayRef<Value> queries, bool isMasked,
                                     Values &carried) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto meet = [&] { mlir::gpu::BarrierOp::create(b, loc); };
  Scope steps;
  auto loop = code.beginFor(launch.scope, steps, from, to, 1, carried);
  ValueRange args = loop.getRegionIterArgs();
  Rows rows = unpack(args);
  auto rest = llvm::to_vector_of<Value>(
      args.drop_front(2 * rows.max.size() + rows.acc.size()));
  Index piece(loop.getInductionVar());
  Index key0 = code.mul(piece, Index::of(tiles.k));
  Value stage = memory;
  // All threads have stored the piece, or, of a single stage, have multiplied
  // the one before.
  meet();
  if (!isLoaded()) {
    scores.copyTile(steps, launch, scores.rhs, key0, Index::of(0), memory);
    copyTile(steps, launch, rhs, Index::of(0), key0, valuesOf(memory));
    meet();
  } else if (tiles.stages == 1) {
    storePiece(rest, memory);
    meet();
    rest = loadPiece(steps, code.add(piece, Index::of(1)), end, rest);
  } else {
    Value current = rest.pop_back_val();
    Value other = arith::SubIOp::create(b, loc, i.of(stageBytes()), current);
    // After the last piece nothing reads what is stored.
    storePiece(rest, core.pointer(memory, other, 3));
    rest = loadPiece(steps, code.add(piece, Index::of(2)), end, rest);
    rest.push_back(other);
    stage = core.pointer(memory, current, 3);
  }
  computePiece(steps, stage, key0, queries, isMasked, rows);
  Values results = rows.max;
  results.append(rows.sum);
  results.append(rows.acc);
  results.append(rest);
  code.endFor(loop, results);
  carried.assign(loop.getResults().begin(), loop.getResults().end());
}

MatrixCoreAttention::Rows
MatrixCoreAttention::walk(Launch &launch, const Index &first, const Index &end,
                          ArrayRef<Value> queries, Values loaded) {
  Values carried(laneRows(), number(-INFINITY));
  carried.append(laneRows(), number(0));
  Value zero = LLVM::ZeroOp::create(code.b, code.loc, matrix.sumType());
  carried.append(laneRows() * columnBlocks(), zero);
  if (isLoaded() && tiles.stages == 2) {
    storePiece(loaded, memory);
    loaded =
        loadPiece(launch.scope, code.add(first, Index::of(1)), end, loaded);
    loaded.push_back(i.of(0));
  }
  carried.append(loaded);
  Index whole = endOfWholePieces(first, end);
  if (!(whole == first))
    walkPieces(launch, first, whole, end, queries, /*isMasked=*/false, carried);
  if (!(whole == end)) {
    placeRows();
    walkPieces(launch, whole, end, end, queries, /*isMasked=*/true, carried);
  }
  return unpack(carried);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void MatrixCoreAttention::emitLaunch(bool isAsync) {
  if (!isAsync)
    rhs.isAsync = scores.lhs.isAsync = scores.rhs.isAsync = hasRuns = false;
  Launch launch(code, countBlocks(), tiles.threads());
  beginBlock(launch, sharedBytes(), /*isDynamic=*/false);
  auto [begin, all] = seenPieces(launch.scope);
  auto [first, end] = partOf(begin, all);
  Values loaded;
  if (isLoaded()) {
    Values queries;
    ofScores().load(launch.scope, scores.lhs, row0, Index::of(0), queries);
    // Zeros, if the block has no keys.
    SmallVector<Type> types = ofScores().getTypes(scores.rhs);
    types.append(ofValues().getTypes(rhs));
    for (Type type : types)
      loaded.push_back(LLVM::ZeroOp::create(code.b, code.loc, type));
    loaded = loadPiece(launch.scope, first, end, loaded);
    ArrayRef<Value> left = queries;
    ofScores().store(scores.lhs, left, memory);
  } else {
    scores.copyTile(launch.scope, launch, scores.lhs, row0, Index::of(0),
                    memory);
  }
  mlir::gpu::BarrierOp::create(code.b, code.loc);
  Values queries = readQueries();
  // The first piece is stored over the queries.
  if (isLoaded() && tiles.stages == 2)
    mlir::gpu::BarrierOp::create(code.b, code.loc);
  Rows rows = walk(launch, first, end, queries, loaded);
  if (isSplit) {
    storePart(launch, rows);
  } else {
    // The sums of the rows are stored over the pieces.
    if (!attention.isNormalized)
      mlir::gpu::BarrierOp::create(code.b, code.loc);
    store(rows, core.pointer(memory, i.of(sumBytes()), 3),
          [&](ValueRange products) {
            Values acc(products);
            finish(
                launch, [&](int64_t row) { storeSums(acc, row); },
                /*repairsNaN=*/false);
          });
  }
  launch.close();
}

void MatrixCoreAttention::emitVersion(bool isAsync) {
  MatrixCoreAttention version(*this);
  version.emitLaunch(isAsync);
}

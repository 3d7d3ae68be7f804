//===- MatrixCorePieces.cpp - a piece of keys on AMD's matrix cores -------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixCoreAttention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;
using codegen::Scope;

//===----------------------------------------------------------------------===//
// The layout
//===----------------------------------------------------------------------===//

Value MatrixCoreAttention::rowInBlock(int64_t row) {
  return i.add(
      i.add(i.mul(warpRow, tiles.warpRows()), i.rem(lane, matrix.side)),
      row * matrix.side);
}

Value MatrixCoreAttention::combineLanes(
    Value v, llvm::function_ref<Value(Value, Value)> op) {
  for (int64_t distance = matrix.side; distance < kWave; distance *= 2)
    v = op(v, core.shuffle(v, distance));
  return v;
}

void MatrixCoreAttention::rescale(MutableArrayRef<Value> acc,
                                  ArrayRef<Value> factors) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  for (auto [row, factor] : llvm::enumerate(factors)) {
    Value all = vector::BroadcastOp::create(b, loc, matrix.sumType(), factor);
    for (Value &y : acc.slice(row * columnBlocks(), columnBlocks()))
      y = arith::MulFOp::create(b, loc, y, all);
  }
}

Value MatrixCoreAttention::larger(Value x, Value y) {
  // There is no instruction that returns a NaN instead of a number.
  return arith::MaxNumFOp::create(code.b, code.loc, x, y);
}

Value MatrixCoreAttention::exp2(Value x) {
  return ROCDL::ROCDLExp2::create(code.b, code.loc, code.b.getF32Type(), x);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

MatrixCoreAttention::Values
MatrixCoreAttention::loadBlocks(const SharedTile &tile, Value from,
                                int64_t count, int64_t k) {
  Values blocks;
  for (int64_t e = 0; e < count; ++e) {
    Value at = locate(tile, from, i.rem(lane, matrix.side), e * matrix.side,
                      numberInRow(), k * matrix.chunks());
    blocks.push_back(LLVM::LoadOp::create(code.b, code.loc, matrix.chunkType(),
                                          at, kChunkBytes));
  }
  return blocks;
}

MatrixCoreAttention::Values MatrixCoreAttention::readQueries() {
  Values queries;
  for (int64_t row = 0; row < laneRows(); ++row)
    for (int64_t k = 0; k < queryChunks(); ++k) {
      Value at = locate(scores.lhs.tile, memory, rowInBlock(row), 0,
                        numberInRow(), k * matrix.chunks());
      queries.push_back(LLVM::LoadOp::create(
          code.b, code.loc, matrix.chunkType(), at, kChunkBytes));
    }
  return queries;
}

MatrixCoreAttention::Values
MatrixCoreAttention::multiplyScores(Value stage, ArrayRef<Value> queries) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  int64_t blocks = tiles.k / matrix.side;
  Value zero = LLVM::ZeroOp::create(b, loc, matrix.sumType());
  Values sums(laneRows() * blocks, zero);
  // The rows are read in the order in which they are stored.
  SharedTile tile = scores.rhs.tile;
  tile.pairs = 0;
  for (int64_t k = 0; k < queryChunks(); ++k) {
    Values keys = loadBlocks(tile, stage, blocks, k);
    // A product does not wait for the one before if there are several blocks.
    for (int64_t step = 0; step < matrix.steps(); ++step)
      for (int64_t row = 0; row < laneRows(); ++row)
        for (int64_t e = 0; e < blocks; ++e) {
          Value &sum = sums[row * blocks + e];
          sum = matrix.multiply(keys[e], queries[row * queryChunks() + k], step,
                                sum);
        }
  }
  Values numbers;
  for (Value sum : sums)
    for (int64_t e = 0; e < matrix.sumType().getNumElements(); ++e)
      numbers.push_back(LLVM::ExtractElementOp::create(b, loc, sum, i.of(e)));
  return numbers;
}

// There is no instruction that rounds to bf16. A NaN becomes any number here:
// the sum of its row is NaN, by which the products are divided.
static Value roundToBF16(Int32 i, Value number) {
  OpBuilder &b = i.b;
  Location loc = i.loc;
  Value bits = LLVM::BitcastOp::create(b, loc, b.getI32Type(), number);
  Value odd = LLVM::LShrOp::create(b, loc, bits, i.of(16));
  odd = LLVM::AndOp::create(b, loc, odd, i.of(1));
  bits = LLVM::AddOp::create(b, loc, bits, i.of(0x7fff));
  bits = LLVM::AddOp::create(b, loc, bits, odd);
  bits = LLVM::LShrOp::create(b, loc, bits, i.of(16));
  return LLVM::TruncOp::create(b, loc, b.getI16Type(), bits);
}

Value MatrixCoreAttention::roundChunk(ArrayRef<Value> probabilities) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Values rounded;
  for (Value p : probabilities)
    rounded.push_back(matrix.element.isBF16()
                          ? roundToBF16(i, p)
                          : LLVM::FPTruncOp::create(b, loc, matrix.element, p));
  return vector::FromElementsOp::create(b, loc, matrix.chunkType(), rounded);
}

void MatrixCoreAttention::multiplyValues(Value stage,
                                         ArrayRef<Value> probabilities,
                                         Rows &rows) {
  Value from = valuesOf(stage);
  for (int64_t k = 0; k < laneKeys() / kChunk; ++k) {
    Values chunks;
    for (int64_t row = 0; row < laneRows(); ++row)
      chunks.push_back(
          roundChunk(probabilities.slice(scoreIndex(row, k * kChunk), kChunk)));
    Values values = loadBlocks(rhs.tile, from, columnBlocks(), k);
    for (int64_t step = 0; step < matrix.steps(); ++step)
      for (auto [row, chunk] : llvm::enumerate(chunks))
        for (auto [column, v] : llvm::enumerate(values)) {
          Value &sum = rows.acc[row * columnBlocks() + column];
          sum = matrix.multiply(v, chunk, step, sum);
        }
  }
}

void MatrixCoreAttention::computePiece(Scope &scope, Value stage,
                                       const Index &key0,
                                       ArrayRef<Value> queries, bool isMasked,
                                       Rows &rows) {
  Values sums = multiplyScores(stage, queries);
  if (isMasked && scaled)
    maskScores(key0, sums);
  else if (isMasked)
    mask(scope, key0, sums);
  rescale(rows.acc, softmax(rows, sums));
  multiplyValues(stage, sums, rows);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Returns 4 successive columns of a lane's sums, the `group`-th ones.
static Value getColumns(OpBuilder &b, Location loc, Value sums, int64_t group) {
  int32_t first = 4 * group;
  return LLVM::ShuffleVectorOp::create(
      b, loc, sums, sums,
      ArrayRef<int32_t>{first, first + 1, first + 2, first + 3});
}

void MatrixCoreAttention::storeProducts(const Index &to, int64_t row,
                                        ArrayRef<Value> acc) {
  int64_t groups = matrix.sumType().getNumElements() / 4;
  for (int64_t e = 0; e < columnBlocks(); ++e)
    for (int64_t group = 0; group < groups; ++group) {
      int64_t column = e * matrix.side + group * 4 * matrix.chunks();
      Value four =
          getColumns(code.b, code.loc, acc[row * columnBlocks() + e], group);
      vector::StoreOp::create(
          code.b, code.loc, four, partProducts,
          ValueRange{code.materialize(code.add(to, Index::of(column)))})
          .setAlignment(16);
    }
}

void MatrixCoreAttention::storeSums(ArrayRef<Value> acc, int64_t row) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  OpBuilder::InsertionGuard guard(b);
  Value inPart = i.rem(lane, matrix.side);
  Value isMine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                       i.div(inPart, tiles.sumRows),
                                       i.of(row % matrix.side / tiles.sumRows));
  auto branch = scf::IfOp::create(b, loc, isMine, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  Value to = i.add(i.mul(warpRow, tiles.sumRows), i.rem(inPart, tiles.sumRows));
  to = i.add(i.mul(to, sumColumns()), firstColumn());
  int64_t groups = matrix.sumType().getNumElements() / 4;
  for (int64_t e = 0; e < columnBlocks(); ++e)
    for (int64_t group = 0; group < groups; ++group) {
      int64_t column = e * matrix.side + group * 4 * matrix.chunks();
      Value four = getColumns(
          b, loc, acc[row / matrix.side * columnBlocks() + e], group);
      LLVM::StoreOp::create(
          b, loc, four, core.pointer(memory, i.mul(i.add(to, column), 4), 3),
          /*alignment=*/16);
    }
}

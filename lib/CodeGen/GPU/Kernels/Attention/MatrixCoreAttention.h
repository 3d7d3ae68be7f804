//===- MatrixCoreAttention.h - attention on AMD's matrix cores --*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The algorithm of FlashAttention.h by v_mfma. Both products are transposed:
// X^T = K Q^T and Y^T = V^T P^T. So a lane has the scores of one query, and
// with it the query's maximum, sum and products. Two or four lanes share a
// query.
//
// The sums of v_mfma are groups of 4 successive rows in a lane, and its right
// operand is chunks of 8 successive terms. Rows of the keys are therefore
// stored in another order (`SharedTile::pairs`): two groups of a lane's sums
// are the scores of 8 successive keys, and rounded they are a chunk of P^T. No
// data moves between lanes.
//
// Keys and values go through registers to shared memory (RegisterTiles.h), and
// values are transposed on this way. The loads of a piece are pending while the
// pieces before are multiplied:
//
//   for each piece: barrier; store the next piece; load the piece after it;
//                   multiply, mask, softmax, multiply
//
// For wide heads, shared memory has a single piece, and there is a second
// barrier behind its stores.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_MATRIXCOREATTENTION_H
#define FX_LIB_CODEGEN_GPU_MATRIXCOREATTENTION_H

#include "../MatrixCore/RegisterTiles.h"
#include "FlashAttention.h"

namespace fx::gpu {

struct MatrixCoreAttention final : FlashAttention {
  /// `plan` is analysed, but its loops are not split.
  explicit MatrixCoreAttention(const FlashAttention &plan)
      : FlashAttention(plan), matrix{code.b, code.loc, mlir::Type()} {}
  MatrixCore matrix;

  //===--- The layout: a query for each part of `matrix.side` rows -------===//
  int64_t laneRows() const override { return tiles.warpRows() / matrix.side; }
  int64_t laneKeys() const override { return tiles.k / matrix.chunks(); }
  mlir::Value rowInBlock(int64_t row) override;
  mlir::Value numberInRow() override { return i.div(lane, matrix.side); }
  mlir::Value firstKey() override { return i.mul(numberInRow(), kChunk); }
  int64_t keyOffset(int64_t n) const override {
    return n / kChunk * kChunk * matrix.chunks() + n % kChunk;
  }
  int64_t scoreIndex(int64_t row, int64_t n) const override {
    return row * laneKeys() + n;
  }
  mlir::Value combineLanes(
      mlir::Value v,
      llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> op) override;
  mlir::Value firstColumn() override { return i.mul(numberInRow(), 4); }
  /// `acc` are the sums of `matrix`: for each row of the lane, the blocks of
  /// `matrix.side` columns.
  void rescale(llvm::MutableArrayRef<mlir::Value> acc,
               llvm::ArrayRef<mlir::Value> factors) override;
  void storeProducts(const codegen::Index &to, int64_t row,
                     llvm::ArrayRef<mlir::Value> acc) override;
  mlir::Value larger(mlir::Value x, mlir::Value y) override;
  mlir::Value exp2(mlir::Value x) override;

  //===--- The kernel ----------------------------------------------------===//
  void chooseTiles() override;
  llvm::SmallVector<mlir::Value> describeOperands() override;
  void emitVersion(bool isAsync) override;
  int64_t sharedBytes() const override;

private:
  using Values = llvm::SmallVector<mlir::Value>;
  RegisterTiles ofScores() { return {scores, matrix}; }
  RegisterTiles ofValues() { return {*this, matrix}; }
  void emitLaunch(bool isAsync);
  /// Loads a piece of keys and values to registers, or returns `old` if `piece`
  /// is not less than `end`.
  Values loadPiece(codegen::Scope &scope, const codegen::Index &piece,
                   const codegen::Index &end, llvm::ArrayRef<mlir::Value> old);
  /// Stores it to the shared memory at `stage`.
  void storePiece(llvm::ArrayRef<mlir::Value> loaded, mlir::Value stage);
  /// Returns the chunks of queries of each of the lane's rows.
  Values readQueries();
  Rows walk(Launch &launch, const codegen::Index &first,
            const codegen::Index &end, llvm::ArrayRef<mlir::Value> queries,
            Values loaded);
  /// Emits the loop over the pieces from `from` to `to`. `carried` are the
  /// maxima, sums and products, what is loaded, and the stage to multiply.
  void walkPieces(Launch &launch, const codegen::Index &from,
                  const codegen::Index &to, const codegen::Index &end,
                  llvm::ArrayRef<mlir::Value> queries, bool isMasked,
                  Values &carried);
  /// Computes the piece of keys from `key0` on, which is at `stage`.
  void computePiece(codegen::Scope &scope, mlir::Value stage,
                    const codegen::Index &key0,
                    llvm::ArrayRef<mlir::Value> queries, bool isMasked,
                    Rows &rows);
  Values multiplyScores(mlir::Value stage, llvm::ArrayRef<mlir::Value> queries);
  void multiplyValues(mlir::Value stage,
                      llvm::ArrayRef<mlir::Value> probabilities, Rows &rows);
  /// Rounds the probabilities of 8 successive keys.
  mlir::Value roundChunk(llvm::ArrayRef<mlir::Value> probabilities);
  /// Stores the products of `sumRows` rows of the wave from `row` on, as
  /// `TileMatMul::finish` needs them.
  void storeSums(llvm::ArrayRef<mlir::Value> acc, int64_t row);
  /// Loads `count` blocks of `matrix.side` rows of a tile, the `k`-th chunks of
  /// the lanes.
  Values loadBlocks(const SharedTile &tile, mlir::Value from, int64_t count,
                    int64_t k);
  Rows unpack(mlir::ValueRange carried) const;

  mlir::Value valuesOf(mlir::Value stage) {
    return core.pointer(stage, i.of(scores.rhs.tile.bytes()), 3);
  }
  int64_t columnBlocks() const { return tiles.n / matrix.side; }
  /// The number of chunks of a query that a lane has.
  int64_t queryChunks() const {
    return scores.tiles.k / kChunk / matrix.chunks();
  }
  bool isLoaded() const { return rhs.isAsync; }
};

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_MATRIXCOREATTENTION_H

//===- MatMulPlan.h - a contraction as M, N, K and a batch ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the schedules of contractions share. The loops of the contraction
// are seen as M, N, K and a batch, each of one or more loops, and the operands
// are read at their coordinates: a convolution is a matmul, too.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_MATMULPLAN_H
#define FX_LIB_CODEGEN_GPU_MATMULPLAN_H

#include "Launch.h"

namespace fx::gpu {

struct MatMulPlan {
  explicit MatMulPlan(codegen::KernelCode &code) : code(code) {}
  codegen::KernelCode &code;
  kernel::Contraction info;
  llvm::SmallVector<mlir::Operation *> ops;
  kernel::LoopLabels labels;
  /// Loops in the result's order, so that neighbours in N are neighbours in
  /// memory; those of K in the order of the left operand.
  llvm::SmallVector<unsigned> m, n, k, batch;
  llvm::SmallVector<codegen::Index> mSizes, nSizes, kSizes, batchSizes;
  codegen::Index mSize, nSize, kSize;   ///< the products
  llvm::SmallVector<codegen::Index> at; ///< where each loop is
  /// Says what else is known where the sums of a row are, before the group's
  /// pointwise ops are evaluated; `at` is there.
  std::function<void(codegen::Scope &, const codegen::Index &row)> knowOfRow;

  /// False if the kernel is no contraction with pointwise ops around it.
  bool analyse();
  /// The same for a matmul of bf16 or f16 whose operands are no outputs; says
  /// why not.
  bool analyseHalves();
  /// Fills the loops and sizes.
  void split();
  /// Says that `loops`, of `sizes`, are at the `linear`-th point.
  void place(llvm::ArrayRef<unsigned> loops,
             llvm::ArrayRef<codegen::Index> sizes,
             const codegen::Index &linear);
  /// Where the `linear`-th tile of m by n begins, and its batch. Those of
  /// `kGroup` rows of tiles follow each other, so that what they read of both
  /// operands stays in the cache.
  void placeTile(const codegen::Index &linear, int64_t m, int64_t n,
                 codegen::Index &row0, codegen::Index &column0);
  /// How many tiles there are, of all batches.
  codegen::Index countTiles(int64_t m, int64_t n);
  /// The address of an operand's first element, an i64 of the host. It must
  /// have a buffer.
  mlir::Value operandAddress(bool isLhs);
  /// Where a tensor whose dimensions are the loops `of` is.
  codegen::Coords coords(llvm::ArrayRef<int> of);
  mlir::Value operand(bool isLhs) { return isLhs ? info.lhs() : info.rhs(); }
  mlir::AffineMap operandMap(bool isLhs) {
    return isLhs ? info.lhsMap() : info.rhsMap();
  }
  /// True if neighbours along K lie together in the operand's memory.
  bool isAlongK(bool isLhs);
  /// Where an operand is read at the x-th point of M (N) and the k-th of K.
  codegen::Coords operandCoords(bool isLhs, const codegen::Index &x,
                                const codegen::Index &k);
  /// The operand that output `o` is, of which one row or column of blocks then
  /// stores what it fetches; null: it is made of the sums.
  mlir::Value asOperand(unsigned o);
  /// Evaluates and stores the group's outputs at a row and column whose sum of
  /// products is `sum`.
  void storeOutputs(codegen::Scope &scope, const codegen::Index &row,
                    const codegen::Index &column, mlir::Value sum);

  /// Elements of a row that a thread stores at once.
  static constexpr int64_t kRun = 8;
  /// True if runs that begin at multiples of their length lie together in all
  /// outputs, at multiples of 16 bytes or of their own, if the buffers do.
  bool storesRuns();
  /// Host code: whether all buffers but the operands begin at 16 bytes.
  mlir::Value areAligned();
  /// The same as `storeOutputs` of `kRun` columns from `column` on.
  void storeRun(codegen::Scope &scope, const codegen::Index &row,
                const codegen::Index &column, llvm::ArrayRef<mlir::Value> sums);

private:
  static constexpr int64_t kGroup = 8;
  bool mayStoreOperand(mlir::Value operand);
  mlir::Value addressOf(mlir::Value tensor);
  void knowSum(codegen::Scope &scope, const codegen::Index &row,
               const codegen::Index &column, mlir::Value sum);
};

/// True if the size is known and has no rest.
bool isMultiple(const codegen::Index &size, int64_t of);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_MATMULPLAN_H

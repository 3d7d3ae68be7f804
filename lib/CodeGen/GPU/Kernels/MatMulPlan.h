//===- MatMulPlan.h - a contraction as M, N, K and a batch ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of the schedules of contractions. Every loop of the
// contraction belongs to M, N, K or the batch, and each of these consists of
// any number of loops. The operands are read at the coordinates that their
// indexing maps yield, so convolutions are matmuls as well.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_MATMULPLAN_H
#define FX_LIB_CODEGEN_GPU_MATMULPLAN_H

#include "Launch.h"

#include "fx/Kernels/RowGather.h"

namespace fx::gpu {

struct MatMulPlan {
  explicit MatMulPlan(codegen::KernelCode &code) : code(code) {}
  codegen::KernelCode &code;
  kernel::Contraction info;
  llvm::SmallVector<mlir::Operation *> ops;
  kernel::LoopLabels labels;
  /// Loops of M, N and the batch in the order of the result's dimensions, so
  /// that neighbours in N are neighbours in memory; loops of K in the order of
  /// the left operand's dimensions.
  llvm::SmallVector<unsigned> m, n, k, batch;
  llvm::SmallVector<codegen::Index> mSizes, nSizes, kSizes, batchSizes;
  codegen::Index mSize, nSize, kSize;   ///< products of the sizes above
  llvm::SmallVector<codegen::Index> at; ///< coordinate of each loop
  /// A bound of M, if that is dynamic: the launch that is being emitted runs
  /// for at most so many rows.
  int64_t maxRows = INT64_MAX;
  /// If set, registers further known values of a row before the group's
  /// pointwise ops are evaluated. `at` holds the coordinates of the element.
  std::function<void(codegen::Scope &, const codegen::Index &row)> knowOfRow;

  /// Finds the contraction and labels the loops of all ops. Returns false if
  /// the kernel is not one contraction with pointwise ops around it. Products
  /// of two bytes are integers.
  bool analyse(bool mayBeBytes = false);
  /// Calls `analyse` and returns true if the kernel is a matmul of bf16, f16,
  /// f32 or bytes whose operands are not outputs. Otherwise sets the error of
  /// `code`.
  bool analyseTensorCore();
  /// Sets the loops and sizes of M, N, K and the batch.
  void split();
  /// Returns true if M is dynamic, and N, K and the batch are not.
  bool hasDynamicRows();
  /// Returns the least number of rows: a convolution has all pixels of an
  /// image.
  int64_t leastRows() const;
  /// Returns the largest number of sums of all batches, if it is known.
  std::optional<int64_t> countResults();
  /// Sets the coordinates of `loops`, which have the given sizes, to those of
  /// the `linear`-th point in row-major order.
  void place(llvm::ArrayRef<unsigned> loops,
             llvm::ArrayRef<codegen::Index> sizes,
             const codegen::Index &linear);
  /// Computes the first row and column of the `linear`-th tile of m by n
  /// elements, and sets the coordinates of the batch. The tiles of `kGroup`
  /// rows of tiles are numbered column by column, so that the parts of both
  /// operands that concurrent blocks read stay in the cache.
  void placeTile(const codegen::Index &linear, int64_t m, int64_t n,
                 codegen::Index &row0, codegen::Index &column0);
  /// Returns the number of tiles of m by n elements in all batches.
  codegen::Index countTiles(int64_t m, int64_t n);
  /// Emits host code that computes the address of the first element of the
  /// tensor that `stored` returns, an i64. The tensor must have a buffer.
  mlir::Value operandAddress(bool isLhs);
  /// Returns the coordinates in a tensor whose dimensions have the loop labels
  /// `of`, where `at` holds the coordinates of the loops.
  codegen::Coords coords(llvm::ArrayRef<int> of);
  mlir::Value operand(bool isLhs) { return isLhs ? info.lhs() : info.rhs(); }
  /// Returns the numbers of zeros at the start and at the end of a dimension of
  /// the left operand, which the kernel adds as it reads the operand.
  std::pair<int64_t, int64_t> paddingOf(bool isLhs, unsigned dim);
  /// Returns the tensor in memory that holds the operand, without these zeros.
  /// Of a gathered operand, it is the tensor that is gathered from.
  mlir::Value stored(bool isLhs);
  /// Returns the gather that computes the operand in the kernel, if there is
  /// one.
  std::optional<kernel::RowGather> gatherOf(bool isLhs) {
    return kernel::matchRowGather(operand(isLhs).getDefiningOp());
  }
  mlir::AffineMap operandMap(bool isLhs) {
    return isLhs ? info.lhsMap() : info.rhsMap();
  }
  /// Returns true if a loop of K indexes the last dimension of the operand.
  bool isAlongK(bool isLhs);
  /// Returns the coordinates in an operand for the x-th point of M (of N for
  /// the right operand) and the k-th point of K.
  codegen::Coords operandCoords(bool isLhs, const codegen::Index &x,
                                const codegen::Index &k);
  /// Returns the operand that is output `o`, or null if the output depends on
  /// the contraction's result. The first row or column of blocks stores such an
  /// operand as it fetches the elements.
  mlir::Value asOperand(unsigned o);
  /// Evaluates and stores the group's outputs at a row and column. `sum` is the
  /// contraction's result there, without the initial value.
  void storeOutputs(codegen::Scope &scope, const codegen::Index &row,
                    const codegen::Index &column, mlir::Value sum);

  /// Code that stores evaluated outputs, one function for each output.
  using Stores = llvm::SmallVector<std::function<void()>>;
  /// Evaluates the outputs as `storeOutputs` does, but does not store them.
  Stores evalOutputs(codegen::Scope &scope, const codegen::Index &row,
                     const codegen::Index &column, mlir::Value sum);

  /// Length of a run: elements of a row that a thread stores at once.
  static constexpr int64_t kRun = 8;
  /// Returns true if runs of columns that begin at multiples of `kRun` are
  /// contiguous in all outputs and, in aligned buffers, begin at multiples of
  /// 16 bytes or of the run's size if that is smaller.
  bool storesRuns();
  /// Does the same as `storeOutputs` for `kRun` columns from `column` on.
  void storeRun(codegen::Scope &scope, const codegen::Index &row,
                const codegen::Index &column, llvm::ArrayRef<mlir::Value> sums);
  /// Evaluates the outputs as `storeRun` does, but does not store them.
  Stores evalRun(codegen::Scope &scope, const codegen::Index &row,
                 const codegen::Index &column,
                 llvm::ArrayRef<mlir::Value> sums);

private:
  static constexpr int64_t kGroup = 8;
  bool mayStoreOperand(mlir::Value operand);
  void knowSum(codegen::Scope &scope, const codegen::Index &row,
               const codegen::Index &column, mlir::Value sum);
};

/// Emits host code that runs what `emitFew` emits for the least of `limits`,
/// which increase, that is not less than `rows`, or else what `emitMany` emits.
void emitForRows(codegen::KernelCode &code, mlir::Value rows,
                 llvm::ArrayRef<int64_t> limits,
                 llvm::function_ref<void(int64_t limit)> emitFew,
                 llvm::function_ref<void()> emitMany);

/// Emits the launch that adds the sums of the parts of K in a fixed order and
/// passes them to the group's pointwise ops.
void emitCombination(MatMulPlan &plan, mlir::Value workspace, int64_t parts,
                     bool hasRuns);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_MATMULPLAN_H

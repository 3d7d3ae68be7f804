//===- TensorCore.h - instructions of tensor cores --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a schedule for tensor cores is made of, as PTX has it: copies to shared
// memory that run beside the code (cp.async), loads of 8x8 matrices by a warp
// (ldmatrix), and products of 16x16 by 16x8 in its registers (mma.sync).
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_TENSORCORE_H
#define FX_LIB_CODEGEN_GPU_TENSORCORE_H

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

namespace fx::gpu {

/// Arithmetic on i32 values; that of constants is folded.
struct Int32 {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value of(int64_t c);
  /// An index as i32.
  mlir::Value from(mlir::Value index);
  mlir::Value toIndex(mlir::Value v);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t c) { return add(x, of(c)); }
  mlir::Value mul(mlir::Value x, int64_t c);
  mlir::Value div(mlir::Value x, int64_t c);
  mlir::Value rem(mlir::Value x, int64_t c);
  mlir::Value exclusiveOr(mlir::Value x, mlir::Value y);
};

/// Elements of 2 bytes that a tensor core takes at once.
inline constexpr int64_t kChunk = 8;
inline constexpr int64_t kChunkBytes = 16;

/// A matrix in shared memory, elements of 2 bytes. Those chunks of 8 that are
/// in one column of 8 rows lie in different banks: chunks of a row are
/// permuted, or where their number is no power of two, rows are an odd number
/// apart.
struct SharedTile {
  int64_t rows = 0, columns = 0;
  int64_t bytes() const { return rows * pitch() * kChunkBytes; }
  int64_t chunks() const { return columns / kChunk; }
  bool isPermuted() const { return llvm::isPowerOf2_64(chunks()); }
  /// From row to row, in chunks.
  int64_t pitch() const { return isPermuted() ? chunks() : chunks() | 1; }
  /// Where the chunk is, in bytes.
  mlir::Value offset(Int32 &i, mlir::Value row, mlir::Value chunk) const;
};

/// Emits instructions for products of `element`, bf16 or f16, in f32. All
/// threads of a warp must run those of matrices.
struct TensorCore {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type element;

  /// `base` + `offset` bytes, in memory of `space`.
  mlir::Value pointer(mlir::Value base, mlir::Value offset, unsigned space);
  /// Eight numbers of f32 in shared memory, aligned to 16 bytes.
  llvm::SmallVector<mlir::Value, 8> loadRun(mlir::Value address);
  /// Copies 16 bytes to shared memory: the first `bytes` (null: all) of them
  /// from global memory, which is not touched beyond; then zeros.
  void copyAsync(mlir::Value to, mlir::Value from, mlir::Value bytes);
  /// Ends a group of the thread's copies.
  void commit();
  /// Waits for all groups but the last `pending`.
  void wait(int64_t pending);
  /// Four 8x8 matrices; lane i gives the address of row i % 8 of matrix i / 8.
  /// Of each a lane gets elements 2 * (lane % 4) and the next of row lane / 4;
  /// if `isTransposed`, of column lane / 4.
  llvm::SmallVector<mlir::Value, 4> loadMatrices(mlir::Value address,
                                                 bool isTransposed);
  /// `c` plus the product of the 16x16 matrix `x` (rows 0-7 and 8-15 of columns
  /// 0-7, then of columns 8-15) and the 16x8 matrix `y` (rows 0-7, 8-15). A
  /// lane has elements 2 * (lane % 4) and the next of rows lane / 4 and
  /// lane / 4 + 8 of the sum.
  llvm::SmallVector<mlir::Value, 4> multiply(llvm::ArrayRef<mlir::Value> x,
                                             llvm::ArrayRef<mlir::Value> y,
                                             llvm::ArrayRef<mlir::Value> c);
  /// Two numbers of f32, rounded to `element`, as matrices hold them.
  mlir::Value pack(mlir::Value low, mlir::Value high);
  /// 2^x in f32, to 2^-22 of its size; 0 for what is below normal numbers.
  mlir::Value exp2(mlir::Value x);
  /// What the lane has whose number differs by `distance`, bitwise; of 32 bits.
  mlir::Value shuffle(mlir::Value v, int64_t distance);
};

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_TENSORCORE_H

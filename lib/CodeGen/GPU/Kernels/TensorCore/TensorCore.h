//===- TensorCore.h - instructions of tensor cores --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The PTX instructions of schedules for tensor cores: asynchronous copies to
// shared memory (cp.async), loads of 8x8 matrices by a warp (ldmatrix), and
// products of 16x16 and 16x8 matrices in the registers of a warp (mma.sync).
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_TENSORCORE_H
#define FX_LIB_CODEGEN_GPU_TENSORCORE_H

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

namespace fx::gpu {

/// Emits arithmetic on i32 values and folds constants.
struct Int32 {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value of(int64_t c);
  /// Converts an index to i32.
  mlir::Value from(mlir::Value index);
  mlir::Value toIndex(mlir::Value v);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t c) { return add(x, of(c)); }
  mlir::Value mul(mlir::Value x, int64_t c);
  mlir::Value div(mlir::Value x, int64_t c);
  mlir::Value rem(mlir::Value x, int64_t c);
  mlir::Value exclusiveOr(mlir::Value x, mlir::Value y);
};

/// A chunk is the unit of copies and loads: 8 elements of 2 bytes, which are a
/// row of an 8x8 matrix, 4 elements of 4 bytes, or 16 bytes.
inline constexpr int64_t kChunk = 8;
inline constexpr int64_t kChunkBytes = 16;

/// A row-major matrix in shared memory, of elements of 1, 2 or 4 bytes. The
/// layout puts the chunks of one column in 8 consecutive rows into different
/// banks: the chunks of a row are permuted, or, if `isPadded` or their number
/// is not a power of two, the pitch of rows is an odd number of chunks. If
/// elements of 4 bytes are read one by one, 8 columns of 4 rows are in
/// different banks.
struct SharedTile {
  int64_t rows = 0, columns = 0, elementBytes = 2;
  bool readsElements = false, isPadded = false;
  /// If not 0, 8 successive rows are in groups of 4: the first groups of so
  /// many pairs of groups, then the second ones.
  int64_t pairs = 0;
  int64_t bytes() const { return rows * pitch() * kChunkBytes; }
  int64_t chunk() const { return kChunkBytes / elementBytes; }
  int64_t chunks() const { return columns / chunk(); }
  bool isPermuted() const {
    return !readsElements && !isPadded && llvm::isPowerOf2_64(chunks());
  }
  /// Returns the distance of rows in chunks.
  int64_t pitch() const {
    if (readsElements)
      return llvm::alignTo(chunks(), 8) + 2;
    return isPermuted() ? chunks() : chunks() | 1;
  }
  /// Returns the offset of a chunk in bytes.
  mlir::Value offset(Int32 &i, mlir::Value row, mlir::Value chunk) const;
};

/// Returns the type in which matrix units add products of elements of this
/// type: f32, or i32 for integers.
mlir::Type getSumType(mlir::Type element);

/// Emits instructions that multiply matrices of `element`, bf16, f16 or f32,
/// and accumulate in f32, or matrices of bytes, unsigned by signed ones, and
/// accumulate in i32. All threads of a warp must execute `loadMatrices`,
/// `multiply` and `shuffle`.
struct TensorCore {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type element;

  /// Returns `base` + `offset` bytes, a pointer in address space `space`.
  mlir::Value pointer(mlir::Value base, mlir::Value offset, unsigned space);
  /// Loads eight sums from shared memory, aligned to 16 bytes.
  llvm::SmallVector<mlir::Value, 8> loadRun(mlir::Value address);
  /// Starts an asynchronous copy of 16 bytes to shared memory. Only the first
  /// `bytes` (null: all) are read from global memory, the others are zeros.
  void copyAsync(mlir::Value to, mlir::Value from, mlir::Value bytes);
  /// Makes the thread's copies since the last call a group.
  void commit();
  /// Waits until at most the last `pending` groups are incomplete.
  void wait(int64_t pending);
  /// Loads four 8x8 matrices. Lane i provides the address of row i % 8 of
  /// matrix i / 8. Of each matrix, a lane gets elements 2 * (lane % 4) and 2 *
  /// (lane % 4) + 1 of row lane / 4, or of column lane / 4 if `isTransposed`.
  llvm::SmallVector<mlir::Value, 4> loadMatrices(mlir::Value address,
                                                 bool isTransposed);
  /// Returns `c` plus the product of the 16x16 matrix `x` (rows 0-7 and 8-15 of
  /// columns 0-7, then of columns 8-15) and the 16x8 matrix `y` (rows 0-7,
  /// 8-15). Of the sum, a lane has elements 2 * (lane % 4) and
  /// 2 * (lane % 4) + 1 of row lane / 4, then of row lane / 4 + 8. Of bytes,
  /// each element of these matrices is two along K.
  llvm::SmallVector<mlir::Value, 4> multiply(llvm::ArrayRef<mlir::Value> x,
                                             llvm::ArrayRef<mlir::Value> y,
                                             llvm::ArrayRef<mlir::Value> c);
  /// Does the same for f32: a 16x8 and an 8x8 matrix, of whose elements the
  /// tensor cores use the upper 19 bits (TF32). A lane has element lane % 4 of
  /// row lane / 4 (columns of `y`) of each 8x4 matrix, in the order of the 8x8
  /// matrices above.
  llvm::SmallVector<mlir::Value, 4> multiplyTF32(llvm::ArrayRef<mlir::Value> x,
                                                 llvm::ArrayRef<mlir::Value> y,
                                                 llvm::ArrayRef<mlir::Value> c);
  /// Splits an f32 in the form of an i32 into the part that TF32 represents and
  /// the rest, which is increased so that its upper bits are nearer to it.
  std::pair<mlir::Value, mlir::Value> splitTF32(mlir::Value v);
  /// Rounds an f32 in the form of an i32 to TF32; ties away from zero.
  mlir::Value roundTF32(mlir::Value v);
  /// Loads an element of 4 bytes from shared memory as an i32.
  mlir::Value loadWord(mlir::Value address);
  /// Rounds two f32 values to `element` and packs them into an i32, the form
  /// that matrices have in registers.
  mlir::Value pack(mlir::Value low, mlir::Value high);
  /// Returns 2^x in f32, with a relative error of 2^-22. Subnormal results are
  /// flushed to 0.
  mlir::Value exp2(mlir::Value x);
  /// Returns the 32-bit value `v` of the lane whose number is the own one xor
  /// `distance`, which is 32 only in waves of 64 lanes.
  mlir::Value shuffle(mlir::Value v, int64_t distance);
};

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_TENSORCORE_H

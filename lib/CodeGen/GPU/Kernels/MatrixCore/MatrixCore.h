//===- MatrixCore.h - instructions of AMD's matrix cores --------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// v_mfma multiplies square matrices in the registers of a wave of 64 threads.
// For the layouts see "AMD Instinct MI300 Instruction Set Architecture", 7.1,
// and https://github.com/ROCm/amd_matrix_instruction_calculator.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_MATRIXCORE_H
#define FX_LIB_CODEGEN_GPU_MATRIXCORE_H

#include "../TensorCore/TensorCore.h"

namespace fx::gpu {

/// The number of threads of a wave.
inline constexpr int64_t kWave = 64;

/// Emits products of `side` rows of a left operand and `side` columns of a
/// right one, 32 or 16, of bf16, f16 or f32, with sums in f32, or of signed
/// bytes, with sums in i32. All threads of a wave must execute `multiply`.
///
/// A lane has 16 bytes of a row (a column of the right operand), `lane % side`:
/// chunk `lane / side` of the `chunks()` that follow each other along K. The
/// instructions take the same part of the chunks of all lanes, so their order
/// of K differs from that in memory, in the same way for both operands.
struct MatrixCore {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type element;
  int64_t side = 32;

  /// Returns the number of chunks of a row that the lanes of a wave have.
  int64_t chunks() const { return kWave / side; }
  /// Returns the type of a chunk, and of the sums of a lane.
  mlir::VectorType chunkType() const;
  mlir::VectorType sumType() const;
  /// Returns the number of instructions that multiply a chunk.
  int64_t steps() const;
  /// Returns `sum` plus the `step`-th part of the product of two chunks. Of the
  /// sums, a lane has those of column `lane % side`, and of the rows
  /// 4 * chunks() * (i / 4) + 4 * (lane / side) + i % 4 for each element i.
  mlir::Value multiply(mlir::Value x, mlir::Value y, int64_t step,
                       mlir::Value sum);

private:
  mlir::Value part(mlir::Value chunk, int64_t step);
};

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_MATRIXCORE_H

//===- TargetInfo.h - what schedules know of a machine ----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_TARGETINFO_H
#define FX_KERNELS_TARGETINFO_H

#include <cstdint>

namespace fx::kernel {

/// The numeric kinds of a contraction's operands, left by right.
enum class OperandKind {
  F32,
  F64,
  Int8,        ///< unsigned by signed bytes; sums of 32 bits
  Int8Weights, ///< f32 by signed bytes, made f32 where they are used
  Half,        ///< bf16 by bf16, or f16 by f16; sums in f32
  HalfWeights, ///< f32 by bf16 or f16, made f32 where they are used
};

/// Units that multiply small matrices.
enum class MatrixUnit {
  None,
  MMA,   ///< mma.sync of compute capability 8.0
  WGMMA, ///< wgmma and tensor maps of compute capability 9.0a
};

/// The machine that kernels are formed, scheduled and emitted for.
struct TargetInfo {
  bool isGPU = false;

  /// f32 lanes of a vector: 16 (AVX-512), 8 (AVX2) or 4 (SSE); 1 on a GPU,
  /// where a thread computes one element.
  int64_t lanes = 16;
  /// Vector registers.
  int64_t registers = 32;
  /// Dot products of four bytes in an instruction: vpdpbusd.
  bool hasByteDot = false;
  /// Dot products of two bf16 in an instruction: vdpbf16ps.
  bool hasBF16Dot = false;
  /// Bytes of the left operand, or of all panels, that stay in the second-level
  /// cache beside what streams through it.
  int64_t operandCache = 256 * 1024;
  /// Bytes of a panel that may wait there beside the one in use.
  int64_t panelCache = 640 * 1024;

  MatrixUnit matrixUnit = MatrixUnit::None;
  /// Streaming multiprocessors; an H100 has 132.
  int64_t multiprocessors = 132;
  /// Shared memory that a block may have without asking the driver for more.
  int64_t staticShared = 48 * 1024;
  /// The most that a block may have.
  int64_t maxShared = 227 * 1024;

  static TargetInfo getCPU(int64_t lanes, bool hasByteDot = false,
                           bool hasBF16Dot = false) {
    TargetInfo target;
    target.lanes = lanes;
    target.registers = lanes >= 16 ? 32 : 16;
    target.hasByteDot = hasByteDot;
    target.hasBF16Dot = hasBF16Dot;
    return target;
  }
  static TargetInfo getGPU(MatrixUnit matrixUnit) {
    TargetInfo target;
    target.isGPU = true;
    target.lanes = 1;
    target.matrixUnit = matrixUnit;
    return target;
  }

  /// Whether sums of multiplied elements of such operands are contractions;
  /// else they are reductions like any other.
  bool supports(OperandKind kind) const {
    return !isGPU || kind == OperandKind::F32 || kind == OperandKind::Half ||
           kind == OperandKind::Int8 || kind == OperandKind::Int8Weights;
  }
  /// Whether kernels read the right operand in any order; else its columns lie
  /// in a row.
  bool readsAnyOrder(OperandKind kind) const {
    return isGPU && kind == OperandKind::Half;
  }
};

} // namespace fx::kernel

#endif // FX_KERNELS_TARGETINFO_H

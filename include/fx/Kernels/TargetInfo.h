//===- TargetInfo.h - what schedules know of a machine ----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_TARGETINFO_H
#define FX_KERNELS_TARGETINFO_H

#include "llvm/ADT/StringSwitch.h"

#include <cstdint>

namespace fx::kernel {

/// The element types of the left and the right operand of a contraction.
enum class OperandKind {
  F32,
  F64,
  Int8,        ///< unsigned by signed bytes; sums of 32 bits
  SignedInt8,  ///< signed by signed bytes; sums of 32 bits
  Int8Weights, ///< f32 by signed bytes, which the kernel converts to f32
  Half,        ///< bf16 by bf16, or f16 by f16; sums in f32
  HalfWeights, ///< f32 by bf16 or f16, which the kernel converts to f32
  Float8,      ///< f8E4M3FN or f8E5M2, held as bytes; sums in f32
};

/// The element types that a CPU multiplies in tiles of 16 by 64 bytes (AMX).
struct TileKinds {
  bool int8 = false; ///< unsigned by signed bytes (tdpbusd)
  bool bf16 = false; ///< tdpbf16ps
  bool f16 = false;  ///< tdpfp16ps
  bool any() const { return int8 || bf16 || f16; }
};

/// The matrix instructions of a GPU.
enum class MatrixUnit {
  None,
  MFMA,  ///< v_mfma of AMD's CDNA 3 and newer: "matrix cores"
  MMA,   ///< mma.sync of compute capability 8.0: "tensor cores"
  WGMMA, ///< wgmma and tensor maps of compute capability 9.0a, besides MMA
};

/// Returns true if the unit has mma.sync.
inline bool hasTensorCores(MatrixUnit unit) {
  return unit == MatrixUnit::MMA || unit == MatrixUnit::WGMMA;
}

/// The machine for which kernels are formed, scheduled and emitted.
struct TargetInfo {
  bool isGPU = false;

  /// The number of f32 lanes of a vector: 16 (AVX-512), 8 (AVX2) or 4 (SSE,
  /// NEON); 1 on a GPU, where a thread computes one element.
  int64_t lanes = 16;
  /// The number of vector registers.
  int64_t registers = 32;
  /// Whether there is an instruction for dot products of four bytes (vpdpbusd).
  bool hasByteDot = false;
  /// Whether vectors of bytes of that width can be multiplied at all
  /// (vpmaddubsw): AVX2 and AVX512BW can, AVX and AVX512F cannot.
  bool hasByteProducts = true;
  /// Whether there is an instruction for dot products of two bf16 (vdpbf16ps).
  bool hasBF16Dot = false;
  /// Whether the vectors are those of NEON (AArch64). Instructions then
  /// multiply by one lane of a vector, and dot products are sdot and bfdot.
  bool isNEON = false;
  /// Whether NEON's dot products of bytes can have an unsigned factor (usdot).
  bool hasMixedDot = false;
  /// The element types that tiles multiply.
  TileKinds tiles;
  /// The maximum number of bytes of the operand that is kept in the
  /// second-level cache while the other operand streams through it: a block of
  /// rows of the left operand, or all panels of the right one.
  int64_t operandCache = 256 * 1024;
  /// The maximum number of bytes of a panel that is prefetched into this cache
  /// while another panel is in use.
  int64_t panelCache = 640 * 1024;
  /// Tensors of more bytes are expected to come from memory when a kernel reads
  /// what another one wrote.
  int64_t sharedCache = 4 * 1024 * 1024;

  /// Whether one row of a matmul gains from prefetches of its weights.
  bool prefetchesWeights = false;
  /// Whether the CPU is one of Intel's with AVX-512. It multiplies two vectors
  /// of 512 bits at a time, for which its second-level cache delivers too
  /// little; other caches and memory are slower than those of AMD's CPUs.
  bool isIntel = false;

  MatrixUnit matrixUnit = MatrixUnit::None;
  /// Tensor cores multiply numbers of f32 rounded to TF32 (10 bits of
  /// mantissa). Otherwise three products keep the accuracy of f32.
  bool roundsToTF32 = false;
  /// The number of streaming multiprocessors; an H100 has 132, an MI300X 304
  /// compute units.
  int64_t multiprocessors = 132;
  /// The bytes of shared memory that a block can use without a driver call that
  /// raises the limit.
  int64_t staticShared = 48 * 1024;
  /// The maximum number of bytes of shared memory of a block.
  int64_t maxShared = 227 * 1024;

  static TargetInfo getCPU(int64_t lanes, bool hasByteDot = false,
                           bool hasBF16Dot = false, TileKinds tiles = {},
                           bool isNEON = false) {
    TargetInfo target;
    target.lanes = lanes;
    target.registers = lanes >= 16 || isNEON ? 32 : 16;
    target.hasByteDot = hasByteDot;
    target.hasBF16Dot = hasBF16Dot;
    target.tiles = tiles;
    target.isNEON = isNEON;
    return target;
  }
  /// Sets what depends on the name of the CPU, as LLVM writes it; "" if it is
  /// not known.
  void setCPU(llvm::StringRef name) {
    prefetchesWeights = name == "znver5";
    isIntel = lanes >= 16 &&
              llvm::StringSwitch<bool>(name)
                  .Cases({"skylake-avx512", "skx", "cascadelake", "cooperlake",
                          "cannonlake", "icelake-client", "icelake-server",
                          "rocketlake", "tigerlake"},
                         true)
                  .Cases({"sapphirerapids", "emeraldrapids", "graniterapids",
                          "graniterapids-d", "diamondrapids"},
                         true)
                  .Default(false);
  }
  static TargetInfo getGPU(MatrixUnit matrixUnit) {
    TargetInfo target;
    target.isGPU = true;
    target.lanes = 1;
    target.matrixUnit = matrixUnit;
    if (matrixUnit == MatrixUnit::MFMA) {
      target.multiprocessors = 304;
      target.staticShared = target.maxShared = 64 * 1024;
    }
    return target;
  }

  /// Returns true if there are contraction kernels for operands of this kind.
  /// Otherwise such a contraction is treated as a reduction.
  bool supports(OperandKind kind) const {
    if (kind == OperandKind::SignedInt8)
      return matrixUnit == MatrixUnit::MFMA;
    if (kind == OperandKind::Float8)
      return hasTensorCores(matrixUnit);
    return !isGPU || kind == OperandKind::F32 || kind == OperandKind::Half ||
           kind == OperandKind::Int8 || kind == OperandKind::Int8Weights;
  }
  /// Returns the largest number of rows of a contraction for which a kernel
  /// loads each element of the right operand once, in any order of its
  /// dimensions, and can compute it from narrower elements in memory. Half
  /// types have fewer rows, because tensor cores are faster for more.
  int64_t getFewRows(OperandKind kind) const {
    if (matrixUnit == MatrixUnit::None)
      return 0;
    if (kind == OperandKind::Half)
      return 8;
    return kind == OperandKind::F32 || kind == OperandKind::Int8Weights ? 16
                                                                        : 0;
  }
  /// Returns true if kernels can read the right operand with any order of its
  /// dimensions. Otherwise its columns must be contiguous.
  bool readsAnyOrder() const { return isGPU; }
};

} // namespace fx::kernel

#endif // FX_KERNELS_TARGETINFO_H

//===- TensorMap.h - operands that the device copies by boxes ---*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_TENSORMAP_H
#define FX_LIB_CODEGEN_GPU_TENSORMAP_H

#include "../MatMulPlan.h"

namespace fx::gpu {

/// An operand of a matmul as the tensor of a tensor map. Its first two
/// dimensions are K and M (or N), the one with stride 1 first; a dimension of
/// taps and the dimensions of the batch follow.
struct TensorMap {
  static constexpr int kMaxRank = 4;
  bool isLhs = true, isAlongK = true;
  bool hasTaps = false; ///< the first dimension is a part of K, of one tap
  llvm::SmallVector<codegen::Index, kMaxRank> sizes;
  llvm::SmallVector<int64_t, kMaxRank> strides; ///< in elements; the first is 1
  llvm::SmallVector<unsigned, 2> batch; ///< loops of the last dimensions

  /// Returns none if the loops of the operand cannot be merged to at most
  /// `kMaxRank` dimensions, or if a stride is dynamic or not a multiple of 16
  /// bytes. If `hasTaps`, all loops of K but the last one are taps, which are a
  /// dimension of their own.
  static std::optional<TensorMap> match(MatMulPlan &plan, bool isLhs,
                                        bool hasTaps = false);
  /// Emits host code that makes the tensor map for boxes of 64 by `rows`
  /// elements. `slot` numbers the maps of a launch; `address` is that of the
  /// operand. Returns the address of the map as a pointer of the host.
  mlir::Value make(MatMulPlan &plan, int64_t slot, mlir::Value address,
                   int64_t rows) const;
};

/// Returns the arguments that all functions of the run-time have that make
/// tensor maps: those of `TensorMap::make`, sizes and strides.
llvm::SmallVector<mlir::Value> beginMap(MatMulPlan &plan, int64_t slot,
                                        mlir::Value operand,
                                        mlir::Value address, int64_t rows,
                                        llvm::ArrayRef<codegen::Index> sizes,
                                        llvm::ArrayRef<int64_t> strides);
/// Calls one of these functions. Returns the address of the map as a pointer of
/// the host.
mlir::Value makeMap(codegen::KernelCode &code, llvm::StringRef name,
                    mlir::ValueRange args);

/// Calls a function of the run-time from the kernel's host code and declares it
/// if needed. Its parameters and its result are i64.
mlir::Value callRuntime(codegen::KernelCode &code, llvm::StringRef name,
                        mlir::ValueRange args);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_TENSORMAP_H

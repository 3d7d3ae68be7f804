//===- TensorMap.h - operands that the device copies by boxes ---*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_TENSORMAP_H
#define FX_LIB_CODEGEN_GPU_TENSORMAP_H

#include "../MatMulPlan.h"
#include "../TensorCore/TensorCore.h"

namespace fx::gpu {

/// An operand of a matmul as the tensor of a tensor map. Its first two
/// dimensions are K and M (or N), the one with stride 1 first; a dimension of
/// taps and the dimensions of the batch follow, the outermost loop first.
struct TensorMap {
  static constexpr int kMaxRank = 4;
  bool isLhs = true, isAlongK = true;
  bool hasTaps = false; ///< the first dimension is a part of K, of one tap
  llvm::SmallVector<codegen::Index, kMaxRank> sizes;
  /// In elements; the first is 1. Those that are not static must be positive
  /// multiples of a chunk at run time.
  llvm::SmallVector<codegen::Stride, kMaxRank> strides;
  /// The loops of the dimensions of the batch, each several loops if there are
  /// too many for a dimension each.
  llvm::SmallVector<llvm::SmallVector<unsigned, 2>, 2> batch;

  /// Returns none if the loops of the operand cannot be merged to at most
  /// `kMaxRank` dimensions, or if a stride is not a multiple of 16 bytes, or is
  /// dynamic unless it may be. If `hasTaps`, all loops of K but the last one
  /// are taps, which are a dimension of their own, and there is no batch.
  static std::optional<TensorMap> match(MatMulPlan &plan, bool isLhs,
                                        bool mayBeDynamic = false,
                                        bool hasTaps = false);
  /// Emits host code that adds to `can` the requirements of dynamic strides.
  mlir::Value addConditions(codegen::KernelCode &code, mlir::Value can) const;
  /// Emits host code that makes the tensor map for boxes of 128 bytes by `rows`
  /// elements. `slot` numbers the maps of a launch; `address` is that of the
  /// operand. Returns the address of the map as a pointer of the host.
  mlir::Value make(MatMulPlan &plan, int64_t slot, mlir::Value address,
                   int64_t rows) const;
  /// Returns the coordinates of the current batch in dimensions 2 and up.
  llvm::SmallVector<mlir::Value> placeBatch(MatMulPlan &plan, Int32 &i) const;
};

/// Emits host code that tests whether the device has kernels that copy boxes
/// (`multiprocessors`, an i64, is 0 if it does not), and whether all operands
/// begin at multiples of a chunk.
mlir::Value canCopyBoxes(codegen::KernelCode &code, mlir::Value multiprocessors,
                         llvm::ArrayRef<mlir::Value> addresses);

/// Returns the arguments that all functions of the run-time have that make
/// tensor maps: those of `TensorMap::make`, sizes and strides.
llvm::SmallVector<mlir::Value>
beginMap(MatMulPlan &plan, int64_t slot, mlir::Value operand,
         mlir::Value address, int64_t rows,
         llvm::ArrayRef<codegen::Index> sizes,
         llvm::ArrayRef<codegen::Stride> strides);
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

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

/// An operand of a matmul as a tensor whose boxes are copied: K and M (or N),
/// each as one dimension, whichever has stride 1 first, then those of batches.
struct TensorMap {
  static constexpr int kMaxRank = 4;
  bool isLhs = true, isAlongK = true;
  llvm::SmallVector<codegen::Index, kMaxRank> sizes;
  llvm::SmallVector<int64_t, kMaxRank> strides; ///< in elements; the first is 1
  llvm::SmallVector<unsigned, 2> batch; ///< loops of the third dimension on

  /// None where its loops cannot be walked as so few dimensions, a stride is
  /// not static, or none of 16 bytes.
  static std::optional<TensorMap> match(MatMulPlan &plan, bool isLhs);
  /// Host code that makes the map, in place `slot` of the run, for boxes of 64
  /// by `rows` elements; the address of it. `address` is that of the operand.
  mlir::Value make(MatMulPlan &plan, int64_t slot, mlir::Value address,
                   int64_t rows) const;
};

/// Declares a function of the run-time on i64 and calls it from the kernel's
/// host code.
mlir::Value callRuntime(codegen::KernelCode &code, llvm::StringRef name,
                        mlir::ValueRange args);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_TENSORMAP_H

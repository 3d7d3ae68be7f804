//===- ExpandMath.h - functions of math in kernels --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_BACKEND_EXPANDMATH_H
#define FX_LIB_CODEGEN_GPU_BACKEND_EXPANDMATH_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class Operation;
namespace gpu {
class GPUModuleOp;
} // namespace gpu
} // namespace mlir

namespace fx::gpu {

/// Expands the math functions of the kernels to straight-line code: those that
/// codegen::approximateMath approximates in float32 with its polynomials, the
/// others with codegen::computeInDouble. Sine, cosine and tangent are NaN for
/// |x| of at least codegen::kLargestAngle. In kernels that store bf16 and f16,
/// `shortenMath` replaces some functions first, and exp2 remains.
mlir::LogicalResult expandMath(mlir::gpu::GPUModuleOp module);

/// Returns true if all that `kernel` stores for others is bf16 or f16.
bool storesHalf(mlir::Operation *kernel);

/// Replaces exponentials, GELU's error function and tanh, and quotients of
/// softmax and sigmoid by shorter code with exp2, whose relative error is below
/// 2^-17.
void shortenMath(mlir::Operation *kernel);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_BACKEND_EXPANDMATH_H

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
} // namespace mlir

namespace fx::gpu {

/// Expands the math functions within `root` to straight-line code: those that
/// codegen::approximateMath approximates in float32 with its polynomials, the
/// others with codegen::computeInDouble. Sine, cosine and tangent are NaN for
/// |x| of at least codegen::kLargestAngle.
mlir::LogicalResult expandMath(mlir::Operation *root);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_BACKEND_EXPANDMATH_H

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

/// Makes what codegen::approximateMath does, and sine and cosine of f32 (f16
/// and bf16 through f32), straight-line code within `root`. Sine and cosine are
/// right to a unit in the last place for |x| below 2^52 and NaN from there on.
mlir::LogicalResult expandMath(mlir::Operation *root);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_BACKEND_EXPANDMATH_H

//===- WidenFloat8.h - eight-bit floats as f16 ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_KERNELS_WIDENFLOAT8_H
#define FX_LIB_CODEGEN_GPU_KERNELS_WIDENFLOAT8_H

#include "mlir/IR/Builders.h"

namespace fx::gpu {

/// Returns four eight-bit floats of type `float8`, f8E4M3FN or f8E5M2, as two
/// pairs of f16, in which they are exact. `bytes` and the pairs are i32; the
/// first pair has the lower bytes.
std::pair<mlir::Value, mlir::Value> widenFloat8(mlir::OpBuilder &b,
                                                mlir::Location loc,
                                                mlir::Value bytes,
                                                mlir::Type float8);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_KERNELS_WIDENFLOAT8_H

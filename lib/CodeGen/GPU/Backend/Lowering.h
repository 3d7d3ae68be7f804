//===- Lowering.h - parts of the pipelines of platforms ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_BACKEND_LOWERING_H
#define FX_LIB_CODEGEN_GPU_BACKEND_LOWERING_H

#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace fx::gpu {

/// Adds the passes that turn views and affine expressions into arithmetic on
/// indices, and returns the pipeline of kernel modules.
mlir::OpPassManager &simplifyKernels(mlir::OpPassManager &pm);

/// Adds the passes that lower kernels to the LLVM dialect. `convert` adds those
/// that convert the GPU dialect to the dialect of a vendor.
void lowerKernels(mlir::OpPassManager &pm,
                  mlir::function_ref<void(mlir::OpPassManager &)> convert);

/// Returns the text of `module`, for formats that are a dialect.
std::string printText(mlir::ModuleOp module);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_BACKEND_LOWERING_H

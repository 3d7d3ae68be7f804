//===- Passes.h - passes for Vulkan -----------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_SPIRV_PASSES_H
#define FX_LIB_CODEGEN_GPU_SPIRV_PASSES_H

#include "fx/Support/PassStatistic.h"

#include "mlir/Pass/Pass.h"

namespace mlir::spirv {
class ModuleOp;
} // namespace mlir::spirv

namespace fx::spirv {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Passes.h.inc"

} // namespace fx::spirv

#endif // FX_LIB_CODEGEN_GPU_SPIRV_PASSES_H

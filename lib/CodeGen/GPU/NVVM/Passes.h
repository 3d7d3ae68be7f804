//===- Passes.h - passes for NVIDIA GPUs ------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_NVVM_PASSES_H
#define FX_LIB_CODEGEN_GPU_NVVM_PASSES_H

#include "fx/Support/PassStatistic.h"

#include "mlir/Pass/Pass.h"

namespace fx::nvvm {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Passes.h.inc"

} // namespace fx::nvvm

#endif // FX_LIB_CODEGEN_GPU_NVVM_PASSES_H

//===- InitAll.cpp - registers all of fx-mlir -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/InitAll.h"
#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/CodeGen/GPU/Passes.h"
#include "fx/Conversion/Passes.h"
#include "fx/Kernels/Passes.h"
#include "fx/Pipelines/Compile.h"
#include "fx/Pipelines/Pipelines.h"
#include "fx/Quantize/Passes.h"
#include "fx/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Transforms/Passes.h"

#include <mutex>

void fx::registerAllDialects(mlir::DialectRegistry &registry) {
  registerPipelineDialects(registry);
}

void fx::registerAllPasses() {
  // MLIR's registries are not thread-safe.
  static std::once_flag once;
  std::call_once(once, [] {
    registerFXTransformsPasses();
    registerFXQuantizePasses();
    registerFXConversionPasses();
    kernel::registerFXKernelPasses();
    cpu::registerKernelPasses();
    cpu::registerFXCPUBackendPasses();
    cpu::registerCPUBackendPipelines();
    fx::gpu::registerPasses();
    registerPipelines();
  });
}

void fx::registerAllPassesAndUpstream() {
  registerAllPasses();
  static std::once_flag once;
  std::call_once(once, [] {
    mlir::registerTransformsPasses();
    mlir::registerLinalgPasses();
  });
}

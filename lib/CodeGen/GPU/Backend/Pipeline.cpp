//===- Pipeline.cpp - the order of the passes for GPUs --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void fx::gpu::buildKernelPipeline(OpPassManager &pm, kernel::MatrixUnit unit,
                                  StringRef tiles, bool roundsToTF32) {
  // Remove groups that only @prepare used.
  pm.addPass(createSymbolDCEPass());
  FXGPUEmitKernelsOptions options;
  options.matrixUnit = unit;
  options.tiles = tiles.str();
  options.roundsToTF32 = roundsToTF32;
  pm.addPass(createFXGPUEmitKernels(options));
  pm.addPass(createCSEPass());
  pm.addPass(createFXGPUWidenFloat8());
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createSymbolDCEPass());
}

void fx::gpu::buildDevicePipeline(OpPassManager &pm) {
  pm.addPass(createFXGPULowerHost());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createFXGPUOutline());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

OpPassManager &fx::gpu::simplifyKernels(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<mlir::gpu::GPUModuleOp>();
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createLoopInvariantCodeMotionPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  return kernels;
}

void fx::gpu::lowerKernels(OpPassManager &pm,
                           function_ref<void(OpPassManager &)> convert) {
  OpPassManager &kernels = simplifyKernels(pm);
  kernels.addPass(createSCFToControlFlowPass());
  convert(kernels);
  kernels.addPass(createConvertComplexToLLVMPass());
  kernels.addPass(createConvertVectorToLLVMPass());
  kernels.addPass(createConvertToLLVMPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
}

std::string fx::gpu::printText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

void fx::gpu::registerPasses() {
  registerFXGPUPasses();
  PassPipelineRegistration<>("fx-gpu-device",
                             "memrefs to host code and gpu.module @kernels",
                             buildDevicePipeline);
}

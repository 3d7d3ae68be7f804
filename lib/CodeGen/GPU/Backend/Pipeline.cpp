//===- Pipeline.cpp - the order of the passes for CUDA --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/CodeGen/CPU/LayoutPasses.h"
#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void fx::cuda::buildGroupPipeline(OpPassManager &pm, bool tensorCores) {
  if (tensorCores)
    pm.addPass(createFXGPURoundAttention());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(cpu::createFXCPUChannelsLast());
  pm.addPass(cpu::createFXCPUAlignShapes());
  pm.addPass(cpu::createFXCPUCollapseReductions({/*rows=*/1024}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Only to generalize named ops: a product reads its operands as they lie.
  pm.addPass(cpu::createFXCPUPackWeights({/*lanes=*/1, /*pack=*/false}));
  pm.addPass(cpu::createFXCPUFormKernels(
      {/*forGPU=*/true, /*attention=*/tensorCores}));
  pm.addPass(cpu::createFXHoistPrepare());
}

void fx::cuda::buildKernelPipeline(OpPassManager &pm, bool tensorCores,
                                   bool warpgroups) {
  // Groups that only @prepare had.
  pm.addPass(createSymbolDCEPass());
  FXGPUEmitKernelsOptions options;
  options.tensorCores = tensorCores;
  options.warpgroups = warpgroups;
  pm.addPass(createFXGPUEmitKernels(options));
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createSymbolDCEPass());
}

void fx::cuda::buildDevicePipeline(OpPassManager &pm) {
  pm.addPass(createFXGPULowerHost());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createFXGPUOutline());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void fx::cuda::buildNVVMPipeline(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createLoopInvariantCodeMotionPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createSCFToControlFlowPass());
  ConvertGpuOpsToNVVMOpsOptions options;
  options.indexBitwidth = 64;
  kernels.addPass(createConvertGpuOpsToNVVMOps(options));
  kernels.addPass(createConvertNVVMToLLVMPass());
  kernels.addPass(createConvertVectorToLLVMPass());
  kernels.addPass(createConvertToLLVMPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createFXGPUBindLaunch());
}

void fx::cuda::registerPasses() {
  registerFXGPUPasses();
  PassPipelineRegistration<>("fx-gpu-kernels",
                             "linalg on tensors to launches of threads",
                             [](OpPassManager &pm) {
                               buildGroupPipeline(pm);
                               buildKernelPipeline(pm);
                             });
  PassPipelineRegistration<>("fx-gpu-device",
                             "memrefs to host code and gpu.module @kernels",
                             buildDevicePipeline);
  PassPipelineRegistration<>("fx-gpu-nvvm",
                             "gpu.module @kernels to the NVVM dialect",
                             buildNVVMPipeline);
}

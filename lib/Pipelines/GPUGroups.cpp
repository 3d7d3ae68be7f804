//===- GPUGroups.cpp - the kernels of a GPU -------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/CodeGen/CPU/LayoutPasses.h"
#include "fx/CodeGen/GPU/Passes.h"
#include "fx/Pipelines/GPU.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace fx;

void fx::buildGPUGroupPipeline(OpPassManager &pm, bool tensorCores) {
  if (tensorCores)
    pm.addPass(fx::gpu::createFXGPURoundAttention());
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

void fx::registerGPUPipelines() {
  PassPipelineRegistration<>("fx-gpu-kernels",
                             "linalg on tensors to launches of threads",
                             [](OpPassManager &pm) {
                               buildGPUGroupPipeline(pm);
                               fx::gpu::buildKernelPipeline(pm);
                             });
}

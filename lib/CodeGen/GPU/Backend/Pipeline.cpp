//===- Pipeline.cpp - the order of the passes for GPUs --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void fx::gpu::buildKernelPipeline(OpPassManager &pm, bool tensorCores,
                                  bool warpgroups, StringRef tiles) {
  // Remove groups that only @prepare used.
  pm.addPass(createSymbolDCEPass());
  FXGPUEmitKernelsOptions options;
  options.tensorCores = tensorCores;
  options.warpgroups = warpgroups;
  options.tiles = tiles.str();
  pm.addPass(createFXGPUEmitKernels(options));
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

/// Adds the passes that turn views and affine expressions into arithmetic on
/// indices, and returns the pipeline of kernel modules.
static OpPassManager &simplifyKernels(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<mlir::gpu::GPUModuleOp>();
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createLoopInvariantCodeMotionPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  return kernels;
}

/// Adds the passes that lower kernels to the LLVM dialect. `convert` adds those
/// that convert the GPU dialect to the dialect of a vendor.
static void lowerKernels(OpPassManager &pm,
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

void fx::gpu::buildNVVMPipeline(OpPassManager &pm) {
  lowerKernels(pm, [](OpPassManager &kernels) {
    ConvertGpuOpsToNVVMOpsOptions options;
    options.indexBitwidth = 64;
    kernels.addPass(createConvertGpuOpsToNVVMOps(options));
    kernels.addPass(createConvertNVVMToLLVMPass());
  });
  pm.nest<mlir::gpu::GPUModuleOp>().addPass(createFXGPUBindLaunch());
}

void fx::gpu::buildROCDLPipeline(OpPassManager &pm, StringRef chip) {
  lowerKernels(pm, [&](OpPassManager &kernels) {
    ConvertGpuOpsToROCDLOpsOptions options;
    options.chipset = chip.str();
    options.indexBitwidth = 64;
    options.runtime = mlir::gpu::amd::Runtime::HIP;
    kernels.addPass(createConvertGpuOpsToROCDLOps(options));
    kernels.addPass(createFXGPUFixLaneRanges());
  });
}

void fx::gpu::buildSPIRVPipeline(OpPassManager &pm) {
  OpPassManager &kernels = simplifyKernels(pm);
  kernels.addPass(createFXGPUSPIRVMath());
  kernels.addPass(createFXGPUSPIRVMemory());
  // Expand conversions of bf16, the upper half of an f32.
  arith::ArithExpandOpsPassOptions options;
  options.includeBf16 = true;
  kernels.addPass(arith::createArithExpandOpsPass(options));
  kernels.addPass(createLoopInvariantCodeMotionPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  // Upstream's conversion of scf.for leaves the results undefined if the loop
  // does not run at all.
  kernels.addPass(createForToWhileLoopPass());
  pm.addPass(createFXGPUConvertToSPIRV());
  OpPassManager &module = pm.nest<mlir::spirv::ModuleOp>();
  module.addPass(createCanonicalizerPass());
  module.addPass(createCSEPass());
  module.addPass(mlir::spirv::createSPIRVLowerABIAttributesPass());
  module.addPass(mlir::spirv::createSPIRVUpdateVCEPass());
  module.addPass(createFXGPUFinishSPIRV());
}

namespace {
struct ROCDLOptions : PassPipelineOptions<ROCDLOptions> {
  Option<std::string> chip{*this, "chip", llvm::cl::desc("the GPU"),
                           llvm::cl::init("gfx942")};
};
} // namespace

void fx::gpu::registerPasses() {
  registerFXGPUPasses();
  PassPipelineRegistration<>("fx-gpu-device",
                             "memrefs to host code and gpu.module @kernels",
                             buildDevicePipeline);
  PassPipelineRegistration<>("fx-gpu-nvvm",
                             "gpu.module @kernels to the NVVM dialect",
                             buildNVVMPipeline);
  PassPipelineRegistration<ROCDLOptions>(
      "fx-gpu-rocdl", "gpu.module @kernels to the ROCDL dialect",
      [](OpPassManager &pm, const ROCDLOptions &options) {
        buildROCDLPipeline(pm, options.chip);
      });
  PassPipelineRegistration<>("fx-gpu-spirv",
                             "gpu.module @kernels to a spirv.module",
                             buildSPIRVPipeline);
}

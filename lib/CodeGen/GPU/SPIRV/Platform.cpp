//===- Platform.cpp - GPUs with a driver of Vulkan 1.2 --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Backend/Lowering.h"
#include "Passes.h"
#include "fx/CodeGen/GPU/Device.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/SPIRV/Serialization.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

static void buildPipeline(OpPassManager &pm, StringRef chip) {
  OpPassManager &kernels = fx::gpu::simplifyKernels(pm);
  kernels.addPass(fx::spirv::createFXGPUSPIRVMath());
  kernels.addPass(fx::spirv::createFXGPUSPIRVMemory());
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
  pm.addPass(fx::spirv::createFXGPUConvertToSPIRV());
  OpPassManager &module = pm.nest<mlir::spirv::ModuleOp>();
  module.addPass(createCanonicalizerPass());
  module.addPass(createCSEPass());
  module.addPass(mlir::spirv::createSPIRVLowerABIAttributesPass());
  module.addPass(mlir::spirv::createSPIRVUpdateVCEPass());
  module.addPass(fx::spirv::createFXGPUFinishSPIRV());
}

/// Serializes the `spirv.module` to the words of a SPIR-V binary.
static llvm::Expected<std::string> emit(ModuleOp module, StringRef format,
                                        StringRef chip, int optLevel) {
  assert(format == "spirv" && "a format that Formats.def does not list");
  auto kernels = module.getOps<mlir::spirv::ModuleOp>();
  if (kernels.empty())
    return llvm::createStringError("the model has nothing to run on a GPU");
  SmallVector<uint32_t, 0> words;
  if (failed(mlir::spirv::serialize(*kernels.begin(), words)))
    return llvm::createStringError("the kernels cannot be written as SPIR-V");
  return std::string(reinterpret_cast<const char *>(words.data()),
                     words.size() * sizeof(uint32_t));
}

namespace fx::gpu {
const Platform &getVulkanPlatform() {
  static constexpr Platform platform = {
      .name = "vulkan",
      .form = "vulkan",
      .gpus = "GPUs with a driver of Vulkan 1.2",
      .registerPasses = fx::spirv::registerFXGPUSPIRVPasses,
      .pipelineName = "fx-gpu-spirv",
      .pipelineDescription = "gpu.module @kernels to a spirv.module",
      .buildPipeline = buildPipeline,
      .emit = emit,
      .image = "spirv"};
  return platform;
}
} // namespace fx::gpu

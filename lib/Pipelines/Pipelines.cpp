//===- Pipelines.cpp - from graphs to kernels, as pipelines ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Pipelines/Pipelines.h"
#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/CodeGen/GPU/Passes.h"
#include "fx/Conversion/Passes.h"
#include "fx/Kernels/Attention.h"
#include "fx/Kernels/Passes.h"
#include "fx/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace fx;

void fx::buildFunctionalPipeline(OpPassManager &pm) {
  pm.addPass(createUnwrapSubclassesPass());
  pm.addPass(createCorrectTypesPass());
  pm.addPass(createCheckOperatorsPass());
  pm.addPass(createResolveCallsPass());
  pm.addPass(createInlineWrappersPass());
  pm.addPass(createSimplifySizesPass());
  // Assume that a custom operator without a known schema does not mutate its
  // operands. The fallback rejects such an operator if it does.
  pm.addPass(createFunctionalizePass({/*assumesFunctional=*/true}));
}

void fx::buildDividePipeline(OpPassManager &pm, const DivideOptions &options) {
  buildFunctionalPipeline(pm);
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createDecomposeCustomPass());
  pm.addPass(createDecomposePass());
  pm.addPass(createCanonicalizerPass());
  if (options.stages) {
    StagePassOptions stage;
    stage.stage = options.rank;
    stage.stages = options.ranks;
    stage.sizeText = options.sizes;
    pm.addPass(createStagePass(stage));
    return;
  }
  ShardPassOptions shard;
  shard.planFile = options.planFile;
  shard.rules = options.rules;
  shard.rank = options.rank;
  shard.ranks = options.ranks;
  pm.addPass(createShardPass(shard));
}

void fx::buildSimplifyPipeline(OpPassManager &pm,
                               const SimplifyOptions &options) {
  buildFunctionalPipeline(pm);
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createDecomposeCustomPass());
  pm.addPass(createDecomposePass());
  pm.addPass(createFoldConvBNPass());
  pm.addPass(createKeepIntegersPass());
  // Other weights may have other zero points and need more bits.
  if (!options.swappableWeights)
    pm.addPass(createDropZeroPointsPass());
  pm.addPass(createRaiseDequantizePass(
      {/*readsStates=*/!options.swappableWeights, options.gpu, options.bf16}));
  if (!options.swappableWeights) {
    // GPU kernels read words of eight numbers.
    pm.addPass(createNoteNarrowWeightsPass({/*multiple=*/options.gpu ? 8 : 1}));
    if (options.gpu)
      pm.addPass(createMergeLinearsPass());
  }
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (!options.async.empty()) {
    SchedulePassOptions schedule;
    schedule.async.assign(options.async.begin(), options.async.end());
    pm.addPass(createSchedulePass(schedule));
  }
  pm.addPass(createCheckStatesPass());
}

void fx::buildToLinalgPipeline(OpPassManager &pm,
                               const ToLinalgOptions &options) {
  ConvertFXToLinalgOptions convert;
  if (options.wholeHeads)
    convert.wholeHeads = kernel::kMaxHeadSize;
  if (options.wholeFloatHeads)
    convert.wholeFloatHeads = kernel::kMaxHeadSize;
  convert.rowKernels = options.rowKernels;
  // Each launch of a small copy on a GPU takes longer than the copy.
  convert.rotatesHalves = options.gpu;
  convert.roundsFloats = options.bf16;
  pm.addPass(createConvertFXToLinalg(convert));
  pm.addPass(createLowerCustom());
  if (options.bf16 || options.int8)
    pm.addPass(kernel::createLowerPrecisionPass({options.bf16, options.int8}));
  // Last, because bytes look like quantized integers.
  pm.addPass(kernel::createLowerFloat8Pass({options.float8}));
}

void fx::buildHandoverPipeline(OpPassManager &pm, Handover to,
                               bool embedStates) {
  pm.addPass(createUnwrapSubclassesPass());
  pm.addPass(createResolveCallsPass());
  pm.addPass(createInlineWrappersPass());
  pm.addPass(createSimplifySizesPass());
  pm.addPass(createFunctionalizePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createDecomposePass());
  pm.addPass(createCanonicalizerPass());
  switch (to) {
  case Handover::Torch:
    pm.addPass(createConvertFXToTorch({embedStates}));
    return;
  case Handover::TOSA:
    pm.addPass(createConvertFXToTosa({embedStates}));
    return;
  case Handover::Linalg:
    pm.addPass(createConvertFXToLinalg());
    pm.addPass(createStripFXAttributes({embedStates}));
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
  }
}

void fx::buildGPUGroupPipeline(OpPassManager &pm, kernel::MatrixUnit unit,
                               bool roundsToTF32) {
  pm.addPass(fx::gpu::createFXGPURoundAttention());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(kernel::createChannelsLastPass());
  pm.addPass(kernel::createFoldGathersPass());
  pm.addPass(kernel::createAlignShapesPass());
  pm.addPass(kernel::createCollapseReductionsPass({/*rows=*/1024}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (unit != kernel::MatrixUnit::None)
    pm.addPass(kernel::createIntegerContractionsPass({unit}));
  pm.addPass(kernel::createGeneralizeOpsPass());
  if (unit != kernel::MatrixUnit::None)
    pm.addPass(kernel::createPadChannelsPass());
  if (unit == kernel::MatrixUnit::WGMMA && roundsToTF32)
    pm.addPass(kernel::createTransposeWeightsPass());
  pm.addPass(fx::gpu::createFXGPUPackWeights({unit}));
  if (unit != kernel::MatrixUnit::None)
    pm.addPass(kernel::createCopyMasksPass());
  pm.addPass(kernel::createFormKernelsPass({/*gpu=*/true, unit}));
  pm.addPass(kernel::createHoistPreparePass());
}

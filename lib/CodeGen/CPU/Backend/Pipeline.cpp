//===- Pipeline.cpp - the order of the backend's passes -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace fx::cpu;

void fx::cpu::buildBufferizePipeline(OpPassManager &pm,
                                     const CPUOptions &options) {
  pm.addPass(createFXCPUFinalizeBoundary());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createFXCPUBufferizeInserts());
  pm.addPass(createFXCPUSeparateEmptyTensors());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  pm.addPass(createFXCPUBufferize());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Express sizes of views by sizes of their sources.
  pm.addPass(memref::createResolveShapedTypeResultDimsPass());
  pm.addPass(createFXCPUPlaceOutputs());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createFXPlanArena());
  pm.addPass(createFXCPUFreeTemporaries());
  pm.addPass(createFXDropStates());
  if (options.profile)
    pm.addPass(createFXCPUProfileKernels());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // AArch64 stores a vector past the caches by two instructions.
  if (!getTriple(options).isAArch64())
    pm.addPass(createFXCPUStreamOutputs());
}

void fx::cpu::buildLowerToLLVMPipeline(OpPassManager &pm,
                                       const CPUOptions &options) {
  pm.addPass(createConvertLinalgToLoopsPass());
  pm.addPass(createFXCPUAssertToRuntime());
  pm.addPass(createFXCPUParallelToRuntime());
  pm.addPass(createFXCPUEagerToRuntime());
  pm.addPass(createFXCPURandomToRuntime());
  pm.addPass(createFXCPUCopyToRuntime());
  pm.addPass(createFXCPUPassAddresses());
  pm.addPass(createFXCPULowerMath());
  pm.addPass(createFXCPULowerVectors());
  VectorTransferToSCFOptions toSCF;
  toSCF.enableFullUnroll();
  toSCF.setTargetRank(1);
  pm.addPass(createConvertVectorToSCFPass(toSCF));
  pm.addPass(createFXCPULowerVectors({/*lowerTransfers=*/true}));
  pm.addPass(createFXCPUExpandDynamicShapes());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  arith::ArithExpandOpsPassOptions expand;
  StringRef features = options.features;
  expand.includeBf16 =
      !features.contains("+avx512bf16") &&
      !(getTriple(options).isAArch64() &&
        llvm::is_contained(llvm::split(features, ','), StringRef("+bf16")));
  pm.addPass(arith::createArithExpandOpsPass(expand));
  pm.addPass(createSCFToControlFlowPass());
  ConvertVectorToLLVMPassOptions vectors;
  vectors.reassociateFPReductions = true;
  vectors.x86Vector = true;
  pm.addPass(createConvertVectorToLLVMPass(vectors));
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertComplexToLLVMPass());
  FinalizeMemRefToLLVMConversionPassOptions memrefs;
  memrefs.useGenericFunctions = true;
  pm.addPass(createFinalizeMemRefToLLVMConversionPass(memrefs));
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createFXCPUKernelAttributes({options.vectorWidth}));
}

void fx::cpu::buildCPUBackendPipeline(OpPassManager &pm,
                                      const CPUOptions &options) {
  buildBufferizePipeline(pm, options);
  buildLowerToLLVMPipeline(pm, options);
}

void fx::cpu::registerCPUBackendPipelines() {
  PassPipelineRegistration<>(
      "fx-cpu-bufferize-pipeline",
      "from the linalg contract to memrefs with a planned arena",
      [](OpPassManager &pm) { buildBufferizePipeline(pm, {}); });
  PassPipelineRegistration<>(
      "fx-cpu-lower-pipeline", "from memrefs to the LLVM dialect",
      [](OpPassManager &pm) { buildLowerToLLVMPipeline(pm, {}); });
}

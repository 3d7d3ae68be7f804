//===- Pipeline.cpp - the tensor-level half of the CPU backend ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/Kernels/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

fx::cpu::KernelOptions fx::cpu::getKernelOptions(llvm::StringRef features,
                                                 llvm::StringRef cpu) {
  llvm::SmallVector<llvm::StringRef> list;
  features.split(list, ',');
  auto has = [&](llvm::StringRef name) {
    return llvm::is_contained(list, ("+" + name).str());
  };
  KernelOptions options;
  options.target.cpu = cpu.str();
  if (has("neon")) {
    options.lanes = 4;
    options.neon = true;
    options.vnni = has("dotprod");
    options.mixedDot = has("i8mm");
    options.bf16 = has("bf16");
    options.f16 = true;
    return options;
  }
  options.lanes = has("avx512f") ? 16 : has("avx2") || has("avx") ? 8 : 4;
  options.byteProducts = has(options.lanes == 16 ? "avx512bw" : "avx2");
  // AVX512-VNNI has vectors of less than 512 bits only with AVX512VL.
  options.vnni = options.lanes == 16
                     ? has("avx512vnni")
                     : has("avxvnni") || (has("avx512vnni") && has("avx512vl"));
  options.bf16 = has("avx512bf16") && (options.lanes == 16 || has("avx512vl"));
  options.f16 = options.lanes == 16 || has("f16c");
  // A panel of two vectors of SSE has fewer columns than a tile.
  if (options.lanes >= 8)
    options.tiles = {has("amx-int8"), has("amx-bf16"), has("amx-fp16")};
  return options;
}

void fx::cpu::buildKernelPipeline(OpPassManager &pm,
                                  const KernelOptions &options) {
  buildFormPipeline(pm, options);
  buildEmitPipeline(pm, options);
}

/// The least number of rows of an attention that computes its mask, so that
/// its tiles know which keys they see. Fewer rows are one tile, and a decode
/// step reads the mask in less time than it computes it for each head.
static constexpr int64_t kMaskedRows = 25;

void fx::cpu::buildFormPipeline(OpPassManager &pm,
                                const KernelOptions &options) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(kernel::createFlattenGroupsPass());
  pm.addPass(kernel::createChannelsLastPass());
  pm.addPass(kernel::createFoldGathersPass());
  pm.addPass(kernel::createAlignShapesPass());
  pm.addPass(kernel::createCollapseReductionsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createFXCPUFoldKeys({options.f16}));
  pm.addPass(kernel::createCopyMasksPass({kMaskedRows, /*gpu=*/false}));
  // Before operands are packed: an attention packs its keys itself.
  kernel::FormKernelsPassOptions attention;
  attention.attention = true;
  pm.addPass(kernel::createFormKernelsPass(attention));
  pm.addPass(kernel::createIntegerContractionsPass());
  if (options.bf16 || options.tiles.bf16)
    pm.addPass(kernel::createPadChannelsPass({/*pairs=*/true}));
  pm.addPass(createFXCPUWinograd(
      {options.lanes, options.neon, options.winograd, options.target.cpu}));
  pm.addPass(
      createFXCPUPackWeights({options.lanes, options.vnni && !options.neon,
                              options.bf16, options.f16, options.tiles}));
  pm.addPass(createFXCPUWidenHalves());
  pm.addPass(kernel::createFormKernelsPass());
  pm.addPass(kernel::createHoistPreparePass());
}

void fx::cpu::buildEmitPipeline(OpPassManager &pm,
                                const KernelOptions &options) {
  FXCPUSelectSchedulesOptions select;
  select.lanes = options.lanes;
  select.bf16 = options.bf16;
  select.tiles = options.tiles;
  select.neon = options.neon;
  select.tuneFile = options.tuneFile;
  select.cpu = options.target.cpu;
  select.features = options.target.features;
  select.threads = options.target.threads;
  select.candidate = options.candidate;
  pm.addPass(createFXCPUSelectSchedules(select));
  if (options.profile)
    pm.addPass(createFXCPUCountFlops());
  FXCPUEmitKernelsOptions emit;
  emit.lanes = options.lanes;
  emit.vnni = options.vnni;
  emit.byteProducts = options.byteProducts;
  emit.bf16 = options.bf16;
  emit.tiles = options.tiles;
  emit.neon = options.neon;
  emit.mixedDot = options.mixedDot;
  pm.addPass(createFXCPUEmitKernels(emit));
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createFXCPUStartFallbacks());
}

namespace {
struct KernelPipelineOptions : PassPipelineOptions<KernelPipelineOptions> {
  Option<int64_t> lanes{*this, "lanes", llvm::cl::init(16),
                        llvm::cl::desc("f32 lanes of a vector register")};
  Option<bool> vnni{*this, "vnni", llvm::cl::init(false),
                    llvm::cl::desc("vpdpbusd exists for such vectors")};
  Option<bool> bf16{*this, "bf16", llvm::cl::init(false),
                    llvm::cl::desc("vdpbf16ps exists for such vectors")};
  Option<bool> f16{*this, "f16", llvm::cl::init(false),
                   llvm::cl::desc("vectors of f16 can be extended to f32")};
  Option<bool> neon{*this, "neon", llvm::cl::init(false),
                    llvm::cl::desc("vectors are those of AArch64's NEON, with "
                                   "sdot if `vnni`, and bfdot if `bf16`")};
  Option<bool> mixedDot{*this, "mixed-dot", llvm::cl::init(false),
                        llvm::cl::desc("NEON has usdot")};
  Option<fx::kernel::TileKinds> tiles{
      *this, "tiles",
      llvm::cl::desc("what is multiplied in AMX tiles, of int8, bf16 and f16")};
};
} // namespace

void fx::cpu::registerKernelPasses() {
  registerFXCPUKernelPasses();
  PassPipelineRegistration<KernelPipelineOptions>(
      "fx-cpu-kernels", "linalg on tensors to CPU kernels",
      [](OpPassManager &pm, const KernelPipelineOptions &options) {
        KernelOptions kernels;
        kernels.lanes = options.lanes;
        kernels.vnni = options.vnni;
        kernels.bf16 = options.bf16;
        kernels.f16 = options.f16;
        kernels.neon = options.neon;
        kernels.mixedDot = options.mixedDot;
        kernels.tiles = options.tiles;
        buildKernelPipeline(pm, kernels);
      });
}

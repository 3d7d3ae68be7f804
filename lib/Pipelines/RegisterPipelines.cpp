//===- RegisterPipelines.cpp - the pipelines by name ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formats.h"
#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/CodeGen/GPU/Device.h"
#include "fx/CodeGen/GPU/Passes.h"
#include "fx/Kernels/Passes.h"
#include "fx/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace fx;

namespace {
using Report = function_ref<LogicalResult(const Twine &)>;

/// Registers a pipeline whose options can be invalid. `build` reports the error
/// and fails if they are.
template <class Options>
void addPipeline(StringRef name, StringRef description,
                 LogicalResult (*build)(OpPassManager &, const Options &,
                                        Report)) {
  registerPassPipeline(
      name, description,
      [build](OpPassManager &pm, StringRef text, Report report) {
        Options options;
        if (failed(options.parseFromString(text)))
          return failure();
        return build(pm, options, report);
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> take) {
        take(Options());
      });
}

constexpr llvm::StringLiteral kTargetText =
    "as fx-compile's --target: a GPU; empty: the CPU";

struct SimplifyPipelineOptions : PassPipelineOptions<SimplifyPipelineOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc(kTargetText)};
  Option<bool> swappableWeights{
      *this, "swappable-weights", llvm::cl::init(false),
      llvm::cl::desc("use nothing of the weights' values")};
  ListOption<std::string> async{*this, "async",
                                llvm::cl::desc("as fx-schedule's async")};
};

struct LinalgPipelineOptions : PassPipelineOptions<LinalgPipelineOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc(kTargetText)};
  Option<bool> bf16{*this, "bf16", llvm::cl::init(false),
                    llvm::cl::desc("as fx-compile's --precision=bf16")};
  Option<bool> int8{*this, "int8", llvm::cl::init(false),
                    llvm::cl::desc("as fx-compile's --precision=int8")};
};

struct CPUPipelineOptions : PassPipelineOptions<CPUPipelineOptions> {
  Option<std::string> cpu{
      *this, "cpu",
      llvm::cl::desc("as fx-compile's --mcpu: empty for the host")};
  Option<std::string> triple{
      *this, "triple",
      llvm::cl::desc("as fx-compile's --mtriple: empty for the host")};
  Option<std::string> until{
      *this, "until", llvm::cl::init("memref"),
      llvm::cl::desc("kernels, memref or llvm: where the pipeline ends")};
};

struct HandoverPipelineOptions : PassPipelineOptions<HandoverPipelineOptions> {
  Option<bool> embedStates{*this, "embed-states", llvm::cl::init(false),
                           llvm::cl::desc("weights become constants")};
};

struct GPUPipelineOptions : PassPipelineOptions<GPUPipelineOptions> {
  Option<std::string> target{*this, "target", llvm::cl::init("cuda"),
                             llvm::cl::desc("as fx-compile's --target")};
  Option<std::string> tiles{*this, "tiles",
                            llvm::cl::desc("as fx-compile's --gpu-tiles")};
};
} // namespace

/// Parses a `target` option. Leaves `gpu` unset if `text` is empty.
static LogicalResult getGPU(StringRef text, std::optional<fx::gpu::Target> &gpu,
                            Report report) {
  if (text.empty())
    return success();
  llvm::Expected<fx::gpu::Target> target =
      fx::gpu::parseTarget(text, getPlatforms());
  if (!target)
    return report(llvm::toString(target.takeError()));
  gpu = *target;
  return success();
}

static LogicalResult simplify(OpPassManager &pm,
                              const SimplifyPipelineOptions &options,
                              Report report) {
  std::optional<fx::gpu::Target> gpu;
  if (failed(getGPU(options.target, gpu, report)))
    return failure();
  SimplifyOptions simplify;
  simplify.gpu = gpu.has_value();
  simplify.swappableWeights = options.swappableWeights;
  simplify.async.assign(options.async.begin(), options.async.end());
  buildSimplifyPipeline(pm, simplify);
  return success();
}

static LogicalResult toLinalg(OpPassManager &pm,
                              const LinalgPipelineOptions &options,
                              Report report) {
  std::optional<fx::gpu::Target> gpu;
  if (failed(getGPU(options.target, gpu, report)))
    return failure();
  ToLinalgOptions linalg;
  linalg.wholeHeads = !gpu || gpu->getMatrixUnit() != kernel::MatrixUnit::None;
  linalg.rowKernels = !gpu;
  linalg.gpu = gpu.has_value();
  linalg.float8 = gpu && kernel::hasTensorCores(gpu->getMatrixUnit());
  linalg.bf16 = options.bf16;
  linalg.int8 = options.int8;
  linalg.wholeFloatHeads = !gpu;
  buildToLinalgPipeline(pm, linalg);
  return success();
}

static LogicalResult toCPU(OpPassManager &pm, const CPUPipelineOptions &options,
                           Report report) {
  StringRef until = options.until;
  if (!llvm::is_contained({"kernels", "memref", "llvm"}, until))
    return report("until: expected kernels, memref or llvm, got '" + until +
                  "'");
  std::string error;
  std::string triple;
  if (!options.triple.empty()) {
    FailureOr<std::string> parsed = cpu::parseTriple(options.triple, error);
    if (failed(parsed))
      return report("triple: " + error);
    triple = *parsed;
  }
  FailureOr<cpu::CPUOptions> cpu =
      cpu::getCPUOptions(options.cpu, error, triple);
  if (failed(cpu))
    return report(error);
  cpu::buildKernelPipeline(pm, cpu::getKernelOptions(cpu->features, cpu->cpu));
  if (until == "kernels")
    return success();
  pm.addPass(kernel::createDropPreparePass());
  pm.addPass(createSymbolDCEPass());
  cpu::buildBufferizePipeline(pm, *cpu);
  if (until == "llvm")
    cpu::buildLowerToLLVMPipeline(pm, *cpu);
  return success();
}

static LogicalResult toGPU(OpPassManager &pm, const GPUPipelineOptions &options,
                           Report report) {
  llvm::Expected<fx::gpu::Target> target =
      fx::gpu::parseTarget(options.target, getPlatforms());
  if (!target)
    return report(llvm::toString(target.takeError()));
  kernel::MatrixUnit unit = target->getMatrixUnit();
  buildGPUGroupPipeline(pm, unit);
  pm.addPass(kernel::createDropPreparePass());
  fx::gpu::buildKernelPipeline(pm, unit, options.tiles);
  return success();
}

namespace {
struct PlatformPipelineOptions : PassPipelineOptions<PlatformPipelineOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("the GPU; default: as fx-compile's")};
};
} // namespace

/// Registers the passes of a platform, and the pipeline that lowers kernels.
static void addPlatform(const fx::gpu::Platform &platform) {
  if (platform.registerPasses)
    platform.registerPasses();
  PassPipelineRegistration<PlatformPipelineOptions>(
      platform.pipelineName, platform.pipelineDescription,
      [&](OpPassManager &pm, const PlatformPipelineOptions &options) {
        StringRef chip = options.chip;
        if (chip.empty())
          chip = platform.defaultChip;
        platform.buildPipeline(pm, chip);
      });
}

template <Handover to>
static void addHandover(StringRef name, StringRef description) {
  PassPipelineRegistration<HandoverPipelineOptions>(
      name, description,
      [](OpPassManager &pm, const HandoverPipelineOptions &options) {
        buildHandoverPipeline(pm, to, options.embedStates);
      });
}

void fx::registerPipelines() {
  addHandover<Handover::Linalg>("fx-lower-to-linalg",
                                "from an exported graph to upstream dialects");
  addHandover<Handover::Torch>("fx-lower-to-torch",
                               "from an exported graph to the torch dialect");
  addHandover<Handover::TOSA>("fx-lower-to-tosa",
                              "from an exported graph to TOSA");
  addPipeline("fx-simplify",
              "from an exported graph to a functional one that is compiled",
              simplify);
  addPipeline("fx-to-linalg", "from a simplified graph to linalg on tensors",
              toLinalg);
  addPipeline("fx-cpu", "from linalg on tensors to code for the CPU", toCPU);
  addPipeline("fx-gpu", "from linalg on tensors to kernels for a GPU", toGPU);
  for (const fx::gpu::Platform *platform : getPlatforms())
    addPlatform(*platform);
}

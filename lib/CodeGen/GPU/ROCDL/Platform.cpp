//===- Platform.cpp - AMD GPUs --------------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Backend/DeviceModule.h"
#include "../Backend/Lowering.h"
#include "Passes.h"
#include "fx/CodeGen/Common/Linker.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"

using namespace fx;
using namespace fx::gpu;

static void initialize() {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmPrinter();
}

/// Upstream calls ROCm's device library: "__ocml_sqrt_f32".
static llvm::StringRef getMathName(const llvm::Function &f) {
  llvm::StringRef name = f.getName();
  return name.consume_front("__ocml_") ? name.rsplit('_').first : "";
}

/// Version 5 of code objects. LLVM's default is 6, which older releases of ROCm
/// do not load.
static constexpr uint32_t kCodeObjectVersion = 500;

/// Disables unrolling of loops that contain a barrier. LLVM unrolls such loops
/// if they have few iterations. It then sinks the additions of one iteration
/// below the barriers of the next, and the values that they read from shared
/// memory stay in registers: 276 registers for a convolution that needs 82.
static void keepBarrierLoops(llvm::Function &kernel) {
  llvm::DominatorTree tree(kernel);
  llvm::LoopInfo loops(tree);
  for (llvm::Instruction &inst : llvm::instructions(kernel)) {
    auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&inst);
    if (!call || call->getIntrinsicID() != llvm::Intrinsic::amdgcn_s_barrier)
      continue;
    for (llvm::Loop *loop = loops.getLoopFor(inst.getParent()); loop;
         loop = loop->getParentLoop())
      loop->setLoopAlreadyUnrolled();
  }
}

/// Sets the version of the code object and the attributes of its kernels.
static void prepare(llvm::Module &module, llvm::StringRef) {
  module.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version",
                       kCodeObjectVersion);
  for (llvm::Function &f : module) {
    if (f.getCallingConv() != llvm::CallingConv::AMDGPU_KERNEL)
      continue;
    // HIP finds a kernel by its name; no other object replaces the symbol.
    f.setVisibility(llvm::GlobalValue::ProtectedVisibility);
    keepBarrierLoops(f);
  }
}

static const CodeGenerator generator = {
    .triple = "amdgcn-amd-amdhsa",
    .gpus = "AMD GPUs",
    .initialize = initialize,
    .registerTranslation = mlir::registerROCDLDialectTranslation,
    .getMathName = getMathName,
    .prepare = prepare};

/// Links an object file to a code object, the shared object that HIP loads.
static llvm::Expected<std::string> link(const std::string &object) {
  codegen::Linker linker({"-shared", "-z", "defs", "--build-id=none"});
  if (llvm::Error e = linker.add(object))
    return e;
  return linker.run();
}

static llvm::Expected<std::string> emit(mlir::ModuleOp module,
                                        llvm::StringRef format,
                                        llvm::StringRef chip, int optLevel) {
  if (format == "rocdl")
    return printText(module);
  assert((format == "gcn" || format == "hsaco") &&
         "a format that Formats.def does not list");
  bool isText = format == "gcn";
  llvm::Expected<std::string> code =
      emitKernels(module, generator, chip, optLevel,
                  isText ? llvm::CodeGenFileType::AssemblyFile
                         : llvm::CodeGenFileType::ObjectFile);
  if (!code || isText)
    return code;
  return link(*code);
}

static bool isChipName(llvm::StringRef chip) {
  // Upstream's conversion parses the name with this function. Shuffles need
  // gfx8.
  auto parts = mlir::amdgpu::Chipset::parse(chip);
  return succeeded(parts) && parts->majorVersion >= 8;
}

/// The matrix cores of older chips flush subnormal numbers of f16 and bf16.
static kernel::MatrixUnit getMatrixUnit(llvm::ArrayRef<std::string> chips) {
  bool isExact = llvm::all_of(chips, [](llvm::StringRef chip) {
    return chip == "gfx942" || chip == "gfx950";
  });
  return isExact ? kernel::MatrixUnit::MFMA : kernel::MatrixUnit::None;
}

static void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::amdgpu::AMDGPUDialect, mlir::ROCDL::ROCDLDialect>();
}

static void buildPipeline(mlir::OpPassManager &pm, llvm::StringRef chip) {
  lowerKernels(pm, [&](mlir::OpPassManager &kernels) {
    mlir::ConvertGpuOpsToROCDLOpsOptions options;
    options.chipset = chip.str();
    options.indexBitwidth = 64;
    options.runtime = mlir::gpu::amd::Runtime::HIP;
    kernels.addPass(mlir::createConvertGpuOpsToROCDLOps(options));
    kernels.addPass(rocdl::createFXGPUFixLaneRanges());
  });
}

namespace fx::gpu {
const Platform &getROCmPlatform() {
  static constexpr Platform platform = {
      .name = "rocm",
      .form = "rocm[:gfxNNN]",
      .gpus = "AMD GPUs",
      .expected = "rocm or rocm:gfxNNN with one chip of gfx800 or newer",
      .defaultChip = "gfx942",
      // A code object of ROCm holds code for one chip.
      .allowsSeveralChips = false,
      .isChipName = isChipName,
      .generator = &generator,
      .getMatrixUnit = getMatrixUnit,
      .registerDialects = registerDialects,
      .registerPasses = rocdl::registerFXGPUROCDLPasses,
      .pipelineName = "fx-gpu-rocdl",
      .pipelineDescription = "gpu.module @kernels to the ROCDL dialect",
      .buildPipeline = buildPipeline,
      .emit = emit,
      .image = "hsaco"};
  return platform;
}
} // namespace fx::gpu

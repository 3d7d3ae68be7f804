//===- Platform.cpp - NVIDIA GPUs -----------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Backend/DeviceModule.h"
#include "../Backend/Lowering.h"
#include "Passes.h"
#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"

using namespace fx;
using namespace fx::gpu;

static void initialize() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}

static llvm::StringRef getMathName(const llvm::Function &f) {
  llvm::StringRef name = f.getName();
  if (!name.consume_front("__nv_"))
    return "";
  if (f.getReturnType()->isFloatTy())
    name.consume_back("f");
  return name;
}

/// Returns true if the function contains assembly of which `is` is true.
static bool hasAssembly(const llvm::Function &f,
                        llvm::function_ref<bool(llvm::StringRef)> is) {
  return llvm::any_of(llvm::instructions(f), [&](const llvm::Instruction &it) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(&it);
    auto *text = call
                     ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand())
                     : nullptr;
    return text && is(text->getAsmString());
  });
}

/// Returns the version of PTX: 8.0, so that older drivers can compile the code;
/// 8.4 if wgmma multiplies unsigned by signed bytes; or for chips that need a
/// newer one, the first that has the chip.
static llvm::StringRef getFeatures(const llvm::Module &code,
                                   llvm::StringRef chip) {
  if (getChipName(chip).number >= 100)
    return "";
  bool multipliesBytes = llvm::any_of(code, [](const llvm::Function &f) {
    return hasAssembly(
        f, [](llvm::StringRef text) { return text.contains(".s32.u8.s8 "); });
  });
  return multipliesBytes ? "+ptx84" : "+ptx80";
}

/// Returns true if the function waits for the kernel in front of it.
static bool waitsForKernel(const llvm::Function &f) {
  return hasAssembly(
      f, [](llvm::StringRef text) { return text == kWaitForKernel; });
}

/// Lets each kernel start while the one before it ends: "programmatic dependent
/// launch" of the CUDA programming guide. A kernel waits until that one has
/// ended and its results are visible, before it accesses memory, so the order
/// of all accesses stays the same. Then it allows the next one to start, whose
/// launch thus overlaps with this kernel. Kernels with something to do before
/// they wait say themselves where they do so. Without a programmatic edge
/// (CudaGraph.c) both instructions do nothing.
static void overlapLaunches(llvm::Module &module, llvm::StringRef chip) {
  if (!nvvm::overlapsLaunches(chip))
    return;
  // LLVM's intrinsics do not access memory, so that loads could pass them.
  auto *type = llvm::FunctionType::get(
      llvm::Type::getVoidTy(module.getContext()), /*isVarArg=*/false);
  auto *wait = llvm::InlineAsm::get(type, kWaitForKernel, "~{memory}",
                                    /*hasSideEffects=*/true);
  for (llvm::Function &f : module)
    if (f.getCallingConv() == llvm::CallingConv::PTX_Kernel &&
        !f.isDeclaration() && !waitsForKernel(f)) {
      llvm::BasicBlock &entry = f.getEntryBlock();
      llvm::IRBuilder<>(&entry, entry.getFirstNonPHIOrDbgOrAlloca())
          .CreateCall(type, wait);
    }
}

static const CodeGenerator generator = {
    .triple = "nvptx64-nvidia-cuda",
    .gpus = "NVIDIA GPUs",
    .getFeatures = getFeatures,
    .initialize = initialize,
    .registerTranslation = mlir::registerNVVMDialectTranslation,
    .getMathName = getMathName,
    .prepare = overlapLaunches};

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

ChipName fx::gpu::getChipName(llvm::StringRef chip) {
  ChipName name;
  if (!chip.consume_front("sm_") || chip.consumeInteger(10, name.number) ||
      chip.size() > 1)
    return {};
  name.suffix = chip.empty() ? 0 : chip[0];
  return name;
}

std::string fx::gpu::getCommonChip(llvm::ArrayRef<std::string> chips) {
  int number = 80;
  for (llvm::StringRef chip : chips)
    number = std::min(number, getChipName(chip).number);
  return "sm_" + std::to_string(number);
}

bool fx::nvvm::overlapsLaunches(llvm::StringRef chip) {
  return getChipName(chip).number >= 90;
}

static bool isChipName(llvm::StringRef chip) {
  ChipName name = getChipName(chip);
  return name.number >= 70 &&
         llvm::is_contained({0, int('a'), int('f')}, name.suffix);
}

static kernel::MatrixUnit getMatrixUnit(llvm::ArrayRef<std::string> chips) {
  if (getChipName(getCommonChip(chips)).number < 80)
    return kernel::MatrixUnit::None;
  return llvm::is_contained(chips, "sm_90a") ? kernel::MatrixUnit::WGMMA
                                             : kernel::MatrixUnit::MMA;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

static void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::NVVM::NVVMDialect>();
  mlir::registerConvertNVVMToLLVMInterface(registry);
}

static void buildPipeline(mlir::OpPassManager &pm, llvm::StringRef chip) {
  lowerKernels(pm, [](mlir::OpPassManager &kernels) {
    mlir::ConvertGpuOpsToNVVMOpsOptions options;
    options.indexBitwidth = 64;
    kernels.addPass(mlir::createConvertGpuOpsToNVVMOps(options));
    kernels.addPass(mlir::createConvertNVVMToLLVMPass());
  });
  pm.nest<mlir::gpu::GPUModuleOp>().addPass(nvvm::createFXGPUBindLaunch());
}

llvm::Expected<std::string>
fx::nvvm::emitPTX(mlir::ModuleOp module, llvm::StringRef chip, int optLevel) {
  return emitKernels(module, generator, chip, optLevel,
                     llvm::CodeGenFileType::AssemblyFile);
}

static llvm::Expected<std::string> emit(mlir::ModuleOp module,
                                        llvm::StringRef format,
                                        llvm::StringRef chip, int optLevel) {
  if (format == "nvvm")
    return printText(module);
  llvm::Expected<std::string> ptx = nvvm::emitPTX(module, chip, optLevel);
  if (!ptx || format == "ptx")
    return ptx;
  assert(format == "cubin" && "a format that Formats.def does not list");
  return nvvm::assemble(*ptx, chip);
}

/// Checks ptxas. A shared object contains PTX if there is no ptxas.
static llvm::Error checkPrograms(llvm::StringRef format) {
  if (!llvm::is_contained({"so", "header", "cubin"}, format))
    return llvm::Error::success();
  return nvvm::checkPtxas(/*isNeeded=*/format == "cubin");
}

namespace fx::gpu {
const Platform &getCUDAPlatform() {
  static constexpr Platform platform = {
      .name = "cuda",
      .form = "cuda[:sm_NN,...]",
      .gpus = "NVIDIA GPUs",
      .expected = "cuda or cuda:sm_NN[,sm_NN...] with NN of at least 70",
      .defaultChip = "sm_90a",
      .allowsSeveralChips = true,
      .isChipName = isChipName,
      .generator = &generator,
      .getMatrixUnit = getMatrixUnit,
      .registerDialects = registerDialects,
      .registerPasses = nvvm::registerFXGPUNVVMPasses,
      .pipelineName = "fx-gpu-nvvm",
      .pipelineDescription = "gpu.module @kernels to the NVVM dialect",
      .buildPipeline = buildPipeline,
      .emit = emit,
      .checkPrograms = checkPrograms};
  return platform;
}
} // namespace fx::gpu

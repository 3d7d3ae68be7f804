//===- DeviceCode.cpp - from scheduled tensors to the code of a GPU -------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCode.h"
#include "CodeUnit.h"
#include "OperatorReport.h"
#include "PtxasLog.h"
#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/raw_ostream.h"

#include "../Runtime/Artefact/Desc.h"

using namespace mlir;
using namespace fx;

/// The kernels of `module` in a module of their own, in the dialect of the
/// target.
static llvm::Expected<OwningOpRef<ModuleOp>>
lowerKernels(ModuleOp module, const cuda::Target &target,
             ErrorCatcher &errors) {
  OwningOpRef<ModuleOp> device = ModuleOp::create(module.getLoc());
  (*device)->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                     UnitAttr::get(module.getContext()));
  for (auto kernels : module.getOps<gpu::GPUModuleOp>())
    device->getBody()->push_back(kernels->clone());
  auto build = [&](OpPassManager &pm) {
    switch (target.platform) {
    case cuda::Platform::CUDA:
      return cuda::buildNVVMPipeline(pm);
    case cuda::Platform::ROCm:
      return cuda::buildROCDLPipeline(pm, target.chips.front());
    case cuda::Platform::Vulkan:
      return cuda::buildSPIRVPipeline(pm);
    }
  };
  if (llvm::Error e = runPasses(*device, errors, build))
    return e;
  return device;
}

/// What `options.emit` asks for of `device`, the kernels that were lowered.
static llvm::Expected<std::string> emitKernels(ModuleOp device,
                                               const CompileOptions &options,
                                               const cuda::Target &target) {
  if (options.emit == EmitKind::SPIRV)
    return cuda::emitSPIRV(device);
  llvm::StringRef chip = target.chips.front();
  switch (options.emit) {
  case EmitKind::PTX:
    return cuda::emitPTX(device, chip, options.optLevel);
  case EmitKind::Cubin: {
    llvm::Expected<std::string> ptx =
        cuda::emitPTX(device, chip, options.optLevel);
    if (!ptx)
      return ptx.takeError();
    return cuda::assemble(*ptx, chip);
  }
  case EmitKind::GCN:
    return cuda::emitGCN(device, chip, options.optLevel);
  case EmitKind::HSACO:
    return cuda::emitHSACO(device, chip, options.optLevel);
  default:
    llvm_unreachable("checkFormat refuses others for a GPU");
  }
}

llvm::Error fx::generateDeviceCode(ModuleOp module,
                                   const CompileOptions &options,
                                   const cuda::Target &target,
                                   const cpu::CPUOptions &cpu,
                                   llvm::StringRef path, ErrorCatcher &errors,
                                   PhaseRunner &phases) {
  auto print = [&](ModuleOp what) {
    return writeFile(path, [&](llvm::raw_ostream &os) { what.print(os); });
  };
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal())
    return llvm::createStringError("no function @main to compile");
  if (llvm::Error e = phases.run("bufferize", 0.3, [&] {
        return runPasses(module, errors, [&](OpPassManager &pm) {
          pm.addPass(createSymbolDCEPass());
          cpu::buildBufferizePipeline(pm, cpu);
        });
      }))
    return e;
  if (options.emit == EmitKind::MemRef)
    return print(module);
  if (llvm::Error e = runPasses(module, errors, cuda::buildDevicePipeline))
    return e;
  if (options.emit == EmitKind::GPU)
    return print(module);
  return phases.run("code", 0.4, [&]() -> llvm::Error {
    llvm::Expected<OwningOpRef<ModuleOp>> device =
        lowerKernels(module, target, errors);
    if (!device)
      return device.takeError();
    if (options.emit == EmitKind::NVVM || options.emit == EmitKind::ROCDL)
      return print(**device);
    llvm::Expected<std::string> code = emitKernels(**device, options, target);
    if (!code)
      return code.takeError();
    return writeFile(path, [&](llvm::raw_ostream &os) { os << *code; });
  });
}

//===----------------------------------------------------------------------===//
// Artefacts
//===----------------------------------------------------------------------===//

/// What the run-time must know to choose an image.
static cpu::ImageDescription describe(llvm::StringRef chip, bool isBinary,
                                      std::string bytes) {
  cuda::ChipName name = cuda::getChipName(chip);
  int family = name.suffix == 'a'   ? FX_CHIP_EXACT
               : name.suffix == 'f' ? FX_CHIP_FAMILY
                                    : FX_CHIP_PLAIN;
  return {isBinary, name.number, family, std::move(bytes)};
}

/// Machine code for the chips that were named, where there is an assembler, and
/// PTX for all. `hasOwn`: some chips have kernels that others have not; those
/// that run no code of others get PTX of their own without an assembler.
static llvm::Error emitImages(ModuleOp device, const CompileOptions &options,
                              const cuda::Target &target, bool hasOwn,
                              std::vector<cpu::ImageDescription> &images,
                              PtxasLog &log) {
  llvm::SmallVector<std::string> chips;
  bool hasAssembler = !cuda::findPtxas().empty();
  for (const std::string &chip : target.chips)
    if (hasAssembler || (hasOwn && cuda::getChipName(chip).suffix))
      chips.push_back(chip);
  chips.push_back(cuda::getCommonChip(target));
  for (auto [i, chip] : llvm::enumerate(chips)) {
    bool isBinary = hasAssembler && i + 1 < chips.size();
    llvm::Expected<std::string> code =
        cuda::emitPTX(device, chip, options.optLevel);
    std::string said;
    if (code && isBinary)
      code = cuda::assemble(*code, chip, &said);
    log.add(chip, said);
    if (!code)
      return code.takeError();
    images.push_back(describe(chip, isBinary, std::move(*code)));
  }
  return llvm::Error::success();
}

llvm::Error fx::compileKernels(ModuleOp module, const CompileOptions &options,
                               const cuda::Target &target,
                               cpu::ModelDescription &description,
                               llvm::json::Array &kernels,
                               ErrorCatcher &errors) {
  if (llvm::Error e = runPasses(module, errors, cuda::buildDevicePipeline))
    return e;
  bool hasOwn = false;
  for (auto kernels : module.getOps<gpu::GPUModuleOp>())
    for (auto func : kernels.getOps<gpu::GPUFuncOp>()) {
      auto chip = func->getAttrOfType<StringAttr>(cuda::kChipAttr);
      hasOwn |= chip != nullptr;
      auto nodes = func->getAttrOfType<StringAttr>(cuda::kNodesAttr);
      description.kernels.push_back(
          {func.getName().str(),
           chip ? cuda::getChipName(chip.getValue()).number : 0,
           nodes && !nodes.getValue().empty() ? nodes.str()
                                              : describeNodes(func.getLoc())});
    }
  description.target = target.getText();
  PtxasLog log;
  if (!description.kernels.empty()) {
    llvm::Expected<OwningOpRef<ModuleOp>> device =
        lowerKernels(module, target, errors);
    if (!device)
      return device.takeError();
    if (llvm::Error e = emitImages(**device, options, target, hasOwn,
                                   description.images, log))
      return e;
  }
  kernels = log.getKernels(description.kernels);
  if (llvm::Error e = runPasses(module, errors, [](OpPassManager &pm) {
        pm.addPass(cuda::createFXGPULaunchToRuntime());
      }))
    return e;
  for (auto kernels :
       llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
    kernels.erase();
  return llvm::Error::success();
}

//===- DeviceCode.cpp - from scheduled tensors to the code of a GPU -------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCode.h"
#include "CodeUnit.h"
#include "Formats.h"
#include "OperatorReport.h"
#include "PtxasLog.h"
#include "fx/CodeGen/GPU/Passes.h"
#include "fx/Support/OutputFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/raw_ostream.h"

#include "fx/Runtime/Desc.h"

using namespace mlir;
using namespace fx;

/// Clones the kernels of `module` into a new module and lowers them to the
/// dialect of the platform.
static llvm::Expected<OwningOpRef<ModuleOp>>
lowerKernels(ModuleOp module, const fx::gpu::Target &target,
             ErrorCatcher &errors) {
  OwningOpRef<ModuleOp> device = ModuleOp::create(module.getLoc());
  (*device)->setAttr(mlir::gpu::GPUDialect::getContainerModuleAttrName(),
                     UnitAttr::get(module.getContext()));
  for (auto kernels : module.getOps<mlir::gpu::GPUModuleOp>())
    device->getBody()->push_back(kernels->clone());
  if (llvm::Error e = runPasses(*device, errors, [&](OpPassManager &pm) {
        target.platform->buildPipeline(pm, target.getChip());
      }))
    return e;
  return device;
}

llvm::Error fx::generateDeviceCode(ModuleOp module,
                                   const CompileOptions &options,
                                   const fx::gpu::Target &target,
                                   const cpu::CPUOptions &cpu,
                                   llvm::StringRef path, ErrorCatcher &errors,
                                   PhaseRunner &phases) {
  auto print = [&](ModuleOp what) {
    return writeInPlace(path, [&](llvm::raw_ostream &os) {
      what.print(os);
      return llvm::Error::success();
    });
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
  if (llvm::Error e = runPasses(module, errors, fx::gpu::buildDevicePipeline))
    return e;
  if (options.emit == EmitKind::GPU)
    return print(module);
  return phases.run("code", 0.4, [&]() -> llvm::Error {
    llvm::Expected<OwningOpRef<ModuleOp>> device =
        lowerKernels(module, target, errors);
    if (!device)
      return device.takeError();
    llvm::Expected<std::string> code = target.platform->emit(
        **device, getName(options.emit), target.getChip(), options.optLevel);
    if (!code)
      return code.takeError();
    return writeInPlace(path, [&](llvm::raw_ostream &os) {
      os << *code;
      return llvm::Error::success();
    });
  });
}

//===----------------------------------------------------------------------===//
// Artefacts
//===----------------------------------------------------------------------===//

/// Returns an image with the properties by which the run-time chooses it.
static cpu::ImageDescription describe(llvm::StringRef chip, bool isBinary,
                                      std::string bytes) {
  fx::gpu::ChipName name = fx::gpu::getChipName(chip);
  int family = name.suffix == 'a'   ? FX_CHIP_EXACT
               : name.suffix == 'f' ? FX_CHIP_FAMILY
                                    : FX_CHIP_PLAIN;
  return {isBinary, name.number, family, std::move(bytes)};
}

/// Emits machine code for each chip of the target if ptxas is available, and
/// PTX that all chips can load. `hasOwn`: some kernels exist for one chip only.
/// Without ptxas, chips with a suffix ("sm_90a") then get PTX of their own.
static llvm::Error emitImages(ModuleOp device, const CompileOptions &options,
                              const fx::gpu::Target &target, bool hasOwn,
                              std::vector<cpu::ImageDescription> &images,
                              PtxasLog &log) {
  llvm::SmallVector<std::string> chips;
  bool hasAssembler = !nvvm::findPtxas().empty();
  for (const std::string &chip : target.chips)
    if (hasAssembler || (hasOwn && fx::gpu::getChipName(chip).suffix))
      chips.push_back(chip);
  chips.push_back(fx::gpu::getCommonChip(target.chips));
  for (auto [i, chip] : llvm::enumerate(chips)) {
    bool isBinary = hasAssembler && i + 1 < chips.size();
    llvm::Expected<std::string> code =
        nvvm::emitPTX(device, chip, options.optLevel);
    std::string said;
    if (code && isBinary)
      code = nvvm::assemble(*code, chip, &said);
    log.add(chip, said);
    if (!code)
      return code.takeError();
    images.push_back(describe(chip, isBinary, std::move(*code)));
  }
  return llvm::Error::success();
}

llvm::Error fx::compileKernels(ModuleOp module, const CompileOptions &options,
                               const fx::gpu::Target &target,
                               cpu::ModelDescription &description,
                               llvm::json::Array &kernels,
                               ErrorCatcher &errors) {
  if (llvm::Error e = runPasses(module, errors, fx::gpu::buildDevicePipeline))
    return e;
  bool hasOwn = false;
  for (auto kernels : module.getOps<mlir::gpu::GPUModuleOp>())
    for (auto func : kernels.getOps<mlir::gpu::GPUFuncOp>()) {
      auto chip = func->getAttrOfType<StringAttr>(fx::gpu::kChipAttr);
      hasOwn |= chip != nullptr;
      auto nodes = func->getAttrOfType<StringAttr>(fx::gpu::kNodesAttr);
      description.kernels.push_back(
          {func.getName().str(),
           chip ? fx::gpu::getChipName(chip.getValue()).number : 0,
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
        pm.addPass(fx::gpu::createFXGPULaunchToRuntime());
      }))
    return e;
  for (auto kernels :
       llvm::make_early_inc_range(module.getOps<mlir::gpu::GPUModuleOp>()))
    kernels.erase();
  return llvm::Error::success();
}

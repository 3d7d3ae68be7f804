//===- DeviceCode.cpp - from scheduled tensors to the code of a GPU -------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCode.h"
#include "CodeUnit.h"
#include "Formats.h"
#include "KernelTimes.h"
#include "ModuleHash.h"
#include "OperatorReport.h"
#include "PtxasLog.h"
#include "fx/CodeGen/GPU/Passes.h"
#include "fx/Support/BuildId.h"
#include "fx/Support/OutputFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/FormatVariadic.h"
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
  return {isBinary, name.number, family, nvvm::overlapsLaunches(chip),
          std::move(bytes)};
}

/// Returns the PTX of `device` for `chip`.
static llvm::Expected<std::string> emitPTX(ModuleOp device, StringRef chip,
                                           int optLevel, ObjectCache &cache) {
  std::optional<std::string> key;
  if (cache.isEnabled())
    key =
        hashModule(device, llvm::formatv("ptx {0} {1}", chip, optLevel).str());
  if (key)
    if (std::optional<std::string> found = cache.find(*key))
      return std::move(*found);
  llvm::Expected<std::string> ptx = nvvm::emitPTX(device, chip, optLevel);
  if (ptx && key)
    cache.insert(*key, *ptx);
  return ptx;
}

/// Returns the machine code of `ptx` for `chip`. Sets `said` to the messages of
/// ptxas.
static llvm::Expected<std::string>
assemble(StringRef ptx, StringRef chip, std::string &said, ObjectCache &cache) {
  std::string assembler = getFileId(nvvm::findPtxas());
  if (!cache.isEnabled() || assembler.empty())
    return nvvm::assemble(ptx, chip, &said);
  std::string key = hashTexts({"cubin", assembler, chip, ptx});
  // The messages and the code, with the size of the messages before them.
  if (std::optional<std::string> found = cache.find(key)) {
    auto [size, rest] = StringRef(*found).split(':');
    size_t bytes = 0;
    if (!size.getAsInteger(10, bytes) && bytes <= rest.size()) {
      said = rest.take_front(bytes).str();
      return rest.drop_front(bytes).str();
    }
  }
  llvm::Expected<std::string> code = nvvm::assemble(ptx, chip, &said);
  if (code)
    cache.insert(key, std::to_string(said.size()) + ":" + said + *code);
  return code;
}

/// Emits the kernels as the single image of the platform, for example SPIR-V.
static llvm::Error emitImage(ModuleOp device, const CompileOptions &options,
                             const fx::gpu::Target &target,
                             std::vector<cpu::ImageDescription> &images) {
  llvm::Expected<std::string> code = target.platform->emit(
      device, target.platform->image, target.getChip(), options.optLevel);
  if (!code)
    return code.takeError();
  images.push_back(describe("", /*isBinary=*/true, std::move(*code)));
  return llvm::Error::success();
}

/// Emits machine code for each chip of the target if ptxas is available, and
/// PTX that all chips can load. `hasOwn`: some kernels exist for one chip only.
/// Without ptxas, chips with a suffix ("sm_90a") then get PTX of their own.
static llvm::Error emitImages(ModuleOp device, const CompileOptions &options,
                              const fx::gpu::Target &target, bool hasOwn,
                              std::vector<cpu::ImageDescription> &images,
                              PtxasLog &log, ObjectCache &cache) {
  llvm::SmallVector<std::string> chips;
  bool hasAssembler = !nvvm::findPtxas().empty();
  for (const std::string &chip : target.chips)
    if (hasAssembler || (hasOwn && fx::gpu::getChipName(chip).suffix))
      chips.push_back(chip);
  chips.push_back(fx::gpu::getCommonChip(target.chips));
  for (auto [i, chip] : llvm::enumerate(chips)) {
    bool isBinary = hasAssembler && i + 1 < chips.size();
    llvm::Expected<std::string> code =
        emitPTX(device, chip, options.optLevel, cache);
    std::string said;
    if (code && isBinary)
      code = assemble(*code, chip, said, cache);
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
                               llvm::json::Array &kernels, ObjectCache &cache,
                               ErrorCatcher &errors) {
  if (llvm::Error e = runPasses(module, errors, fx::gpu::buildDevicePipeline))
    return e;
  bool hasOwn = false;
  std::vector<fx::gpu::KernelWork> work;
  for (auto kernels : module.getOps<mlir::gpu::GPUModuleOp>())
    for (auto func : kernels.getOps<mlir::gpu::GPUFuncOp>()) {
      auto chip = func->getAttrOfType<StringAttr>(fx::gpu::kChipAttr);
      hasOwn |= chip != nullptr;
      work.push_back(fx::gpu::getWork(func));
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
    if (llvm::Error e =
            target.platform->image.empty()
                ? emitImages(**device, options, target, hasOwn,
                             description.images, log, cache)
                : emitImage(**device, options, target, description.images))
      return e;
  }
  kernels = log.getKernels(description.kernels);
  addKernelTimes(kernels, work);
  if (llvm::Error e = runPasses(module, errors, [](OpPassManager &pm) {
        pm.addPass(fx::gpu::createFXGPULaunchToRuntime());
      }))
    return e;
  for (auto kernels :
       llvm::make_early_inc_range(module.getOps<mlir::gpu::GPUModuleOp>()))
    kernels.erase();
  return llvm::Error::success();
}

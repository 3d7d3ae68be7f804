//===- VariantModel.cpp - a model with several schedules ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariantModel.h"
#include "CodeUnit.h"
#include "fx/CodeGen/CPU/ScheduleChoices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"

#include <chrono>

using namespace mlir;
using namespace fx;

/// The name of the input with the number of the variant of each kernel.
static constexpr llvm::StringLiteral kVariantsInput = "fx_variants";

static std::string getVariantName(StringRef kernel, size_t variant) {
  return (kernel + "_v" + Twine(variant)).str();
}

int64_t fx::getKernelNumber(StringRef name) {
  int64_t number = -1;
  name.consume_front("kernel_");
  name.getAsInteger(10, number);
  return number;
}

bool VariantModel::isAvailable(size_t kernel, size_t variant) const {
  return variant == 0 || llvm::is_contained(available[kernel], variant);
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// Adds a clone of each kernel for each variant, and the input of @main. An
/// attribute of @main refers to the clones, which nothing calls yet.
void VariantModel::addVariants(ModuleOp module,
                               const cpu::KernelOptions &options) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  Builder b(module.getContext());
  SmallVector<Attribute> symbols;
  for (KernelVariants &kernel : kernels) {
    auto original = module.lookupSymbol<func::FuncOp>(kernel.name);
    for (size_t v = 1; v < kernel.schedules.size(); ++v) {
      func::FuncOp clone = original.clone();
      clone.setSymName(getVariantName(kernel.name, v));
      OpBuilder(original).insert(clone);
      cpu::applySchedule(clone, kernel.schedules[v], options);
      symbols.push_back(FlatSymbolRefAttr::get(clone));
    }
  }
  main->setAttr(kernel::kVariantsAttr, b.getArrayAttr(symbols));
  int64_t count = std::max<int64_t>(kernels.size(), 1);
  auto name = b.getNamedAttr("fx.name", b.getStringAttr(kVariantsInput));
  (void)main.insertArgument(main.getNumArguments(),
                            RankedTensorType::get({count}, b.getI64Type()),
                            b.getDictionaryAttr(name), main.getLoc());
}

/// Replaces each call of a kernel by a switch over its variants. `module` is
/// bufferized.
llvm::Error VariantModel::selectVariants(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  main->removeAttr(kernel::kVariantsAttr);
  Value choices;
  for (BlockArgument arg : main.getArguments()) {
    auto name =
        main.getArgAttrOfType<StringAttr>(arg.getArgNumber(), "fx.name");
    if (name && name.getValue() == kVariantsInput)
      choices = arg;
  }
  if (!choices)
    return llvm::createStringError("the input of the variants is lost");
  llvm::StringMap<size_t> byName;
  available.assign(kernels.size(), {});
  for (auto [k, kernel] : llvm::enumerate(kernels)) {
    byName[kernel.name] = k;
    for (size_t v = 1; v < kernel.schedules.size(); ++v)
      if (module.lookupSymbol(getVariantName(kernel.name, v)))
        available[k].push_back(v);
  }
  SmallVector<func::CallOp> calls;
  main.walk([&](func::CallOp call) {
    if (byName.count(call.getCallee()))
      calls.push_back(call);
  });
  for (func::CallOp call : calls) {
    size_t k = byName.lookup(call.getCallee());
    if (available[k].empty())
      continue;
    OpBuilder b(call);
    Location loc = call.getLoc();
    Value at = arith::ConstantIndexOp::create(b, loc, k);
    Value chosen = memref::LoadOp::create(b, loc, choices, at);
    chosen = arith::IndexCastOp::create(b, loc, b.getIndexType(), chosen);
    auto pick = scf::IndexSwitchOp::create(b, loc, TypeRange(), chosen,
                                           available[k], available[k].size());
    auto fill = [&](Region &region, StringRef callee) {
      b.createBlock(&region);
      auto clone = cast<func::CallOp>(b.clone(*call));
      clone.setCallee(callee);
      scf::YieldOp::create(b, loc);
    };
    fill(pick.getDefaultRegion(), kernels[k].name);
    for (auto [region, v] : llvm::zip(pick.getCaseRegions(), available[k]))
      fill(region, getVariantName(kernels[k].name, v));
    call.erase();
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<VariantModel>>
VariantModel::create(ModuleOp formed, std::vector<KernelVariants> kernels,
                     const CompileOptions &options, const cpu::CPUOptions &cpu,
                     ErrorCatcher &errors) {
  llvm::Expected<UnlinkedFile> file = UnlinkedFile::create();
  if (!file)
    return file.takeError();
  std::unique_ptr<VariantModel> result(
      new VariantModel(std::move(kernels), std::move(*file)));
  result->threads = options.tuneThreads;
  OwningOpRef<ModuleOp> module = formed.clone();
  cpu::KernelOptions kernelOptions =
      cpu::getKernelOptions(cpu.features, cpu.cpu);
  kernelOptions.profile = true;
  result->addVariants(*module, kernelOptions);
  if (llvm::Error e = runPasses(*module, errors, [&](OpPassManager &pm) {
        cpu::buildEmitPipeline(pm, kernelOptions);
      }))
    return e;
  if (llvm::Error e = result->describe(*module, options, errors))
    return e;
  CompileOptions quiet;
  quiet.input = options.input;
  quiet.configurePasses = options.configurePasses;
  quiet.optLevel = options.optLevel;
  quiet.profile = true;
  ModelVersion version;
  version.cpu = cpu;
  version.cpu.profile = true;
  version.module = std::move(module);
  CompileReport report;
  PhaseRunner phases(quiet, report);
  std::string path = result->file.getPath();
  if (llvm::Error e =
          generateCode(version, quiet, /*gpu=*/nullptr, /*package=*/{}, path,
                       errors, phases, report, [&](ModuleOp module) {
                         return result->selectVariants(module);
                       }))
    return e;
  auto loaded = CompiledModel::load(path, {});
  if (!loaded)
    return loaded.takeError();
  result->model = std::move(*loaded);
  const FXModelInfo &info = result->model->getInfo();
  for (int i = 0; i < info.n_states; ++i)
    result->isMutable |= info.states[i].is_mutable != 0;
  return result;
}

/// Describes the inputs of @main and creates them.
llvm::Error VariantModel::describe(ModuleOp module,
                                   const CompileOptions &options,
                                   ErrorCatcher &errors) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  FailureOr<cpu::ModelDescription> made = cpu::describeModel(main);
  if (failed(made))
    return errors.take("@main cannot be described");
  auto sizes = getTuneSizes(*made, options);
  if (!sizes)
    return sizes.takeError();
  for (const cpu::ValueDescription &value : made->inputs) {
    auto input = makeTuneInput(value, *sizes);
    if (!input)
      return input.takeError();
    inputs.push_back(std::move(*input));
  }
  for (auto [value, input] : llvm::zip(made->inputs, inputs))
    tensors.push_back({input.bytes.data(),
                       {kDLCPU, 0},
                       int32_t(input.sizes.size()),
                       {value.dtype.code, value.dtype.bits, 1},
                       input.sizes.data(),
                       input.strides.data(),
                       0});
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

llvm::Expected<RunTimes> VariantModel::run(ArrayRef<int64_t> variants) {
  // The additional input is the last one.
  llvm::copy(variants, reinterpret_cast<int64_t *>(inputs.back().bytes.data()));
  std::vector<const DLTensor *> passed;
  for (DLTensor &tensor : tensors)
    passed.push_back(&tensor);
  if (isMutable)
    model->getApi().reset(model->getInstance());
  RunTimes times;
  ModelOutputs outputs;
  auto start = std::chrono::steady_clock::now();
  if (llvm::Error e = model->run(passed, outputs, threads))
    return e;
  std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - start;
  times.seconds = spent.count();
  constexpr size_t kPart = 4096;
  std::vector<FXKernelRun> calls(kPart);
  for (size_t taken = kPart; taken == kPart;) {
    taken =
        model->getApi().take_profile(model->getInstance(), calls.data(), kPart);
    for (const FXKernelRun &call : ArrayRef(calls).take_front(taken))
      times.kernels[call.kernel] += 1e-9 * (call.end - call.start);
  }
  return times;
}

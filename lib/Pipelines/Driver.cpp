//===- Driver.cpp - from a model to code, phase by phase ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "BakeWeights.h"
#include "CodeUnit.h"
#include "DeviceCode.h"
#include "Formats.h"
#include "Tuner.h"
#include "fx/CodeGen/GPU/Passes.h"
#include "fx/IR/ExternalPaths.h"
#include "fx/IR/Metadata.h"
#include "fx/Import/Import.h"
#include "fx/Import/ModuleFile.h"
#include "fx/Kernels/Passes.h"
#include "fx/Kernels/Tuning.h"
#include "fx/Operators/Plugin.h"
#include "fx/Pipelines/Pipelines.h"
#include "fx/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace mlir;
using namespace fx;

static constexpr CompileError::Kind kInput = CompileError::Kind::Input;

llvm::Error Driver::runPasses(function_ref<void(OpPassManager &)> build) {
  return fx::runPasses(*module, errors, build);
}

llvm::Error Driver::load(Method &method) {
  if (!llvm::sys::fs::exists(method.input))
    return CompileError::make(kInput, "cannot open: no such file");
  StringRef extension = llvm::sys::path::extension(method.input);
  if (extension != ".mlir" && extension != ".mlirbc") {
    ImportOptions import;
    import.model = method.model;
    import.limits = options.limits;
    FailureOr<OwningOpRef<ModuleOp>> imported =
        importPt2(method.input, context, import);
    if (failed(imported))
      return errors.take("cannot be imported", kInput);
    method.module = std::move(*imported);
    return llvm::Error::success();
  }
  method.module = parseModuleFile(method.input, &context);
  if (!method.module)
    return errors.take("cannot be parsed", kInput);
  return llvm::Error::success();
}

llvm::Error Driver::loadAll() {
  for (Method &method : methods) {
    input = method.input;
    if (method.module)
      phases.setModule(*method.module);
    else if (llvm::Error e = phases.run("import", 0.0, [&]() -> llvm::Error {
               llvm::Error e = load(method);
               if (!e)
                 phases.setModule(*method.module);
               return e;
             }))
      return e;
  }
  if (!options.weights.empty()) {
    SmallVector<ModuleOp> modules;
    for (Method &method : methods)
      modules.push_back(*method.module);
    if (llvm::Error e = bakeWeights(modules, options.weights))
      return CompileError::make(kInput, llvm::toString(std::move(e)));
  }
  if (options.cacheCapacity)
    for (Method &method : methods) {
      input = method.input;
      if (llvm::Error e =
              fx::runPasses(*method.module, errors, [&](OpPassManager &pm) {
                buildFunctionalPipeline(pm);
                pm.addPass(createCanonicalizerPass());
                pm.addPass(createKeepCachesPass({options.cacheCapacity}));
              }))
        return e;
    }
  markWrittenStates(methods, [&](ModuleOp copy) {
    return fx::runPasses(copy, errors, buildFunctionalPipeline);
  });
  return llvm::Error::success();
}

llvm::Error Driver::simplify() {
  SimplifyOptions simplify;
  simplify.swappableWeights = options.keepsWeights();
  simplify.gpu = gpu.has_value();
  simplify.bf16 = llvm::all_of(cpus, [](const cpu::CPUOptions &cpu) {
    return cpu::getKernelOptions(cpu.features, cpu.cpu).bf16;
  });
  simplify.async = options.async;
  return runPasses(
      [&](OpPassManager &pm) { buildSimplifyPipeline(pm, simplify); });
}

llvm::Error Driver::toLinalg() {
  ToLinalgOptions linalg;
  linalg.wholeHeads = !gpu || gpu->getMatrixUnit() != kernel::MatrixUnit::None;
  linalg.rowKernels = !gpu;
  linalg.gpu = gpu.has_value();
  linalg.float8 = gpu && kernel::hasTensorCores(gpu->getMatrixUnit());
  linalg.bf16 = options.precision.bf16;
  linalg.int8 = options.precision.int8;
  linalg.wholeFloatHeads = !gpu;
  return runPasses(
      [&](OpPassManager &pm) { buildToLinalgPipeline(pm, linalg); });
}

/// Schedules the kernels for the GPU. @prepare, which computes everything that
/// depends on states alone, is scheduled for this machine's CPU: it runs during
/// the compilation.
llvm::Error Driver::scheduleForDevice() {
  std::string error;
  FailureOr<cpu::CPUOptions> host = cpu::getCPUOptions("", error);
  if (failed(host))
    return CompileError::make(kInput, error);
  kernel::MatrixUnit unit = gpu->getMatrixUnit();
  if (llvm::Error e = runPasses([&](OpPassManager &pm) {
        buildGPUGroupPipeline(pm, unit, options.precision.tf32);
      }))
    return e;
  llvm::Expected<OwningOpRef<ModuleOp>> split = splitPrepare(*module);
  if (!split)
    return split.takeError();
  prepare = std::move(*split);
  if (prepare)
    if (llvm::Error e = fx::runPasses(*prepare, errors, [&](OpPassManager &pm) {
          pm.addPass(createSymbolDCEPass());
          // The host multiplies no eight-bit floats.
          pm.addPass(kernel::createLowerFloat8Pass());
          cpu::buildEmitPipeline(
              pm, cpu::getKernelOptions(host->features, host->cpu));
        }))
      return e;
  return runPasses([&](OpPassManager &pm) {
    fx::gpu::buildKernelPipeline(pm, unit, options.gpuTiles,
                                 options.precision.tf32);
  });
}

/// Forms the kernels, and schedules @prepare: it runs during the compilation on
/// this machine, so its code has no instructions of the other one. The vectors
/// are those of the other one, for which weights are packed.
llvm::Error Driver::splitForOtherMachine(const cpu::KernelOptions &kernels) {
  if (llvm::Error e = runPasses(
          [&](OpPassManager &pm) { cpu::buildFormPipeline(pm, kernels); }))
    return e;
  if (!isLinked(options.emit))
    return llvm::Error::success();
  llvm::Expected<OwningOpRef<ModuleOp>> split = splitPrepare(*module);
  if (!split)
    return split.takeError();
  prepare = std::move(*split);
  if (!prepare)
    return llvm::Error::success();
  cpu::KernelOptions plain;
  plain.lanes = kernels.lanes;
  return fx::runPasses(*prepare, errors, [&](OpPassManager &pm) {
    pm.addPass(createSymbolDCEPass());
    cpu::buildEmitPipeline(pm, plain);
  });
}

llvm::Error Driver::schedule(const cpu::CPUOptions &cpu) {
  if (gpu)
    return scheduleForDevice();
  cpu::KernelOptions kernels = cpu::getKernelOptions(cpu.features, cpu.cpu);
  kernels.profile = options.profile;
  kernels.winograd = options.winograd;
  kernels.tuneFile = options.tuneFile;
  kernels.target =
      kernel::TuningTarget::get(cpu.cpu, cpu.features, options.tuneThreads);
  kernels.candidate = options.candidate;
  errors.clearWarnings();
  bool isCross = !cpu.triple.empty();
  if (isCross)
    if (llvm::Error e = splitForOtherMachine(kernels))
      return e;
  if (llvm::Error e = runPasses([&](OpPassManager &pm) {
        if (options.tuneSeconds > 0 || isCross)
          cpu::buildEmitPipeline(pm, kernels);
        else
          cpu::buildKernelPipeline(pm, kernels);
      }))
    return e;
  llvm::append_range(report.warnings, errors.getWarnings());
  return llvm::Error::success();
}

llvm::Error Driver::tune(const cpu::CPUOptions &cpu) {
  cpu::KernelOptions kernels = cpu::getKernelOptions(cpu.features, cpu.cpu);
  kernels.winograd = options.winograd;
  if (llvm::Error e = runPasses(
          [&](OpPassManager &pm) { cpu::buildFormPipeline(pm, kernels); }))
    return e;
  return tuneKernels(*module, options, cpu, errors, [&] {
    if (onTunedRun)
      onTunedRun();
  });
}

/// Checks the options of tuning and the tuning file. Errors in the file must
/// not count as errors of nodes.
llvm::Error Driver::checkTuning() {
  if (options.tuneSeconds > 0) {
    if (!options.cpu.empty() && options.cpu != "native" &&
        options.cpu != "host")
      return CompileError::make(
          kInput, "--tune: expected the CPU of this machine, got '" +
                      options.cpu + "'");
    if (options.tuneFile.empty() || isWrittenInPlace(options.tuneFile))
      return CompileError::make(
          kInput, "--tune: expected a file for schedules (--tune-file), got '" +
                      options.tuneFile + "'");
    if (!llvm::sys::fs::exists(options.tuneFile))
      return llvm::Error::success();
  }
  if (options.tuneFile.empty())
    return llvm::Error::success();
  auto file = kernel::TuningFile::read(options.tuneFile, context);
  return file ? llvm::Error::success()
              : CompileError::make(kInput, llvm::toString(file.takeError()));
}

/// Returns the value of an input or output that is a constant as JSON, which
/// has no infinite numbers.
static std::optional<llvm::json::Value> toJSON(Attribute constant) {
  if (auto flag = dyn_cast<BoolAttr>(constant))
    return flag.getValue();
  if (auto number = dyn_cast<IntegerAttr>(constant))
    return number.getValue().getSExtValue();
  if (auto text = dyn_cast<StringAttr>(constant))
    return llvm::json::fixUTF8(text.getValue());
  auto number = dyn_cast<FloatAttr>(constant);
  if (!number)
    return nullptr;
  double value = number.getValueAsDouble();
  return std::isfinite(value) ? std::optional<llvm::json::Value>(value)
                              : std::nullopt;
}

/// Adds the inputs that are constants, and the outputs that are texts.
static void listConstants(ModuleOp module, ModelVersion &version) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return;
  if (auto inputs = main->getAttrOfType<ArrayAttr>("fx.inputs"))
    for (auto [leaf, entry] :
         llvm::enumerate(inputs.getAsRange<DictionaryAttr>())) {
      Attribute constant = entry.get("value");
      auto name = entry.getAs<StringAttr>("name");
      if (auto value = constant ? toJSON(constant) : std::nullopt)
        version.constants.push_back(llvm::json::Object{
            {"leaf", int64_t(leaf)},
            {"name", llvm::json::fixUTF8(name ? name.getValue() : "")},
            {"value", std::move(*value)}});
    }
  if (auto outputs = main->getAttrOfType<ArrayAttr>("fx.outputs"))
    for (auto [leaf, entry] : llvm::enumerate(outputs))
      if (isa<StringAttr>(entry))
        version.textOutputs.push_back(llvm::json::Object{
            {"leaf", int64_t(leaf)}, {"value", *toJSON(entry)}});
}

/// Schedules the module for `cpu` and adds what the report says of it.
llvm::Error Driver::addVersion(ModelVersion &version,
                               const cpu::CPUOptions &cpu) {
  if (llvm::Error e =
          phases.run("schedule", 0.2, [&] { return schedule(cpu); }))
    return e;
  OperatorReport own = operators;
  own.noteKernels(*module);
  version.method = method.str();
  version.cpu = cpu;
  if (methods.size() > 1)
    version.cpu.suffix += ("_" + method).str();
  version.operators = own.getOperators();
  version.kernels = own.getKernels();
  if (callSpec) {
    version.inSpec = callSpec->in;
    version.outSpec = callSpec->out;
  }
  listConstants(*module, version);
  if (gpu)
    operators = std::move(own);
  if (&version == &versions.front()) {
    report.operators = version.operators;
    report.kernels = version.kernels;
  }
  return llvm::Error::success();
}

llvm::Error Driver::checkFallbacks() {
  if (options.allowFallback)
    return llvm::Error::success();
  std::string list;
  int64_t n = 0;
  module->walk([&](EagerOp op) {
    ++n;
    list += (list.empty() ? "" : ", ") + op.getTarget().str();
    if (std::optional<StringRef> node = getNodeName(op))
      list += " (" + node->str() + ")";
  });
  if (n == 0)
    return llvm::Error::success();
  return CompileError::make(CompileError::Kind::NoNativeCode,
                            "expected native code for every operator, got " +
                                Twine(n) + " without: " + list);
}

llvm::Error Driver::printModule(StringRef path) {
  // In a file that may be anywhere, the paths of weights are absolute.
  StringRef as = isWrittenInPlace(path) ? "-" : path;
  return writeInPlace(path, [&](llvm::raw_ostream &os) {
    printModuleFile(*module, as, os);
    return llvm::Error::success();
  });
}

llvm::Error Driver::saveTemp(StringRef phase) {
  if (!options.saveTemps || isWrittenInPlace(options.output))
    return llvm::Error::success();
  std::string of = methods.size() > 1 ? "." + method.str() : "";
  std::string path = options.output + of + "." + phase.str() + ".mlir";
  return writeOutputFile(
      path,
      [&](llvm::raw_ostream &os) {
        printModuleFile(*module, path, os);
        return llvm::Error::success();
      },
      options.handlesSignals);
}

/// The fraction of a compilation after which all methods are lowered.
static constexpr double kLowered = 0.25;

/// Returns true, for an output that was written, or the error.
static llvm::Expected<bool> asWritten(llvm::Error error) {
  if (error)
    return std::move(error);
  return true;
}

/// Lowers method `m` to scheduled kernels. Returns true if this has written the
/// output to `path`.
llvm::Expected<bool> Driver::lowerMethod(size_t m, StringRef path) {
  input = methods[m].input;
  method = methods[m].name;
  module = std::move(methods[m].module);
  operators = OperatorReport();
  operators.mark(*module);
  phases.setModule(*module);
  phases.setPart(kLowered, m, methods.size());
  callSpec = getCallSpec(*module);
  if (options.emit == EmitKind::AOTI) {
    if (!callSpec)
      return CompileError::make(
          kInput, "--emit=aoti: expected an exported program with 'fx.in_spec' "
                  "and 'fx.out_spec', got none");
    package = AotiParts{*callSpec, ""};
  }
  if (module->lookupSymbol<GraphOp>("main")) {
    if (llvm::Error e =
            phases.run("simplify", 0.05, [&] { return simplify(); }))
      return e;
    if (llvm::Error e = saveTemp("fx"))
      return e;
    if (options.emit == EmitKind::FX)
      return asWritten(printModule(path));
    if (isolation)
      isolation->apply(*module, method, report);
    if (package && options.allowFallback)
      drawByATen(*module);
    if (llvm::Error e = phases.run("linalg", 0.1, [&] { return toLinalg(); }))
      return e;
  } else if (options.emit == EmitKind::FX) {
    return CompileError::make(kInput, "expected an 'fx.graph @main'");
  } else if (options.precision.bf16 || options.precision.int8) {
    // The program is linalg already.
    if (llvm::Error e = runPasses([&](OpPassManager &pm) {
          pm.addPass(kernel::createLowerPrecisionPass(
              {options.precision.bf16, options.precision.int8}));
        }))
      return e;
  }
  operators.noteFallbacks(*module);
  if (options.profile)
    operators.numberFallbacks(*module);
  report.operators = operators.getOperators();
  if (options.onOperators)
    options.onOperators(report.operators);
  if (llvm::Error e = checkFallbacks())
    return e;
  if (llvm::Error e = saveTemp("linalg"))
    return e;
  if (options.emit == EmitKind::Linalg)
    return asWritten(printModule(path));
  if (llvm::Error e = embedObjects(*module, errors))
    return e;
  if (package) {
    llvm::Expected<std::string> nodes = planExternCalls(*module);
    if (!nodes)
      return nodes.takeError();
    package->externNodes = std::move(*nodes);
  }
  if (options.tuneSeconds > 0)
    if (llvm::Error e =
            phases.run("tune", 0.2, [&] { return tune(cpus.front()); }))
      return e;
  return scheduleVersions(m, path);
}

/// Schedules the module of method `m`, which is on linalg, for each CPU.
/// Returns true if this has written the output to `path`.
llvm::Expected<bool> Driver::scheduleVersions(size_t m, StringRef path) {
  OwningOpRef<ModuleOp> linalg;
  if (cpus.size() > 1)
    linalg = module->clone();
  for (auto [i, cpu] : llvm::enumerate(cpus)) {
    if (i > 0) {
      module = linalg->clone();
      phases.setModule(*module);
    }
    ModelVersion &version = versions[i * methods.size() + m];
    if (llvm::Error e = addVersion(version, cpu))
      return e;
    if (i == 0)
      if (llvm::Error e = saveTemp("kernels"))
        return e;
    if (options.emit == EmitKind::Kernels)
      return asWritten(printModule(path));
    bool isArtefact = options.emit == EmitKind::SharedObject ||
                      options.emit == EmitKind::Header;
    if (gpu && isArtefact)
      operators.nameKernels(*module);
    if (gpu && !isArtefact)
      return asWritten(generateDeviceCode(*module, options, *gpu, cpu, path,
                                          errors, phases));
    version.module = std::move(module);
    version.prepare = std::move(prepare);
  }
  return false;
}

llvm::Error Driver::emit(StringRef path) {
  versions.resize(cpus.size() * methods.size());
  for (size_t m = 0; m < methods.size(); ++m) {
    llvm::Expected<bool> isWritten = lowerMethod(m, path);
    if (!isWritten)
      return isWritten.takeError();
    if (*isWritten)
      return llvm::Error::success();
  }
  phases.endParts();
  input = methods.front().input;
  phases.setModule(*versions.front().module);
  return generateCode(versions, options, gpu ? &*gpu : nullptr,
                      std::move(package), path, errors, phases, report);
}

/// Returns an error if the output needs a program of the platform that cannot
/// be executed. Checking this late would blame the nodes, and compile again
/// without native code for each of them.
static llvm::Error checkPrograms(EmitKind emit, const fx::gpu::Target *gpu) {
  if (!gpu || !gpu->platform->checkPrograms)
    return llvm::Error::success();
  if (llvm::Error e = gpu->platform->checkPrograms(getName(emit)))
    return CompileError::make(kInput, llvm::toString(std::move(e)));
  return llvm::Error::success();
}

/// Sets `triple` to that of another machine, or leaves it empty.
llvm::Error Driver::getTriple(std::string &triple) {
  if (options.triple.empty())
    return llvm::Error::success();
  std::string error;
  FailureOr<std::string> parsed = cpu::parseTriple(options.triple, error);
  if (failed(parsed))
    return CompileError::make(kInput, "--mtriple: " + error);
  triple = *parsed;
  if (triple.empty())
    return llvm::Error::success();
  for (auto [isSet, name] :
       {std::pair(gpu.has_value(), "--target"),
        std::pair(options.tuneSeconds > 0, "--tune"),
        std::pair(options.emit == EmitKind::AOTI, "--emit=aoti")})
    if (isSet)
      return CompileError::make(kInput, Twine(name) +
                                            ": expected this machine, got '" +
                                            options.triple + "' (--mtriple)");
  if (isLinked(options.emit))
    if (llvm::Error e = cpu::checkRuntime(llvm::Triple(triple)))
      return CompileError::make(kInput, llvm::toString(std::move(e)));
  return llvm::Error::success();
}

/// Checks the options, and finds the GPU and the CPUs to compile for.
llvm::Error Driver::checkTarget() {
  if (!options.target.empty()) {
    auto parsed = fx::gpu::parseTarget(options.target, getPlatforms());
    if (!parsed)
      return CompileError::make(kInput, llvm::toString(parsed.takeError()));
    gpu = *parsed;
    for (auto [isSet, name] :
         {std::pair(options.swappableWeights, "--swappable-weights"),
          std::pair(options.precision.int8, "--precision=int8"),
          std::pair(options.profile, "--profile"),
          std::pair(options.tuneSeconds > 0, "--tune"),
          std::pair(!options.tuneFile.empty(), "--tune-file")})
      if (isSet)
        return CompileError::make(
            kInput,
            Twine(name) + ": expected the CPU as the target, got a GPU");
  }
  if (options.precision.tf32 &&
      (!gpu || !kernel::hasTensorCores(gpu->getMatrixUnit())))
    return CompileError::make(
        kInput, "--precision=tf32: expected NVIDIA GPUs of sm_80 or newer as "
                "the target, got " +
                    Twine(gpu ? options.target : "the CPU"));
  const fx::gpu::Target *device = gpu ? &*gpu : nullptr;
  if (llvm::Error e = checkFormat(options.emit, device))
    return e;
  if (llvm::Error e = checkPrograms(options.emit, device))
    return e;
  std::string error, triple;
  if (llvm::Error e = getTriple(triple))
    return e;
  // Host code that only launches kernels is fast enough on any x86-64.
  auto found = cpu::getVersions(
      gpu && options.cpu.empty() ? "x86-64" : options.cpu, error, triple);
  if (failed(found))
    return CompileError::make(kInput, error);
  cpus = std::move(*found);
  bool allowsVersions =
      !gpu && (isLinked(options.emit) || options.emit == EmitKind::Header);
  if (cpus.size() > 1 && !allowsVersions)
    return CompileError::make(
        kInput, "expected one CPU unless the output is a shared object or a "
                "package for CPUs, got " +
                    Twine(cpus.size()));
  for (cpu::CPUOptions &cpu : cpus) {
    cpu.optLevel = options.optLevel;
    cpu.profile = options.profile;
  }
  return checkTuning();
}

llvm::Error Driver::run() {
  if (llvm::Error e = loadPluginsOfEnvironment())
    return e;
  if (llvm::Error e = checkMethods(methods, options))
    return e;
  if (llvm::Error e = checkTarget())
    return e;
  report.cpu = cpus.front().name;
  errors.reproducer = options.crashReproducer;
  errors.configurePasses = options.configurePasses;
  errors.crashes = options.crashIn == "pass";
  if (isolation)
    isolation->nodes.clear();
  if (llvm::Error e = loadAll())
    return e;
  if (isWrittenInPlace(options.output)) {
    // The weights of a shared object are written through a mapping.
    llvm::sys::fs::file_status status;
    if (options.emit == EmitKind::SharedObject && options.output != "-" &&
        !llvm::sys::fs::status(options.output, status) &&
        !llvm::sys::fs::is_regular_file(status))
      return CompileError::make(CompileError::Kind::Output,
                                Twine(options.output) +
                                    ": cannot write: expected a regular file");
    return emit(options.output);
  }
  if (llvm::Error e = file.create(options.output, options.handlesSignals))
    return e;
  if (llvm::Error e = emit(file.getTemporaryPath()))
    return e;
  return file.keep();
}

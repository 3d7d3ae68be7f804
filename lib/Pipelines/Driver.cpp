//===- Driver.cpp - from a model to code, phase by phase ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "CodeUnit.h"
#include "DeviceCode.h"
#include "Formats.h"
#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/CodeGen/Common/Attention.h"
#include "fx/CodeGen/GPU/Passes.h"
#include "fx/Conversion/Passes.h"
#include "fx/IR/ExternalPaths.h"
#include "fx/IR/Metadata.h"
#include "fx/Import/Import.h"
#include "fx/Import/ModuleFile.h"
#include "fx/Operators/Plugin.h"
#include "fx/Operators/Schema.h"
#include "fx/Operators/Verify.h"
#include "fx/Pipelines/GPU.h"
#include "fx/Transforms/CorrectTypes.h"
#include "fx/Transforms/Passes.h"
#include "fx/Transforms/StridedMemory.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace fx;

llvm::Error Driver::runPasses(function_ref<void(OpPassManager &)> build) {
  return fx::runPasses(*module, errors, build);
}

llvm::Error Driver::load() {
  if (!llvm::sys::fs::exists(options.input))
    return llvm::createStringError(": cannot open: no such file");
  StringRef extension = llvm::sys::path::extension(options.input);
  if (extension != ".mlir" && extension != ".mlirbc") {
    ImportOptions import;
    import.model = options.model;
    FailureOr<OwningOpRef<ModuleOp>> imported =
        importPt2(options.input, context, import);
    if (failed(imported))
      return errors.take("cannot be imported");
    module = std::move(*imported);
    return llvm::Error::success();
  }
  module = parseModuleFile(options.input, &context);
  if (!module)
    return errors.take("cannot be parsed");
  return llvm::Error::success();
}

/// Refuses operators that only the interpreter can run.
llvm::Error Driver::checkNotOnlyInterpreted() {
  auto getReason = [](StringRef target) -> StringRef {
    // These calls change what the operators between them mean.
    if (target.starts_with("torch._functorch."))
      return "expected a graph without torch.vmap, as run_decompositions "
             "leaves it";
    return "";
  };
  WalkResult walk = module->walk([&](CallFunctionOp call) {
    std::string unknown = getUnknownMemory(call);
    StringRef reason = unknown.empty() ? getReason(call.getTarget()) : unknown;
    if (reason.empty())
      reason = getMistakenType(call);
    StringRef space = call.getTarget().split('.').first;
    // A live graph's call of a user's function.
    if (call->hasAttr("fx.function") && space != "torch" && space != "math" &&
        space != "_operator" && !lookupOperator(call.getTarget()))
      reason = "expected operators, got a function that only Python can run";
    if (reason.empty())
      return WalkResult::advance();
    call.emitError("'") << call.getTarget()
                        << "' has no native code: " << reason;
    return WalkResult::interrupt();
  });
  return walk.wasInterrupted() ? errors.take("an operator has no native code")
                               : llvm::Error::success();
}

/// From what was exported to a functional graph of operators that have
/// lowerings.
llvm::Error Driver::simplify() {
  for (GraphOp graph : module->getOps<GraphOp>())
    correctTypes(graph);
  if (llvm::Error e = checkNotOnlyInterpreted())
    return e;
  if (llvm::Error e = runPasses([&](OpPassManager &pm) {
        pm.addPass(createResolveCallsPass());
        pm.addPass(createInlineWrappersPass());
        pm.addPass(createSimplifySizesPass());
        // The fallback refuses an operator of the user's that writes and whose
        // schema is not known here.
        pm.addPass(createFunctionalizePass({/*assumesFunctional=*/true}));
        pm.addPass(createCanonicalizerPass());
        pm.addPass(createDecomposeCustomPass());
        pm.addPass(createDecomposePass());
        pm.addPass(createFoldConvBNPass());
        pm.addPass(createKeepIntegersPass());
        // Swapped weights may have other zero points, and more bits.
        if (!options.swappableWeights) {
          pm.addPass(createDropZeroPointsPass());
          // Kernels of GPUs read bytes.
          if (!gpu)
            pm.addPass(createNoteNarrowWeightsPass());
        }
        pm.addPass(createCanonicalizerPass());
        pm.addPass(createCSEPass());
        if (options.async.empty())
          return;
        SchedulePassOptions schedule;
        schedule.async.assign(options.async.begin(), options.async.end());
        pm.addPass(createSchedulePass(schedule));
      }))
    return e;
  return checkSharedStates();
}

/// Compiled code holds each state in memory of its own: of two that share a
/// storage, none is written, or both as one tensor (tied weights).
llvm::Error Driver::checkSharedStates() {
  auto graph = module->lookupSymbol<GraphOp>("main");
  llvm::StringMap<Attribute> used;
  for (PlaceholderOp input : graph.getPlaceholders())
    if (input.getTarget() && !input.getResult().use_empty())
      if (auto state = module->lookupSymbol<StateOp>(*input.getTarget()))
        if (isa_and_present<ExternalAttr>(state.getInitAttr()))
          used[state.getSymName()] = state.getInitAttr();
  OutputOp output = graph.getOutput();
  llvm::StringSet<> written;
  for (size_t i = 0, n = output.getArgs().size(); i < n; ++i)
    if (OutputSpecAttr spec = output.getSpec(i); spec.getTarget())
      written.insert(spec.getTarget().getValue());
  for (size_t i = 0, n = output.getArgs().size(); i < n; ++i) {
    OutputSpecAttr spec = output.getSpec(i);
    if (!spec.getTarget() || (spec.getKind() != OutputKind::BufferMutation &&
                              spec.getKind() != OutputKind::ParameterMutation))
      continue;
    auto state = module->lookupSymbol<StateOp>(spec.getTarget().getValue());
    if (!state)
      continue;
    for (const auto &[name, bytes] : used)
      if (bytes == state.getInitAttr() && name != state.getSymName() &&
          !(written.contains(name) &&
            module->lookupSymbol<StateOp>(name).getType() == state.getType())) {
        state.emitError("state '")
            << state.getSymName() << "' is written and shares its storage "
            << "with '" << name << "': this has no native code";
        return errors.take("states share a storage");
      }
  }
  return llvm::Error::success();
}

llvm::Error Driver::toLinalg() {
  ConvertFXToLinalgOptions lowering;
  if (gpu && gpu->hasTensorCores())
    lowering.wholeHeads = codegen::kMaxHeadSize;
  return runPasses([&](OpPassManager &pm) {
    pm.addPass(createConvertFXToLinalg(lowering));
    pm.addPass(createLowerCustom());
  });
}

/// What depends on states alone is computed here, on this processor.
llvm::Error Driver::scheduleForDevice() {
  std::string error;
  FailureOr<cpu::CPUOptions> host = cpu::getCPUOptions("", error);
  if (failed(host))
    return llvm::createStringError(": " + error);
  bool tensorCores = gpu->hasTensorCores();
  if (llvm::Error e = runPasses(
          [&](OpPassManager &pm) { buildGPUGroupPipeline(pm, tensorCores); }))
    return e;
  prepare = splitPrepare(*module);
  if (prepare)
    if (llvm::Error e = fx::runPasses(*prepare, errors, [&](OpPassManager &pm) {
          pm.addPass(createSymbolDCEPass());
          cpu::buildEmitPipeline(pm, cpu::getKernelOptions(host->features));
        }))
      return e;
  bool warpgroups = llvm::is_contained(gpu->chips, "sm_90a");
  return runPasses([&](OpPassManager &pm) {
    fx::gpu::buildKernelPipeline(pm, tensorCores, warpgroups, options.gpuTiles);
  });
}

llvm::Error Driver::schedule() {
  if (gpu)
    return scheduleForDevice();
  return runPasses([&](OpPassManager &pm) {
    cpu::buildKernelPipeline(pm, cpu::getKernelOptions(cpu.features));
  });
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
  return llvm::createStringError(
      ": expected native code for every operator, got " + std::to_string(n) +
      " without: " + list);
}

llvm::Error Driver::printModule(StringRef path) {
  return writeFile(
      path, [&](llvm::raw_ostream &os) { printModuleFile(*module, path, os); });
}

llvm::Error Driver::saveTemp(StringRef phase) {
  if (!options.saveTemps || options.output == "-")
    return llvm::Error::success();
  return printModule(options.output + "." + phase.str() + ".mlir");
}

llvm::Error Driver::emit(StringRef path) {
  if (module->lookupSymbol<GraphOp>("main")) {
    if (llvm::Error e =
            phases.run("simplify", 0.05, [&] { return simplify(); }))
      return e;
    if (llvm::Error e = saveTemp("fx"))
      return e;
    if (options.emit == EmitKind::FX)
      return printModule(path);
    if (isolation)
      isolation->apply(*module, report);
    if (llvm::Error e = phases.run("linalg", 0.1, [&] { return toLinalg(); }))
      return e;
  } else if (options.emit == EmitKind::FX) {
    return llvm::createStringError(": expected an 'fx.graph @main'");
  }
  operators.noteFallbacks(*module);
  report.operators = operators.getOperators();
  if (options.onOperators)
    options.onOperators(report.operators);
  if (llvm::Error e = checkFallbacks())
    return e;
  if (llvm::Error e = saveTemp("linalg"))
    return e;
  if (options.emit == EmitKind::Linalg)
    return printModule(path);
  if (llvm::Error e = embedObjects(*module, errors))
    return e;
  if (llvm::Error e = phases.run("schedule", 0.2, [&] { return schedule(); }))
    return e;
  operators.noteKernels(*module);
  report.operators = operators.getOperators();
  report.kernels = operators.getKernels();
  if (llvm::Error e = saveTemp("kernels"))
    return e;
  if (options.emit == EmitKind::Kernels)
    return printModule(path);
  bool isArtefact = options.emit == EmitKind::SharedObject ||
                    options.emit == EmitKind::Header;
  if (gpu && isArtefact)
    operators.nameKernels(*module);
  if (gpu && !isArtefact)
    return generateDeviceCode(*module, options, *gpu, cpu, path, errors,
                              phases);
  return generateCode(*module, options, cpu, gpu ? &*gpu : nullptr,
                      std::move(prepare), path, errors, phases, report);
}

llvm::Error Driver::run() {
  if (llvm::Error e = loadPluginsOfEnvironment())
    return e;
  if (!options.target.empty()) {
    auto parsed = fx::gpu::parseTarget(options.target);
    if (!parsed)
      return llvm::createStringError(": " + llvm::toString(parsed.takeError()));
    gpu = *parsed;
    if (options.swappableWeights)
      return llvm::createStringError(
          ": --swappable-weights: expected the processor as the "
          "target, got a GPU");
  }
  if (llvm::Error e = checkFormat(options.emit, gpu ? &*gpu : nullptr))
    return e;
  // What launches kernels is fast on any processor.
  std::string error;
  FailureOr<cpu::CPUOptions> target = cpu::getCPUOptions(
      gpu && options.cpu.empty() ? "x86-64" : options.cpu, error);
  if (failed(target))
    return llvm::createStringError(": " + error);
  cpu = *target;
  cpu.optLevel = options.optLevel;
  report.cpu = cpu.cpu;
  errors.reproducer = options.crashReproducer;
  errors.crashes = options.crashIn == "pass";
  if (module)
    phases.setModule(*module);
  else if (llvm::Error e = phases.run("import", 0.0, [&]() -> llvm::Error {
             llvm::Error e = load();
             if (!e)
               phases.setModule(*module);
             return e;
           }))
    return e;
  operators.mark(*module);
  if (options.output == "-" || options.writesInPlace)
    return emit(options.output);
  // A rename would put a file in the place of a device or a pipe.
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(options.output, status) &&
      !llvm::sys::fs::is_regular_file(status))
    return llvm::createStringError(": cannot write '" + options.output +
                                   "': expected a regular file");
  // Beside the output, so that the rename stays in one file system.
  int fd;
  if (std::error_code ec = llvm::sys::fs::createUniqueFile(
          options.output + ".%%%%%%%%.tmp", fd, unfinished.path,
          llvm::sys::fs::OF_None,
          llvm::sys::fs::all_read | llvm::sys::fs::all_write))
    return llvm::createStringError(": cannot write '" + options.output +
                                   "': " + ec.message());
  llvm::sys::Process::SafelyCloseFileDescriptor(fd);
  if (options.handlesSignals)
    llvm::sys::RemoveFileOnSignal(unfinished.path);
  if (llvm::Error e = emit(unfinished.path))
    return e;
  if (std::error_code ec =
          llvm::sys::fs::rename(unfinished.path, options.output))
    return llvm::createStringError(": cannot write '" + options.output +
                                   "': " + ec.message());
  unfinished.finish();
  return llvm::Error::success();
}

//===- Compile.cpp - a model becomes a native program -===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Pipelines/Compile.h"
#include "CodeUnit.h"
#include "OperatorReport.h"
#include "DeviceCode.h"
#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/CodeGen/GPU/Passes.h"
#include "fx/Conversion/Passes.h"
#include "fx/Custom/Plugin.h"
#include "fx/IR/BytecodeFile.h"
#include "fx/IR/Metadata.h"
#include "fx/Import/Import.h"
#include "fx/Operators/Schema.h"
#include "fx/Support/CrashRecovery.h"
#include "fx/Transforms/Passes.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

#include <chrono>

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Errors and phases
//===----------------------------------------------------------------------===//

struct ErrorCatcher::Impl {
  Impl(MLIRContext &context, std::function<void(Location)> onError)
      : onError(std::move(onError)), handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error && text.empty()) {
            text = diagnostic.str();
            location = diagnostic.getLocation();
          }
          return success();
        }) {}
  std::function<void(Location)> onError;
  std::string text;
  std::optional<Location> location;
  ScopedDiagnosticHandler handler;
};

ErrorCatcher::ErrorCatcher(MLIRContext &context, std::function<void(Location)> onError)
    : impl(std::make_unique<Impl>(context, std::move(onError))) {}
ErrorCatcher::~ErrorCatcher() = default;

/// The node's name, or the line of the text.
static std::string getPlace(Location location) {
  if (std::optional<StringRef> name = getNodeName(location))
    return name->str();
  if (auto line = dyn_cast<FileLineColLoc>(location))
    return std::to_string(line.getLine()) + ":" + std::to_string(line.getColumn());
  return "";
}

llvm::Error ErrorCatcher::take(StringRef otherwise) {
  if (impl->text.empty())
    return llvm::createStringError(": " + otherwise);
  if (impl->onError)
    impl->onError(*impl->location);
  std::string place = getPlace(*impl->location);
  std::string text = (place.empty() ? "" : ":" + place) + ": " + impl->text;
  std::replace(text.begin(), text.end(), '\n', ' ');
  impl->text.clear();
  return llvm::createStringError(text);
}

/// Dies as the compiler might: of a signal, one of LLVM's fatal errors that
/// exit, or of too deep a recursion.
static void crash(StringRef how) {
  if (how == "fatal")
    llvm::reportFatalUsageError("a fatal error");
  if (how == "stack") {
    volatile char frame[4096] = {};
    crash(how);
    (void)frame[0];
  }
  LLVM_BUILTIN_TRAP;
}

llvm::Error PhaseRunner::run(StringRef name, double done, function_ref<llvm::Error()> fn) {
  now = {name, done};
  if (options.onProgress)
    options.onProgress(now);
  auto [crashIn, how] = StringRef(options.crashIn).split(':');
  if (!crashIn.empty() && name == crashIn)
    crash(how);
  auto start = std::chrono::steady_clock::now();
  llvm::Error error = fn();
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  report.phases.push_back({name.str(), seconds.count()});
  if (!error && module && llvm::is_contained(options.dumpAfter, name.str())) {
    // At once: standard error has no buffer of its own.
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "// ----- after " << name << " -----\n";
    module.print(os);
    llvm::errs() << text << "\n";
  }
  return error;
}

void PhaseRunner::finishKernel(int64_t kernels, double share) {
  ++now.kernelsDone;
  now.kernels = kernels;
  now.done += share;
  if (options.onProgress)
    options.onProgress(now);
}

//===----------------------------------------------------------------------===//
// Phases before code generation
//===----------------------------------------------------------------------===//

namespace {
/// The output while it is written. Goes if it is not finished, also on a
/// signal.
struct UnfinishedFile {
  SmallString<128> path;
  void finish() {
    if (!path.empty())
      llvm::sys::DontRemoveFileOnSignal(path);
    path.clear();
  }
  ~UnfinishedFile() {
    if (!path.empty())
      llvm::sys::fs::remove(path);
    finish();
  }
};

class Driver {
public:
  Driver(const CompileOptions &options, MLIRContext &context, UnfinishedFile &unfinished)
      : options(options), context(context), unfinished(unfinished),
        errors(context, options.onError),
        phases(options, report) {}
  llvm::Error run();

  CompileReport report;
  /// Loaded from `options.input` where none is given.
  OwningOpRef<ModuleOp> module;
  /// The folder that paths of external states are relative to.
  std::string directory;

private:
  llvm::Error load();
  llvm::Error checkNotOnlyInterpreted();
  llvm::Error simplify();
  llvm::Error checkSharedStates();
  llvm::Error toLinalg();
  llvm::Error schedule();
  llvm::Error scheduleForDevice();
  llvm::Error checkFallbacks();
  llvm::Error runPasses(function_ref<void(OpPassManager &)> build);
  llvm::Error printModule(StringRef path);
  llvm::Error saveTemp(StringRef phase);
  llvm::Error emit(StringRef path);

  const CompileOptions &options;
  MLIRContext &context;
  UnfinishedFile &unfinished;
  ErrorCatcher errors;
  PhaseRunner phases;
  cpu::CPUOptions cpu;
  std::optional<cuda::Target> gpu;
  /// Of a model for a GPU: what the processor computes of states.
  OwningOpRef<ModuleOp> prepare;
  OperatorReport operators;
};
} // namespace

llvm::Error Driver::runPasses(function_ref<void(OpPassManager &)> build) {
  return fx::runPasses(*module, errors, build);
}

llvm::Error Driver::load() {
  if (!llvm::sys::fs::exists(options.input))
    return llvm::createStringError(": cannot open: no such file");
  if (llvm::sys::path::extension(options.input) != ".mlir") {
    ImportOptions import;
    import.model = options.model;
    FailureOr<OwningOpRef<ModuleOp>> imported = importPt2(options.input, context, import);
    if (failed(imported))
      return errors.take("cannot be imported");
    module = std::move(*imported);
    return llvm::Error::success();
  }
  directory = llvm::sys::path::parent_path(options.input).str();
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
      return "expected a graph without torch.vmap, as run_decompositions leaves it";
    // Its shape function says int64, its kernel gives float32.
    if (target == "quantized_decomposed.choose_qparams_per_token.default")
      return "PyTorch gives its zero points another dtype than the program says";
    return "";
  };
  WalkResult walk = module->walk([&](CallFunctionOp call) {
    StringRef reason = getReason(call.getTarget());
    StringRef space = call.getTarget().split('.').first;
    // A live graph's call of a user's function.
    if (call->hasAttr("fx.function") && space != "torch" && space != "math" &&
        space != "_operator" && !lookupOperator(call.getTarget()))
      reason = "expected operators, got a function that only Python can run";
    if (reason.empty())
      return WalkResult::advance();
    call.emitError("'") << call.getTarget() << "' has no native code: " << reason;
    return WalkResult::interrupt();
  });
  return walk.wasInterrupted() ? errors.take("an operator has no native code")
                               : llvm::Error::success();
}

/// From what was exported to a functional graph of operators that have
/// lowerings.
llvm::Error Driver::simplify() {
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
          pm.addPass(createDropZeroPointsPass({directory}));
          // Kernels of GPUs read bytes.
          if (!gpu)
            pm.addPass(createNoteNarrowWeightsPass({directory}));
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

/// Compiled code holds each state in memory of its own: one that is written
/// must not share its storage with another one in use.
llvm::Error Driver::checkSharedStates() {
  auto graph = module->lookupSymbol<GraphOp>("main");
  llvm::StringMap<Attribute> used;
  for (PlaceholderOp input : graph.getPlaceholders())
    if (input.getTarget() && !input.getResult().use_empty())
      if (auto state = module->lookupSymbol<StateOp>(*input.getTarget()))
        if (isa_and_present<ExternalAttr>(state.getInitAttr()))
          used[state.getSymName()] = state.getInitAttr();
  OutputOp output = graph.getOutput();
  for (size_t i = 0, n = output.getArgs().size(); i < n; ++i) {
    OutputSpecAttr spec = output.getSpec(i);
    if (!spec.getTarget() || (spec.getKind() != OutputKind::BufferMutation &&
                              spec.getKind() != OutputKind::ParameterMutation))
      continue;
    auto state = module->lookupSymbol<StateOp>(spec.getTarget().getValue());
    if (!state)
      continue;
    for (const auto &[name, bytes] : used)
      if (bytes == state.getInitAttr() && name != state.getSymName()) {
        state.emitError("state '")
            << state.getSymName() << "' is written and shares its storage "
            << "with '" << name << "': this has no native code";
        return errors.take("states share a storage");
      }
  }
  return llvm::Error::success();
}

llvm::Error Driver::toLinalg() {
  return runPasses([](OpPassManager &pm) {
    pm.addPass(createConvertFXToLinalg());
    pm.addPass(createLowerCustom());
  });
}

/// What depends on states alone is computed here, on this processor.
llvm::Error Driver::scheduleForDevice() {
  std::string error;
  FailureOr<cpu::CPUOptions> host = cpu::getCPUOptions("", error);
  if (failed(host))
    return llvm::createStringError(": " + error);
  if (llvm::Error e = runPasses(cuda::buildGroupPipeline))
    return e;
  prepare = splitPrepare(*module);
  if (prepare)
    if (llvm::Error e = fx::runPasses(*prepare, errors, [&](OpPassManager &pm) {
          pm.addPass(createSymbolDCEPass());
          cpu::buildEmitPipeline(pm, cpu::getKernelOptions(host->features));
        }))
      return e;
  bool tensorCores = cuda::getChipName(cuda::getCommonChip(*gpu)).number >= 80;
  bool warpgroups = llvm::is_contained(gpu->chips, "sm_90a");
  return runPasses([&](OpPassManager &pm) {
    cuda::buildKernelPipeline(pm, tensorCores, warpgroups);
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
  // What ATen computes for a GPU has no code yet.
  if (options.allowFallback && !gpu)
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
  return llvm::createStringError(": expected native code for every operator, got " +
                                 std::to_string(n) + " without: " + list);
}

llvm::Error Driver::printModule(StringRef path) {
  return writeFile(path, [&](llvm::raw_ostream &os) { module->print(os); });
}

llvm::Error Driver::saveTemp(StringRef phase) {
  if (!options.saveTemps || options.output == "-")
    return llvm::Error::success();
  return printModule(options.output + "." + phase.str() + ".mlir");
}

llvm::Error Driver::emit(StringRef path) {
  if (module->lookupSymbol<GraphOp>("main")) {
    if (llvm::Error e = phases.run("simplify", 0.05, [&] { return simplify(); }))
      return e;
    if (llvm::Error e = saveTemp("fx"))
      return e;
    if (options.emit == EmitKind::FX)
      return printModule(path);
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
  if (llvm::Error e = embedObjects(*module, directory, errors))
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
  bool isArtefact = options.emit == EmitKind::SharedObject || options.emit == EmitKind::Header;
  if (gpu && !isArtefact)
    return generateDeviceCode(*module, options, *gpu, cpu, path, errors, phases);
  return generateCode(*module, options, cpu, gpu ? &*gpu : nullptr, std::move(prepare),
                      directory, path, errors, phases, report);
}

llvm::Error Driver::run() {
  if (llvm::Error e = loadPluginsOfEnvironment())
    return e;
  bool isDevice = llvm::is_contained(
      {EmitKind::GPU, EmitKind::NVVM, EmitKind::PTX, EmitKind::Cubin}, options.emit);
  if (!options.target.empty()) {
    auto parsed = cuda::parseTarget(options.target);
    if (!parsed)
      return llvm::createStringError(": " + llvm::toString(parsed.takeError()));
    gpu = *parsed;
    if (options.swappableWeights)
      return llvm::createStringError(": --swappable-weights: expected the processor as the "
                                     "target, got a GPU");
  } else if (isDevice) {
    return llvm::createStringError(": --emit: expected --target=cuda for the code of a GPU");
  }
  // What launches kernels is fast on any processor.
  std::string error;
  FailureOr<cpu::CPUOptions> target =
      cpu::getCPUOptions(gpu && options.cpu.empty() ? "x86-64" : options.cpu, error);
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
  if (!llvm::sys::fs::status(options.output, status) && !llvm::sys::fs::is_regular_file(status))
    return llvm::createStringError(": cannot write '" + options.output +
                                   "': expected a regular file");
  // Beside the output, so that the rename stays in one file system.
  int fd;
  if (std::error_code ec = llvm::sys::fs::createUniqueFile(
          options.output + ".%%%%%%%%.tmp", fd, unfinished.path, llvm::sys::fs::OF_None,
          llvm::sys::fs::all_read | llvm::sys::fs::all_write))
    return llvm::createStringError(": cannot write '" + options.output + "': " + ec.message());
  llvm::sys::Process::SafelyCloseFileDescriptor(fd);
  if (options.handlesSignals)
    llvm::sys::RemoveFileOnSignal(unfinished.path);
  if (llvm::Error e = emit(unfinished.path))
    return e;
  if (std::error_code ec = llvm::sys::fs::rename(unfinished.path, options.output))
    return llvm::createStringError(": cannot write '" + options.output + "': " + ec.message());
  unfinished.finish();
  return llvm::Error::success();
}

static llvm::Expected<CompileReport> run(Driver &driver, const CompileOptions &options) {
  if (llvm::Error e = driver.run()) {
    // Texts come with their place in front (":node: ...") or without.
    std::string message = llvm::toString(std::move(e));
    StringRef text = message;
    text.consume_front(": "); // the importer's texts have the file in front
    if (text.starts_with(options.input))
      return llvm::createStringError(text);
    return llvm::createStringError(options.input + (message[0] == ':' ? "" : ": ") + message);
  }
  return std::move(driver.report);
}

/// Adds all that the pipelines need to `context`.
static void prepare(MLIRContext &context) {
  DialectRegistry registry;
  registerPipelineDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false); // errors are one line
}

static llvm::Expected<CompileReport> compile(const CompileOptions &options,
                                             UnfinishedFile &unfinished) {
  // Passes run on this thread, where a crash is caught; code for kernels is
  // made by a pool of our own.
  MLIRContext context(MLIRContext::Threading::DISABLED);
  prepare(context);
  Driver driver(options, context, unfinished);
  return ::run(driver, options);
}

llvm::Expected<CompileReport> fx::compileModel(const CompileOptions &options) {
  UnfinishedFile unfinished;
  return compile(options, unfinished);
}

llvm::Expected<CompileReport> fx::compileModule(OwningOpRef<ModuleOp> module, StringRef directory,
                                                const CompileOptions &options) {
  UnfinishedFile unfinished;
  Driver driver(options, *module->getContext(), unfinished);
  driver.module = std::move(module);
  driver.directory = directory.str();
  return ::run(driver, options);
}

//===----------------------------------------------------------------------===//
// Crashes
//===----------------------------------------------------------------------===//

/// Passes over deep graphs recurse.
static constexpr unsigned kStackBytes = 64 << 20;

bool fx::isCrash(StringRef error) { return error.contains(kCrashText); }

/// `compile` with what a crash must not leave behind: that lives in this frame.
static llvm::Expected<CompileReport>
compileSafely(const CompileOptions &options,
              function_ref<llvm::Expected<CompileReport>(const CompileOptions &, UnfinishedFile &)>
                  compile) {
  UnfinishedFile unfinished;
  std::string phase, fatal;
  CompileOptions watched = options;
  watched.onProgress = [&](const Progress &progress) {
    phase = progress.phase.str();
    if (options.onProgress)
      options.onProgress(progress);
  };
  std::optional<llvm::Expected<CompileReport>> report;
  if (runSafelyOnThread([&] { report.emplace(compile(watched, unfinished)); }, kStackBytes, fatal))
    return std::move(*report);
  std::string text = options.input + ": " + kCrashText.str() + " (phase '" + phase + "')";
  if (!fatal.empty())
    text += ": " + fatal;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return llvm::createStringError(text);
}

llvm::Expected<CompileReport> fx::compileModelSafely(const CompileOptions &options) {
  return compileSafely(options, compile);
}

llvm::Expected<CompileReport> fx::compileModuleSafely(ModuleOp module, StringRef directory,
                                                      const CompileOptions &options) {
  std::string bytes;
  {
    llvm::raw_string_ostream os(bytes);
    if (failed(writeBytecodeToFile(module, os)))
      return llvm::createStringError(options.input + ": cannot be written as bytecode");
  }
  MLIRContext &given = *module->getContext();
  return compileSafely(
      options,
      [&](const CompileOptions &watched,
          UnfinishedFile &unfinished) -> llvm::Expected<CompileReport> {
        MLIRContext context(given.getDialectRegistry(), MLIRContext::Threading::DISABLED);
        context.allowUnregisteredDialects(given.allowsUnregisteredDialects());
        prepare(context);
        Driver driver(watched, context, unfinished);
        // The verifier has seen the module before; what is wrong is an error.
        driver.module = parseSourceString<ModuleOp>(bytes, ParserConfig(&context));
        if (!driver.module)
          return llvm::createStringError(watched.input + ": cannot be read as bytecode");
        driver.directory = directory.str();
        return ::run(driver, watched);
      });
}

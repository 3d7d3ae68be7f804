//===- Compile.cpp - a model becomes a native program ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Pipelines/Compile.h"
#include "Driver.h"
#include "fx/Support/CrashRecovery.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace fx;

static llvm::Expected<CompileReport> run(Driver &driver) {
  if (llvm::Error e = driver.run())
    return CompileError::makeFor(driver.getInput(), std::move(e));
  return std::move(driver.report);
}

/// Loads every dialect that the pipelines need into `context`.
static void prepare(MLIRContext &context) {
  DialectRegistry registry;
  registerPipelineDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false); // errors are one line
}

static llvm::Expected<CompileReport>
compile(const CompileOptions &options, OutputFile &file, Isolation *isolation,
        const std::function<void()> &onTunedRun) {
  // Run passes on this thread, which catches crashes. `compileParts` generates
  // the code of kernels on its own thread pool.
  MLIRContext context(MLIRContext::Threading::DISABLED);
  prepare(context);
  Driver driver(options, context, file);
  driver.isolation = isolation;
  driver.onTunedRun = onTunedRun;
  return ::run(driver);
}

llvm::Expected<CompileReport> fx::compileModel(const CompileOptions &options) {
  OutputFile file;
  return compile(options, file, /*isolation=*/nullptr, /*onTunedRun=*/{});
}

llvm::Expected<CompileReport> fx::compileModule(OwningOpRef<ModuleOp> module,
                                                const CompileOptions &options) {
  OutputFile file;
  Driver driver(options, *module->getContext(), file);
  driver.methods.front().module = std::move(module);
  return ::run(driver);
}

//===----------------------------------------------------------------------===//
// Crashes
//===----------------------------------------------------------------------===//

/// Passes recurse over deep graphs and need a large stack.
static constexpr unsigned kStackBytes = 64 << 20;

using CompileFn = function_ref<llvm::Expected<CompileReport>(
    const CompileOptions &, OutputFile &, Isolation *,
    const std::function<void()> &)>;

/// Runs `compile` on another thread and turns a crash into an error. The
/// unfinished file belongs to this frame, so it is removed even after a crash,
/// which does not unwind the frames of `compile`.
static llvm::Expected<CompileReport> compileOnce(const CompileOptions &options,
                                                 CompileFn compile,
                                                 Isolation *isolation,
                                                 bool &hasTuned) {
  OutputFile file;
  std::string phase, fatal;
  CompileOptions watched = options;
  // "schedule:node=add" crashes the phase only while the node has native code.
  if (isolation)
    for (const auto &[key, reason] : isolation->withoutNative)
      if (StringRef(options.crashIn)
              .ends_with(":node=" + StringRef(key).split(':').second.str()))
        watched.crashIn.clear();
  watched.onProgress = [&](const Progress &progress) {
    phase = progress.phase.str();
    if (options.onProgress)
      options.onProgress(progress);
  };
  std::optional<llvm::Expected<CompileReport>> report;
  if (runSafelyOnThread(
          [&] {
            report.emplace(
                compile(watched, file, isolation, [&] { hasTuned = true; }));
          },
          kStackBytes, fatal))
    return std::move(*report);
  std::string text = kCrashText.str() + " (phase '" + phase + "')";
  if (!fatal.empty())
    text += ": " + fatal;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return CompileError::makeFor(
      options.input, CompileError::make(CompileError::Kind::Crash, text));
}

/// As `compileOnce`. If the compilation fails after its measurements began,
/// compiles again without measurements, and adds a warning. `options` then
/// keeps no measurements for later calls.
static llvm::Expected<CompileReport>
tuneOnce(CompileOptions &options, CompileFn compile, Isolation *isolation) {
  bool hasTuned = false;
  llvm::Expected<CompileReport> report =
      compileOnce(options, compile, isolation, hasTuned);
  if (report || !hasTuned)
    return report;
  options.tuneSeconds = 0;
  if (!llvm::sys::fs::exists(options.tuneFile))
    options.tuneFile.clear();
  std::string reason = llvm::toString(report.takeError());
  report = compileOnce(options, compile, isolation, hasTuned);
  if (report)
    report->warnings.push_back("the measurement of schedules failed: " +
                               reason);
  return report;
}

static llvm::Expected<CompileReport> compileSafely(const CompileOptions &given,
                                                   CompileFn compile) {
  CompileOptions options = given;
  if (!options.allowFallback)
    return tuneOnce(options, compile, /*isolation=*/nullptr);
  return compileAround([&](Isolation &isolation) {
    return tuneOnce(options, compile, &isolation);
  });
}

llvm::Expected<CompileReport>
fx::compileModelSafely(const CompileOptions &options) {
  return compileSafely(options, compile);
}

/// A module in memory, and the context that it comes from.
namespace {
struct StoredModule {
  std::string bytecode;
  MLIRContext *context;
};
} // namespace

/// Reads the modules of `stored` in a context of their own, and compiles them.
static llvm::Expected<CompileReport>
compileStored(ArrayRef<StoredModule> stored, const CompileOptions &options,
              OutputFile &file, Isolation *isolation,
              const std::function<void()> &onTunedRun) {
  DialectRegistry registry;
  bool allowsUnregistered = false;
  for (const StoredModule &module : stored) {
    module.context->getDialectRegistry().appendTo(registry);
    allowsUnregistered |= module.context->allowsUnregisteredDialects();
  }
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects(allowsUnregistered);
  prepare(context);
  Driver driver(options, context, file);
  driver.isolation = isolation;
  driver.onTunedRun = onTunedRun;
  for (auto [method, module] : llvm::zip_equal(driver.methods, stored)) {
    // A module that does not verify is reported as an error.
    method.module =
        parseSourceString<ModuleOp>(module.bytecode, ParserConfig(&context));
    if (!method.module)
      return CompileError::makeFor(
          method.input, llvm::createStringError("cannot be read as bytecode"));
  }
  return ::run(driver);
}

llvm::Expected<CompileReport>
fx::compileModulesSafely(ArrayRef<ModuleOp> modules,
                         const CompileOptions &options) {
  std::vector<StoredModule> stored;
  llvm::SmallVector<Method> methods = getMethods(options);
  if (methods.size() != modules.size())
    return llvm::createStringError("expected as many modules as methods, got " +
                                   Twine(modules.size()) + " and " +
                                   Twine(methods.size()));
  for (auto [module, method] : llvm::zip_equal(modules, methods)) {
    StoredModule &entry = stored.emplace_back();
    entry.context = module->getContext();
    llvm::raw_string_ostream os(entry.bytecode);
    if (failed(writeBytecodeToFile(module, os)))
      return CompileError::makeFor(
          method.input,
          llvm::createStringError("cannot be written as bytecode"));
  }
  return compileSafely(options, [&](const CompileOptions &watched,
                                    OutputFile &file, Isolation *isolation,
                                    const std::function<void()> &onTunedRun) {
    return compileStored(stored, watched, file, isolation, onTunedRun);
  });
}

llvm::Expected<CompileReport>
fx::compileModuleSafely(ModuleOp module, const CompileOptions &options) {
  return compileModulesSafely(module, options);
}

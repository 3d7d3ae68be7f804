//===- Compile.cpp - native code through the C interface ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx-c/Compile.h"
#include "Handles.h"
#include "fx/Pipelines/Compile.h"
#include "fx/Pipelines/Progress.h"
#include "fx/Support/ObjectCache.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cstddef>

using namespace mlir;
using namespace fx;
using namespace fx::capi;

static constexpr const char *kEmitKindNames[] = {
#define FX_FORMAT(ID, KIND, NAME, TARGETS, EXTENSION, DESCRIPTION) NAME,
#include "fx/Pipelines/Formats.def"
};

const char *fxEmitKindName(FXEmitKind kind) {
  return size_t(kind) < std::size(kEmitKindNames) ? kEmitKindNames[kind]
                                                  : nullptr;
}

/// Sets the options of tuning.
static llvm::Error setTuning(const FXCompileOptions &given, StringRef path,
                             CompileOptions &compile) {
  if (!(given.tune_seconds >= 0))
    return llvm::createStringError(
        "fxModuleCompile: expected tune_seconds of 0 or more");
  if (given.tune_threads < -1)
    return llvm::createStringError(
        "fxModuleCompile: expected tune_threads of -1 or more, got " +
        llvm::Twine(given.tune_threads));
  compile.tuneSeconds = given.tune_seconds;
  compile.tuneThreads = given.tune_threads == 0    ? 1
                        : given.tune_threads == -1 ? 0
                                                   : given.tune_threads;
  compile.candidate = given.debug_schedule;
  if (given.tune_file && *given.tune_file)
    compile.tuneFile = given.tune_file;
  else if (given.tune_seconds > 0)
    compile.tuneFile = getDefaultTuneFile(path);
  SmallVector<StringRef> sizes;
  StringRef(given.tune_sizes ? given.tune_sizes : "")
      .split(sizes, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef text : sizes) {
    auto [name, value] = text.split('=');
    int64_t size;
    if (name.empty() || value.getAsInteger(10, size) || size < 0)
      return llvm::createStringError(
          "fxModuleCompile: expected SYMBOL=N in tune_sizes, got '" + text +
          "'");
    compile.tuneSizes[name.str()] = size;
  }
  if (given.on_tune)
    compile.onTune = [&given](StringRef text) {
      given.on_tune(text.data(), text.size(), given.tune_context);
    };
  return llvm::Error::success();
}

namespace {
/// Locks the contexts of several modules. The order by address prevents
/// deadlocks.
class ContextLocks {
public:
  explicit ContextLocks(llvm::ArrayRef<const FXModule *> modules) {
    for (const FXModule *module : modules)
      states.push_back(module->state.get());
    llvm::sort(states);
    states.erase(std::unique(states.begin(), states.end()), states.end());
  }
  /// Returns the context that the caller locks first, by `protect`.
  ContextState *first() { return states.front(); }
  llvm::Error lockOthers() {
    for (ContextState *state : llvm::ArrayRef(states).drop_front()) {
      locks.emplace_back(state->lock);
      if (state->crashed)
        return llvm::createStringError(
            "the compiler crashed in the context of a module before: make a "
            "new one");
    }
    return llvm::Error::success();
  }

private:
  llvm::SmallVector<ContextState *> states;
  std::vector<std::unique_lock<std::mutex>> locks;
};
} // namespace

/// Compiles the modules. If `names` is null, there is one without a name.
static int compile(llvm::ArrayRef<const FXModule *> modules,
                   const char *const *names, const char *path,
                   const FXCompileOptions *options, FXError **error) {
  FXCompileOptions given = {};
  given.emit = FX_EMIT_SHARED_OBJECT;
  // The caller's FXCompileOptions may be older or newer than this one.
  const size_t least = offsetof(FXCompileOptions, name);
  if (options && (options->struct_size < least || options->struct_size > 4096))
    return fail(error,
                "fxModuleCompile: expected the options' struct_size, got " +
                    llvm::Twine(options->struct_size));
  if (options)
    memcpy(&given, options, std::min(options->struct_size, sizeof given));
  if (!fxEmitKindName(given.emit))
    return fail(error, "fxModuleCompile: expected an FXEmitKind, got " +
                           llvm::Twine(int(given.emit)));
  if (given.opt_level < 0 || given.opt_level > 3)
    return fail(error,
                "fxModuleCompile: expected an opt_level from 0 to 3, got " +
                    llvm::Twine(given.opt_level));
  StringRef precisionText = given.precision ? given.precision : "f32";
  std::optional<Precision> precision = parsePrecision(precisionText);
  if (!precision)
    return fail(error,
                "expected the precision f32, tf32, bf16, int8 or bf16,int8, "
                "got '" +
                    llvm::Twine(precisionText) + "'");
  StringRef winograd = given.winograd ? given.winograd : "auto";
  std::optional<cpu::WinogradMode> mode = cpu::parseWinogradMode(winograd);
  if (!mode)
    return fail(error, "expected auto, off, f2 or f4 as winograd, got '" +
                           llvm::Twine(winograd) + "'");
  if (given.cache_capacity < 0)
    return fail(error, "fxModuleCompile: expected a cache_capacity of 0 or "
                       "more, got " +
                           llvm::Twine(given.cache_capacity));
  if (!*path || StringRef(path) == "-")
    return fail(error, "fxModuleCompile: expected the path of a file, got '" +
                           llvm::Twine(path) + "'");
  ContextLocks locks(modules);
  return protect(error, locks.first(), [&](FXError &place) -> llvm::Error {
    if (llvm::Error e = locks.lockOthers())
      return e;
    CompileOptions compile;
    compile.input = given.name ? given.name : "model";
    for (size_t i = 0; names && i < modules.size(); ++i)
      compile.methods.push_back({names[i], names[i], ""});
    compile.output = path;
    compile.emit = static_cast<EmitKind>(given.emit);
    compile.cpu = given.cpu ? given.cpu : "";
    compile.triple = given.triple ? given.triple : "";
    compile.target = given.target ? given.target : "";
    compile.precision = *precision;
    compile.winograd = *mode;
    compile.optLevel = given.opt_level ? given.opt_level : 3;
    compile.swappableWeights = given.swappable_weights != 0;
    compile.cacheCapacity = given.cache_capacity;
    compile.allowFallback = !given.refuse_fallback;
    compile.cacheFolder =
        given.cache_dir ? given.cache_dir : getDefaultCacheFolder();
    if (llvm::Error e = setTuning(given, path, compile))
      return e;
    compile.crashIn = given.debug_crash ? given.debug_crash : "";
    if (given.on_phase)
      compile.onProgress = [&](const Progress &now) {
        given.on_phase(given.phase_context, now.phase.str().c_str(), now.done);
      };
    compile.onError = [&](Location location) { setPlace(place, location); };
    llvm::SmallVector<ModuleOp> ops;
    for (const FXModule *module : modules)
      ops.push_back(*module->module);
    llvm::Expected<CompileReport> report = compileModulesSafely(ops, compile);
    if (!report)
      return report.takeError();
    if (given.on_report) {
      std::string text =
          llvm::formatv("{0:2}", llvm::json::Value(report->toJSON())).str();
      given.on_report(text.data(), text.size(), given.report_context);
    }
    return llvm::Error::success();
  });
}

int fxModuleCompile(const FXModule *module, const char *path,
                    const FXCompileOptions *options, FXError **error) {
  if (!module || !path)
    return failNull(error, "fxModuleCompile", module ? "path" : "module");
  return compile(module, /*names=*/nullptr, path, options, error);
}

int fxModulesCompile(const FXModule *const *modules, const char *const *names,
                     size_t n, const char *path,
                     const FXCompileOptions *options, FXError **error) {
  if (!modules || !names || !path)
    return failNull(error, "fxModulesCompile",
                    !modules ? "modules"
                    : !names ? "names"
                             : "path");
  if (n == 0)
    return fail(error, "fxModulesCompile: expected a module, got none");
  for (size_t i = 0; i < n; ++i)
    if (!modules[i] || !names[i])
      return failNull(error, "fxModulesCompile",
                      modules[i] ? "a name" : "a module");
  return compile({modules, n}, names, path, options, error);
}

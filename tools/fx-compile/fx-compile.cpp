//===- fx-compile.cpp - compiles a model to native code -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ImportLimitOptions.h"
#include "fx/InitAll.h"
#include "fx/Interpreter/Interpreter.h"
#include "fx/Operators/Version.h"
#include "fx/Pipelines/Compile.h"
#include "fx/Pipelines/Sarif.h"
#include "fx/Support/ObjectCache.h"
#include "fx/Support/Options.h"
#include "fx/Support/OutputFile.h"
#include "mlir/IR/Location.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/CommandFlags.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

#include <atomic>
#include <csignal>

using namespace fx;
namespace cl = llvm::cl;

static cl::OptionCategory category("fx-compile options");
static cl::list<std::string>
    inputs(cl::Positional, cl::OneOrMore,
           cl::desc("MODEL (.pt2 or .mlir), or NAME=MODEL for each method"),
           cl::cat(category));
static cl::opt<std::string>
    output("o", cl::desc("Output file; \"-\" is standard output"),
           cl::value_desc("file"), cl::cat(category));
static cl::opt<EmitKind> emitKind("emit", cl::desc("What to write"),
                                  cl::init(EmitKind::SharedObject),
                                  cl::ValuesClass({
#define FX_FORMAT(ID, KIND, NAME, TARGETS, EXTENSION, DESCRIPTION)             \
  clEnumValN(EmitKind::KIND, NAME, DESCRIPTION),
#include "fx/Pipelines/Formats.def"
                                  }),
                                  cl::cat(category));
static cl::opt<std::string>
    modelName("model",
              cl::desc("The model of an archive with several, or, with commas, "
                       "those that become methods"),
              cl::value_desc("name,..."), cl::cat(category));
static ImportLimitOptions importLimits(category);
static const std::string targetHelp =
    "What runs the kernels (default: the CPU): " + describeTargets();
static cl::opt<std::string> target("target", cl::desc(targetHelp),
                                   cl::value_desc("target"), cl::cat(category));
static cl::opt<std::string> gpuTiles(
    "gpu-tiles",
    cl::desc("Tiles of matmuls and parts of the keys of attention on a "
             "GPU: warpgroup=COLUMNS:STAGES[:PARTS[:WARPGROUPS]], "
             "tensorcore=M:N:K:WARPSM:WARPSN:STAGES[:PARTS], "
             "matrixcore=M:N:K:WAVESM:WAVESN[:PARTS], "
             "matmul=M:N:K:THREADM:THREADN, attention=PARTS, with "
             "commas"),
    cl::value_desc("tiles"), cl::Hidden, cl::cat(category));
static cl::opt<std::string>
    triple("mtriple",
           cl::desc("The machine that runs the code (default: this one), for "
                    "example aarch64-linux-gnu; -mcpu names its CPU"),
           cl::value_desc("triple"), cl::cat(category));
// -mcpu is LLVM's option, because the linker, which is part of this process,
// registers it too.
static llvm::codegen::RegisterCodeGenFlags codeGenFlags;
static cl::opt<bool>
    noFallback("no-fallback",
               cl::desc("Refuse operators that have no native code"),
               cl::cat(category));
static cl::list<std::string>
    async("async", cl::CommaSeparated,
          cl::desc("Operators that ATen runs beside compiled code; 'fallbacks' "
                   "for all that it runs"),
          cl::value_desc("target,..."), cl::cat(category));
static cl::opt<int> optLevel("O",
                             cl::desc("Optimization level of LLVM, 1 to 3"),
                             cl::init(3), cl::Prefix, cl::cat(category));
static cl::opt<std::string> precision(
    "precision",
    cl::desc("Round the operands of f32 matmuls and convolutions: bf16, or "
             "int8, that of integer weights to 8 bits, bf16,int8, or tf32, for "
             "tensor cores of NVIDIA GPUs. Sums and all else stay f32. "
             "Default: f32"),
    cl::init("f32"), cl::cat(category));
static cl::opt<fx::cpu::WinogradMode> winograd(
    "winograd",
    cl::desc("The 3 x 3 convolutions of f32 that use Winograd's method"),
    cl::init(fx::cpu::WinogradMode::Auto),
    cl::values(
        clEnumValN(fx::cpu::WinogradMode::Auto, "auto",
                   "those that gain from it (default)"),
        clEnumValN(fx::cpu::WinogradMode::Off, "off", "none"),
        clEnumValN(fx::cpu::WinogradMode::F2, "f2", "all, by F(2 x 2, 3 x 3)"),
        clEnumValN(fx::cpu::WinogradMode::F4, "f4", "all, by F(4 x 4, 3 x 3)")),
    cl::cat(category));
static cl::opt<std::string> reportFile("report",
                                       cl::desc("Write a report as JSON"),
                                       cl::value_desc("file"),
                                       cl::cat(category));
static cl::opt<std::string> sarifFile(
    "sarif",
    cl::desc("Write errors and operators without native code as SARIF 2.1.0"),
    cl::value_desc("file"), cl::cat(category));
static cl::list<std::string> libraries(
    "load-library",
    cl::desc(
        "Load a library of operators, as torch.ops.load_library does: their "
        "schemas tell what they write"),
    cl::value_desc("file"), cl::cat(category));
static cl::opt<bool>
    profile("profile",
            cl::desc("Measure the time of each kernel, for fx-run --profile"),
            cl::cat(category));
static cl::opt<std::string>
    tune("tune",
         cl::desc("Measure schedules of kernels for this many seconds (60), "
                  "and use the fastest"),
         cl::value_desc("seconds"), cl::ValueOptional, cl::cat(category));
static cl::opt<std::string>
    tuneFile("tune-file",
             cl::desc("The schedules that --tune finds; without --tune, "
                      "schedules to use"),
             cl::value_desc("file"), cl::cat(category));
static cl::opt<int> tuneThreads(
    "tune-threads",
    cl::desc("The threads of a run for which schedules are measured and used "
             "(0: all cores)"),
    cl::init(1), cl::value_desc("n"), cl::cat(category));
static cl::list<std::string>
    tuneSizes("tune-size", cl::CommaSeparated,
              cl::desc("The value of a symbolic size for --tune"),
              cl::value_desc("symbol=n,..."), cl::cat(category));
static cl::opt<int64_t>
    candidate("debug-schedule",
              cl::desc("Use candidate N of the schedules of each kernel"),
              cl::init(0), cl::value_desc("n"), cl::Hidden, cl::cat(category));
static cl::opt<bool> swappableWeights(
    "swappable-weights",
    cl::desc("Keep what is needed to set folded or packed weights by name"),
    cl::cat(category));
static cl::list<std::string>
    weights("weights",
            cl::desc("Take the values of the weights from a safetensors or "
                     "GGUF file, not from the model; once for each file"),
            cl::value_desc("file"), cl::cat(category));
static cl::opt<int64_t> cacheCapacity(
    "cache-capacity",
    cl::desc("Keep caches that grow, inputs that are returned with new values, "
             "as states of this many rows; the rows in use become an input"),
    cl::init(0), cl::value_desc("n"), cl::cat(category));
static cl::opt<bool> saveTemps("save-temps",
                               cl::desc("Keep what the phases leave"),
                               cl::cat(category));
static cl::opt<bool> noCache("no-cache",
                             cl::desc("Compile everything, and store nothing"),
                             cl::cat(category));
static cl::opt<std::string> cacheDir(
    "cache-dir",
    cl::desc("Where to keep the code of kernels (default: $FX_CACHE_DIR, or "
             "~/.cache/fx-mlir; FX_CACHE=0: nowhere)"),
    cl::value_desc("folder"), cl::cat(category));

static cl::list<std::string> dumpAfter(
    "dump-after", cl::CommaSeparated,
    cl::desc(
        "Print the module after phases (import, simplify, linalg, schedule, "
        "bufferize)"),
    cl::value_desc("phase,..."), cl::cat(category));
static cl::opt<std::string> crashReproducer(
    "crash-reproducer",
    cl::desc("Where a pass that fails leaves its input, for fx-opt "
             "--run-reproducer"),
    cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string> crashIn("debug-crash",
                                    cl::desc("Crash when a phase begins"),
                                    cl::value_desc("phase"), cl::Hidden,
                                    cl::cat(category));

static std::string getDefaultOutput(const CompileOptions &options) {
  llvm::StringRef extension = fx::getExtension(emitKind);
  if (extension.empty())
    return "-";
  llvm::SmallString<128> path(options.input);
  llvm::sys::path::replace_extension(path, extension);
  return path.str().str();
}

namespace {
/// Holds the timer of a pass manager, and stops it when the pass manager is
/// destroyed.
struct TimerOwner : mlir::PassInstrumentation {
  mlir::TimingScope scope;
};
} // namespace

/// Times the passes of `pm` under a timer of its own. MLIR identifies the timer
/// of a pass by the pass's address. With one timer for all pass managers, a
/// pass at the address of one that was destroyed would count as that one.
static void enableTiming(mlir::PassManager &pm, mlir::TimingScope &root) {
  static std::atomic<uintptr_t> count{0};
  auto owner = std::make_unique<TimerOwner>();
  owner->scope = root.nest(reinterpret_cast<const void *>(++count),
                           [] { return std::string("passes"); });
  mlir::TimingScope &scope = owner->scope;
  pm.addInstrumentation(std::move(owner));
  pm.enableTiming(scope);
}

/// Returns the folder of the cache; empty if it is not used. Options of MLIR
/// and LLVM (except for -mcpu) turn it off: they print what passes do, or
/// change it.
static std::string getCacheFolder() {
  if (noCache)
    return "";
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (option->getNumOccurrences() > 0 && name != "mcpu" &&
        !llvm::is_contained(option->Categories, &category))
      return "";
  return cacheDir.empty() ? getDefaultCacheFolder() : cacheDir.getValue();
}

/// Sets the models to compile. `NAME=MODEL` is a method, unless there is such a
/// file.
static llvm::Error setInputs(CompileOptions &options) {
  llvm::SmallVector<llvm::StringRef> models;
  llvm::StringRef(modelName).split(models, ',', -1, /*KeepEmpty=*/false);
  if (inputs.size() == 1 && models.size() > 1) {
    options.input = inputs.front();
    for (llvm::StringRef model : models)
      options.methods.push_back({model.str(), options.input, model.str()});
    return llvm::Error::success();
  }
  for (llvm::StringRef text : inputs) {
    auto [name, path] = text.split('=');
    bool isNamed = !path.empty() && !llvm::sys::fs::exists(text);
    if (!isNamed && inputs.size() > 1)
      return llvm::createStringError(
          "expected NAME=MODEL for each of several methods, got '" + text +
          "'");
    if (options.input.empty())
      options.input = (isNamed ? path : text).str();
    if (isNamed)
      options.methods.push_back({name.str(), path.str(), modelName});
  }
  options.model = modelName;
  return llvm::Error::success();
}

static int fail(llvm::StringRef text) {
  llvm::errs() << "error: " << text << "\n";
  return 1;
}

/// The seconds of --tune without a value.
static constexpr double kTuneSeconds = 60;

/// Sets the options of tuning. Returns false after an error.
static bool setTuning(CompileOptions &options) {
  options.tuneFile = tuneFile;
  options.tuneThreads = tuneThreads;
  options.candidate = candidate;
  if (tuneThreads < 0)
    return !fail("--tune-threads: expected 0 or more, got " +
                 std::to_string(tuneThreads));
  for (const std::string &text : tuneSizes) {
    auto [name, value] = llvm::StringRef(text).split('=');
    int64_t size;
    if (name.empty() || value.getAsInteger(10, size) || size < 0)
      return !fail("--tune-size: expected SYMBOL=N, got '" + text + "'");
    options.tuneSizes[name.str()] = size;
  }
  if (!tune.getNumOccurrences())
    return true;
  options.tuneSeconds = kTuneSeconds;
  if (!tune.empty() &&
      (llvm::StringRef(tune).getAsDouble(options.tuneSeconds) ||
       !(options.tuneSeconds > 0 && options.tuneSeconds <= 1e6)))
    return !fail("--tune: expected a number of seconds, got '" + tune + "'");
  if (options.tuneFile.empty() && options.output != "-")
    options.tuneFile = getDefaultTuneFile(options.output);
  options.onTune = [](llvm::StringRef text) {
    llvm::errs() << "tune: " << text << "\n";
  };
  return true;
}

static llvm::Error writeJSON(llvm::StringRef path, llvm::json::Object object) {
  std::string text =
      llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object)));
  return writeTextFile(path, text, /*handlesSignals=*/true);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // If the reader of the output closes the pipe, end like at SIGTERM, whose
  // handler removes unfinished files.
  std::signal(SIGPIPE, [](int) { std::raise(SIGTERM); });
  registerVersionPrinter();
  registerAllPassesAndUpstream();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  cl::HideUnrelatedOptions(category);
  if (cl::Option *mcpu = cl::getRegisteredOptions().lookup("mcpu"))
    mcpu->setHiddenFlag(cl::NotHidden);
  fx::parseOptions(argc, argv, "compiles an exported PyTorch model\n");
  if (optLevel < 1 || optLevel > 3)
    return fail("fx-compile: option '-O' expects 1, 2 or 3, got " +
                std::to_string(optLevel));
  for (const std::string &library : libraries)
    if (llvm::Error error = loadOperatorLibrary(library))
      return fail(llvm::toString(std::move(error)));
  CompileOptions options;
  if (llvm::Error error = setInputs(options))
    return fail(llvm::toString(std::move(error)));
  options.output = output.empty() ? getDefaultOutput(options) : output;
  options.handlesSignals = true;
  options.emit = emitKind;
  options.limits = importLimits.get();
  options.cpu = llvm::codegen::getMCPU();
  options.triple = triple;
  options.target = target;
  options.gpuTiles = gpuTiles;
  options.allowFallback = !noFallback;
  options.async.assign(async.begin(), async.end());
  std::optional<Precision> rounding = parsePrecision(precision);
  if (!rounding)
    return fail(
        "--precision: expected f32, tf32, bf16, int8 or bf16,int8, got '" +
        precision + "'");
  options.precision = *rounding;
  options.winograd = winograd;
  options.profile = profile;
  options.optLevel = optLevel;
  options.swappableWeights = swappableWeights;
  options.weights.assign(weights.begin(), weights.end());
  if (cacheCapacity.getNumOccurrences() && cacheCapacity < 1)
    return fail("--cache-capacity: expected at least 1, got " +
                std::to_string(cacheCapacity));
  options.cacheCapacity = cacheCapacity;
  if (!setTuning(options))
    return 1;
  options.saveTemps = saveTemps;
  options.cacheFolder = getCacheFolder();
  options.crashReproducer = crashReproducer;
  for (const std::string &phase : dumpAfter) {
    if (!llvm::is_contained(phaseNames, phase))
      return fail(
          "--dump-after: expected one of " +
          llvm::join(std::begin(phaseNames), std::end(phaseNames), ", ") +
          ", got '" + phase + "'");
    options.dumpAfter.push_back(phase);
  }
  options.crashIn = crashIn;
  mlir::DefaultTimingManager timing;
  mlir::applyDefaultTimingManagerCLOptions(timing);
  mlir::TimingScope timingRoot = timing.getRootScope();
  options.configurePasses = [&](mlir::PassManager &pm) {
    (void)mlir::applyPassManagerCLOptions(pm);
    enableTiming(pm, timingRoot);
  };
  // Copy the options: the linker, which runs in this process, resets all
  // options of the command line.
  std::string reportPath = reportFile, sarifPath = sarifFile;
  SarifLog sarif;
  sarif.input = options.input;
  sarif.refusesFallback = noFallback.getValue();
  options.onError = [&](mlir::Location loc) { sarif.setPlace(loc); };
  options.onOperators = [&](const llvm::json::Array &operators) {
    sarif.operators.insert(sarif.operators.end(), operators.begin(),
                           operators.end());
  };
  std::optional<ProgressLine> line(std::in_place);
  options.onProgress = [&](const Progress &progress) { line->show(progress); };
  llvm::Expected<CompileReport> report = compileModelSafely(options);
  line.reset();
  if (!report)
    sarif.error = llvm::toString(report.takeError());
  if (!sarifPath.empty())
    if (llvm::Error error = writeJSON(sarifPath, sarif.toJSON()))
      return fail(llvm::toString(std::move(error)));
  if (!sarif.error.empty())
    return fail(sarif.error);
  for (const std::string &text : report->warnings)
    llvm::WithColor::warning() << options.input << ": " << text << '\n';
  for (const std::string &text : report->isolated)
    llvm::WithColor::warning()
        << options.input << ": ATen runs " << text << '\n';
  llvm::ArrayRef<CompileReport> reports(report->methods);
  if (reports.empty())
    reports = *report;
  for (const CompileReport &each : reports)
    if (std::string text = each.describeFallbacks(); !text.empty())
      llvm::WithColor::warning()
          << options.input << ": "
          << (each.method.empty() ? "" : "method '" + each.method + "': ")
          << text
          << "; --report FILE gives the reasons, --no-fallback makes this an "
             "error\n";
  if (!reportPath.empty())
    if (llvm::Error error = writeJSON(reportPath, report->toJSON()))
      return fail(llvm::toString(std::move(error)));
  return 0;
}

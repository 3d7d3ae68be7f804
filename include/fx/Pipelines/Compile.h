//===- Compile.h - a model becomes a native program -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_PIPELINES_COMPILE_H
#define FX_PIPELINES_COMPILE_H

#include "fx/CodeGen/CPU/WinogradMode.h"
#include "fx/Import/Limits.h"
#include "fx/Pipelines/Progress.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
class Location;
class ModuleOp;
class PassManager;
template <typename OpTy>
class OwningOpRef;
} // namespace mlir

namespace fx {

/// The output formats of a compilation, from fx/Pipelines/Formats.def.
enum class EmitKind {
#define FX_FORMAT(ID, KIND, NAME, TARGETS, EXTENSION, DESCRIPTION) KIND,
#include "fx/Pipelines/Formats.def"
};

/// Returns true for the formats that hold a linked model.
inline bool isLinked(EmitKind emit) {
  return emit == EmitKind::SharedObject || emit == EmitKind::AOTI;
}

/// Returns the extension of a file of the format, without the dot. It is empty
/// for the text formats that go to standard output by default.
llvm::StringRef getExtension(EmitKind emit);

/// Returns what `CompileOptions::target` can be, with the GPUs of each
/// platform, for the help of tools.
std::string describeTargets();

/// What the operands of f32 matmuls and convolutions are rounded to: see the
/// pass `fx-lower-precision`.
struct Precision {
  bool bf16 = false;
  bool int8 = false; ///< those of matmuls with integer weights; on CPUs only
  bool tf32 = false; ///< on NVIDIA GPUs of compute capability 8.0 and newer
};

/// Parses "f32", "tf32", "bf16", "int8" or "bf16,int8".
std::optional<Precision> parsePrecision(llvm::StringRef text);

/// A method of an artefact with several.
struct MethodInput {
  std::string name;  ///< an identifier
  std::string input; ///< as CompileOptions::input
  std::string model; ///< as CompileOptions::model
};

struct CompileOptions {
  /// A `.pt2` archive, or a `.mlir` file that holds an `fx.graph @main` or the
  /// linalg contract (`func.func @main`).
  std::string input;
  /// If not empty: the methods of the artefact, instead of `input` and `model`.
  /// `input` is then only used in errors that concern no method.
  /// They share weights of equal values, and mutable states of the same name.
  /// Only a shared object for CPUs can have several.
  std::vector<MethodInput> methods;
  /// The path of the output. The compiler writes a temporary file in the same
  /// folder, then renames it. Devices and links to open files (/dev/stdout) are
  /// written directly. "-": standard output (text formats only).
  std::string output;
  /// For tools: remove the temporary file if a signal ends the process. This
  /// installs LLVM's signal handlers permanently.
  bool handlesSignals = false;
  EmitKind emit = EmitKind::SharedObject;
  /// The name of the model, for an archive that holds several.
  std::string model;
  /// What the import of an archive may use.
  ImportLimits limits;
  /// The CPU, as for LLVM's `-mcpu`. Empty: the CPU of this machine, any x86-64
  /// if `target` is a GPU, or any CPU of `triple` if that is another machine.
  /// Several CPUs, with commas: a shared object with code for each of them. The
  /// best is chosen when it is loaded.
  std::string cpu;
  /// The triple of the machine, as for LLVM's `-mtriple`: "aarch64-linux-gnu".
  /// Empty: this machine's.
  std::string triple;
  /// The target of the kernels: empty for the CPU, "cuda", "cuda:sm_90a,sm_80",
  /// "rocm:gfx942", … (`describeTargets`). A platform without a run-time has
  /// kernels only, no host code.
  std::string target;
  /// Tiles of matmuls on a GPU, for experiments: the option of
  /// `fx-gpu-emit-kernels`.
  std::string gpuTiles;
  /// Operators without native code become calls of ATen. If false, they are an
  /// error that names all of them.
  bool allowFallback = true;
  /// Targets of operators that ATen runs concurrently with compiled code;
  /// "fallbacks" stands for all operators without native code. See the option
  /// `async` of `fx-schedule`.
  std::vector<std::string> async;
  /// LLVM's optimization level, 1 to 3.
  int optLevel = 3;
  Precision precision;
  /// The convolutions that use Winograd's method: see the pass
  /// `fx-cpu-winograd`. No effect on GPUs.
  cpu::WinogradMode winograd = cpu::WinogradMode::Auto;
  /// Measure the time of each call of a kernel, for FXModelApi::take_profile.
  bool profile = false;
  /// Measure schedules of the kernels on this machine for about this many
  /// seconds, and add those that are faster than the default to `tuneFile`; 0:
  /// do not.
  double tuneSeconds = 0;
  /// The file with schedules from measurements (fx/Kernels/Tuning.h); empty:
  /// none. `tuneSeconds` needs a file, for example
  /// `getDefaultTuneFile(output)`.
  std::string tuneFile;
  /// The number of threads of the runs that are measured, and for which the
  /// schedules of `tuneFile` are used; 0: all CPUs.
  int tuneThreads = 1;
  /// The values of symbolic sizes in the runs that are measured.
  std::map<std::string, int64_t> tuneSizes;
  /// Called with each line that tells what `tuneSeconds` measured.
  std::function<void(llvm::StringRef)> onTune;
  /// For tests: use candidate N of the schedules of each kernel, from 1.
  int64_t candidate = 0;
  /// Keep every weight in its exported form, and the code that folds and packs
  /// it, so that all weights can be set by name. EmitKind::AOTI implies it.
  bool swappableWeights = false;
  /// Files that give the values of the weights: safetensors or GGUF. Empty: the
  /// weights are those of the models.
  std::vector<std::string> weights;
  /// The rows of the states that caches become: see the pass `fx-keep-caches`.
  /// 0: caches stay inputs and outputs.
  int64_t cacheCapacity = 0;
  bool keepsWeights() const {
    return swappableWeights || emit == EmitKind::AOTI;
  }
  /// The folder of the cache of object code (`getDefaultCacheFolder` in
  /// fx/Support/ObjectCache.h returns that of the tools). Empty: no cache. The
  /// output does not depend on the cache. Passes whose result is found do not
  /// run, so callers that print or time passes get those of missing kernels
  /// only. Options of LLVM that were set through llvm::cl are not part of the
  /// keys.
  std::string cacheFolder;
  /// Save the module after each phase as OUTPUT.<phase>.mlir.
  bool saveTemps = false;
  /// Phases (of `phaseNames`) after which the module is printed to standard
  /// error.
  std::vector<std::string> dumpAfter;
  /// The file for a reproducer of a pass that crashes or fails, for
  /// `fx-opt --run-reproducer`; empty: none.
  std::string crashReproducer;
  /// Called with each pass manager before its passes are added, for example to
  /// enable timing or printing. Code generation runs several pass managers
  /// concurrently.
  std::function<void(mlir::PassManager &)> configurePasses;
  /// Called when a phase begins, and when it has finished a kernel.
  std::function<void(const Progress &)> onProgress;
  /// Called with the location of an error, if it has one, before the error is
  /// returned.
  std::function<void(mlir::Location)> onError;
  /// Called with the report entries of all operators as soon as it is known
  /// which of them have native code, also if missing code is an error.
  std::function<void(const llvm::json::Array &)> onOperators;
  /// For tests of crash recovery: the compiler traps at the beginning of this
  /// phase. A suffix changes this: ":fatal" raises a fatal error of LLVM that
  /// exits, ":stack" overflows the stack, and ":node=NAME" traps only if the
  /// node has native code. "pass" makes the first pass pipeline crash, and
  /// "wave" the measurement of schedules.
  std::string crashIn;
};

/// Returns the path of the tuning file beside an output: "m.tune.mlir" for
/// "m.so".
std::string getDefaultTuneFile(llvm::StringRef output);

/// The phases whose result is a module, in order.
inline constexpr llvm::StringLiteral phaseNames[] = {
    "import", "simplify", "linalg", "schedule", "bufferize"};

/// The content of the file that --report writes.
struct CompileReport {
  struct Phase {
    std::string name;
    double seconds;
  };
  std::vector<Phase> phases;
  /// The steps of the phase "code", in seconds summed over all threads.
  std::vector<Phase> work;
  int64_t parts = 1; ///< the number of LLVM modules that were compiled
  /// One entry for each node of the graph, and one for each kernel. See
  /// docs/Report.md.
  llvm::json::Array operators, kernels;
  /// One entry for each kernel of the GPU.
  llvm::json::Array deviceKernels;
  int64_t fallbacks = 0;
  int64_t arenaBytes = 0; ///< -1: depends on the sizes of the inputs
  uint64_t weightBytes = 0;
  /// The structures of the arguments and of the result, as JSON text of
  /// `torch.utils._pytree`; empty if they are not known.
  std::string inSpec, outSpec;
  /// The inputs that export made constants, which the compiled code does not
  /// take: numbers, texts and None. See docs/Report.md.
  llvm::json::Array constants;
  /// The outputs that are texts.
  llvm::json::Array textOutputs;
  /// The texts of the guards that the compiled code does not check.
  std::vector<std::string> unchecked;
  std::string cpu;
  /// The CPUs of all versions in the file, in the order in which they are tried
  /// when the file is loaded. All other members describe the first one.
  std::vector<std::string> versions;
  /// What was found in `CompileOptions::cacheFolder`.
  struct Cache {
    std::string folder;
    int64_t hits = 0, misses = 0;
    std::string problem; ///< why something could not be stored; or empty
  } cache;
  /// Nodes that ATen runs because their compilation failed, with the reason:
  /// "index_put (aten.index_put.default, model.py:12): <what is wrong>".
  std::vector<std::string> isolated;
  /// Schedules of the tuning file that are not used, and why.
  std::vector<std::string> warnings;
  /// The reason why the model is not compiled; empty if it is.
  std::string reason;
  /// The name of the method; empty if the model has one method without a name.
  std::string method;
  /// If the model has several methods: what concerns each of them. The report
  /// itself is then that of the first one.
  std::vector<CompileReport> methods;

  /// Returns a line about the nodes that ATen runs: their number and operators.
  /// It leaves out nodes that `isolated` tells about, and is empty if no others
  /// are left.
  std::string describeFallbacks() const;

  /// Returns the report in the format of docs/Report.md. `mode` tells how the
  /// model runs: "compiled" or "interpret".
  llvm::json::Object toJSON(llvm::StringRef mode = "compiled") const;
  /// Returns the entry of one of `methods`.
  llvm::json::Object toMethodJSON() const;
};

/// Returns the report of a model that LibTorch runs node by node. `reason` is
/// the reason why it is not compiled.
CompileReport getInterpretedReport(mlir::ModuleOp module,
                                   llvm::StringRef reason);

/// Compiles `options.input`. The text of an error is one line,
/// `<file>[:<node or place>]: <what is wrong>`, and no file is written at
/// `output` in this case. Linking resets all llvm::cl options of the process to
/// their defaults, so callers must read them before.
llvm::Expected<CompileReport> compileModel(const CompileOptions &options);

/// As `compileModel`, but a crash of the compiler becomes an error and leaves
/// no temporary file. If fallbacks are allowed, a node whose compilation fails
/// or crashes in any phase is left to ATen (`CompileReport::isolated`). The
/// memory of a compilation that crashed is leaked. Thread-safe.
llvm::Expected<CompileReport> compileModelSafely(const CompileOptions &options);

/// As `compileModel` for a module in memory, whose ownership it takes. The
/// dialects of `registerPipelineDialects` must be loaded in its context. The
/// stem of `options.input` is the name of the model, and error texts begin with
/// `options.input`.
llvm::Expected<CompileReport>
compileModule(mlir::OwningOpRef<mlir::ModuleOp> module,
              const CompileOptions &options);

/// As `compileModule`, but compiles a copy of `module` in a separate context. A
/// crash of the compiler becomes an error; `module` and its context are not
/// changed. `onError` gets locations of the context of the copy.
llvm::Expected<CompileReport>
compileModuleSafely(mlir::ModuleOp module, const CompileOptions &options);

/// As `compileModuleSafely` for several methods. The modules may be in
/// different contexts. `options.methods` has their names; its `input`s are what
/// error texts begin with.
llvm::Expected<CompileReport>
compileModulesSafely(llvm::ArrayRef<mlir::ModuleOp> modules,
                     const CompileOptions &options);

/// Registers all dialects and interfaces that the pipelines need.
void registerPipelineDialects(mlir::DialectRegistry &registry);

/// Attaches an implementation of NativeSupportInterface
/// (fx/Transforms/NativeSupport.h) that runs the conversion to linalg.
void registerNativeSupport(mlir::DialectRegistry &registry);

} // namespace fx

#endif // FX_PIPELINES_COMPILE_H

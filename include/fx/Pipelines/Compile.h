//===- Compile.h - a model becomes a native program -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_PIPELINES_COMPILE_H
#define FX_PIPELINES_COMPILE_H

#include "fx/Pipelines/Progress.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <functional>
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

/// What a compilation writes: fx/Pipelines/Formats.def.
enum class EmitKind {
#define FX_FORMAT(ID, KIND, NAME, TARGETS, EXTENSION, DESCRIPTION) KIND,
#include "fx/Pipelines/Formats.def"
};

/// What the name of a file with it ends in, without the dot; empty for the
/// texts that go to standard output unless a name is given.
llvm::StringRef getExtension(EmitKind emit);

struct CompileOptions {
  /// A `.pt2` archive, or a `.mlir` file that holds an `fx.graph @main` or the
  /// linalg contract (`func.func @main`).
  std::string input;
  /// Written beside, then renamed. "-": standard output (texts only).
  std::string output;
  /// `output` is there, and written in place: a file without a name.
  bool writesInPlace = false;
  /// For tools: the unfinished file goes, too, when a signal ends the process.
  /// LLVM's handlers of signals are installed for good then.
  bool handlesSignals = false;
  EmitKind emit = EmitKind::SharedObject;
  /// The model of an archive that holds several.
  std::string model;
  /// The CPU as `-mcpu` of LLVM has it; empty: this machine's.
  std::string cpu;
  /// What runs the kernels: empty for the CPU, "cuda",
  /// "cuda:sm_90a,sm_80", "rocm", "rocm:gfx942" or "vulkan". Host code is then
  /// for any x86-64 unless `cpu` says more; of the last three there is code of
  /// kernels alone.
  std::string target;
  /// Tiles of matmuls on a GPU, to compare them: the option of
  /// `fx-gpu-emit-kernels`.
  std::string gpuTiles;
  /// Operators without native code become calls of ATen; else they are an
  /// error that names all of them.
  bool allowFallback = true;
  /// Operators that ATen runs beside compiled code, by target; "fallbacks" are
  /// all without native code. As `fx-schedule`'s `async`.
  std::vector<std::string> async;
  /// 1 to 3, of LLVM.
  int optLevel = 3;
  /// Keeps every weight as it was exported beside what was folded or packed of
  /// it, and the code that does this, so that all weights can be set by name.
  bool swappableWeights = false;
  /// Keeps what the phases leave as OUTPUT.<phase>.mlir.
  bool saveTemps = false;
  /// Phases (of `phaseNames`) whose module is printed to standard error.
  std::vector<std::string> dumpAfter;
  /// Where a pass that crashes or fails leaves the module that it got and its
  /// pipeline, for `fx-opt --run-reproducer`; empty: nowhere.
  std::string crashReproducer;
  /// Called with each pass manager before its passes are added, to time or
  /// print what they do. Code is made by several pass managers at a time.
  std::function<void(mlir::PassManager &)> configurePasses;
  /// Called when a phase begins, and when it has finished a kernel.
  std::function<void(const Progress &)> onProgress;
  /// Called with the place of an error before it is returned, if it has one.
  std::function<void(mlir::Location)> onError;
  /// Called with the report's entries of all operators when it is known which
  /// have native code, also where that is an error.
  std::function<void(const llvm::json::Array &)> onOperators;
  /// For tests of what follows a crash: the compiler traps when this phase
  /// begins; with ":fatal" behind its name it has a fatal error of LLVM that
  /// exits, with ":stack" it runs out of its stack. With ":node=NAME" it traps
  /// only where that node has native code. "pass": the first passes.
  std::string crashIn;
};

/// The phases that leave a module, in order.
inline constexpr llvm::StringLiteral phaseNames[] = {
    "import", "simplify", "linalg", "schedule", "bufferize"};

/// What --report writes.
struct CompileReport {
  struct Phase {
    std::string name;
    double seconds;
  };
  std::vector<Phase> phases;
  /// What the phase "code" does, in seconds summed over all threads.
  std::vector<Phase> work;
  int64_t parts = 1; ///< modules that the code was compiled in
  /// One entry for each node of the graph, and for each kernel, as
  /// docs/Report.md describes them.
  llvm::json::Array operators, kernels;
  /// Of a GPU: one entry for each kernel of its code.
  llvm::json::Array deviceKernels;
  int64_t fallbacks = 0;
  int64_t arenaBytes = 0; ///< -1: depends on the inputs' sizes
  uint64_t weightBytes = 0;
  /// Conditions that the program does not check, by their text.
  std::vector<std::string> unchecked;
  std::string cpu;
  /// Nodes whose code could not be made, which ATen runs, and why: "index_put
  /// (aten.index_put.default, model.py:12): <what is wrong>".
  std::vector<std::string> isolated;
  /// Why the model is not compiled, where it is not.
  std::string reason;

  /// docs/Report.md. `mode` says how the model runs: "compiled", "interpret".
  llvm::json::Object toJSON(llvm::StringRef mode = "compiled") const;
};

/// The report of a model that LibTorch runs node by node, and why.
CompileReport getInterpretedReport(mlir::ModuleOp module,
                                   llvm::StringRef reason);

/// Compiles. The text of an error is one line, `<file>[:<node or place>]:
/// <what is wrong>`; nothing is left at `output` then. Linking sets all
/// llvm::cl options of the process back to their defaults: read them before.
llvm::Expected<CompileReport> compileModel(const CompileOptions &options);

/// The same; a crash of the compiler becomes an error, and no unfinished file
/// stays. Where fallbacks are allowed, a node whose code cannot be made is left
/// to ATen (`CompileReport::isolated`), whatever phase finds that out. What the
/// crashed compilation had allocated is lost. Any number of threads may compile
/// at a time.
llvm::Expected<CompileReport> compileModelSafely(const CompileOptions &options);

/// compileModel for a module in memory, which is taken. Its context must have
/// what `registerPipelineDialects` registers, loaded. `options.input` names the
/// model (its stem) and begins the texts of errors.
llvm::Expected<CompileReport>
compileModule(mlir::OwningOpRef<mlir::ModuleOp> module,
              const CompileOptions &options);

/// The same as compileModule on a copy in a context of its own: after a crash
/// of the compiler, which becomes an error, `module` and its context are as
/// they were. `onError` gets locations of the copy's context.
llvm::Expected<CompileReport>
compileModuleSafely(mlir::ModuleOp module, const CompileOptions &options);

/// Every dialect and interface that the pipelines need.
void registerPipelineDialects(mlir::DialectRegistry &registry);

/// Lets passes ask what the conversion to linalg has code for
/// (fx/Transforms/NativeSupport.h).
void registerNativeSupport(mlir::DialectRegistry &registry);

} // namespace fx

#endif // FX_PIPELINES_COMPILE_H

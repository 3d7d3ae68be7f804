//===- Codegen.h - from scheduled tensors to a file -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_CODEGEN_H
#define FX_LIB_PIPELINES_CODEGEN_H

#include "AotiPackage.h"
#include "fx/CodeGen/CPU/Weights.h"
#include "fx/Pipelines/Compile.h"
#include "fx/Pipelines/CompileError.h"

#include "mlir/IR/OwningOpRef.h"

namespace fx::gpu {
struct Target;
} // namespace fx::gpu

namespace fx {

/// The text of errors that report a crash.
inline constexpr llvm::StringLiteral kCrashText =
    "the compiler crashed on this model";

/// Runs the phases of a compilation: times each one, reports it to
/// `CompileOptions::onProgress`, and prints the module after the phases in
/// `CompileOptions::dumpAfter`.
class PhaseRunner {
public:
  PhaseRunner(const CompileOptions &options, CompileReport &report)
      : options(options), report(report) {}
  /// Runs `fn` as the phase `name`. `done` is the fraction of the compilation,
  /// 0 to 1, that is complete when the phase begins.
  llvm::Error run(llvm::StringRef name, double done,
                  llvm::function_ref<llvm::Error()> fn);
  /// Of the fractions that the next phases report, 0 to `end` lie in part
  /// `index` of `count` equal parts of this range.
  void setPart(double end, size_t index, size_t count) {
    first = end * index / count;
    scale = 1.0 / count;
  }
  /// The fractions that the next phases report are those of the compilation.
  void endParts() {
    first = 0;
    scale = 1;
  }
  /// Sets the module that the phases transform.
  void setModule(mlir::ModuleOp op) { module = op; }
  /// Reports to `CompileOptions::onProgress` that the current phase has
  /// finished one of `kernels` kernels. Each kernel is the fraction `share` of
  /// the compilation.
  void finishKernel(int64_t kernels, double share);

private:
  mlir::ModuleOp module;
  const CompileOptions &options;
  CompileReport &report;
  Progress now;
  double first = 0, scale = 1;
};

/// Keeps the first error of a context, and its warnings. Other diagnostics are
/// dropped.
class ErrorCatcher {
public:
  /// `onError`: see CompileOptions.
  ErrorCatcher(mlir::MLIRContext &context,
               std::function<void(mlir::Location)> onError);
  ~ErrorCatcher();
  /// Returns the caught error with its place, and clears it. If no error was
  /// caught, the message is `otherwise`.
  llvm::Error take(llvm::StringRef otherwise,
                   CompileError::Kind kind = CompileError::Kind::Code);
  /// Returns the warnings since the last call of `clearWarnings`, each as one
  /// line with its place.
  std::vector<std::string> getWarnings() const;
  void clearWarnings();
  /// Where `runPasses` leaves the input and the pipeline of passes that crash
  /// or fail; empty: nowhere.
  std::string reproducer;
  /// See CompileOptions.
  std::function<void(mlir::PassManager &)> configurePasses;
  /// The next passes of `runPasses` crash.
  bool crashes = false;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// Moves @prepare out of `module` to a new module, where its name is @main.
/// Returns null if there is no @prepare. The new @main takes the states and,
/// for each result, a tensor that the result is written to.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
splitPrepare(mlir::ModuleOp module);

/// Reads the custom class objects that `fx.eager` calls take as arguments from
/// the archive and attaches them to the calls as `fx.objects`.
llvm::Error embedObjects(mlir::ModuleOp module, ErrorCatcher &errors);

/// A model with kernels that are scheduled for one CPU.
struct ModelVersion {
  /// The name of the method; empty if there is one without a name.
  std::string method;
  cpu::CPUOptions cpu;
  /// The linalg contract with scheduled kernels.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The result of `splitPrepare`, scheduled for this machine's CPU. If it is
  /// null, @prepare is still in `module` or does not exist.
  mlir::OwningOpRef<mlir::ModuleOp> prepare;
  /// The report's entries.
  llvm::json::Array operators, kernels;
  std::string inSpec, outSpec;
  llvm::json::Array constants, textOutputs; ///< see CompileReport
};

/// Writes what `options.emit` asks for to `path`: text (memrefs, LLVM IR,
/// assembly, header), object code or a linked model. Only the last one can have
/// several versions, the most demanding one first, and only a shared object
/// several methods: `versions` has the methods of the first version, then those
/// of the second one. If `gpu` is not null, the
/// kernels are launches and only a shared object or a header can be made.
/// `package` has the other parts of a package for PyTorch. `afterBufferize`, if
/// given, changes each module with @main when it is on memrefs, before its
/// kernels are distributed.
llvm::Error
generateCode(llvm::MutableArrayRef<ModelVersion> versions,
             const CompileOptions &options, const fx::gpu::Target *gpu,
             std::optional<AotiParts> package, llvm::StringRef path,
             ErrorCatcher &errors, PhaseRunner &phases, CompileReport &report,
             std::function<llvm::Error(mlir::ModuleOp)> afterBufferize = {});

/// Returns the text of a C header with the inputs and outputs of a model.
std::string getModelHeader(const cpu::ModelDescription &model,
                           llvm::StringRef name);

} // namespace fx

#endif // FX_LIB_PIPELINES_CODEGEN_H

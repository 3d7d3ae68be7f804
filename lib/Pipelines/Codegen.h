//===- Codegen.h - from scheduled tensors to a file -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_CODEGEN_H
#define FX_LIB_PIPELINES_CODEGEN_H

#include "fx/CodeGen/CPU/Weights.h"
#include "fx/Pipelines/Compile.h"
#include "fx/Pipelines/CompileError.h"

#include "mlir/IR/OwningOpRef.h"

namespace fx::gpu {
struct Target;
} // namespace fx::gpu

namespace fx {

/// What errors say of a crash.
inline constexpr llvm::StringLiteral kCrashText =
    "the compiler crashed on this model";

/// Runs a phase: times it, tells the listener, and prints what it leaves where
/// that was asked for.
class PhaseRunner {
public:
  PhaseRunner(const CompileOptions &options, CompileReport &report)
      : options(options), report(report) {}
  llvm::Error run(llvm::StringRef name, double done,
                  llvm::function_ref<llvm::Error()> fn);
  /// The module that the phases work on.
  void setModule(mlir::ModuleOp op) { module = op; }
  /// Tells the listener that the phase has finished one of `kernels`, each of
  /// which is `share` of the whole compilation.
  void finishKernel(int64_t kernels, double share);

private:
  mlir::ModuleOp module;
  const CompileOptions &options;
  CompileReport &report;
  Progress now;
};

/// Keeps the first error of a context. Other diagnostics are dropped.
class ErrorCatcher {
public:
  /// `onError`: see CompileOptions.
  ErrorCatcher(mlir::MLIRContext &context,
               std::function<void(mlir::Location)> onError);
  ~ErrorCatcher();
  /// The error with its place; the message is `otherwise` if none was reported.
  llvm::Error take(llvm::StringRef otherwise,
                   CompileError::Kind kind = CompileError::Kind::Code);
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

/// Takes @prepare out of `module`: the module that holds it as its @main, or
/// null if there is none. Its inputs are states and then, one for each result,
/// the tensors that the results are written to.
mlir::OwningOpRef<mlir::ModuleOp> splitPrepare(mlir::ModuleOp module);

/// Reads the objects of custom classes that calls of ATen take from the archive
/// into the calls, as `fx.objects`.
llvm::Error embedObjects(mlir::ModuleOp module, ErrorCatcher &errors);

/// Text (memrefs, LLVM IR, assembly, header), object code or the shared object
/// of `module`, which holds the linalg contract with its kernels scheduled.
/// Writes to `path`. Where `gpu` is not null the kernels are launches, and only
/// a shared object or a header can be made; `prepare` is what `splitPrepare`
/// gave, scheduled for the CPU (null: still in `module`, or there is
/// none).
llvm::Error generateCode(mlir::ModuleOp module, const CompileOptions &options,
                         const cpu::CPUOptions &cpu, const fx::gpu::Target *gpu,
                         mlir::OwningOpRef<mlir::ModuleOp> prepare,
                         llvm::StringRef path, ErrorCatcher &errors,
                         PhaseRunner &phases, CompileReport &report);

/// The C header of a model.
std::string getModelHeader(const cpu::ModelDescription &model,
                           llvm::StringRef name);

/// Writes a file by a function.
llvm::Error writeFile(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> print);

} // namespace fx

#endif // FX_LIB_PIPELINES_CODEGEN_H

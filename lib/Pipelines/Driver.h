//===- Driver.h - from a model to code, phase by phase ----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_DRIVER_H
#define FX_LIB_PIPELINES_DRIVER_H

#include "Codegen.h"
#include "Isolate.h"
#include "OperatorReport.h"
#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/CodeGen/GPU/Device.h"
#include "fx/Support/OutputFile.h"

#include "mlir/IR/OwningOpRef.h"

#include <optional>

namespace fx {

/// Runs the phases of one compilation, from the input to the output file.
class Driver {
public:
  Driver(const CompileOptions &options, mlir::MLIRContext &context,
         OutputFile &file)
      : options(options), context(context), file(file),
        errors(context, options.onError), phases(options, report) {}
  llvm::Error run();

  CompileReport report;
  /// The module to compile. If null, `run` loads it from `options.input`.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Says which nodes must not get native code. Null: there are none.
  Isolation *isolation = nullptr;
  /// Called when tuning has run the model for the first time.
  std::function<void()> onTunedRun;

private:
  llvm::Error load();
  llvm::Error simplify();
  llvm::Error toLinalg();
  llvm::Error checkTuning();
  llvm::Error getTriple(std::string &triple);
  /// Forms the kernels and measures their schedules.
  llvm::Error tune(const cpu::CPUOptions &cpu);
  llvm::Error schedule(const cpu::CPUOptions &cpu);
  llvm::Error scheduleForDevice();
  llvm::Error splitForOtherMachine(const cpu::KernelOptions &kernels);
  llvm::Error addVersion(const cpu::CPUOptions &cpu);
  llvm::Error checkFallbacks();
  llvm::Error runPasses(llvm::function_ref<void(mlir::OpPassManager &)> build);
  llvm::Error printModule(llvm::StringRef path);
  llvm::Error saveTemp(llvm::StringRef phase);
  llvm::Error emit(llvm::StringRef path);
  llvm::Error emitVersions(llvm::StringRef path);

  const CompileOptions &options;
  mlir::MLIRContext &context;
  OutputFile &file;
  ErrorCatcher errors;
  PhaseRunner phases;
  /// The CPUs to compile for, the most demanding one first.
  llvm::SmallVector<cpu::CPUOptions> cpus;
  std::optional<fx::gpu::Target> gpu;
  /// For a GPU or another machine: the module of @prepare, which this machine's
  /// CPU runs.
  mlir::OwningOpRef<mlir::ModuleOp> prepare;
  /// For EmitKind::AOTI.
  std::optional<AotiParts> package;
  llvm::SmallVector<ModelVersion> versions;
  OperatorReport operators;
};

} // namespace fx

#endif // FX_LIB_PIPELINES_DRIVER_H

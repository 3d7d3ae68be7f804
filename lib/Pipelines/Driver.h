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
#include "Methods.h"
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
        errors(context, options.onError), phases(options, report) {
    methods = getMethods(options);
    input = methods.front().input;
  }
  llvm::Error run();

  CompileReport report;
  /// What is compiled. `run` loads the modules that are null.
  llvm::SmallVector<Method> methods;
  /// Returns the input that the last error concerns.
  llvm::StringRef getInput() const { return input; }
  /// Says which nodes must not get native code. Null: there are none.
  Isolation *isolation = nullptr;
  /// Called when tuning has run the model for the first time.
  std::function<void()> onTunedRun;

private:
  llvm::Error checkTarget();
  llvm::Error load(Method &method);
  llvm::Error loadAll();
  llvm::Error simplify();
  llvm::Error toLinalg();
  llvm::Error checkTuning();
  llvm::Error getTriple(std::string &triple);
  /// Forms the kernels and measures their schedules.
  llvm::Error tune(const cpu::CPUOptions &cpu);
  llvm::Error schedule(const cpu::CPUOptions &cpu);
  llvm::Error scheduleForDevice();
  llvm::Error splitForOtherMachine(const cpu::KernelOptions &kernels);
  llvm::Error addVersion(ModelVersion &version, const cpu::CPUOptions &cpu);
  llvm::Error checkFallbacks();
  llvm::Error runPasses(llvm::function_ref<void(mlir::OpPassManager &)> build);
  llvm::Error printModule(llvm::StringRef path);
  llvm::Error saveTemp(llvm::StringRef phase);
  llvm::Error emit(llvm::StringRef path);
  llvm::Expected<bool> lowerMethod(size_t m, llvm::StringRef path);
  llvm::Expected<bool> scheduleVersions(size_t m, llvm::StringRef path);

  const CompileOptions &options;
  mlir::MLIRContext &context;
  OutputFile &file;
  ErrorCatcher errors;
  PhaseRunner phases;
  llvm::StringRef input;
  /// The method that is being lowered, and its module.
  llvm::StringRef method;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The CPUs to compile for, the most demanding one first.
  llvm::SmallVector<cpu::CPUOptions> cpus;
  std::optional<fx::gpu::Target> gpu;
  /// For a GPU or another machine: the module of @prepare, which this machine's
  /// CPU runs.
  mlir::OwningOpRef<mlir::ModuleOp> prepare;
  /// For EmitKind::AOTI.
  std::optional<AotiParts> package;
  /// See `generateCode`.
  std::vector<ModelVersion> versions;
  OperatorReport operators;
  /// Of the method that is compiled.
  std::optional<cpu::CallSpec> callSpec;
};

} // namespace fx

#endif // FX_LIB_PIPELINES_DRIVER_H

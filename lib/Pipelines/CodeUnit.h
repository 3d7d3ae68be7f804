//===- CodeUnit.h - from a module to object code ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_CODEUNIT_H
#define FX_LIB_PIPELINES_CODEUNIT_H

#include "Codegen.h"
#include "fx/CodeGen/CPU/Backend.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <atomic>
#include <deque>

namespace fx {

/// Seconds of work in each step of code generation, summed over threads.
struct CodeSeconds {
  std::atomic<double> lower = 0, optimize = 0, emit = 0;
};

/// A module with @main that becomes one shared object. `describe`, `bufferize`
/// and `split` in this order; then each part is compiled on its own.
struct CodeUnit {
  mlir::ModuleOp module;
  cpu::CPUOptions cpu;
  cpu::ModelDescription description;
  /// The symbol by which the linked file calls @main.
  std::string entry = "fx_entry";
  /// See CompileOptions.
  std::function<void(mlir::PassManager &)> configurePasses;
  /// What is compiled: first @main's module, then kernels.
  llvm::SmallVector<mlir::ModuleOp> parts;
  /// The object code of each part.
  std::deque<std::string> objects;

  /// Fills `description` from the linalg contract.
  llvm::Error describe(ErrorCatcher &errors);
  /// From tensors to memrefs with the arena planned.
  llvm::Error bufferize(ErrorCatcher &errors);
  /// Moves kernels to modules of their own, of about equal weight. What is in
  /// which does not depend on the machine. Without it there is one part.
  void split();
  /// Links the objects and the description to a shared object at `path`.
  llvm::Error link(llvm::StringRef path);

private:
  llvm::SmallVector<mlir::OwningOpRef<mlir::ModuleOp>> owned;
};

/// `module` as optimized LLVM IR in `context`. Of threads that do this at the
/// same time each has its own context. Fails with what `errors` has not.
llvm::Expected<std::unique_ptr<llvm::Module>>
compileToLLVMIR(mlir::ModuleOp module, llvm::LLVMContext &context,
                const CodeUnit &unit, CodeSeconds &seconds);

/// Compiles the parts of all `units`, on all CPUs. Calls `onKernel` with
/// the number of all kernels when one is done, from one thread at a time.
llvm::Error compileParts(llvm::ArrayRef<CodeUnit *> units, ErrorCatcher &errors,
                         CodeSeconds &seconds,
                         const std::function<void(int64_t)> &onKernel);

/// Runs a pipeline of passes.
llvm::Error runPasses(mlir::ModuleOp module, ErrorCatcher &errors,
                      llvm::function_ref<void(mlir::OpPassManager &)> build);

} // namespace fx

#endif // FX_LIB_PIPELINES_CODEUNIT_H

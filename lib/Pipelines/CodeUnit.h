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
#include "fx/Support/ObjectCache.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <atomic>
#include <deque>

namespace fx {

/// Seconds of work in each step of code generation, summed over threads.
struct CodeSeconds {
  std::atomic<double> lower = 0, optimize = 0, emit = 0;
};

/// A module that is compiled to one object.
struct CodePart {
  mlir::ModuleOp module;
  /// The symbols of the part's kernels in the linked file. In `module` kernel i
  /// is `kernel_i`, so that the object does not depend on the other kernels of
  /// the program. Empty: the part has @main.
  llvm::SmallVector<std::string, 1> kernels;
  std::string object;
};

/// A module with @main that is compiled to one shared object. Call `describe`,
/// `bufferize` and (optionally) `split` in this order, then `compileParts`,
/// which compiles each part separately, and `linkUnits`.
struct CodeUnit {
  mlir::ModuleOp module;
  cpu::CPUOptions cpu;
  cpu::ModelDescription description;
  /// The exported symbol through which the linked file calls @main.
  std::string entry = "fx_entry";
  /// See CompileOptions.
  std::function<void(mlir::PassManager &)> configurePasses;
  /// The modules to compile: @main's module first, then modules of kernels.
  std::deque<CodePart> parts;

  /// Fills `description` from the linalg contract.
  llvm::Error describe(ErrorCatcher &errors);
  /// Lowers tensors to memrefs and plans the arena.
  llvm::Error bufferize(ErrorCatcher &errors);
  /// Moves the kernels to parts of their own. A large kernel is a part; small
  /// ones share a part, since each part has a fixed cost. The parts do not
  /// depend on the machine. Without this call `module` is the only part.
  void split();

private:
  llvm::SmallVector<mlir::OwningOpRef<mlir::ModuleOp>> owned;
};

/// Lowers `module`, a part of `unit`, to optimized LLVM IR for `cpu` in
/// `context`, and adds the time to `seconds`. `unit.entry` is the symbol of the
/// entry point that is added for @main. Threads that call this concurrently
/// must use different contexts. If a diagnostic was emitted, the returned error
/// is generic: callers pass its text to `ErrorCatcher::take`, which prefers the
/// diagnostic.
llvm::Expected<std::unique_ptr<llvm::Module>>
compileToLLVMIR(mlir::ModuleOp module, llvm::LLVMContext &context,
                const CodeUnit &unit, const cpu::CPUOptions &cpu,
                CodeSeconds &seconds);

/// Compiles the parts of all `units` to object code, on all CPUs, or takes
/// their code from `cache`. Calls `onKernel` each time a kernel is done, with
/// the total number of kernels; the calls are serialized. Returns the error of
/// the first part that failed or crashed.
llvm::Error compileParts(llvm::ArrayRef<CodeUnit *> units, ObjectCache &cache,
                         ErrorCatcher &errors, CodeSeconds &seconds,
                         const std::function<void(int64_t)> &onKernel);

/// Links the objects and descriptions of the versions of a model, of `methods`
/// methods each, to a shared object at `path`.
llvm::Error linkUnits(llvm::ArrayRef<CodeUnit *> units, int64_t methods,
                      llvm::StringRef path);

/// Links `unit`, the compiled @prepare, and runs it on the states. Result
/// `result`, which has `bytes`, is written to the address that `place` returns;
/// null: nothing reads the result.
llvm::Error
runPrepare(CodeUnit &unit, cpu::StateReader &states,
           llvm::function_ref<char *(int64_t result, int64_t bytes)> place);

/// Runs the pipeline that `build` adds, and verifies the result. Writes a
/// reproducer where `errors` requests one.
llvm::Error runPasses(mlir::ModuleOp module, ErrorCatcher &errors,
                      llvm::function_ref<void(mlir::OpPassManager &)> build);

} // namespace fx

#endif // FX_LIB_PIPELINES_CODEUNIT_H

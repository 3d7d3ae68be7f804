//===- Backend.h - from bufferized tensors to native code -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_CPU_BACKEND_H
#define FX_CODEGEN_CPU_BACKEND_H

#include "fx/Support/PassStatistic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm
namespace mlir {
class OpPassManager;
} // namespace mlir

namespace fx::cpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fx/CodeGen/CPU/BackendPasses.h.inc"

/// The machine to compile for. Both texts are as LLVM has them.
struct CPUOptions {
  std::string cpu;      ///< "znver5"
  std::string features; ///< "+avx512f,..."; host: what the system reports
  unsigned vectorWidth = 512;
  int optLevel = 3;
};

/// The machine that this runs on, or what `-mcpu=NAME` names. Fails for a name
/// that LLVM does not know.
mlir::FailureOr<CPUOptions> getCPUOptions(llvm::StringRef mcpu,
                                          std::string &error);

/// From tensors (the linalg contract, kernels already emitted) to memrefs.
void buildBufferizePipeline(mlir::OpPassManager &pm, const CPUOptions &options);

/// From memrefs to the LLVM dialect.
void buildLowerToLLVMPipeline(mlir::OpPassManager &pm,
                              const CPUOptions &options);

/// Both.
void buildCPUBackendPipeline(mlir::OpPassManager &pm,
                             const CPUOptions &options);

/// `fx-cpu-bufferize-pipeline` and `fx-cpu-lower-pipeline` for fx-opt, for the
/// host.
void registerCPUBackendPipelines();

/// LLVM IR for a module in the LLVM dialect; null on failure, which has been
/// reported.
std::unique_ptr<llvm::Module> translateToLLVMIR(mlir::ModuleOp module,
                                                llvm::LLVMContext &context,
                                                const CPUOptions &options);

/// LLVM's own optimizations. Fails with a message.
llvm::Error optimizeLLVM(llvm::Module &module, const CPUOptions &options);

enum class CodeKind { Assembly, Object };
/// Assembly or object code, position independent.
llvm::Expected<std::string> emitCode(llvm::Module &module,
                                     const CPUOptions &options, CodeKind kind);

/// Adds `fx_entry(results, args)`, which calls the C interface of `function`;
/// `args` are the addresses of descriptors, as fx-cpu-pass-addresses takes
/// them.
llvm::Error addEntry(llvm::Module &module, llvm::StringRef function,
                     llvm::StringRef name);

/// Links objects with the artefact's runtime into a shared object at `output`,
/// in process. It needs libc and libm only and exports `fx_model_api`.
llvm::Error linkSharedObject(llvm::ArrayRef<std::string> objects,
                             llvm::StringRef output);

} // namespace fx::cpu

#endif // FX_CODEGEN_CPU_BACKEND_H

//===- Backend.h - from bufferized tensors to native code -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_CPU_BACKEND_H
#define FX_CODEGEN_CPU_BACKEND_H

#include "fx/CodeGen/CPU/Streaming.h"
#include "fx/Support/PassStatistic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include "llvm/TargetParser/Triple.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm
namespace mlir {
class OpPassManager;
} // namespace mlir

namespace fx::cpu {

/// The index of a fallback in the report's list of operators.
inline constexpr llvm::StringLiteral kReportIndexAttr("fx.report_index");

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fx/CodeGen/CPU/BackendPasses.h.inc"

/// The machine to compile for. `cpu` and `features` are in LLVM's notation.
struct CPUOptions {
  std::string triple;   ///< "aarch64-unknown-linux-gnu"; empty: this machine's
  std::string cpu;      ///< "znver5"
  std::string name;     ///< for the user: "znver5", "x86-64-v4+amx-int8"
  std::string features; ///< "+avx512f,..."; host: as the system reports them
  unsigned vectorWidth = 512;
  int optLevel = 3;
  bool profile = false; ///< measure the time of each call of a kernel
  /// The suffix of symbols that tells the versions of a model apart.
  std::string suffix;
};

/// Returns the options for the CPU `name`, as for `-mcpu=NAME`; empty: for this
/// machine, or a generic one if `triple` is given. "NAME+FEATURE+FEATURE" adds
/// features. Fails for names that LLVM does not know; `error` is the message.
mlir::FailureOr<CPUOptions> getCPUOptions(llvm::StringRef name,
                                          std::string &error,
                                          llvm::StringRef triple = "");

/// Returns the triple `text`, as for `-mtriple=TEXT`, in LLVM's normal form;
/// empty if its code runs on this machine. Fails if there is no run-time for
/// it; `error` is the message.
mlir::FailureOr<std::string> parseTriple(llvm::StringRef text,
                                         std::string &error);

/// Returns the options for the CPUs that `mcpu` lists with commas, the most
/// demanding one first. If there are several, each has a suffix. Fails for
/// unknown and repeated names.
mlir::FailureOr<llvm::SmallVector<CPUOptions>>
getVersions(llvm::StringRef mcpu, std::string &error,
            llvm::StringRef triple = "");

llvm::Triple getTriple(const CPUOptions &options);

/// Returns the bits of `features` that CpuFeatures.def defines for the CPUs of
/// `triple`.
int64_t getFeatureBits(llvm::StringRef features, const llvm::Triple &triple);

/// Builds the pipeline from tensors (the linalg contract with emitted kernels)
/// to memrefs.
void buildBufferizePipeline(mlir::OpPassManager &pm, const CPUOptions &options);

/// Builds the pipeline from memrefs to the LLVM dialect.
void buildLowerToLLVMPipeline(mlir::OpPassManager &pm,
                              const CPUOptions &options);

/// Builds both pipelines.
void buildCPUBackendPipeline(mlir::OpPassManager &pm,
                             const CPUOptions &options);

/// Registers the pipelines as `fx-cpu-bufferize-pipeline` and
/// `fx-cpu-lower-pipeline` for fx-opt. They compile for the host.
void registerCPUBackendPipelines();

/// Translates a module in the LLVM dialect to LLVM IR. Returns null after
/// emitting an error.
std::unique_ptr<llvm::Module> translateToLLVMIR(mlir::ModuleOp module,
                                                llvm::LLVMContext &context,
                                                const CPUOptions &options);

/// Runs LLVM's optimization pipeline.
llvm::Error optimizeLLVM(llvm::Module &module, const CPUOptions &options);

enum class CodeKind { Assembly, Object };
/// Emits position-independent assembly or object code.
llvm::Expected<std::string> emitCode(llvm::Module &module,
                                     const CPUOptions &options, CodeKind kind);

/// Adds a function `name(results, args)`, such as `fx_entry`, which calls the C
/// interface of `function`. `args` is an array of the addresses of memref
/// descriptors, as in fx-cpu-pass-addresses.
llvm::Error addEntry(llvm::Module &module, llvm::StringRef function,
                     llvm::StringRef name);

/// Returns a copy of `object` in which each symbol for which `rename` returns a
/// name has this name.
llvm::Expected<std::string> renameSymbols(
    llvm::StringRef object,
    llvm::function_ref<std::optional<std::string>(llvm::StringRef)> rename);

/// Links objects and the artefact's run-time to a shared object at `output`, in
/// this process, for the machine `triple`. The shared object depends only on
/// libc and libm, and exports `fx_model_api`. With `forTorch`, it also depends
/// on LibTorch, and exports the interface of AOTInductor's packages.
llvm::Error linkSharedObject(llvm::ArrayRef<std::string> objects,
                             const llvm::Triple &triple, llvm::StringRef output,
                             bool forTorch = false);

/// Returns an error if this build has no run-time for `triple`.
llvm::Error checkRuntime(const llvm::Triple &triple);

} // namespace fx::cpu

#endif // FX_CODEGEN_CPU_BACKEND_H

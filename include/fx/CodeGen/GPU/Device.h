//===- Device.h - targets and code of GPUs ----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_GPU_DEVICE_H
#define FX_CODEGEN_GPU_DEVICE_H

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <string>

namespace fx::gpu {

enum class Platform {
  CUDA,   ///< NVIDIA GPUs
  ROCm,   ///< AMD GPUs
  Vulkan, ///< any GPU with a driver of Vulkan 1.2
};

/// What `--target=PLATFORM[:CHIP[,CHIP...]]` names.
struct Target {
  Platform platform = Platform::CUDA;
  /// The first one counts where one kind of code is asked for.
  llvm::SmallVector<std::string, 2> chips = {"sm_90a"};
  /// As it was written, with the default for what was left out.
  std::string getText() const;
  /// All chips have tensor cores of compute capability 8.0.
  bool hasTensorCores() const;
  /// A chip has the instructions of warpgroups, `wgmma` and TMA.
  bool hasWarpgroups() const;
};

/// Reads "cuda", "cuda:sm_90a,sm_80", "rocm", "rocm:gfx942" or "vulkan". The
/// error says what was expected.
llvm::Expected<Target> parseTarget(llvm::StringRef text);

//===----------------------------------------------------------------------===//
// NVIDIA GPUs
//===----------------------------------------------------------------------===//

/// A chip's name in parts: "sm_90a" is 90 and 'a'.
struct ChipName {
  int number = 0;
  char suffix = 0;
};
ChipName getChipName(llvm::StringRef chip);

/// The chip whose PTX runs on every GPU that is not older than it and all of
/// `target`; compute capability 8.0 or what is named below it.
std::string getCommonChip(const Target &target);

} // namespace fx::gpu

namespace fx::nvvm {

/// PTX of `gpu.module @kernels` in `module`, which has gone through
/// `buildNVVMPipeline`. Reports what has no code on a GPU.
llvm::Expected<std::string> emitPTX(mlir::ModuleOp module, llvm::StringRef chip,
                                    int optLevel);

/// The path of ptxas: `FX_PTXAS`, else in PATH, `CUDA_HOME` or where the
/// toolkit is usually installed; empty where there is none.
std::string findPtxas();

/// Returns an error if `FX_PTXAS` names a file that cannot be executed, or if
/// ptxas is needed and there is none.
llvm::Error checkPtxas(bool isNeeded);

/// Machine code by ptxas, which says in `log` what each kernel takes.
llvm::Expected<std::string> assemble(llvm::StringRef ptx, llvm::StringRef chip,
                                     std::string *log = nullptr);

} // namespace fx::nvvm

//===----------------------------------------------------------------------===//
// AMD GPUs
//===----------------------------------------------------------------------===//

namespace fx::rocdl {

/// Assembly of `gpu.module @kernels` in `module`, which has gone through
/// `buildROCDLPipeline`. Reports what has no code on a GPU.
llvm::Expected<std::string> emitGCN(mlir::ModuleOp module, llvm::StringRef chip,
                                    int optLevel);

/// The same as a code object, the shared object that HIP loads.
llvm::Expected<std::string> emitHSACO(mlir::ModuleOp module,
                                      llvm::StringRef chip, int optLevel);

} // namespace fx::rocdl

//===----------------------------------------------------------------------===//
// Vulkan
//===----------------------------------------------------------------------===//

namespace fx::spirv {

/// The `spirv.module` of `module`, which has gone through `buildSPIRVPipeline`,
/// as the words that a driver of Vulkan 1.2 takes.
llvm::Expected<std::string> emitSPIRV(mlir::ModuleOp module);

} // namespace fx::spirv

#endif // FX_CODEGEN_GPU_DEVICE_H

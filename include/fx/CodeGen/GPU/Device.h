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

/// The target of the option `--target=PLATFORM[:CHIP[,CHIP...]]`.
struct Target {
  Platform platform = Platform::CUDA;
  /// The chips. A format with code for a single chip uses the first one.
  llvm::SmallVector<std::string, 2> chips = {"sm_90a"};
  /// Returns the text of the option, including default chips.
  std::string getText() const;
  /// Returns true if all chips have tensor cores of compute capability 8.0.
  bool hasTensorCores() const;
  /// Returns true if one of the chips has the instructions of warpgroups,
  /// `wgmma` and TMA.
  bool hasWarpgroups() const;
};

/// Parses "cuda", "cuda:sm_90a,sm_80", "rocm", "rocm:gfx942" or "vulkan". The
/// error tells what is expected.
llvm::Expected<Target> parseTarget(llvm::StringRef text);

//===----------------------------------------------------------------------===//
// NVIDIA GPUs
//===----------------------------------------------------------------------===//

/// The parts of a chip's name: "sm_90a" is 90 and 'a'.
struct ChipName {
  int number = 0;
  char suffix = 0;
};
ChipName getChipName(llvm::StringRef chip);

/// Returns the chip whose PTX runs on all chips of `target` and on all newer
/// GPUs: compute capability 8.0, or the least one of `target` if it is lower.
std::string getCommonChip(const Target &target);

} // namespace fx::gpu

namespace fx::nvvm {

/// Returns the PTX of `gpu.module @kernels` in `module`, after
/// `buildNVVMPipeline`. Fails if an operation has no code on a GPU.
llvm::Expected<std::string> emitPTX(mlir::ModuleOp module, llvm::StringRef chip,
                                    int optLevel);

/// Returns the path of ptxas: the environment variable `FX_PTXAS`, or else
/// ptxas in PATH, in `CUDA_HOME` or in the usual folder of the toolkit; empty
/// if there is none.
std::string findPtxas();

/// Returns an error if `FX_PTXAS` names a file that cannot be executed, or if
/// `isNeeded` and there is no ptxas.
llvm::Error checkPtxas(bool isNeeded);

/// Compiles PTX to machine code by ptxas. `log`, if not null, becomes its
/// output, which lists the resources of each kernel.
llvm::Expected<std::string> assemble(llvm::StringRef ptx, llvm::StringRef chip,
                                     std::string *log = nullptr);

} // namespace fx::nvvm

//===----------------------------------------------------------------------===//
// AMD GPUs
//===----------------------------------------------------------------------===//

namespace fx::rocdl {

/// Returns the assembly of `gpu.module @kernels` in `module`, after
/// `buildROCDLPipeline`. Fails if an operation has no code on a GPU.
llvm::Expected<std::string> emitGCN(mlir::ModuleOp module, llvm::StringRef chip,
                                    int optLevel);

/// As `emitGCN`, but returns a code object, which is the shared object that HIP
/// loads.
llvm::Expected<std::string> emitHSACO(mlir::ModuleOp module,
                                      llvm::StringRef chip, int optLevel);

} // namespace fx::rocdl

//===----------------------------------------------------------------------===//
// Vulkan
//===----------------------------------------------------------------------===//

namespace fx::spirv {

/// Serializes the `spirv.module` of `module`, after `buildSPIRVPipeline`, to
/// the words of a SPIR-V binary for Vulkan 1.2.
llvm::Expected<std::string> emitSPIRV(mlir::ModuleOp module);

} // namespace fx::spirv

#endif // FX_CODEGEN_GPU_DEVICE_H

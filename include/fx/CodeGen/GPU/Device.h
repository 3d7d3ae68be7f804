//===- Device.h - code for NVIDIA GPUs --- -*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_GPU_DEVICE_H
#define FX_CODEGEN_GPU_DEVICE_H

#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/Error.h"

#include <string>

namespace fx::cuda {

/// What `--target=cuda[:CHIP]` names.
struct Target {
  std::string chip = "sm_90a";
};

/// Reads "cuda" or "cuda:sm_90a". The error says what was expected.
llvm::Expected<Target> parseTarget(llvm::StringRef text);

/// PTX of `gpu.module @kernels` in `module`, which has gone through
/// `buildNVVMPipeline`. Reports what has no code on a GPU.
llvm::Expected<std::string> emitPTX(mlir::ModuleOp module, const Target &target,
                                    int optLevel);

/// The path of ptxas: `FX_PTXAS`, else in PATH, `CUDA_HOME` or where the
/// toolkit is usually installed; empty where there is none.
std::string findPtxas();

/// Machine code by ptxas, which says in `log` what each kernel takes.
llvm::Expected<std::string> assemble(llvm::StringRef ptx, const Target &target,
                                     std::string *log = nullptr);

} // namespace fx::cuda

#endif // FX_CODEGEN_GPU_DEVICE_H

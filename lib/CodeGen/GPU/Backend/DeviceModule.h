//===- DeviceModule.h - kernels through LLVM's generators -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_DEVICEMODULE_H
#define FX_LIB_CODEGEN_GPU_DEVICEMODULE_H

#include "fx/CodeGen/GPU/Device.h"

#include "llvm/Support/CodeGen.h"
#include "llvm/TargetParser/Triple.h"

namespace llvm {
class Module;
class Target;
} // namespace llvm

namespace fx::gpu {

/// LLVM's code generator for the GPUs of a platform.
struct CodeGenerator {
  llvm::Triple triple;
  /// The name of the GPUs in messages: "NVIDIA GPUs".
  llvm::StringLiteral gpus;
  /// Target features in addition to those of the chip.
  llvm::StringLiteral features;
  void (*initialize)();
  /// Returns LLVM's target, or an error if LLVM was built without it.
  llvm::Expected<const llvm::Target *> find() const;
};
const CodeGenerator &getCodeGenerator(Platform platform);

/// Compiles `gpu.module @kernels` of `module`, which is in the LLVM dialects of
/// the platform, to assembly or an object file, as `kind` says. `prepare` is
/// called with the LLVM module before it is optimized. Returns an error if a
/// function has no code on a GPU.
llvm::Expected<std::string>
emitKernels(mlir::ModuleOp module, Platform platform, llvm::StringRef chip,
            int optLevel, llvm::CodeGenFileType kind,
            llvm::function_ref<void(llvm::Module &)> prepare = nullptr);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_DEVICEMODULE_H

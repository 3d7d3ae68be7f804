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

/// What LLVM has for the GPUs of a platform.
struct CodeGenerator {
  llvm::Triple triple;
  /// For texts: "NVIDIA GPUs".
  llvm::StringLiteral gpus;
  /// Beside those of the chip.
  llvm::StringLiteral features;
  void (*initialize)();
  /// Fails where LLVM was built without it.
  llvm::Expected<const llvm::Target *> find() const;
};
const CodeGenerator &getCodeGenerator(Platform platform);

/// What LLVM makes of `gpu.module @kernels` in `module`, in the dialects of the
/// platform: text or an object. `prepare` sees the module before it is
/// optimized. Reports what has no code on a GPU.
llvm::Expected<std::string>
emitKernels(mlir::ModuleOp module, Platform platform, llvm::StringRef chip,
            int optLevel, llvm::CodeGenFileType kind,
            llvm::function_ref<void(llvm::Module &)> prepare = nullptr);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_DEVICEMODULE_H

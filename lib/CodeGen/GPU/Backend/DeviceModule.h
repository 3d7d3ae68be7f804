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

namespace llvm {
class Function;
class Module;
class Target;
} // namespace llvm

namespace fx::gpu {

/// LLVM's code generator for the GPUs of a platform.
struct CodeGenerator {
  llvm::StringLiteral triple;
  /// The name of the GPUs in messages: "NVIDIA GPUs".
  llvm::StringLiteral gpus;
  /// Returns target features that the code needs in addition to those of the
  /// chip; null: none.
  llvm::StringRef (*getFeatures)(const llvm::Module &code,
                                 llvm::StringRef chip) = nullptr;
  /// Registers LLVM's target.
  void (*initialize)();
  /// Registers the translation of the platform's dialect to LLVM IR.
  void (*registerTranslation)(mlir::DialectRegistry &registry);
  /// Returns the name of the math function that `f` stands for if upstream's
  /// conversion of the math dialect calls it: "sqrt" for "__nv_sqrtf" of CUDA's
  /// libdevice. Returns an empty name for other functions.
  llvm::StringRef (*getMathName)(const llvm::Function &f);
  /// Called with the LLVM module before it is optimized; null: nothing.
  void (*prepare)(llvm::Module &module, llvm::StringRef chip) = nullptr;
  /// Whether `initialize` was called.
  mutable bool isInitialized = false;

  /// Returns LLVM's target, or an error if LLVM was built without it.
  llvm::Expected<const llvm::Target *> find() const;
};

/// Compiles `gpu.module @kernels` of `module`, which is in the LLVM dialects of
/// the platform, to assembly or an object file, as `kind` says. Returns an
/// error if a function has no code on a GPU.
llvm::Expected<std::string> emitKernels(mlir::ModuleOp module,
                                        const CodeGenerator &generator,
                                        llvm::StringRef chip, int optLevel,
                                        llvm::CodeGenFileType kind);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_DEVICEMODULE_H

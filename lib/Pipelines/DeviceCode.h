//===- DeviceCode.h - the code of a GPU -------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_DEVICECODE_H
#define FX_LIB_PIPELINES_DEVICECODE_H

#include "Codegen.h"
#include "fx/CodeGen/CPU/Description.h"
#include "fx/CodeGen/GPU/Device.h"
#include "fx/Support/ObjectCache.h"

namespace fx {

/// Writes the text or the machine code of a GPU that `options.emit` asks for to
/// `path`. The kernels of `module` are launches. Bufferizes and lowers `module`
/// in place.
llvm::Error generateDeviceCode(mlir::ModuleOp module,
                               const CompileOptions &options,
                               const fx::gpu::Target &target,
                               const cpu::CPUOptions &cpu, llvm::StringRef path,
                               ErrorCatcher &errors, PhaseRunner &phases);

/// Lowers the bufferized `module` to host code that calls the run-time, and
/// removes the kernels from it. Adds the code of the kernels to `description`:
/// machine code for the chips of `target` if ptxas is available, and PTX for
/// all others. Takes both from `cache` if they are there. Sets `kernels` to the
/// report's entries for the kernels.
llvm::Error compileKernels(mlir::ModuleOp module, const CompileOptions &options,
                           const fx::gpu::Target &target,
                           cpu::ModelDescription &description,
                           llvm::json::Array &kernels, ObjectCache &cache,
                           ErrorCatcher &errors);

} // namespace fx

#endif // FX_LIB_PIPELINES_DEVICECODE_H

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

namespace fx {

/// Writes the text or the machine code that `options.emit` asks for of
/// `module`, whose kernels are emitted as launches, to `path`.
llvm::Error generateDeviceCode(mlir::ModuleOp module,
                               const CompileOptions &options,
                               const fx::gpu::Target &target,
                               const cpu::CPUOptions &cpu, llvm::StringRef path,
                               ErrorCatcher &errors, PhaseRunner &phases);

/// Turns `module`, bufferized, to host code that calls the run-time. The code
/// of the kernels, which leave it, goes to `description`: machine code for the
/// chips of `target` where there is a ptxas, and PTX for all others. `kernels`
/// gets the entries of the report for them.
llvm::Error compileKernels(mlir::ModuleOp module, const CompileOptions &options,
                           const fx::gpu::Target &target,
                           cpu::ModelDescription &description,
                           llvm::json::Array &kernels, ErrorCatcher &errors);

} // namespace fx

#endif // FX_LIB_PIPELINES_DEVICECODE_H

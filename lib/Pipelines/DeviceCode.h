//===- DeviceCode.h - from scheduled tensors to the code of a GPU --- -*- C++
//-*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_DEVICECODE_H
#define FX_LIB_PIPELINES_DEVICECODE_H

#include "Codegen.h"
#include "fx/CodeGen/GPU/Device.h"

namespace fx {

/// Writes what `options.emit` says of `module`, whose kernels are emitted as
/// launches, to `path`.
llvm::Error generateDeviceCode(mlir::ModuleOp module,
                               const CompileOptions &options,
                               const cuda::Target &target,
                               const cpu::CPUOptions &cpu, llvm::StringRef path,
                               ErrorCatcher &errors, PhaseRunner &phases);

} // namespace fx

#endif // FX_LIB_PIPELINES_DEVICECODE_H

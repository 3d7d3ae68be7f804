//===- Accesses.h - the memory that a launch accesses -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_BACKEND_ACCESSES_H
#define FX_LIB_CODEGEN_GPU_BACKEND_ACCESSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fx::gpu {

/// Emits calls of `fx_rt_gpu_access` in front of a launch, one for each range
/// of device memory that its threads read or write. The run-time lets launches
/// run at the same time if their ranges permit it. `used` are the values of the
/// enclosing function that the body of the launch uses.
///
/// A function with the kernel attribute accesses its arguments only, also by
/// their addresses; `kNumOutputsAttr` says which ones it writes. In other
/// functions, threads access the buffers that they capture. If neither is known
/// to be so, no calls are emitted, which stands for all memory.
void describeAccesses(mlir::OpBuilder &b, mlir::gpu::LaunchOp launch,
                      mlir::ArrayRef<mlir::Value> used);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_BACKEND_ACCESSES_H

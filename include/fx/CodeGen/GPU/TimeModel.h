//===- TimeModel.h - the expected times of kernels --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates how long a kernel takes on a GPU: the longer one of the times for
// its bytes and for its operations, and the time of a launch. The model has not
// been compared with measurements.
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_GPU_TIMEMODEL_H
#define FX_CODEGEN_GPU_TIMEMODEL_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <optional>

namespace fx::gpu {

/// The numbers of a GPU in DeviceSpeeds.inc.
struct DeviceSpeed {
  llvm::StringLiteral name;
  int64_t multiprocessors;
  /// Bytes in a second from memory, and from the second-level cache to one
  /// multiprocessor.
  double memory, multiprocessor;
  /// Operations in a second: without tensor cores, of 2-byte elements with
  /// those of sm_90a and of sm_80, and of f32 as three products of TF32.
  double f32, f64, tensor, mma, tf32x3;
  /// The seconds from one kernel to the next one.
  double launch;
};
llvm::ArrayRef<DeviceSpeed> getDeviceSpeeds();

/// What a kernel does. Numbers that depend on dynamic sizes are absent.
struct KernelWork {
  /// The bytes of all operands and results, each counted once.
  std::optional<int64_t> bytes;
  std::optional<int64_t> operations;
  /// What computes the operations: "f32", "f64", "tensor", "tensor8",
  /// "tensor32", "mma", "mma8", "mfma", "mfma8", "tf32" or "tf32x3".
  llvm::StringRef unit = "f32";
  std::optional<int64_t> blocks;
  int64_t threads = 0;
  /// As ptxas reports them; 0 if it was not called.
  int64_t registers = 0, sharedBytes = 0;
};

struct KernelTime {
  /// Blocks divided by the number that run at the same time.
  double waves;
  double seconds;
  /// What limits the time: "memory"; "blocks" if there are too few blocks for
  /// the bandwidth of memory; "compute"; or "launch".
  llvm::StringRef bound;
};

/// Sets the attribute of a launch that says what it does: it moves `bytes` and
/// computes `operations` of f32.
void describeLaunch(mlir::Operation *launch, int64_t bytes, int64_t operations);
/// Returns what `func` does, from the attributes of its launch.
KernelWork getWork(mlir::gpu::GPUFuncOp func);
/// Returns nullopt if the bytes or the operations are absent. Blocks that are
/// absent fill the device.
std::optional<KernelTime> estimateTime(const KernelWork &work,
                                       const DeviceSpeed &device);

} // namespace fx::gpu

#endif // FX_CODEGEN_GPU_TIMEMODEL_H

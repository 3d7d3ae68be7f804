//===- GPU.h - passes of CPU and GPU in one order ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_PIPELINES_GPU_H
#define FX_PIPELINES_GPU_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace fx {

/// From the linalg contract to groups of ops, each a kernel, which are those of
/// the CPU, made by the same passes. What depends on states alone goes to
/// `@prepare`, which the processor runs. `tensorCores`: see
/// `fx::gpu::buildKernelPipeline`.
void buildGPUGroupPipeline(mlir::OpPassManager &pm, bool tensorCores = true);

/// Registers `fx-gpu-kernels`, a pipeline for fx-opt: the groups and their
/// code.
void registerGPUPipelines();

} // namespace fx

#endif // FX_PIPELINES_GPU_H

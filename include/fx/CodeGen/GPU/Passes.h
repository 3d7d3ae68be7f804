//===- Passes.h - from linalg on tensors to kernels of GPUs -----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_GPU_PASSES_H
#define FX_CODEGEN_GPU_PASSES_H

#include "fx/Support/PassStatistic.h"

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
class OpPassManager;
namespace spirv {
class ModuleOp;
} // namespace spirv
} // namespace mlir

namespace fx::gpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fx/CodeGen/GPU/Passes.h.inc"

/// On launches and kernels: names the one chip, "sm_90a", that has the kernel.
/// It is in no image of others.
inline constexpr llvm::StringLiteral kChipAttr = "fx.chip";

/// On launches: the buffers that threads load from and store to begin at
/// multiples of so many bytes, which the host has checked.
inline constexpr llvm::StringLiteral kAlignmentAttr = "fx.alignment";
/// Bytes of the widest load or store of a thread.
inline constexpr int64_t kAlignment = 16;

/// On kernels: what they compute, "add (model.py:12)", for messages.
inline constexpr llvm::StringLiteral kNodesAttr = "fx.nodes";

/// From groups to a module whose `@main` holds `fx_kernel.invoke` of kernels
/// that launch threads. Bufferization follows. `tensorCores`: all chips have
/// those of compute capability 8.0; `warpgroups`: one is an sm_90a. `tiles`:
/// see the option of `fx-gpu-emit-kernels`.
void buildKernelPipeline(mlir::OpPassManager &pm, bool tensorCores = true,
                         bool warpgroups = false, llvm::StringRef tiles = "");

/// From memrefs to host code and `gpu.module @kernels`.
void buildDevicePipeline(mlir::OpPassManager &pm);

/// `gpu.module @kernels` from upstream's dialects to the NVVM dialect.
void buildNVVMPipeline(mlir::OpPassManager &pm);

/// The same to the ROCDL dialect, for `chip`.
void buildROCDLPipeline(mlir::OpPassManager &pm, llvm::StringRef chip);

/// `gpu.module @kernels` from upstream's dialects to a `spirv.module` for
/// Vulkan.
void buildSPIRVPipeline(mlir::OpPassManager &pm);

/// Registers the passes and, as pipelines for fx-opt, `fx-gpu-kernels`,
/// `fx-gpu-device`, `fx-gpu-nvvm`, `fx-gpu-rocdl` and `fx-gpu-spirv`.
void registerPasses();

} // namespace fx::gpu

#endif // FX_CODEGEN_GPU_PASSES_H

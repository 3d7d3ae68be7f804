//===- Passes.h - from linalg on tensors to kernels of GPUs -----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_GPU_PASSES_H
#define FX_CODEGEN_GPU_PASSES_H

#include "fx/Kernels/TargetInfo.h"
#include "fx/Support/PassStatistic.h"

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace fx::gpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fx/CodeGen/GPU/Passes.h.inc"

/// An attribute of launches and kernels: the only chip, "sm_90a", whose image
/// contains the kernel.
inline constexpr llvm::StringLiteral kChipAttr = "fx.chip";

/// An attribute of launches and kernels: the number of neighbouring blocks that
/// are a cluster.
inline constexpr llvm::StringLiteral kClusterAttr = "fx.cluster";

/// The assembly by which a kernel waits for the one in front of it, and lets
/// the next one start.
inline constexpr llvm::StringLiteral kWaitForKernel =
    "griddepcontrol.wait; griddepcontrol.launch_dependents;";

/// An attribute of launches: the alignment in bytes of the buffers that threads
/// load from and store to. The host has checked it.
inline constexpr llvm::StringLiteral kAlignmentAttr = "fx.alignment";
/// The bytes of the widest load or store of a thread.
inline constexpr int64_t kAlignment = 16;

/// An attribute of launches and kernels: what they do, for the report. The keys
/// `bytes`, `operations` and `blocks` are absent if they depend on dynamic
/// sizes; `unit` names the unit that computes the operations.
inline constexpr llvm::StringLiteral kWorkAttr = "fx.work";

/// An attribute of functions with the kernel attribute: the number of
/// buffers among their last arguments that they may write. They only read the
/// other ones.
inline constexpr llvm::StringLiteral kNumOutputsAttr = "fx.num_outputs";

/// An attribute of kernels: the nodes that they compute, "add (model.py:12)",
/// for messages.
inline constexpr llvm::StringLiteral kNodesAttr = "fx.nodes";

/// Builds the pipeline from groups to kernels that launch threads, which
/// `@main` calls by `fx_kernel.invoke`. Bufferization follows. `tiles` and
/// `roundsToTF32`: see the options of `fx-gpu-emit-kernels`.
void buildKernelPipeline(mlir::OpPassManager &pm, kernel::MatrixUnit unit,
                         llvm::StringRef tiles = "", bool roundsToTF32 = false);

/// Builds the pipeline from memrefs to host code and `gpu.module @kernels`.
void buildDevicePipeline(mlir::OpPassManager &pm);

/// Registers the passes and, as a pipeline for fx-opt, `fx-gpu-device`. Passes
/// and pipelines of a platform are those of `Platform`.
void registerPasses();

} // namespace fx::gpu

#endif // FX_CODEGEN_GPU_PASSES_H

//===- KernelPasses.h - linalg on tensors to kernels ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_CPU_KERNELPASSES_H
#define FX_CODEGEN_CPU_KERNELPASSES_H

#include "fx/Support/PassStatistic.h"

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace fx::cpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fx/CodeGen/CPU/KernelPasses.h.inc"

/// What the tensor-level passes need to know of the machine.
struct KernelOptions {
  /// f32 lanes of a vector register: 16 (AVX-512), 8 (AVX2) or 4 (SSE).
  int64_t lanes = 16;
  /// vpdpbusd exists for vectors of so many lanes.
  bool vnni = false;
  /// vdpbf16ps exists for vectors of that many lanes.
  bool bf16 = false;
};

/// What an x86 feature list as LLVM prints it ("+avx512f,+avx2,...") allows.
KernelOptions getKernelOptions(llvm::StringRef features);

/// The whole tensor-level half: from the linalg contract to a module whose
/// public functions hold `fx_kernel.invoke` ops (and the linalg ops that no
/// schedule covers), with `@prepare` split off. One-shot bufferization follows.
void buildKernelPipeline(mlir::OpPassManager &pm, const KernelOptions &options);

/// The last part of it: groups of ops become code.
void buildEmitPipeline(mlir::OpPassManager &pm, const KernelOptions &options);

/// Registers the passes and the pipeline `fx-cpu-kernels` (options `lanes`,
/// `vnni`, `bf16`).
void registerKernelPasses();

} // namespace fx::cpu

#endif // FX_CODEGEN_CPU_KERNELPASSES_H

//===- KernelPasses.h - linalg on tensors to kernels ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_CPU_KERNELPASSES_H
#define FX_CODEGEN_CPU_KERNELPASSES_H

#include "fx/CodeGen/CPU/TileKindsOption.h"
#include "fx/CodeGen/CPU/WinogradMode.h"
#include "fx/Kernels/TargetInfo.h"
#include "fx/Kernels/Tuning.h"
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

/// The properties of the machine that the passes on tensors use.
struct KernelOptions {
  /// The f32 lanes of a vector register: 16 (AVX-512), 8 (AVX2) or 4 (SSE,
  /// NEON).
  int64_t lanes = 16;
  /// Whether the vectors are those of AArch64's NEON.
  bool neon = false;
  /// Whether the machine has vpdpbusd for vectors of `lanes` lanes, or sdot.
  bool vnni = false;
  /// Whether the machine has vpmaddubsw for such vectors.
  bool byteProducts = true;
  /// Whether NEON has usdot.
  bool mixedDot = false;
  /// vdpbf16ps exists for vectors of that many lanes, or bfdot.
  bool bf16 = false;
  /// The machine extends vectors of f16 to f32.
  bool f16 = false;
  /// The element types that the machine multiplies in tiles.
  kernel::TileKinds tiles = {};
  /// The convolutions that use Winograd's method.
  WinogradMode winograd = WinogradMode::Auto;
  /// Count the operations of kernels, for `fx-cpu-profile-kernels`.
  bool profile = false;
  /// The file with schedules from measurements; empty: none. Its entries for
  /// `target` are used.
  std::string tuneFile;
  kernel::TuningTarget target;
  /// For tests: see `fx-cpu-select-schedules`.
  int64_t candidate = 0;

  /// Returns what the choice of schedules depends on.
  kernel::TargetInfo getScheduleTarget() const {
    kernel::TargetInfo info = kernel::TargetInfo::getCPU(
        lanes, /*hasByteDot=*/false, bf16, tiles, neon);
    info.setCPU(target.cpu);
    return info;
  }
};

/// Returns the options for a list of features of x86 or AArch64 in LLVM's
/// notation ("+avx512f,+avx2,..."), and for the name of the CPU.
KernelOptions getKernelOptions(llvm::StringRef features, llvm::StringRef cpu);

/// Builds the pipeline of all passes on tensors: from the linalg contract to a
/// module whose public functions contain `fx_kernel.invoke` ops, and linalg ops
/// for which there is no schedule. Computations on states alone move to
/// `@prepare`. One-shot bufferization follows.
void buildKernelPipeline(mlir::OpPassManager &pm, const KernelOptions &options);

/// Builds the first part of this pipeline, which forms the kernels.
void buildFormPipeline(mlir::OpPassManager &pm, const KernelOptions &options);
/// Builds the last part of this pipeline, which emits the code of kernels.
void buildEmitPipeline(mlir::OpPassManager &pm, const KernelOptions &options);

/// Registers the passes and the pipeline `fx-cpu-kernels` (options `lanes`,
/// `vnni`, `bf16`, `tiles`).
void registerKernelPasses();

} // namespace fx::cpu

#endif // FX_CODEGEN_CPU_KERNELPASSES_H

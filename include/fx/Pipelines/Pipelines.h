//===- Pipelines.h - from graphs to kernels, as pipelines -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fx-compile runs these pipelines, and `fx-opt` has them by name:
//
//   fx-opt m.mlir --fx-simplify --fx-to-linalg --fx-cpu
//   fx-opt m.mlir --fx-simplify=target=cuda --fx-to-linalg=target=cuda \
//     --fx-gpu=target=cuda
//
// print what `fx-compile --emit=memref` and `fx-compile --target=cuda
// --emit=kernels` print.
//
//===----------------------------------------------------------------------===//

#ifndef FX_PIPELINES_PIPELINES_H
#define FX_PIPELINES_PIPELINES_H

#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace fx {

struct SimplifyOptions {
  /// The graph is for a GPU, whose kernels read weights by bytes.
  bool gpu = false;
  /// See `fx-compile --swappable-weights`.
  bool swappableWeights = false;
  /// See `fx-schedule`.
  std::vector<std::string> async;
};

/// From what was exported to a functional graph of operators that have
/// lowerings. Fails on what no compiled model can do.
void buildSimplifyPipeline(mlir::OpPassManager &pm,
                           const SimplifyOptions &options);

/// From a simplified graph to the linalg contract. `wholeHeads`: attention
/// computes whole heads, as tensor cores want them.
void buildToLinalgPipeline(mlir::OpPassManager &pm, bool wholeHeads = false);

/// From the linalg contract to groups of ops, each a kernel, which are those of
/// the CPU, made by the same passes. What depends on states alone goes to
/// `@prepare`, which the host runs. `tensorCores`: see
/// `fx::gpu::buildKernelPipeline`.
void buildGPUGroupPipeline(mlir::OpPassManager &pm, bool tensorCores = true);

/// From an exported graph to a dialect that other compilers take, without
/// anything of ours. `embedStates`: weights are constants, not arguments.
enum class Handover { Linalg, Torch, TOSA };
void buildHandoverPipeline(mlir::OpPassManager &pm, Handover to,
                           bool embedStates);

/// Registers `fx-simplify`, `fx-to-linalg`, `fx-cpu` and `fx-gpu`; and, for
/// other compilers, `fx-lower-to-linalg`, `fx-lower-to-torch` and
/// `fx-lower-to-tosa`.
void registerPipelines();

} // namespace fx

#endif // FX_PIPELINES_PIPELINES_H

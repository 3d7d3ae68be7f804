//===- Pipelines.h - from graphs to kernels, as pipelines -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipelines of fx-compile. `fx-opt` runs them by name. For example,
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

#include "fx/Kernels/TargetInfo.h"

#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace fx {

struct SimplifyOptions {
  /// The graph is for a GPU.
  bool gpu = false;
  /// The CPU multiplies bf16.
  bool bf16 = true;
  /// See `fx-compile --swappable-weights`.
  bool swappableWeights = false;
  /// See `fx-schedule`.
  std::vector<std::string> async;
};

/// Builds the beginning of the pipeline below: it makes the graph functional.
void buildFunctionalPipeline(mlir::OpPassManager &pm);

/// How a program is divided between ranks.
struct DivideOptions {
  /// The plan of a tensor-parallel model (`fx-shard`): its file, and more
  /// lines.
  std::string planFile, rules;
  /// The ranks are stages of a pipeline (`fx-stage`).
  bool stages = false;
  unsigned rank = 0, ranks = 1;
  /// Integers for symbols in the costs of stages: "s17=16".
  std::string sizes;
};

/// Builds the pipeline from an exported graph to the program of one rank.
void buildDividePipeline(mlir::OpPassManager &pm, const DivideOptions &options);

/// Builds the pipeline from an exported graph to a functional graph of
/// operators that have lowerings or are left to ATen. The pipeline fails on a
/// graph that no compiled model can run.
void buildSimplifyPipeline(mlir::OpPassManager &pm,
                           const SimplifyOptions &options);

struct ToLinalgOptions {
  /// Attention of bf16 and f16, or of f32, is one kernel if it is not cut into
  /// blocks of queries.
  bool wholeHeads = false, wholeFloatHeads = false;
  /// Sorts and scans are left to kernels of the CPU.
  bool rowKernels = false;
  /// The target is a GPU.
  bool gpu = false;
  /// Kernels of a GPU multiply f8E4M3FN and f8E5M2.
  bool float8 = false;
  /// The operands of f32 matmuls and convolutions are rounded to bf16.
  bool bf16 = false;
  /// The f32 operands of matmuls with integer weights are rounded to 8 bits.
  bool int8 = false;
};

/// Builds the pipeline from a simplified graph to the linalg contract.
void buildToLinalgPipeline(mlir::OpPassManager &pm,
                           const ToLinalgOptions &options = {});

/// Builds the pipeline from the linalg contract to groups of operations, one
/// for each kernel. It uses the passes that form the kernels of the CPU.
/// Computations that depend on states alone move to `@prepare`, which the host
/// runs. `roundsToTF32`: see the option of `fx-gpu-emit-kernels`.
void buildGPUGroupPipeline(mlir::OpPassManager &pm, kernel::MatrixUnit unit,
                           bool roundsToTF32 = false);

/// A dialect that other compilers accept.
enum class Handover { Linalg, Torch, TOSA };
/// Builds the pipeline from an exported graph to the dialect `to`. The result
/// contains nothing of the fx dialect. With `embedStates`, weights are
/// constants, else arguments.
void buildHandoverPipeline(mlir::OpPassManager &pm, Handover to,
                           bool embedStates);

/// Registers `fx-simplify`, `fx-to-linalg`, `fx-cpu` and `fx-gpu`; and, for
/// other compilers, `fx-lower-to-linalg`, `fx-lower-to-torch` and
/// `fx-lower-to-tosa`.
void registerPipelines();

} // namespace fx

#endif // FX_PIPELINES_PIPELINES_H

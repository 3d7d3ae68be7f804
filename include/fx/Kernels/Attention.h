//===- Attention.h - softmax(Q K^T) V in linalg ops -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_ATTENTION_H
#define FX_KERNELS_ATTENTION_H

#include "fx/Kernels/Analysis.h"

namespace fx::kernel {

/// Heads of an attention that is one kernel have at most so many elements.
inline constexpr int64_t kMaxHeadSize = 256;

/// Two matmuls of bf16 or f16 with a softmax in between, whose scores nothing
/// else reads. Rows are what the queries have and neither keys nor values:
/// where heads share these, several heads.
struct Attention {
  Contraction scores; ///< queries times keys; keys are its columns
  Contraction values; ///< probabilities times values; keys are summed
  /// What softmax is of, made f32: the scores, or what pointwise ops make of
  /// them.
  mlir::Value x;
  /// Of each row: the maximum of x, and the sum of exp(x - maximum).
  mlir::linalg::GenericOp max, sum;
  /// Probabilities are divided by the sum before they multiply the values; else
  /// what reads the product may divide.
  bool isNormalized = false;
  /// All of the above, `values.op` first.
  llvm::SmallVector<mlir::Operation *> ops;
  /// The loop of `values.op` along the keys.
  unsigned key = 0;
  /// Labels of `ops` and of `others`: the loops of `values.op`. None if they do
  /// not agree, or are unknown; but those of `scores.op` that it sums along
  /// are.
  std::optional<LoopLabels>
  label(llvm::ArrayRef<mlir::Operation *> others = {}) const;
};

/// The attention whose second matmul is `values`.
std::optional<Attention> matchAttention(mlir::linalg::GenericOp values);

/// Where a row sees no keys but the first ones: x is -inf at keys beyond
/// `row` + `offset`, `row` being a loop of `values.op`.
struct CausalMask {
  unsigned row = 0;
  int64_t offset = 0;
};
std::optional<CausalMask> matchCausalMask(const Attention &attention,
                                          const LoopLabels &labels);

} // namespace fx::kernel

#endif // FX_KERNELS_ATTENTION_H

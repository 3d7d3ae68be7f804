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

/// The attribute of the linalg ops of one attention operator, its number.
inline constexpr llvm::StringLiteral kAttentionAttr = "fx.attention";

/// The maximum head size of an attention that becomes one kernel.
inline constexpr int64_t kMaxHeadSize = 256;

/// Two matmuls with a softmax in between. No other op reads the scores. The
/// rows are the loops of the queries that neither keys nor values have: the
/// positions of the queries and, if several heads share keys and values, these
/// heads.
struct Attention {
  Contraction scores; ///< queries times keys; the columns are the keys
  Contraction values; ///< probabilities times values; reduces over the keys
  /// The input of the softmax in f32: the scores, or the result of pointwise
  /// ops on them.
  mlir::Value x;
  /// The maximum of x in each row, and the sum of exp(x - maximum).
  mlir::linalg::GenericOp max, sum;
  /// True if the probabilities are divided by `sum` before they are multiplied
  /// by the values. Otherwise a user of the result may divide.
  bool isNormalized = false;
  /// All ops of the attention, `values.op` first.
  llvm::SmallVector<mlir::Operation *> ops;
  /// The loop of `values.op` over the keys.
  unsigned key = 0;
  /// Labels the loops of `ops` and of `others` by the loops of `values.op`.
  /// Returns nullopt if labels conflict or a loop has no label. The reduction
  /// loop of `scores.op`, and of ops that compute the keys, has no label.
  std::optional<LoopLabels>
  label(llvm::ArrayRef<mlir::Operation *> others = {}) const;
};

/// Matches the attention whose second matmul is `values`, of `kind`: Half, with
/// a softmax in f32; HalfWeights, whose probabilities are not rounded; or F32.
/// The first matmul has the same kind; beside HalfWeights, it may be Half.
std::optional<Attention> matchAttention(mlir::linalg::GenericOp values,
                                        OperandKind kind = OperandKind::Half);

/// Matches an attention of any of these kinds.
std::optional<Attention> matchAnyAttention(mlir::linalg::GenericOp values);

/// Returns true if the operands of both matmuls of an attention of f32 may be
/// rounded to bf16 (kBF16Attr).
bool mayRoundToBF16(const Attention &attention);

/// Returns true if an attention on a CPU is faster as one kernel than as two
/// matmuls and a softmax: rows of keys and of values are contiguous, and the
/// keys are many, are gathered, are half or may be rounded to bf16.
bool isFasterAsOne(const Attention &attention);

/// Returns true if an attention has so few rows that a GPU reads its keys and
/// values once, as in the decode step of a language model.
bool hasFewQueries(const Attention &attention);

/// A causal mask: x is -inf if the key is greater than `row` + `offset`, where
/// `row` is a loop of `values.op`.
struct CausalMask {
  unsigned row = 0;
  int64_t offset = 0;
};
std::optional<CausalMask> matchCausalMask(const Attention &attention,
                                          const LoopLabels &labels);

/// x is the scores times `scale`, which is positive, and -inf for the keys that
/// `causal` excludes.
struct ScaledScores {
  float scale = 1;
  std::optional<CausalMask> causal;
};
std::optional<ScaledScores> matchScaledScores(const Attention &attention,
                                              const LoopLabels &labels);

} // namespace fx::kernel

#endif // FX_KERNELS_ATTENTION_H

//===- AffineWeight.h - dequantized weights ---------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_DEQUANTIZE_AFFINEWEIGHT_H
#define FX_LIB_TRANSFORMS_DEQUANTIZE_AFFINEWEIGHT_H

#include "RepeatedTensor.h"

namespace fx {

/// A parameter of a weight, or its inverse: the negative of a summand, or the
/// reciprocal of a factor.
struct WeightParameter : RepeatedTensor {
  bool isInverse = false;
};

/// A float constant (q - zero) * scale + offset, each part of which may be
/// missing. The scale is `factor` times the product of `scales`.
struct AffineWeight {
  /// The view of `integers` that has the shape of the constant: reshapes to a
  /// shape, or permutations.
  struct View {
    bool isPermutation = false;
    llvm::SmallVector<int64_t> dims;
  };

  mlir::Value integers;
  IntegerRange range;
  bool hasKnownRange = false;    ///< `range` is not only that of the dtype
  llvm::SmallVector<View> views; ///< in the order of application
  std::optional<WeightParameter> zero, offset;
  llvm::SmallVector<WeightParameter> scales;
  double factor = 1;

  bool isScaled() const { return !scales.empty() || factor != 1; }

  /// Matches arithmetic on constants, and operators of quantized_decomposed.
  /// `value` must be of static shape, and must depend on states alone.
  static std::optional<AffineWeight> match(mlir::Value value,
                                           RangeAnalysis &ranges);
  /// Returns the parts that are given.
  llvm::SmallVector<WeightParameter *> getParameters();
  /// Appends a permutation of a tensor of shape `shape`. Returns false if the
  /// parameters cannot be permuted.
  bool permute(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> order);
};

} // namespace fx

#endif // FX_LIB_TRANSFORMS_DEQUANTIZE_AFFINEWEIGHT_H

//===- Random.h - masks of dropout ------------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_RANDOM_H
#define FX_CONVERSION_FXTOLINALG_RANDOM_H

#include "Builder.h"

namespace fx::lin {

/// Draws a contiguous bool tensor of `sizes` whose elements are true with the
/// probability `keep`.
Tensor drawMask(Builder &b, llvm::ArrayRef<ExprAttr> sizes, double keep);

/// Applies dropout in training to a contiguous `x`: keeps elements with the
/// probability 1 - p and multiplies them by 1 / (1 - p); the others become 0.
Tensor dropOut(Builder &b, const Tensor &x, double p);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_RANDOM_H

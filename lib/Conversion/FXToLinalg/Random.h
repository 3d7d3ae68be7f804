//===- Random.h - numbers of the random generator ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_RANDOM_H
#define FX_CONVERSION_FXTOLINALG_RANDOM_H

#include "Builder.h"

namespace fx::lin {

/// A contiguous tensor of `sizes` that is true with the probability `keep`.
Tensor drawMask(Builder &b, llvm::ArrayRef<ExprAttr> sizes, double keep);

/// What dropout in training makes of a contiguous `x`: elements that are kept
/// with the probability 1 - p, and scaled.
Tensor dropOut(Builder &b, const Tensor &x, double p);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_RANDOM_H

//===- Fourier.h - transforms of one dimension ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_FOURIER_H
#define FX_CONVERSION_FXTOLINALG_FOURIER_H

#include "Complex.h"

namespace fx::lin {

/// Whether there is a transform of this length.
bool canTransform(int64_t length);
/// The discrete Fourier transform along `dim`, of a known length that
/// `canTransform` is true of: the sums of x[j] exp(-2 pi i j k / n), or of
/// exp(2 pi i j k / n) for the inverse, without a factor.
Pair transform(Builder &b, const Pair &x, int64_t dim, bool isInverse);
/// The whole, of `size`, of what is its own mirrored conjugate along `dim`,
/// from the first half.
Pair complete(Builder &b, const Pair &x, int64_t dim, int64_t size);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_FOURIER_H

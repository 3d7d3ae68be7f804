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

/// Returns true if `transform` supports this length.
bool canTransform(int64_t length);
/// Computes the discrete Fourier transform along `dim`, whose size n is static
/// and one that `canTransform` supports: element k is the sum over j of
/// x[j] exp(-2 pi i j k / n), or of x[j] exp(2 pi i j k / n) for the inverse.
/// Does not scale the result.
Pair transform(Builder &b, const Pair &x, int64_t dim, bool isInverse);
/// Returns all `size` elements along `dim` of a tensor with
/// y[size - j] = conj(y[j]) along it. `x` has the first size / 2 + 1 of them.
Pair complete(Builder &b, const Pair &x, int64_t dim, int64_t size);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_FOURIER_H

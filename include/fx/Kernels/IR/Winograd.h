//===- Winograd.h - matrices of Winograd convolutions -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// F(m x m, 3 x 3) computes m x m results of a convolution with a 3 x 3 filter w
// from n x n pixels d, n = m + 2, by n x n multiplications (Lavin and Gray,
// "Fast Algorithms for Convolutional Neural Networks", 2015):
//
//   y = A^T ((G w G^T) * (B^T d B)) A
//
// The matrices evaluate polynomials at n - 1 points and at infinity. The points
// are 0, 1, -1 for m = 2 and 0, a, -a, b, -b with a = 3/4, b = 3/2 for m = 4.
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_IR_WINOGRAD_H
#define FX_KERNELS_IR_WINOGRAD_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace fx::kernel::winograd {

/// The finite points other than 0 of m = 4 are kInner, -kInner, kOuter and
/// -kOuter. The errors are about half of those with the points 1 and 2, and the
/// points and their products are exact in f32.
inline constexpr double kInner = 0.75, kOuter = 1.5;

/// The size of a filter.
inline constexpr int64_t kFilter = 3;

/// Returns n, the number of pixels in a row of a tile with `m` results.
inline int64_t getPixels(int64_t m) { return m + kFilter - 1; }

/// A matrix by rows.
using Matrix = llvm::SmallVector<llvm::SmallVector<double, 6>, 6>;

/// Returns G, with n rows and 3 columns, for `m` of 2 or 4.
Matrix getFilterTransform(int64_t m);

/// Returns a matrix R with 3 rows and n columns, for which R G is the identity.
Matrix getFilterInverse(int64_t m);

/// Returns the factors of the product of `x` and `y` (their Kronecker product):
/// element (p, q) of row i and column j, at ((p * y.rows + q) * x.columns + i)
/// * y.columns + j, is x[p][i] * y[q][j].
llvm::SmallVector<double> getProduct(const Matrix &x, const Matrix &y);

} // namespace fx::kernel::winograd

#endif // FX_KERNELS_IR_WINOGRAD_H

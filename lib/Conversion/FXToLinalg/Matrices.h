//===- Matrices.h - what factorizations share -------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_MATRICES_H
#define FX_CONVERSION_FXTOLINALG_MATRICES_H

#include "Node.h"
#include "Variables.h"

namespace fx::lin {

/// Element (i, k) of a matrix.
using ElementFn = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>;

/// Arithmetic in f64, on i64 and on indices.
Scalars reals(Builder &b);
Scalars integers(Builder &b);
Scalars indices(Builder &b);

/// The sizes before the last two.
Sizes batchOf(const Tensor &x);
/// Matrices one behind the other, in f64.
Tensor stacked(Builder &b, const Tensor &x);
/// `x`, stacked, with the batch sizes that `batch` says.
Tensor unstacked(Builder &b, const Tensor &x, Sizes batch);
Tensor transposed(Builder &b, const Tensor &x);
/// Whether `x` is matrices of floats, square ones where asked.
bool isMatrices(Node &n, const Tensor &x, bool square);
/// Identity matrices of `sizes`, stacked.
Tensor identity(Builder &b, llvm::ArrayRef<ExprAttr> sizes);

/// Stops the program unless `info` is 0 everywhere.
void checkInfo(Node &n, const Tensor &info, llvm::StringRef expected);
/// Sets result `i` to the stacked matrices' codes; nothing where nobody uses
/// it.
mlir::LogicalResult setInfo(Node &n, unsigned i, const Tensor &info,
                            Sizes batch);

/// Solves a triangular system for the matrix `at` of variable `x`, in place.
void substitute(Variables &v, unsigned x, mlir::Value at, mlir::Value rows,
                mlir::Value columns, bool upper, bool unit, ElementFn element);

/// Swaps rows i and k, of `columns` elements, of the matrix `at` of variable
/// `x`.
void swapRows(Variables &v, unsigned x, mlir::Value at, mlir::Value i,
              mlir::Value k, mlir::Value columns);

/// L below the diagonal and U on and above it; the row that each step swapped
/// with (from 0); the first step without a pivot (from 1), or 0.
struct LU {
  Tensor factors, pivots, info;
};

/// The factors of stacked matrices.
LU factorizeLU(Builder &b, const Tensor &x);
/// Solves P L U x = y for stacked matrices.
Tensor solveLU(Builder &b, const Tensor &factors, const Tensor &pivots,
               const Tensor &y);
/// Pivots as torch has them, from 1, stacked and from 0.
Tensor stackedPivots(Builder &b, const Tensor &pivots);
/// Stops the program where a factorization found a singular matrix.
void checkRegular(Node &n, const Tensor &info);
/// The largest ('h') or smallest ('l') singular value of matrices, or the sum
/// of all ('n'), in f64; fails where the sizes are not known.
mlir::FailureOr<Tensor> singularNorm(Node &n, const Tensor &x, char kind);
/// The inverses, in f64, of square matrices; stops the program at a singular
/// one.
Tensor inverse(Node &n, const Tensor &x);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_MATRICES_H

//===- Matrices.h - what factorizations share -------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_MATRICES_H
#define FX_CONVERSION_FXTOLINALG_MATRICES_H

#include "NodeLowering.h"
#include "Variables.h"

namespace fx::lin {

/// Returns element (i, k) of a matrix.
using ElementFn = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>;

/// Return builders of scalar code in f64, in i64 and on indices.
Scalars reals(Builder &b);
Scalars integers(Builder &b);
Scalars indices(Builder &b);

/// Returns the sizes before the last two.
Sizes batchOf(const Tensor &x);
/// Returns `x` in f64, contiguous, with its batch dimensions merged:
/// [batch, rows, columns]. Tensors of this form are called stacked.
Tensor stacked(Builder &b, const Tensor &x);
/// Returns the stacked `x` with its first dimension reshaped to `batch`.
Tensor unstacked(Builder &b, const Tensor &x, Sizes batch);
/// Transposes the last two dimensions.
Tensor transposed(Builder &b, const Tensor &x);
/// Returns true if `x` has at least two dimensions and a supported float dtype
/// and, if `square`, last two sizes that are not provably different.
bool isMatrices(NodeLowering &n, const Tensor &x, bool square);
/// Returns true if the last two sizes are static.
bool hasStaticSizes(const Tensor &x);
/// Returns stacked identity matrices of `sizes`, in f64.
Tensor identity(Builder &b, llvm::ArrayRef<ExprAttr> sizes);

/// Emits an assertion that all elements of `info` are 0; its message ends with
///  "expected `expected`".
void checkInfo(NodeLowering &n, const Tensor &info, llvm::StringRef expected);
/// Sets result `i` to the codes of the stacked matrices, in the shape `batch`.
/// Does nothing if the node has no such result or no one uses it.
mlir::LogicalResult setInfo(NodeLowering &n, unsigned i, const Tensor &info,
                            Sizes batch);

/// Solves a triangular system in place: matrix `at` of variable `x`, of `rows`
/// by `columns`, holds the right side and gets the solution. `element` returns
/// the system's elements; its diagonal is 1 if `unit`.
void substitute(Variables &v, unsigned x, mlir::Value at, mlir::Value rows,
                mlir::Value columns, bool upper, bool unit, ElementFn element);

/// Swaps rows i and k, of `columns` elements, of the matrix `at` of variable
/// `x`.
void swapRows(Variables &v, unsigned x, mlir::Value at, mlir::Value i,
              mlir::Value k, mlir::Value columns);

/// An LU factorization of stacked matrices. `factors` has L, whose diagonal is
/// 1, below the diagonal and U on and above it; `pivots` the row (from 0) that
/// each step swapped with; `info` the first step (from 1) without a pivot, or
/// 0.
struct LU {
  Tensor factors, pivots, info;
};

/// Factorizes stacked matrices. Those that are not square must have static
/// sizes.
LU factorizeLU(Builder &b, const Tensor &x);
/// Solves P L U x = y for stacked matrices.
Tensor solveLU(Builder &b, const Tensor &factors, const Tensor &pivots,
               const Tensor &y);
/// Returns the pivots of torch, which count from 1, as [batch, steps] of i64
/// from 0.
Tensor stackedPivots(Builder &b, const Tensor &pivots);
/// Emits an assertion that a factorization found no singular matrix.
void checkRegular(NodeLowering &n, const Tensor &info);
/// Returns the largest ('h') or smallest ('l') singular value of each matrix,
/// or the sum of all ('n'), in f64. Fails, with the reason noted, unless the
/// matrices are floats of static sizes.
mlir::FailureOr<Tensor> singularNorm(NodeLowering &n, const Tensor &x,
                                     char kind);
/// Returns the norms of `x` along `dims`, computed in `acc`:
/// (sum |x|^order)^(1/order); for order 0 the number of elements that are not
/// 0, for the infinite orders the largest or smallest magnitude.
Tensor norm(Builder &b, const Tensor &x, llvm::ArrayRef<int64_t> dims,
            bool keepDim, double order, mlir::Type acc);
/// Returns the inverses, in f64, of square matrices; emits an assertion that
/// none is singular.
Tensor inverse(NodeLowering &n, const Tensor &x);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_MATRICES_H

//===- Sorting.h - sorted rows ----------------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CONVERSION_FXTOLINALG_SORTING_H
#define FX_LIB_CONVERSION_FXTOLINALG_SORTING_H

#include "NodeLowering.h"

namespace fx::lin {

/// Rows along the last dimension, and the sorted order of their elements.
struct Sorted {
  Tensor x;      // the operand with the sorted dimension last
  Tensor index;  // for each place of a sorted row, the index of its element
  Tensor values; // the elements at `index`, if a kernel sorts
  llvm::SmallVector<int64_t>
      back; // the permutation back to the operand's order of dimensions
};

/// Returns the first `k` elements of each row of the stable order of the rows
/// of `x` (see `sortedOrder`), for rows of any length. The result is i64 and
/// has the sizes of `x`, except for the last, which is `k`.
/// If `rowKernels`, the target has kernels for sorts.
Tensor radixOrder(Builder &b, const Tensor &x, bool descending, ExprAttr k,
                  bool rowKernels = false);

/// Returns the index of one element of each row of `x`: the one at `place` of
/// the stable order. `place` is i64 and has the sizes of `x`, except for the
/// last, which is 1.
Tensor radixFind(Builder &b, const Tensor &x, const Tensor &place);

/// Moves `dim` of `x` to the end; `index` and `values` are not set. If `x` has
/// no elements, fails and records the reason in `n`.
mlir::FailureOr<Sorted> getRows(NodeLowering &n, Tensor x, int64_t dim);

/// Returns true if rows like those of `x` are sorted without a radix sort.
bool sortsDirectly(NodeLowering &n, const Tensor &x);

/// Sorts the rows of `r` stably and sets `index`.
void sort(NodeLowering &n, Sorted &r, bool descending, ExprAttr k = {});

/// Sorts along `dim`, stably. With `k`, `index` has only the first `k` elements
/// of each row. If `x` has no elements, fails and records the reason in `n`.
mlir::FailureOr<Sorted> sort(NodeLowering &n, Tensor x, int64_t dim,
                             bool descending, ExprAttr k = {});

/// Returns the elements of the rows of `x` (along its last dimension) at the
/// i64 indices `at`. The result has the sizes of `at`, which are those of `x`
/// except for the last.
Tensor pick(Builder &b, const Tensor &x, const Tensor &at);

/// Returns the elements of the sorted rows.
Tensor sortedValues(Builder &b, const Sorted &r);

/// Permutes `t`, a tensor of rows, to the operand's order of dimensions. Drops
/// the dimension that `sort` added to a 0-d operand.
Tensor restore(NodeLowering &n, const Sorted &r, Tensor t);

inline mlir::Value toI64(Scalars &s, mlir::Value v, mlir::Type from) {
  return s.cast(v, from, s.b.getI64Type());
}

void registerOrderStatistics(Registry &r);
void registerSearching(Registry &r);

} // namespace fx::lin

#endif // FX_LIB_CONVERSION_FXTOLINALG_SORTING_H

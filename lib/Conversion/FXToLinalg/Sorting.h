//===- Sorting.h - sorted rows ----------------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CONVERSION_FXTOLINALG_SORTING_H
#define FX_LIB_CONVERSION_FXTOLINALG_SORTING_H

#include "Node.h"

namespace fx::lin {

/// Rows along the last dimension, and the order of their elements.
struct Sorted {
  Tensor x;     // the operand with the sorted dimension last
  Tensor index; // which element comes where
  llvm::SmallVector<int64_t>
      back; // the permutation to the operand's dimensions
};

/// The first `k` of the stable order of the rows of `x`, of any length: i64,
/// like `x` but for the last size.
Tensor radixOrder(Builder &b, const Tensor &x, bool descending, ExprAttr k);

/// Sorts along `dim`, stably; with `k`, `index` has only the first k of each
/// row. Fails, with the node's reason, where there is nothing to sort.
mlir::FailureOr<Sorted> sort(Node &n, Tensor x, int64_t dim, bool descending,
                             ExprAttr k = {});

/// The elements at places of the rows; `at` has the shape of the rows.
Tensor pick(Builder &b, const Tensor &x, const Tensor &at);

/// Rows, or one element of each, in the operand's order of dimensions.
Tensor restore(Node &n, const Sorted &r, Tensor t);

inline mlir::Value toI64(Scalars &s, mlir::Value v, mlir::Type from) {
  return s.cast(v, from, s.b.getI64Type());
}

void registerOrderStatistics(Registry &r);
void registerSearching(Registry &r);

} // namespace fx::lin

#endif // FX_LIB_CONVERSION_FXTOLINALG_SORTING_H

//===- RepeatedTensor.h - elements that repeat ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_DEQUANTIZE_REPEATEDTENSOR_H
#define FX_LIB_TRANSFORMS_DEQUANTIZE_REPEATEDTENSOR_H

#include "IntegerRange.h"

namespace fx {

class Decomposer;

/// A part of an index: it counts to `size`, in steps of `stride` elements of
/// the base. The elements repeat along a digit with stride 0.
struct Digit {
  int64_t size = 1, stride = 0;
};

/// A tensor of static shape whose elements are those of a smaller one, as those
/// of a scale that is broadcast: the digits of the element's number, the
/// outermost first, give the place in the base. A reshape does not change the
/// digits.
struct RepeatedTensor {
  mlir::Value base;             ///< null: `number`
  std::optional<double> number; ///< the value of all elements
  llvm::SmallVector<Digit> digits;
  /// If not null, the digits are those of the tensor after a permutation of the
  /// elements of dimension `orderedDim`, by which these integers are sorted.
  mlir::Value sortedBy;
  llvm::SmallVector<int64_t> order; ///< the permutation
  int64_t orderedDim = 0;

  bool repeats() const;
  /// Returns true if all values are integers.
  bool isInteger() const;

  /// Looks through views, indexing by a constant and exact conversions of
  /// `value`, a tensor of static shape.
  static RepeatedTensor get(mlir::Value value, RangeAnalysis &ranges);

  /// Broadcasts from `from` to `to`. Returns false if the shapes do not fit, or
  /// for a sorted tensor if they differ.
  bool broadcast(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);
  /// Makes dimension `d` the dimension `permutation[d]` of `shape`. Returns
  /// false if a digit belongs to two dimensions.
  bool permute(llvm::ArrayRef<int64_t> shape,
               llvm::ArrayRef<int64_t> permutation);

  /// Returns how many successive elements of the last dimension, of a matrix
  /// with rows of `width` elements, are known to be equal.
  int64_t getRun(int64_t width) const;
  /// Returns the matrix [height, width / run] of the values of runs, in
  /// `dtype`, on the device of `like`. `run` must divide `getRun(width)`. Fails
  /// if a digit belongs to two rows.
  mlir::Value getRuns(Decomposer &d, int64_t height, int64_t width, int64_t run,
                      mlir::Type dtype, mlir::Value like) const;
};

/// Returns the digits of each dimension of `shape`, or nullopt if a digit
/// belongs to two dimensions.
std::optional<llvm::SmallVector<llvm::SmallVector<Digit>>>
splitDigits(llvm::ArrayRef<Digit> digits, llvm::ArrayRef<int64_t> shape);

/// Returns the sizes of a tensor of static shape.
llvm::SmallVector<int64_t> getShape(mlir::Value value);
/// Returns the operand of a reshape of any kind, of a copy, or of a view that
/// adds or removes dimensions of size 1; else null.
mlir::Value getReshaped(mlir::Value value);
/// The operand of a permutation, and its dimension for each one of the result.
struct Permuted {
  mlir::Value operand;
  llvm::SmallVector<int64_t> order;
};
std::optional<Permuted> getPermuted(mlir::Value value);
/// Returns the operand of a conversion to another dtype; else null.
mlir::Value getConverted(mlir::Value value);

} // namespace fx

#endif // FX_LIB_TRANSFORMS_DEQUANTIZE_REPEATEDTENSOR_H

//===- Complex.h - complex tensors as pairs of real ones --------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_COMPLEX_H
#define FX_CONVERSION_FXTOLINALG_COMPLEX_H

#include "NodeLowering.h"

namespace fx::lin {

/// Splits a complex tensor into its real and its imaginary part.
Lowered splitParts(Builder &b, const Tensor &z);
/// Returns the complex tensor with these parts, which have equal sizes.
Tensor joinParts(Builder &b, const Tensor &re, const Tensor &im);

/// A complex operand. Where `isReal`, `im` has no meaning.
struct Pair {
  Tensor re, im;
  bool isReal = false;
};

/// A complex number in the body of a pointwise operator.
struct Z {
  mlir::Value re, im;
};

/// Returns a bool tensor with the result of `fn`, an i1, for each element of
/// `z`.
Tensor test(Builder &b, const Pair &z,
            llvm::function_ref<mlir::Value(Scalars &, Z)> fn);
/// Returns an i1: true if `z` is not 0.
mlir::Value isTrue(Scalars &s, Z z);

/// Returns the parts of an argument; notes a failure where it is no tensor.
Pair getPair(NodeLowering &n, ArgName name);
/// Sets the only result to the complex tensor with these parts.
mlir::LogicalResult setComplex(NodeLowering &n, const Tensor &re,
                               const Tensor &im);
/// Sets result `i` to a complex tensor. Calls `fn(false)`, which sets the
/// result to the real part, and `fn(true)`, which sets it to the imaginary
/// part; in both, the result's dtype is that of a part.
mlir::LogicalResult setParts(NodeLowering &n, unsigned i,
                             llvm::function_ref<mlir::LogicalResult(bool)> fn);
/// Returns true if the elements of a result come from those of arguments of
/// this name. Other arguments, such as a mask or an index, are the same for
/// both parts.
bool isElementArgument(llvm::StringRef name);
/// Lowers the node with its lowering for real tensors, once for each part.
mlir::LogicalResult lowerByParts(NodeLowering &n);
/// Sets the result to the real tensor `src` in the result's shape and dtype.
mlir::LogicalResult copyInto(NodeLowering &n, const Tensor &src);
/// Returns zeros in the shape and dtype of the real tensor `x`.
Tensor zerosLike(NodeLowering &n, const Tensor &x);

void registerComplexArithmetic(Registry &r);
void registerComplexParts(Registry &r);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_COMPLEX_H

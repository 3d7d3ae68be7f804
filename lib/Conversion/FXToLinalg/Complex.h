//===- Complex.h - complex tensors as pairs of real ones --------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_COMPLEX_H
#define FX_CONVERSION_FXTOLINALG_COMPLEX_H

#include "Node.h"

namespace fx::lin {

/// The parts of a tensor of complex numbers.
Lowered splitParts(Builder &b, const Tensor &z);
/// The tensor of complex numbers with these parts, of equal sizes.
Tensor joinParts(Builder &b, const Tensor &re, const Tensor &im);

/// A complex operand. A real one has no imaginary part.
struct Pair {
  Tensor re, im;
  bool isReal = false;
};

/// A complex number in a body.
struct Z {
  mlir::Value re, im;
};

/// Which elements of a complex tensor pass a test, as a bool tensor.
Tensor test(Builder &b, const Pair &z,
            llvm::function_ref<mlir::Value(Scalars &, Z)> fn);
/// That a number is not 0.
mlir::Value isTrue(Scalars &s, Z z);

/// The parts of an argument; notes a failure where it is a number.
Pair getPair(Node &n, ArgName name);
/// Sets the only result, a complex tensor.
mlir::LogicalResult setComplex(Node &n, const Tensor &re, const Tensor &im);
/// Sets result `i` to what `fn` sets it to for each part.
mlir::LogicalResult setParts(Node &n, unsigned i,
                             llvm::function_ref<mlir::LogicalResult(bool)> fn);
/// Whether the elements of a result are made of those of arguments of this
/// name; others, as a mask or an index, are the same for both parts.
bool isElementArgument(llvm::StringRef name);
/// The lowering for real tensors, for each part.
mlir::LogicalResult lowerByParts(Node &n);
/// Zeros in the shape and dtype of a real tensor.
Tensor zerosLike(Node &n, const Tensor &x);

void registerComplexArithmetic(Registry &r);
void registerComplexParts(Registry &r);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_COMPLEX_H

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

/// The parts of an argument; notes a failure where it is a number.
Pair getPair(Node &n, unsigned position, llvm::StringRef name);
/// Sets the only result, a complex tensor.
mlir::LogicalResult setComplex(Node &n, const Tensor &re, const Tensor &im);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_COMPLEX_H

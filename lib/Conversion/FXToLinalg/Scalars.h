//===- Scalars.h - scalar operations with PyTorch's semantics ---*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_SCALARS_H
#define FX_CONVERSION_FXTOLINALG_SCALARS_H

#include "mlir/IR/Builders.h"

namespace fx::lin {

/// Builds scalar code, the body of a pointwise operator or a reduction, in one
/// compute type. Values are signless; `dtype` carries the signedness. Float
/// minimum and maximum propagate NaN, integer division is Python's or C's as
/// said, comparisons give i1.
class Scalars {
public:
  using Value = mlir::Value;

  Scalars(mlir::OpBuilder &b, mlir::Location loc, mlir::Type dtype)
      : b(b), loc(loc), dtype(dtype) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  /// The compute type, as fx has it.
  mlir::Type dtype;

  bool isFloat() const;
  bool isUnsigned() const; ///< unsigned integers and bool
  bool isBool() const;

  Value constant(double v);
  Value integer(int64_t v);
  Value boolean(bool v);
  /// The type's lowest and highest value; the infinities of a float type.
  Value lowest();
  Value highest();

  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  /// True division of floats; C's division of integers. Where the divisor is an
  /// integer 0, what comes out is no quotient, but no trap either.
  Value div(Value x, Value y);
  Value floorDiv(Value x, Value y);
  /// The remainder with the sign of `x` (C), and with that of `y` (Python).
  Value fmod(Value x, Value y);
  Value remainder(Value x, Value y);
  /// Of integers. By less than nothing or by all bits: 0, or the sign.
  Value shiftLeft(Value x, Value y);
  Value shiftRight(Value x, Value y);
  Value max(Value x, Value y);
  Value min(Value x, Value y);
  Value neg(Value x);
  Value abs(Value x);
  Value pow(Value x, Value y);
  /// `x` to a constant power, without a call for the common exponents.
  Value powConstant(Value x, double exponent);

  Value eq(Value x, Value y);
  Value ne(Value x, Value y);
  Value lt(Value x, Value y);
  Value le(Value x, Value y);
  Value gt(Value x, Value y);
  Value ge(Value x, Value y);
  Value isNan(Value x);
  Value logicalAnd(Value x, Value y); ///< bitwise for integers
  Value logicalOr(Value x, Value y);
  Value logicalXor(Value x, Value y);
  Value logicalNot(Value x); ///< all bits
  Value select(Value c, Value x, Value y);

  Value exp(Value x);
  Value log(Value x);
  Value sqrt(Value x);
  Value rsqrt(Value x);
  Value tanh(Value x);
  Value erf(Value x);
  Value sigmoid(Value x);
  Value softplus(Value x); ///< log(1 + exp(x)) without overflow
  Value floor(Value x);
  Value ceil(Value x);
  Value trunc(Value x);
  Value roundEven(Value x);
  template <typename Op>
  Value unary(Value x) {
    return Op::create(b, loc, x);
  }
  template <typename Op>
  Value binary(Value x, Value y) {
    return Op::create(b, loc, x, y);
  }

  /// `v` of dtype `from` as `to`: towards zero from float to integer, low bits
  /// from integer to a narrower one, `!= 0` to bool.
  Value cast(Value v, mlir::Type from, mlir::Type to);
  /// An index as the compute type.
  Value fromIndex(Value v);
  /// Arithmetic on indices at the same place.
  Scalars indices() { return Scalars(b, loc, b.getIndexType()); }
  /// The compute type's value as an index: towards zero.
  Value toIndex(Value v);
};

/// The type that PyTorch computes `dtype` in: f32 for the short floats.
mlir::Type opMathType(mlir::Type dtype);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_SCALARS_H

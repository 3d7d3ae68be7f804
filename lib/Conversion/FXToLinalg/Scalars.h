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
/// minimum and maximum propagate NaN. For bool, addition is `or` and
/// multiplication is `and`. Comparisons return an i1.
class Scalars {
public:
  using Value = mlir::Value;

  Scalars(mlir::OpBuilder &b, mlir::Location loc, mlir::Type dtype)
      : b(b), loc(loc), dtype(dtype) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  /// The compute type, with its signedness.
  mlir::Type dtype;

  bool isFloat() const;
  bool isUnsigned() const; ///< unsigned integers and bool
  bool isBool() const;

  Value constant(double v);
  Value integer(int64_t v);
  Value boolean(bool v);
  /// Return the lowest and the highest value of the type; for a float type, the
  /// infinities.
  Value lowest();
  Value highest();

  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  /// `div` rounds the quotient of integers towards zero, as in C. `floorDiv`
  /// rounds quotients down, as in Python. An integer division by 0 does not
  /// trap, but its result is meaningless. (Divisors of type index are not
  /// protected.)
  Value div(Value x, Value y);
  Value floorDiv(Value x, Value y);
  /// Return the remainder with the sign of `x` (C's fmod), and with that of `y`
  /// (Python's %).
  Value fmod(Value x, Value y);
  Value remainder(Value x, Value y);
  /// Shift integers. If `y` is negative or not less than the number of bits,
  /// the result is 0; for a right shift of a signed integer, it is 0 or -1, by
  /// the sign of `x`.
  Value shiftLeft(Value x, Value y);
  Value shiftRight(Value x, Value y);
  Value max(Value x, Value y);
  Value min(Value x, Value y);
  Value neg(Value x);
  Value abs(Value x);
  /// Divides by a value that many elements share, such as the sum of a row.
  /// The flag `arcp` allows kernels to multiply by its reciprocal.
  Value divByShared(Value x, Value y);
  Value pow(Value x, Value y);
  /// Returns `x` to a constant power, without a call for common exponents.
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
  Value logicalNot(Value x); ///< inverts all bits
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

  /// Converts `v` from dtype `from` to `to`. Float to integer rounds towards
  /// zero, integer to a narrower integer keeps the low bits, and bool is
  /// `v != 0`.
  Value cast(Value v, mlir::Type from, mlir::Type to);
  /// Converts an index to the compute type.
  Value fromIndex(Value v);
  /// Returns a builder of index arithmetic with the same insertion point.
  Scalars indices() { return Scalars(b, loc, b.getIndexType()); }
  /// Converts a value of the compute type to an index; rounds floats towards
  /// zero.
  Value toIndex(Value v);
};

/// Returns the type in which PyTorch computes `dtype`: f32 for f16 and bf16.
mlir::Type opMathType(mlir::Type dtype);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_SCALARS_H

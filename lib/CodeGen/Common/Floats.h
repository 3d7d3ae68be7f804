//===- Floats.h - arithmetic on f32 for functions of math -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions in Float*.cpp are straight-line code in f32. Where one f32 is
// not accurate enough, a value is the sum of two: T. J. Dekker, Numerische
// Mathematik 18 (1971). A fused multiply-add gives the rounding error of a
// product. The coefficients of all polynomials were fitted with Sollya
// (fpminimax). benchmarks/accuracy.py measures the largest errors.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_COMMON_FLOATS_H
#define FX_LIB_CODEGEN_COMMON_FLOATS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <limits>

namespace fx::codegen {

/// Creates computations on f32 numbers or vectors of f32.
struct Floats {
  using Value = mlir::Value;
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  /// Adding this number rounds to an integer, which is in the low bits of the
  /// sum.
  static constexpr float kWhole = 0x1.8p23f;
  /// log(2) in two parts. Products of the first with integers below 2^9 are
  /// exact.
  static constexpr float kLog2 = 0x1.62e4p-1f, kLog2Low = 0x1.7f7d1cp-20f;
  /// Coefficients of (e^x - 1 - x) / x^2, for |x| <= log(2) / 2.
  static constexpr float kExpSeries[] = {
      0.5f,           0x1.555554p-3f,  0x1.5554ecp-5f,
      0x1.1112fcp-7f, 0x1.6d494cp-10f, 0x1.9e2a3cp-13f};
  /// Coefficients of e^x with a relative error of at most 3.2e-9 there.
  static constexpr float kShortExp[] = {1,
                                        1,
                                        0x1.fffffcp-2f,
                                        0x1.555492p-3f,
                                        0x1.5558acp-5f,
                                        0x1.123976p-7f,
                                        0x1.6a504cp-10f};
  static constexpr int kSignBit = std::numeric_limits<int>::min();

  mlir::ImplicitLocOpBuilder &b;
  /// f32, or a vector of it.
  mlir::Type type;

  /// A sum of two numbers, the second of which is small.
  struct Pair {
    Value high, low;
  };
  /// x = 2^exponent (1 + fraction), with a fraction in [-1/3, 1/3). The
  /// exponent is an f32, too.
  struct Parts {
    Value exponent, fraction;
  };
  /// An angle, less a multiple of pi/2.
  struct Angle {
    Pair rest;
    /// The multiple, in the low bits of an i32.
    Value quarters;
  };
  /// x = n log(2) + rest, with an integer n.
  struct Exponent {
    /// The bits of the f32 n + kWhole.
    Value bits;
    Pair rest;
  };

  mlir::Type shaped(mlir::Type element) const;
  /// Returns true, as an i1, if any element of `condition` is true.
  Value isAny(Value condition);
  Value constant(mlir::TypedAttr element);
  Value number(float v) { return constant(b.getF32FloatAttr(v)); }
  Value integer(int v) { return constant(b.getI32IntegerAttr(v)); }

  template <typename Op, typename... Values>
  Value make(Values... values) {
    return Op::create(b, values...);
  }
  Value add(Value x, Value y) { return make<mlir::arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return make<mlir::arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return make<mlir::arith::MulFOp>(x, y); }
  Value div(Value x, Value y) { return make<mlir::arith::DivFOp>(x, y); }
  Value neg(Value x) { return make<mlir::arith::NegFOp>(x); }
  Value abs(Value x) { return make<mlir::math::AbsFOp>(x); }
  Value sqrt(Value x) { return make<mlir::math::SqrtOp>(x); }
  Value floor(Value x) { return make<mlir::math::FloorOp>(x); }
  /// Returns x * y + z, rounded once.
  Value fma(Value x, Value y, Value z) {
    return make<mlir::math::FmaOp>(x, y, z);
  }
  Value withSign(Value x, Value sign) {
    return make<mlir::math::CopySignOp>(x, sign);
  }
  Value isLess(Value x, Value y) {
    return make<mlir::arith::CmpFOp>(mlir::arith::CmpFPredicate::OLT, x, y);
  }
  Value isEqual(Value x, Value y) {
    return make<mlir::arith::CmpFOp>(mlir::arith::CmpFPredicate::OEQ, x, y);
  }
  Value isNaN(Value x) {
    return make<mlir::arith::CmpFOp>(mlir::arith::CmpFPredicate::UNO, x, x);
  }
  /// Returns true if `x` is negative, -0, or a NaN with a sign.
  Value hasSign(Value x) {
    return make<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::slt, bits(x),
                                     integer(0));
  }
  Value isNonzero(Value i) {
    return make<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::ne, i,
                                     integer(0));
  }
  Value select(Value c, Value x, Value y) {
    return make<mlir::arith::SelectOp>(c, x, y);
  }
  Value both(Value x, Value y) { return make<mlir::arith::AndIOp>(x, y); }
  Value either(Value x, Value y) { return make<mlir::arith::OrIOp>(x, y); }
  Value isNot(Value x) { return bitXor(x, constant(b.getBoolAttr(true))); }
  /// Returns the smaller or the larger number; NaN if `x` is NaN.
  Value min(Value x, float y) {
    return select(isLess(number(y), x), number(y), x);
  }
  Value max(Value x, float y) {
    return select(isLess(x, number(y)), number(y), x);
  }

  Value bits(Value x) {
    return make<mlir::arith::BitcastOp>(shaped(b.getI32Type()), x);
  }
  Value fromBits(Value i) { return make<mlir::arith::BitcastOp>(type, i); }
  Value toNumber(Value i) { return make<mlir::arith::SIToFPOp>(type, i); }
  Value addBits(Value i, Value j) { return make<mlir::arith::AddIOp>(i, j); }
  Value subBits(Value i, Value j) { return make<mlir::arith::SubIOp>(i, j); }
  Value minBits(Value i, Value j) { return make<mlir::arith::MinSIOp>(i, j); }
  Value bitAnd(Value i, Value j) { return make<mlir::arith::AndIOp>(i, j); }
  Value bitXor(Value i, Value j) { return make<mlir::arith::XOrIOp>(i, j); }
  Value shiftLeft(Value i, int n) {
    return make<mlir::arith::ShLIOp>(i, integer(n));
  }
  Value shiftRight(Value i, int n) {
    return make<mlir::arith::ShRSIOp>(i, integer(n));
  }

  /// Returns x * factor + kWhole, and sets `whole` to the rounded product.
  Value round(Value x, float factor, Value &whole) {
    Value sum = fma(x, number(factor), number(kWhole));
    whole = sub(sum, number(kWhole));
    return sum;
  }
  /// Returns c[0] + x * (c[1] + x * ...).
  Value polynomial(Value x, llvm::ArrayRef<float> c) {
    Value sum = number(c.back());
    for (float next : llvm::reverse(c.drop_back()))
      sum = fma(sum, x, number(next));
    return sum;
  }
  /// Returns x + y and its rounding error, where |x| >= |y| or x is 0.
  Pair fastSum(Value x, Value y) {
    Value sum = add(x, y);
    return {sum, sub(y, sub(sum, x))};
  }

  // FloatMath.cpp
  /// Returns the result of `op` on x (and y).
  Value expand(mlir::Operation *op, Value x, Value y);

  // FloatReduction.cpp
  Angle reduceAngle(Value x);
  Angle reduceAnyAngle(Value size);

  // FloatAngles.cpp
  Value sineOrCosine(Value x, bool isCosine);
  Value tan(Value x);
  Value asin(Value x);
  Value acos(Value x);
  Value atan(Value x);
  Value atan2(Value y, Value x);

  // FloatLogarithms.cpp
  Parts split(Value x);
  Value logSeries(Value fraction);
  Value logOfParts(Parts parts, Value low = {});
  Value shiftedProduct(Value shift, Value f, float factor, Value low);
  Value atEnds(Value x, Value y);
  Value log(Value x);
  Value log2(Value x);
  Value log10(Value x);
  Value logOfOnePlus(Pair v, Value isLarge);
  Value log1p(Value x);
  Value asinh(Value x);
  Value acosh(Value x);
  Value atanh(Value x);

  // FloatExponentials.cpp
  Exponent reduceExponent(Value x);
  Value powerOfTwo(Value roundedBits, int offset);
  Value exp(Value x);
  Value expOfNonpositive(Value x);
  Value expm1(Value x);
  Value sinhOrCosh(Value x, bool isCosh);
  Value tanh(Value x);

  // FloatErfc.cpp
  Value erfc(Value x);

  // FloatPower.cpp
  Pair log2OfSize(Value size);
  Value exp2(Pair x);
  Value pow(Value x, Value y);
};

} // namespace fx::codegen

#endif // FX_LIB_CODEGEN_COMMON_FLOATS_H

//===- DoubleMath.cpp - functions of math in float64 ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All functions are built from an exponential, a logarithm, sine and cosine, an
// arc tangent, and the error function. Their relative errors are about 1e-14.
// Results that are rounded to less than f64 have errors of about 1e-9: their
// series have fewer terms.
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>

using namespace mlir;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// Adding this number rounds to an integer, which is in the low bits of the
/// sum.
static constexpr double kWhole = 0x1.8p52;

namespace {
/// Creates computations on f64 numbers or vectors of f64.
struct Doubles {
  ImplicitLocOpBuilder &b;
  /// f64, or a vector of it.
  Type type;
  /// Whether results stay f64. Otherwise they are rounded to a smaller type.
  bool isExact;

  Type shaped(Type element) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(element)) : element;
  }
  Value constant(TypedAttr element) {
    if (auto vector = dyn_cast<VectorType>(type))
      element =
          DenseElementsAttr::get(vector.clone(element.getType()), element);
    return arith::ConstantOp::create(b, element);
  }
  Value number(double v) { return constant(b.getF64FloatAttr(v)); }
  Value integer(int64_t v) { return constant(b.getI64IntegerAttr(v)); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value neg(Value x) { return arith::NegFOp::create(b, x); }
  Value abs(Value x) { return math::AbsFOp::create(b, x); }
  Value sqrt(Value x) { return math::SqrtOp::create(b, x); }
  /// Returns x * y + z, rounded once.
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  /// Returns x * y + z, rounded once or twice, whichever is faster.
  Value mulAdd(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z, arith::FastMathFlags::contract);
  }
  Value withSign(Value x, Value sign) {
    return math::CopySignOp::create(b, x, sign);
  }
  Value isLess(Value x, Value y) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, y);
  }
  Value isEqual(Value x, Value y) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, y);
  }
  Value isNaN(Value x) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  }
  Value select(Value c, Value x, Value y) {
    return arith::SelectOp::create(b, c, x, y);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value isNot(Value x) {
    return arith::XOrIOp::create(b, x, constant(b.getBoolAttr(true)));
  }
  Value bits(Value x) {
    return arith::BitcastOp::create(b, shaped(b.getI64Type()), x);
  }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, type, x); }
  /// Returns x * factor + kWhole, and sets `whole` to the rounded product.
  Value round(Value x, double factor, Value &whole) {
    Value sum = mulAdd(x, number(factor), number(kWhole));
    whole = sub(sum, number(kWhole));
    return sum;
  }

  /// Returns c[0] + x * (c[1] + x * ...), or only the first `enough` terms if
  /// the result is rounded to a smaller type.
  Value polynomial(Value x, ArrayRef<double> c, unsigned enough = ~0u) {
    if (!isExact)
      c = c.take_front(enough);
    Value sum = number(c.back());
    for (double next : llvm::reverse(c.drop_back()))
      sum = mulAdd(sum, x, number(next));
    return sum;
  }
  /// Returns `near` where |x| is so small that `far` loses digits, else `far`.
  Value whereSmall(Value x, Value near, Value far) {
    return select(isLess(abs(x), number(1e-3)), near, far);
  }

  Value sineOrCosine(Value x, bool isCosine);
  Value exp(Value x);
  Value log(Value x);
  Value angle(Value up, Value across);
  Value atan2(Value y, Value x);
  Value pow(Value x, Value y);
  Value chebyshev(Value x, ArrayRef<double> c, unsigned enough);
  Value erfcOfPositive(Value x);
  Value erf(Value x);
  Value erfc(Value x);
  Value hyperbolic(Operation *op, Value x);
  Value expand(Operation *op, Value x, Value y);
};
} // namespace

/// Reduces x by multiples of pi/2 to at most pi/4. The 159 bits of pi/2 are
/// subtracted in three parts. In that range, the Taylor series are exact to
/// 1e-13.
Value Doubles::sineOrCosine(Value x, bool isCosine) {
  Value inRange = isLess(abs(x), number(fx::codegen::kLargestAngle));
  Value k, given = x;
  x = select(inRange, x, number(0));
  Value quarter = bits(round(x, 0x1.45f306dc9c883p-1, k));
  Value minus = neg(k), r = x;
  for (double part :
       {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110})
    r = fma(minus, number(part), r);
  Value r2 = mul(r, r);
  double sines[8], cosines[8], factorial = 1;
  for (int i = 0; i < 8; ++i) {
    factorial *= i ? 2 * i : 1;
    cosines[i] = (i % 2 ? -1 : 1) / factorial;
    factorial *= 2 * i + 1;
    sines[i] = (i % 2 ? -1 : 1) / factorial;
  }
  Value sine = mul(r, polynomial(r2, sines, 5)),
        cosine = polynomial(r2, cosines, 6);
  if (isCosine)
    quarter = arith::AddIOp::create(b, quarter, integer(1));
  auto hasBit = [&](int64_t bit) -> Value {
    return arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne,
        arith::AndIOp::create(b, quarter, integer(bit)), integer(0));
  };
  Value y = select(hasBit(1), cosine, sine);
  y = select(hasBit(2), neg(y), y);
  // The subtraction loses the sign of a zero.
  if (!isCosine)
    y = select(isEqual(given, number(0)), given, y);
  return select(inRange, y, number(kNaN));
}

/// exp(x) = 2^k exp(r) with |r| <= log(2)/2, where the Taylor series is exact.
/// Multiplies by 2^k in two steps: 2^k may be larger, and the result smaller,
/// than all normal numbers.
Value Doubles::exp(Value x) {
  Value clamped = select(isLess(x, number(-760)), number(-760), x);
  clamped = select(isLess(number(720), clamped), number(720), clamped);
  clamped = select(isNaN(x), number(0), clamped);
  Value k, sum = round(clamped, 0x1.71547652b82fep+0, k);
  Value minus = neg(k);
  Value r = fma(minus, number(0x1.62e42fefa39efp-1), clamped);
  r = fma(minus, number(0x1.abc9e3b39803fp-56), r);
  double series[14], factorial = 1;
  for (int i = 0; i < 14; ++i) {
    factorial *= i ? i : 1;
    series[i] = 1 / factorial;
  }
  Value y = polynomial(r, series, 9);
  Value whole = arith::SubIOp::create(b, bits(sum),
                                      integer(llvm::bit_cast<int64_t>(kWhole)));
  Value half = arith::ShRSIOp::create(b, whole, integer(1));
  for (Value part : {half, Value(arith::SubIOp::create(b, whole, half))}) {
    Value biased = arith::AddIOp::create(b, part, integer(1023));
    y = mul(y, fromBits(arith::ShLIOp::create(b, biased, integer(52))));
  }
  return select(isNaN(x), x, y);
}

/// x = 2^e m with m in [sqrt(1/2), sqrt(2)); log(m) = 2 atanh((m-1) / (m+1)).
Value Doubles::log(Value x) {
  Value isTiny = isLess(x, number(0x1p-1022));
  Value scaled = select(isTiny, mul(x, number(0x1p54)), x);
  // The constant holds the bits of sqrt(1/2): the exponent field of the
  // difference is e.
  Value offset =
      arith::SubIOp::create(b, bits(scaled), integer(0x3fe6a09e667f3bcd));
  Value e = arith::ShRSIOp::create(b, offset, integer(52));
  Value m = fromBits(arith::SubIOp::create(
      b, bits(scaled), Value(arith::ShLIOp::create(b, e, integer(52)))));
  Value s = div(sub(m, number(1)), add(m, number(1))), s2 = mul(s, s);
  double series[12];
  for (int i = 0; i < 12; ++i)
    series[i] = 2.0 / (2 * i + 1);
  Value k = fromBits(
      arith::AddIOp::create(b, e, integer(llvm::bit_cast<int64_t>(kWhole))));
  k = sub(sub(k, number(kWhole)), select(isTiny, number(54), number(0)));
  Value y =
      fma(k, number(0x1.abc9e3b39803fp-56), mul(s, polynomial(s2, series, 7)));
  y = fma(k, number(0x1.62e42fefa39efp-1), y);
  y = select(isEqual(x, number(0)), number(-kInfinity), y);
  y = select(isEqual(x, number(kInfinity)), x, y);
  return select(isNaN(x), x, select(isLess(x, number(0)), number(kNaN), y));
}

/// Returns the angle of the point (across, up), whose coordinates are not
/// negative. The argument of the series is the quotient t of the smaller and
/// the larger coordinate. Above tan(pi/8) the point is rotated by pi/4, which
/// gives (t - 1) / (t + 1), for which the series converges.
Value Doubles::angle(Value up, Value across) {
  Value isSteep = isLess(across, up);
  Value near = select(isSteep, across, up), far = select(isSteep, up, across);
  Value isMiddle = isLess(mul(far, number(M_SQRT2 - 1)), near);
  // Halve the coordinates: the sum of two large numbers may overflow.
  auto halved = [&](Value v) { return isExact ? mul(v, number(0.5)) : v; };
  Value x = halved(near), y = halved(far);
  Value t =
      div(select(isMiddle, sub(x, y), near), select(isMiddle, add(x, y), far));
  double series[18];
  for (int i = 0; i < 18; ++i)
    series[i] = (i % 2 ? -1.0 : 1.0) / (2 * i + 1);
  Value a = mul(t, polynomial(mul(t, t), series, 10));
  a = add(a, select(isMiddle, number(M_PI_4), number(0)));
  a = select(isSteep, sub(number(M_PI_2), a), a);
  a = select(isEqual(up, number(0)), up, a);
  return select(
      both(isEqual(near, number(kInfinity)), isEqual(far, number(kInfinity))),
      number(M_PI_4), a);
}

Value Doubles::atan2(Value y, Value x) {
  Value a = angle(abs(y), abs(x));
  Value isLeft =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, bits(x), integer(0));
  a = withSign(select(isLeft, sub(number(M_PI), a), a), y);
  return select(isNaN(x), x, select(isNaN(y), y, a));
}

/// Computes pow as in C, also for infinities and negative bases.
Value Doubles::pow(Value x, Value y) {
  Value size = abs(x), one = number(1), zero = number(0);
  Value p = select(isEqual(size, one), one, exp(mul(y, log(size))));
  p = select(isNaN(y), y, p);
  auto isWhole = [&](Value v) {
    return isEqual(math::FloorOp::create(b, v), v);
  };
  Value whole = isWhole(y),
        isOdd = both(whole, isNot(isWhole(mul(y, number(0.5)))));
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, bits(x), integer(0));
  p = select(both(isNegative, isOdd), neg(p), p);
  if (isExact) {
    // A power of integers is an integer, which programs may truncate. The error
    // is below 0.5 up to 2^45.
    Value isInteger = both(both(isWhole(x), whole), isNot(isLess(y, zero)));
    isInteger = both(isInteger, isLess(abs(p), number(0x1p45)));
    p = select(isInteger, math::RoundEvenOp::create(b, p), p);
  }
  Value hasNone =
      both(both(isLess(x, zero), isNot(whole)), isLess(number(-kInfinity), x));
  p = select(hasNone, number(kNaN), p);
  p = select(isNaN(x), x, p);
  Value isOne = arith::OrIOp::create(b, isEqual(y, zero), isEqual(x, one));
  return select(isOne, one, p);
}

/// Returns the sum of c[k] T_k(x), by Clenshaw's recurrence, or only the first
/// `enough` terms if the result is rounded to a smaller type.
Value Doubles::chebyshev(Value x, ArrayRef<double> c, unsigned enough) {
  if (!isExact)
    c = c.take_front(enough);
  Value twice = add(x, x), last = number(0), sum = number(c.back());
  for (double next : llvm::reverse(c.drop_front().drop_back())) {
    Value previous = sum;
    sum = mulAdd(twice, sum, sub(number(next), last));
    last = previous;
  }
  return mulAdd(x, sum, sub(number(c.front()), last));
}

/// erfc(x) = t exp(P(2t - 1) - x^2) with t = 2 / (2 + x), for x >= 0. P, the
/// logarithm of the remaining factor, is so smooth that 27 terms of its
/// Chebyshev series (sampled in 60 digits at 80 nodes) are accurate to 1e-17.
/// A large x^2 makes the exponent lose digits of P. They are added after the
/// exponential, by its derivative.
Value Doubles::erfcOfPositive(Value x) {
  static constexpr double series[] = {
      -0.651326859890854717,    0.64196979235649026,
      0.0194764732041858363,    -0.00956151478680863164,
      -0.000946595344482036866, 0.000366839497852761452,
      4.25233248069077719e-5,   -2.02785781125342434e-5,
      -1.62429000464702523e-6,  1.30365583558052293e-6,
      1.56264417220664035e-8,   -8.52380959149267922e-8,
      6.5290544390990896e-9,    5.05934349555124322e-9,
      -9.91364156492820535e-10, -2.27365122293382233e-10,
      9.64679110203393207e-11,  2.39403808287029482e-12,
      -6.8860275263445518e-12,  8.94487927172420022e-13,
      3.13092140054125292e-13,  -1.12708223716263282e-13,
      3.81090610515092945e-16,  7.10609754650248743e-15,
      -1.52302815247255183e-15, -9.45749764053527271e-17,
      1.21023731216292486e-16};
  // For larger x the result rounds to zero.
  x = select(isLess(number(30), x), number(30), x);
  Value t = div(number(2), add(x, number(2)));
  Value p = chebyshev(sub(add(t, t), number(1)), series, 16);
  Value square = mul(x, x), exponent = sub(p, square);
  Value y = mul(t, exp(exponent));
  if (!isExact)
    return y;
  Value lost = sub(sub(p, add(exponent, square)), fma(x, x, neg(square)));
  return mulAdd(y, lost, y);
}

Value Doubles::erfc(Value x) {
  Value y = erfcOfPositive(abs(x));
  y = select(isLess(x, number(0)), sub(number(2), y), y);
  return select(isNaN(x), x, y);
}

/// Uses the Taylor series below 1, where 1 - erfc(x) would cancel.
Value Doubles::erf(Value x) {
  double series[20], factorial = 1;
  for (int i = 0; i < 20; ++i) {
    factorial *= i ? -i : 1;
    series[i] = M_2_SQRTPI / (factorial * (2 * i + 1));
  }
  Value near = mul(x, polynomial(mul(x, x), series, 13));
  Value far = withSign(sub(number(1), erfcOfPositive(abs(x))), x);
  return select(isNaN(x), x, select(isLess(abs(x), number(1)), near, far));
}

/// Returns the value of a hyperbolic function or its inverse; null if `op` is
/// another function.
Value Doubles::hyperbolic(Operation *op, Value x) {
  Value x2 = mul(x, x), one = number(1);
  auto series = [&](double c3, double c5) {
    return mul(x, polynomial(x2, {1, c3, c5}));
  };
  // exp(v) / 2, halved before the multiplication that may overflow.
  auto halfExp = [&](Value v) {
    Value root = exp(mul(number(0.5), v));
    return mul(mul(number(0.5), root), root);
  };
  if (isa<math::SinhOp>(op))
    return whereSmall(x, series(1.0 / 6, 1.0 / 120),
                      sub(halfExp(x), halfExp(neg(x))));
  if (isa<math::CoshOp>(op))
    return add(halfExp(x), halfExp(neg(x)));
  if (isa<math::TanhOp>(op)) {
    Value t = div(number(2), add(exp(mul(number(2), abs(x))), one));
    return whereSmall(x, series(-1.0 / 3, 2.0 / 15), withSign(sub(one, t), x));
  }
  if (isa<math::AsinhOp>(op)) {
    // If x^2 overflows, asinh(|x|) is log(2 |x|).
    Value large = add(log(abs(x)), number(M_LN2));
    Value far = log(add(abs(x), sqrt(add(x2, one))));
    far = select(isLess(abs(x), number(1e150)), far, large);
    return whereSmall(x, series(-1.0 / 6, 3.0 / 40), withSign(far, x));
  }
  if (isa<math::AcoshOp>(op)) {
    Value far = log(add(x, sqrt(mul(sub(x, one), add(x, one)))));
    Value y = select(isLess(x, number(1e150)), far, add(log(x), number(M_LN2)));
    return select(isLess(x, one), number(kNaN), y);
  }
  if (isa<math::AtanhOp>(op))
    return whereSmall(x, series(1.0 / 3, 1.0 / 5),
                      mul(number(0.5), log(div(add(one, x), sub(one, x)))));
  return {};
}

/// Returns the result of `op` on x (and y); null if it has no expansion.
Value Doubles::expand(Operation *op, Value x, Value y) {
  if (Value v = hyperbolic(op, x))
    return v;
  if (isa<math::SinOp, math::CosOp>(op))
    return sineOrCosine(x, isa<math::CosOp>(op));
  if (isa<math::TanOp>(op))
    return div(sineOrCosine(x, false), sineOrCosine(x, true));
  if (isa<math::ExpOp>(op))
    return exp(x);
  if (isa<math::Exp2Op>(op))
    return exp(mul(x, number(M_LN2)));
  if (isa<math::ExpM1Op>(op))
    return whereSmall(x, mul(x, polynomial(x, {1, 1.0 / 2, 1.0 / 6, 1.0 / 24})),
                      sub(exp(x), number(1)));
  if (isa<math::LogOp>(op))
    return log(x);
  if (isa<math::Log2Op>(op))
    return mul(log(x), number(M_LOG2E));
  if (isa<math::Log10Op>(op))
    return mul(log(x), number(M_LOG10E));
  if (isa<math::Log1pOp>(op))
    return whereSmall(x,
                      mul(x, polynomial(x, {1, -1.0 / 2, 1.0 / 3, -1.0 / 4})),
                      log(add(x, number(1))));
  if (isa<math::AtanOp>(op))
    return withSign(angle(abs(x), number(1)), x);
  if (isa<math::Atan2Op>(op))
    return atan2(x, y);
  if (isa<math::AsinOp, math::AcosOp>(op)) {
    Value cosine = sqrt(mul(sub(number(1), x), add(number(1), x)));
    return isa<math::AsinOp>(op) ? atan2(x, cosine) : atan2(cosine, x);
  }
  if (isa<math::PowFOp>(op))
    return pow(x, y);
  if (isa<math::ErfOp>(op))
    return erf(x);
  if (isa<math::ErfcOp>(op))
    return erfc(x);
  if (isa<math::CbrtOp>(op))
    return withSign(exp(div(log(abs(x)), number(3))), x);
  return {};
}

bool fx::codegen::hasDoubleForm(Operation *op) {
  return isa<math::SinOp, math::CosOp, math::TanOp, math::ExpOp, math::Exp2Op,
             math::ExpM1Op, math::LogOp, math::Log2Op, math::Log10Op,
             math::Log1pOp, math::AtanOp, math::Atan2Op, math::AsinOp,
             math::AcosOp, math::PowFOp, math::CbrtOp, math::SinhOp,
             math::CoshOp, math::TanhOp, math::AsinhOp, math::AcoshOp,
             math::AtanhOp, math::ErfOp, math::ErfcOp>(op) &&
         isa<FloatType, VectorType>(op->getResult(0).getType());
}

Value fx::codegen::computeInDouble(OpBuilder &builder, Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), builder);
  Type type = op->getResult(0).getType(), wide = b.getF64Type();
  bool isExact = getElementTypeOrSelf(type).isF64();
  if (auto vector = dyn_cast<VectorType>(type))
    wide = vector.clone(wide);
  SmallVector<Value> given(op->getOperands());
  if (!isExact)
    for (Value &v : given)
      v = arith::ExtFOp::create(b, wide, v);
  Value y = Doubles{b, wide, isExact}.expand(op, given[0], given.back());
  return isExact ? y : arith::TruncFOp::create(b, type, y);
}

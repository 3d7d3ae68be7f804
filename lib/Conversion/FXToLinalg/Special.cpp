//===- Special.cpp - special functions ------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All functions are computed in f64, by series that are easy to check:
// asymptotic series for large arguments, recurrences or convergent series for
// others. Sources: DLMF (dlmf.nist.gov), by section.
//
//===----------------------------------------------------------------------===//

#include "Special.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace fx::lin {

/// Returns pi * x reduced modulo pi to [-pi / 2, pi / 2]. Subtracting the
/// nearest integer from x first keeps the precision of large x, and that of
/// small x of either sign.
static Value piFraction(Scalars &s, Value x) {
  Value nearest = s.unary<math::RoundEvenOp>(x);
  return s.mul(s.sub(x, nearest), s.constant(M_PI));
}

//===----------------------------------------------------------------------===//
// Gamma functions
//===----------------------------------------------------------------------===//

/// The recurrences of the gamma functions increase arguments to at least this
/// number; from there on the asymptotic series is used.
static constexpr int shiftTo = 10;

/// Computes log(|gamma(x)|) (DLMF 5.11.1, 5.5.1, 5.5.3).
Value logGamma(Scalars &s, Value x) {
  Value one = s.constant(1), half = s.constant(0.5);
  Value reflected = s.lt(x, half);
  Value y = s.select(reflected, s.sub(one, x), x);
  // gamma(y) = gamma(y + k) / (y (y + 1) ...)
  Value product = one;
  for (int i = 0; i < shiftTo; ++i) {
    Value small = s.lt(y, s.constant(shiftTo));
    product = s.select(small, s.mul(product, y), product);
    y = s.select(small, s.add(y, one), y);
  }
  Value inverse = s.div(one, y);
  Value tail =
      s.mul(inverse, polynomial(s, s.mul(inverse, inverse),
                                {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680,
                                 1.0 / 1188, -691.0 / 360360, 1.0 / 156}));
  Value l = s.sub(s.mul(s.sub(y, half), s.log(y)), y);
  l = s.add(s.add(l, s.constant(0.91893853320467274178)), tail);
  l = s.sub(l, s.log(product));
  l = s.select(s.eq(y, s.highest()), y, l);
  Value sine = s.abs(s.unary<math::SinOp>(piFraction(s, x)));
  Value mirrored = s.sub(s.log(s.div(s.constant(M_PI), sine)), l);
  // The poles: 0 and the negative integers.
  Value pole = s.logicalAnd(s.le(x, s.constant(0)), s.eq(x, s.floor(x)));
  Value r = s.select(reflected, mirrored, l);
  r = s.select(s.eq(s.abs(x), s.highest()), s.highest(), r);
  return s.select(pole, s.highest(), r);
}

/// Computes the derivative of log(gamma(x)) (DLMF 5.11.2, 5.5.2, 5.5.4).
static Value digamma(Scalars &s, Value x) {
  Value one = s.constant(1), zero = s.constant(0);
  Value reflected = s.lt(x, zero);
  Value y = s.select(reflected, s.sub(one, x), x), sum = zero;
  for (int i = 0; i < shiftTo; ++i) {
    Value small = s.lt(y, s.constant(shiftTo));
    sum = s.select(small, s.sub(sum, s.div(one, y)), sum);
    y = s.select(small, s.add(y, one), y);
  }
  Value inverse = s.div(one, y), square = s.mul(inverse, inverse);
  Value tail =
      s.mul(square, polynomial(s, square,
                               {-1.0 / 12, 1.0 / 120, -1.0 / 252, 1.0 / 240,
                                -1.0 / 132, 691.0 / 32760, -1.0 / 12}));
  Value r =
      s.add(sum, s.add(s.sub(s.log(y), s.mul(s.constant(0.5), inverse)), tail));
  r = s.select(s.eq(y, s.highest()), y, r);
  Value tangent = s.unary<math::TanOp>(piFraction(s, x));
  r = s.select(reflected, s.sub(r, s.div(s.constant(M_PI), tangent)), r);
  Value pole = s.logicalAnd(reflected, s.eq(x, s.floor(x)));
  r = s.select(pole, nan(s), r);
  Value atZero = s.binary<math::CopySignOp>(s.highest(), s.neg(x));
  return s.select(s.eq(x, zero), atZero, r);
}

/// Lowers mvlgamma(x, p): p (p - 1) / 4 * log(pi) plus the sum of
/// log(|gamma(x - j / 2)|) over j = 0, ..., p - 1.
static LogicalResult lowerMultivariateLogGamma(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t p = n.integer("p");
  if (n.failed() || p < 1 || p > 16 || !isa<FloatType>(n.resultDtype()))
    return n.fail("a large p");
  return n.pointwise(0, {x}, n.b.b.getF64Type(), [&](Scalars &s, ValueRange v) {
    Value r = s.constant(double(p * (p - 1)) / 4 * std::log(M_PI));
    for (int64_t j = 0; j < p; ++j)
      r = s.add(r, logGamma(s, s.sub(v[0], s.constant(double(j) / 2))));
    return r;
  });
}

/// Returns the coefficients of the n-th derivative of cot(pi x) as a polynomial
/// in c = cot(pi x), using c' = -pi (1 + c^2).
static SmallVector<double> cotangentDerivative(int64_t n) {
  SmallVector<double> p = {0, 1};
  for (int64_t i = 0; i < n; ++i) {
    SmallVector<double> next(p.size() + 1, 0);
    for (size_t k = 1; k < p.size(); ++k) {
      next[k - 1] -= M_PI * double(k) * p[k];
      next[k + 1] -= M_PI * double(k) * p[k];
    }
    p = next;
  }
  return p;
}

/// Lowers polygamma, the n-th derivative of digamma: the recurrence up to a
/// large argument, and the asymptotic series there (DLMF 5.15.5, 5.15.8);
/// reflection below 1/2 (DLMF 5.15.6).
static LogicalResult lowerPolygamma(NodeLowering &node) {
  int64_t order = node.integer("n");
  Tensor x = node.tensor("self");
  if (node.failed() || order < 0 || order > 8 ||
      !isa<FloatType>(node.resultDtype()))
    return node.fail("a derivative of high order");
  constexpr int64_t start = shiftTo + 6;
  auto body = [&](Scalars &s, ValueRange v) -> Value {
    if (order == 0)
      return digamma(s, v[0]);
    Value one = s.constant(1), sum = s.constant(0);
    Value reflected = s.lt(v[0], s.constant(0.5));
    Value y = s.select(reflected, s.sub(one, v[0]), v[0]);
    double factorial = std::tgamma(double(order)); // (n - 1)!
    double whole = factorial * double(order);      // n!
    auto power = [&](Value x, int64_t k) {
      Value r = x;
      for (int64_t i = 1; i < k; ++i)
        r = s.mul(r, x);
      return r;
    };
    for (int64_t i = 0; i < start; ++i) {
      Value small = s.lt(y, s.constant(double(start)));
      Value term = s.div(s.constant(whole), power(y, order + 1));
      sum = s.select(small, s.add(sum, term), sum);
      y = s.select(small, s.add(y, one), y);
    }
    static const double bernoulli[] = {1.0 / 6,   -1.0 / 30, 1.0 / 42,
                                       -1.0 / 30, 5.0 / 66,  -691.0 / 2730,
                                       7.0 / 6};
    Value r = s.add(s.div(s.constant(factorial), power(y, order)),
                    s.div(s.constant(whole / 2), power(y, order + 1)));
    for (auto [k, number] : llvm::enumerate(bernoulli)) {
      double m = 2 * (double(k) + 1);
      double c = number * std::tgamma(m + double(order)) / std::tgamma(m + 1);
      r = s.add(r, s.div(s.constant(c), power(y, order + int64_t(m))));
    }
    double sign = order % 2 ? 1 : -1;
    r = s.mul(s.add(r, sum), s.constant(sign));
    Value cotangent = s.div(one, s.unary<math::TanOp>(piFraction(s, v[0])));
    Value derivative = s.mul(
        s.constant(M_PI), polynomial(s, cotangent, cotangentDerivative(order)));
    Value mirrored = s.sub(s.mul(r, s.constant(-sign)), derivative);
    r = s.select(reflected, mirrored, r);
    Value pole =
        s.logicalAnd(s.le(v[0], s.constant(0)), s.eq(v[0], s.floor(v[0])));
    r = s.select(pole, s.mul(s.highest(), s.constant(sign)), r);
    return s.select(s.eq(v[0], s.lowest()), nan(s), r);
  };
  return node.pointwise(0, {x}, node.b.b.getF64Type(), body);
}

//===----------------------------------------------------------------------===//
// Error functions
//===----------------------------------------------------------------------===//

/// Computes the inverse of erf: Halley's method, which starts from Winitzki's
/// formula (accurate to 1e-3).
static Value erfInverse(Scalars &s, Value y) {
  Value one = s.constant(1), magnitude = s.abs(y);
  // log(1 - y^2), accurate where |y| is near 1.
  Value l = s.add(s.unary<math::Log1pOp>(s.neg(magnitude)),
                  s.unary<math::Log1pOp>(magnitude));
  constexpr double a = 0.147;
  Value t = s.add(s.constant(2 / (M_PI * a)), s.mul(s.constant(0.5), l));
  Value root = s.sqrt(s.sub(s.mul(t, t), s.div(l, s.constant(a))));
  Value x = s.sqrt(s.sub(root, t));
  for (int i = 0; i < 3; ++i) {
    // Halley's step for erf(x) = |y|. The error is computed with erfc, which
    // avoids cancellation where |y| is near 1.
    Value error = s.sub(s.sub(one, magnitude), s.unary<math::ErfcOp>(x));
    Value slope = s.mul(s.constant(M_2_SQRTPI), s.exp(s.neg(s.mul(x, x))));
    Value d = s.div(error, slope);
    x = s.sub(x, s.div(d, s.add(one, s.mul(x, d))));
  }
  x = s.select(s.eq(magnitude, one), s.highest(), x);
  x = s.select(s.gt(magnitude, one), nan(s), x);
  x = s.select(s.lt(magnitude, s.constant(1e-12)),
               s.mul(magnitude, s.constant(0.88622692545275801365)), x);
  return s.binary<math::CopySignOp>(x, y);
}

/// Computes exp(x^2) * erfc(x): as written up to x = 3, and by the continued
/// fraction (DLMF 7.9.2) above, where exp(x^2) overflows for large x.
static Value erfcScaled(Scalars &s, Value x) {
  Value direct = s.mul(s.exp(s.mul(x, x)), s.unary<math::ErfcOp>(x));
  Value f = x;
  for (int k = 60; k >= 1; --k)
    f = s.add(x, s.div(s.constant(k / 2.0), f));
  Value far = s.div(s.constant(M_2_SQRTPI / 2), f);
  Value r = s.select(s.gt(x, s.constant(3)), far, direct);
  return s.select(s.eq(x, s.highest()), s.constant(0), r);
}

static Value normalCDF(Scalars &s, Value x) {
  return s.mul(s.constant(0.5),
               s.unary<math::ErfcOp>(s.mul(x, s.constant(-M_SQRT1_2))));
}

static Value logNormalCDF(Scalars &s, Value x) {
  Value t = s.mul(x, s.constant(M_SQRT1_2));
  Value half = s.constant(0.5);
  Value low = s.sub(s.log(s.mul(erfcScaled(s, s.neg(t)), half)), s.mul(t, t));
  Value high =
      s.unary<math::Log1pOp>(s.mul(s.neg(half), s.unary<math::ErfcOp>(t)));
  return s.select(s.lt(x, s.constant(-1)), low, high);
}

/// Computes the inverse of the normal distribution with the rational functions
/// of Cephes' ndtri and PyTorch's calc_ndtri (aten/src/ATen/native/Math.h): one
/// for the middle and two for parts of each tail. erfInverse cannot compute the
/// tail below 1e-16, where 2 p - 1 rounds to -1.
static Value normalQuantile(Scalars &s, Value p) {
  // Coefficients of the powers, from the constant one on.
  static constexpr double middleOver[] = {
      -1.23916583867381258016E0, 1.39312609387279679503E1,
      -5.66762857469070293439E1, 9.80010754185999661536E1,
      -5.99633501014107895267E1};
  static constexpr double middleUnder[] = {
      -1.18331621121330003142E0, 1.59056225126211695515E1,
      -8.20372256168333339912E1, 2.00260212380060660359E2,
      -2.25462687854119370527E2, 8.63602421390890590575E1,
      4.67627912898881538453E0,  1.95448858338141759834E0,
      1.00000000000000000000E0};
  static constexpr double nearOver[] = {
      -8.57456785154685413611E-4, -3.50424626827848203418E-2,
      -1.40256079171354495875E-1, 2.18663306850790267539E0,
      1.46849561928858024014E1,   4.40805073893200834700E1,
      5.71628192246421288162E1,   3.15251094599893866154E1,
      4.05544892305962419923E0};
  static constexpr double nearUnder[] = {
      -9.33259480895457427372E-4, -3.80806407691578277194E-2,
      -1.42182922854787788574E-1, 2.50464946208309415979E0,
      1.50425385692907503408E1,   4.13172038254672030440E1,
      4.53907635128879210584E1,   1.57799883256466749731E1,
      1.00000000000000000000E0};
  static constexpr double farOver[] = {
      6.23974539184983293730E-9, 2.65806974686737550832E-6,
      3.01581553508235416007E-4, 1.23716634817820021358E-2,
      2.01485389549179081538E-1, 1.33303460815807542389E0,
      3.93881025292474443415E0,  6.91522889068984211695E0,
      3.23774891776946035970E0};
  static constexpr double farUnder[] = {
      6.79019408009981274425E-9, 2.89247864745380683936E-6,
      3.28014464682127739104E-4, 1.34204006088543189037E-2,
      2.16236993594496635890E-1, 1.37702099489081330271E0,
      3.67983563856160859403E0,  6.02427039364742014255E0,
      1.00000000000000000000E0};
  // exp(-2): p is in a tail below this, and above 1 minus this.
  constexpr double cutoff = 0.13533528323661269189;
  Value one = s.constant(1), half = s.constant(0.5);
  Value isUpper = s.gt(p, s.constant(1 - cutoff));
  Value y = s.select(isUpper, s.sub(one, p), p);
  auto ratio = [&](Value x, ArrayRef<double> over, ArrayRef<double> under) {
    return s.div(polynomial(s, x, over), polynomial(s, x, under));
  };
  Value d = s.sub(y, half), square = s.mul(d, d);
  Value middle = s.mul(
      s.add(d, s.mul(d, s.mul(square, ratio(square, middleOver, middleUnder)))),
      s.constant(2.50662827463100050242)); // sqrt(2 pi)
  Value x = s.sqrt(s.mul(s.constant(-2), s.log(y))), z = s.div(one, x);
  // The two parts of a tail meet at y = exp(-32), where x = 8.
  Value correction =
      s.mul(z, s.select(s.lt(x, s.constant(8)), ratio(z, nearOver, nearUnder),
                        ratio(z, farOver, farUnder)));
  Value tail = s.sub(s.sub(x, s.div(s.log(x), x)), correction);
  tail = s.select(isUpper, tail, s.neg(tail));
  Value r = s.select(s.gt(y, s.constant(cutoff)), middle, tail);
  r = s.select(s.eq(p, s.constant(0)), s.lowest(), r);
  return s.select(s.eq(p, one), s.highest(), r);
}

/// Computes -x * log(x); 0 at 0, -inf below 0.
static Value entropy(Scalars &s, Value x) {
  Value zero = s.constant(0);
  Value r = s.select(s.gt(x, zero), s.neg(s.mul(x, s.log(x))),
                     s.select(s.eq(x, zero), zero, s.lowest()));
  return s.select(s.isNan(x), x, r);
}

//===----------------------------------------------------------------------===//
// Modified Bessel functions of the first kind
//===----------------------------------------------------------------------===//

/// Computes exp(-|x|) * I_order(x): the power series (DLMF 10.25.2) up to
/// |x| = 20, the asymptotic series (DLMF 10.40.1) above.
template <int order>
static Value besselScaled(Scalars &s, Value x) {
  constexpr double cutoff = 20;
  Value magnitude = s.abs(x);
  Value y = s.min(magnitude, s.constant(cutoff));
  Value q = s.mul(s.mul(y, y), s.constant(0.25)), sum = s.constant(1);
  // From the last term to the first: 1 + q / (1 (1 + order)) * (1 + ...).
  for (int k = 52; k >= 1; --k)
    sum = s.add(s.constant(1),
                s.mul(s.mul(q, s.constant(1.0 / (k * (k + order)))), sum));
  Value near = s.mul(sum, s.exp(s.neg(y)));
  if (order == 1)
    near = s.mul(near, s.mul(y, s.constant(0.5)));
  Value z = s.max(magnitude, s.constant(cutoff)), far = s.constant(1);
  for (int k = 18; k >= 1; --k) {
    double odd = 2.0 * k - 1,
           factor = (odd * odd - 4.0 * order * order) / (8.0 * k);
    far = s.add(s.constant(1), s.mul(s.div(s.constant(factor), z), far));
  }
  // Take the two square roots separately: 2 pi z overflows for large z.
  far = s.div(far, s.mul(s.constant(std::sqrt(2 * M_PI)), s.sqrt(z)));
  Value r = s.select(s.gt(magnitude, s.constant(cutoff)), far, near);
  if (order == 1) // like PyTorch, 0.0 for x = -0.0
    r = s.select(s.lt(x, s.constant(0)), s.neg(r), r);
  return s.select(s.isNan(x), x, r);
}

template <int order>
static Value bessel(Scalars &s, Value x) {
  // Multiply by exp(|x| / 2) twice: exp(|x|) overflows before the product does.
  Value half = s.exp(s.mul(s.abs(x), s.constant(0.5)));
  return s.mul(s.mul(besselScaled<order>(s, x), half), half);
}

/// Computes sin(x) / x.
static Value sphericalBessel(Scalars &s, Value x) {
  Value square = s.mul(x, x);
  Value near = polynomial(s, square,
                          {1, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880});
  Value r = s.select(s.lt(s.abs(x), s.constant(0.5)), near,
                     s.div(s.unary<math::SinOp>(x), x));
  return s.select(s.eq(s.abs(x), s.highest()), s.constant(0), r);
}

void registerSpecial(Registry &r) {
  r.add({"aten.lgamma.default", "aten.special_gammaln.default"},
        wide<logGamma>);
  r.add({"aten.digamma.default", "aten.special_digamma.default",
         "aten.special_psi.default"},
        wide<digamma>);
  r.add({"aten.mvlgamma.default", "aten.special_multigammaln.default"},
        lowerMultivariateLogGamma);
  r.add({"aten.polygamma.default", "aten.special_polygamma.default"},
        lowerPolygamma);
  r.add({"aten.erfinv.default", "aten.special_erfinv.default"},
        wide<erfInverse>);
  r.add("aten.special_erfcx.default", wide<erfcScaled>);
  r.add("aten.special_ndtr.default", wide<normalCDF>);
  r.add("aten.special_log_ndtr.default", wide<logNormalCDF>);
  r.add("aten.special_ndtri.default", wide<normalQuantile>);
  r.add("aten.special_entr.default", wide<entropy>);
  r.add({"aten.i0.default", "aten.special_i0.default",
         "aten.special_modified_bessel_i0.default"},
        wide<bessel<0>>);
  r.add({"aten.special_i1.default", "aten.special_modified_bessel_i1.default"},
        wide<bessel<1>>);
  r.add("aten.special_i0e.default", wide<besselScaled<0>>);
  r.add("aten.special_i1e.default", wide<besselScaled<1>>);
  r.add("aten.special_spherical_bessel_j0.default", wide<sphericalBessel>);
}

} // namespace fx::lin

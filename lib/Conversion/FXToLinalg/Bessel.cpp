//===- Bessel.cpp - Bessel functions and Airy's ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes in f64, to about 1e-11 of the largest value nearby: with the power
// series where cancellation between its terms is small enough, and with the
// asymptotic series beyond. Between the two, the functions that decay use an
// integral by the trapezoidal rule, which converges exponentially here.
// Sources: DLMF (dlmf.nist.gov), by section. The modified functions of the
// first kind are in Special.cpp.
//
//===----------------------------------------------------------------------===//

#include "Special.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace fx::lin {

static constexpr double euler = 0.57721566490153286061;

/// 1 + 1/2 + ... + 1/k
static double harmonic(int k) {
  double r = 0;
  for (int i = 1; i <= k; ++i)
    r += 1.0 / i;
  return r;
}

/// Returns the first `count` coefficients, in powers of q = (x / 2)^2, of the
/// series 1 / (0! n!) - q / (1! (n + 1)!) + ... of J of `order` n (DLMF
/// 10.2.2), each times `weight(k, n)`. All signs are positive unless
/// `alternating`.
static SmallVector<double> series(int order, bool alternating, int count,
                                  double (*weight)(int, int)) {
  SmallVector<double> c;
  double term = 1;
  for (int k = 1; k <= order; ++k)
    term /= k;
  for (int k = 0; k < count; ++k) {
    c.push_back(term * weight(k, order));
    term *= (alternating ? -1.0 : 1.0) / ((k + 1.0) * (k + 1 + order));
  }
  return c;
}

static double one(int, int) { return 1; }
/// Returns psi(k + 1) + psi(order + k + 1) without the two terms of Euler's
/// constant.
static double harmonics(int k, int order) {
  return harmonic(k) + harmonic(k + order);
}

/// Computes P and Q of Hankel's asymptotic series (DLMF 10.17.3) at
/// `inverse` = 1 / x, with `pairs` terms each.
static std::pair<Value, Value> hankel(Scalars &s, Value inverse, double order,
                                      int pairs) {
  SmallVector<double> p, q;
  double a = 1;
  for (int k = 0; k < 2 * pairs; ++k) {
    double sign = (k / 2) % 2 ? -1 : 1;
    (k % 2 ? q : p).push_back(sign * a);
    double odd = 2 * k + 1;
    a *= (4 * order * order - odd * odd) / (8.0 * (k + 1));
  }
  Value square = s.mul(inverse, inverse);
  return {polynomial(s, square, p), s.mul(inverse, polynomial(s, square, q))};
}

/// The argument where the asymptotic series replaces the power series. There
/// the largest term of the power series is about 1e5 times the value.
static constexpr double cutoff = 13;

/// Computes J, or Y if `second` (for x > 0), of `order` 0 or 1.
template <int order, bool second>
static Value oscillating(Scalars &s, Value x) {
  Value y = s.abs(x);
  // Near: J = (x/2)^n * sum; Y = 2/pi ln(x/2) J - ... (DLMF 10.8.1).
  Value small = s.min(y, s.constant(cutoff));
  Value half = s.mul(small, s.constant(0.5)), q = s.mul(half, half);
  constexpr int terms = 40;
  Value near = polynomial(s, q, series(order, true, terms, one));
  if (order == 1)
    near = s.mul(near, half);
  if (second) {
    Value sum = polynomial(s, q, series(order, true, terms, harmonics));
    if (order == 1)
      sum = s.mul(sum, half);
    Value l = s.add(s.log(half), s.constant(euler));
    Value r = s.sub(s.mul(s.mul(s.constant(2), l), near), sum);
    if (order == 1)
      r = s.sub(r, s.div(s.constant(1), half));
    near = s.mul(r, s.constant(1 / M_PI));
  }
  // Far: sqrt(2 / (pi x)) (P cos(w) - Q sin(w)), w = x - n pi/2 - pi/4.
  Value large = s.max(y, s.constant(cutoff));
  auto [p, r] = hankel(s, s.div(s.constant(1), large), order, 12);
  Value w = s.sub(large, s.constant(order * M_PI / 2 + M_PI / 4));
  Value sine = s.unary<math::SinOp>(w), cosine = s.unary<math::CosOp>(w);
  Value far = second ? s.add(s.mul(p, sine), s.mul(r, cosine))
                     : s.sub(s.mul(p, cosine), s.mul(r, sine));
  far = s.mul(far, s.sqrt(s.div(s.constant(2 / M_PI), large)));
  far = s.select(s.eq(y, s.highest()), s.constant(0), far);
  Value result = s.select(s.gt(y, s.constant(cutoff)), far, near);
  if (second) {
    result = s.select(s.eq(x, s.constant(0)), s.lowest(), result);
    return s.select(s.lt(x, s.constant(0)), nan(s), result);
  }
  return order == 1 ? s.select(s.lt(x, s.constant(0)), s.neg(result), result)
                    : result;
}

/// Computes exp(x) K of `order` for x >= 1: the integral of
/// exp(-x (cosh t - 1)) times cosh(order t) (DLMF 10.32.9) by the trapezoidal
/// rule, whose error at this step is far below f64's rounding.
static Value scaledIntegral(Scalars &s, Value x, double order) {
  constexpr double step = 0.1;
  constexpr int count = 46; // cosh(4.5) - 1 = 44: exp(-44) is negligible
  Value sum = s.constant(0.5);
  for (int k = 1; k < count; ++k) {
    double t = k * step;
    Value e = s.exp(s.mul(x, s.constant(1 - std::cosh(t))));
    sum = s.add(sum, s.mul(e, s.constant(std::cosh(order * t))));
  }
  return s.mul(sum, s.constant(step));
}

/// The same for large x, where the integrand is narrower than the step, by the
/// asymptotic series (DLMF 10.40.2).
static Value scaledAsymptotic(Scalars &s, Value x, double order) {
  SmallVector<double> c;
  double a = 1;
  for (int k = 0; k < 16; ++k) {
    c.push_back(a);
    double odd = 2 * k + 1;
    a *= (4 * order * order - odd * odd) / (8.0 * (k + 1));
  }
  Value sum = polynomial(s, s.div(s.constant(1), x), c);
  return s.mul(sum, s.sqrt(s.div(s.constant(M_PI / 2), x)));
}

/// Computes exp(x) K of `order` for x >= 1.
static Value scaledDecay(Scalars &s, Value x, double order) {
  constexpr double far = 30;
  return s.select(s.gt(x, s.constant(far)),
                  scaledAsymptotic(s, s.max(x, s.constant(far)), order),
                  scaledIntegral(s, s.min(x, s.constant(far)), order));
}

/// Computes K of `order` 0 or 1, times exp(x) if `scaled`. Uses the power
/// series (DLMF 10.31.1) below 1.
template <int order, bool scaled>
static Value decaying(Scalars &s, Value x) {
  Value one_ = s.constant(1), small = s.min(x, one_);
  Value half = s.mul(small, s.constant(0.5)), q = s.mul(half, half);
  constexpr int terms = 14;
  Value first = polynomial(s, q, series(order, false, terms, one)),
        sum = polynomial(s, q, series(order, false, terms, harmonics));
  Value l = s.add(s.log(half), s.constant(euler));
  // K0 = -(l) I0 + sum / 2; K1 = 1/x + (l) I1 - x/4 sum.
  Value near = order == 0
                   ? s.sub(s.mul(sum, s.constant(0.5)), s.mul(l, first))
                   : s.add(s.div(s.constant(0.5), half),
                           s.mul(half, s.sub(s.mul(l, first),
                                             s.mul(sum, s.constant(0.5)))));
  Value large = s.max(x, one_), far = scaledDecay(s, large, order);
  if (scaled)
    near = s.mul(near, s.exp(small));
  else
    far = s.mul(far, s.exp(s.neg(large)));
  Value r = s.select(s.gt(x, one_), far, near);
  r = s.select(s.eq(x, s.constant(0)), s.highest(), r);
  r = s.select(s.eq(x, s.highest()), s.constant(0), r);
  return s.select(s.lt(x, s.constant(0)), nan(s), r);
}

/// Computes Ai: the Maclaurin series (DLMF 9.4.1) around 0, K of order 1/3
/// above (DLMF 9.6.2), the oscillating asymptotic series below (DLMF 9.7.9).
static Value airy(Scalars &s, Value x) {
  constexpr double low = -7, high = 2;
  // The coefficients of f and g in powers of x^3.
  SmallVector<double> f, g;
  double a = 0.35502805388781723926, c = -0.25881940379280679841;
  for (int k = 0; k < 40; ++k) {
    f.push_back(a);
    g.push_back(c);
    a /= (3.0 * k + 2) * (3.0 * k + 3);
    c /= (3.0 * k + 3) * (3.0 * k + 4);
  }
  Value middle = s.min(s.max(x, s.constant(low)), s.constant(high));
  Value cube = s.mul(s.mul(middle, middle), middle);
  Value near =
      s.add(polynomial(s, cube, f), s.mul(middle, polynomial(s, cube, g)));
  auto zetaOf = [&](Value y) {
    return s.mul(s.constant(2.0 / 3), s.mul(y, s.sqrt(y)));
  };
  Value up = s.max(x, s.constant(high)), zeta = zetaOf(up);
  Value above = s.mul(scaledDecay(s, zeta, 1.0 / 3), s.exp(s.neg(zeta)));
  above = s.mul(s.mul(above, s.sqrt(s.mul(up, s.constant(1.0 / 3)))),
                s.constant(1 / M_PI));
  Value down = s.max(s.neg(x), s.constant(-low));
  zeta = zetaOf(down);
  // u_k = (6k-5)(6k-3)(6k-1) / (216 k (2k-1)) u_{k-1} (DLMF 9.7.2)
  SmallVector<double> p, q;
  double u = 1;
  for (int k = 0; k < 24; ++k) {
    double sign = (k / 2) % 2 ? -1 : 1;
    (k % 2 ? q : p).push_back(sign * u);
    double n = k + 1;
    u *= (6 * n - 5) * (6 * n - 3) * (6 * n - 1) / (216 * n * (2 * n - 1));
  }
  Value inverse = s.div(s.constant(1), zeta), square = s.mul(inverse, inverse);
  Value w = s.sub(zeta, s.constant(M_PI / 4));
  Value below = s.add(
      s.mul(s.unary<math::CosOp>(w), polynomial(s, square, p)),
      s.mul(s.unary<math::SinOp>(w), s.mul(inverse, polynomial(s, square, q))));
  below =
      s.div(below, s.mul(s.constant(std::sqrt(M_PI)), s.sqrt(s.sqrt(down))));
  Value r = s.select(s.lt(x, s.constant(low)), below, near);
  r = s.select(s.gt(x, s.constant(high)), above, r);
  return s.select(s.eq(x, s.highest()), s.constant(0), r);
}

//===----------------------------------------------------------------------===//
// Hurwitz' zeta
//===----------------------------------------------------------------------===//

/// Computes the sum of (q + k)^-x over k >= 0: the first terms directly, the
/// others with the Euler-Maclaurin formula (DLMF 25.11.28). Below q = -20, the
/// direct terms are too few for the formula.
static Value hurwitz(Scalars &s, Value x, Value q) {
  constexpr int terms = 30;
  Value sum = s.constant(0), at = q, minus = s.neg(x), one_ = s.constant(1);
  for (int k = 0; k < terms; ++k) {
    sum = s.add(sum, s.pow(at, minus));
    at = s.add(at, one_);
  }
  Value last = s.pow(at, minus);
  sum = s.add(sum, s.div(s.mul(last, at), s.sub(x, one_)));
  sum = s.add(sum, s.mul(last, s.constant(0.5)));
  // B_2j / (2j)! x (x + 1) ... (x + 2j - 2) at^(-x - 2j + 1)
  static const double bernoulli[] = {1.0 / 6,   -1.0 / 30, 1.0 / 42,
                                     -1.0 / 30, 5.0 / 66,  -691.0 / 2730};
  Value product = s.div(s.mul(x, last), at);
  for (auto [j, number] : llvm::enumerate(bernoulli)) {
    double m = 2.0 * (double(j) + 1);
    sum = s.add(sum, s.mul(product, s.constant(number / std::tgamma(m + 1))));
    for (double d : {m - 1, m})
      product = s.div(s.mul(product, s.add(x, s.constant(d))), at);
  }
  Value none = nan(s);
  Value whole = s.eq(q, s.floor(q)), negative = s.le(q, s.constant(0));
  // A negative base has a power only where the exponent is whole.
  sum = s.select(s.logicalAnd(negative, s.ne(x, s.floor(x))), none, sum);
  sum = s.select(s.logicalAnd(negative, whole), s.highest(), sum);
  sum = s.select(s.lt(x, one_), none, sum);
  sum = s.select(s.eq(x, one_), s.highest(), sum);
  return s.select(s.logicalOr(s.isNan(x), s.isNan(q)), none, sum);
}

static LogicalResult lowerZeta(NodeLowering &n) {
  Operands x(n, {"self", "other"});
  if (n.failed() || !isa<FloatType>(n.resultDtype()))
    return n.fail("the result is no float");
  Type f64 = n.b.b.getF64Type();
  x.hoist(n, f64);
  return n.pointwise(0, x.tensors, f64, [&](Scalars &s, ValueRange v) {
    return hurwitz(s, x.get(s, v, 0), x.get(s, v, 1));
  });
}

void registerBessel(Registry &r) {
  r.add("aten.special_bessel_j0.default", wide<oscillating<0, false>>);
  r.add("aten.special_bessel_j1.default", wide<oscillating<1, false>>);
  r.add("aten.special_bessel_y0.default", wide<oscillating<0, true>>);
  r.add("aten.special_bessel_y1.default", wide<oscillating<1, true>>);
  r.add("aten.special_modified_bessel_k0.default", wide<decaying<0, false>>);
  r.add("aten.special_modified_bessel_k1.default", wide<decaying<1, false>>);
  r.add("aten.special_scaled_modified_bessel_k0.default",
        wide<decaying<0, true>>);
  r.add("aten.special_scaled_modified_bessel_k1.default",
        wide<decaying<1, true>>);
  r.add("aten.special_airy_ai.default", wide<airy>);
  r.add({"aten.special_zeta.default", "aten.special_zeta.other_scalar",
         "aten.special_zeta.self_scalar"},
        lowerZeta);
}

} // namespace fx::lin

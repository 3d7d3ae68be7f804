//===- FloatLogarithms.cpp - logarithms of f32 and inverse hyperbolic functions
//-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Floats.h"

using namespace mlir;
using namespace fx::codegen;

/// The bits of 2/3: the exponent field of the difference from these bits is the
/// exponent of `Parts`.
static constexpr int kTwoThirds = 0x3f2aaaab;
static constexpr int kExponentField = ~0x7fffff;

/// Subnormal numbers are scaled by 2^24.
Floats::Parts Floats::split(Value x) {
  Value isTiny = isLess(x, number(0x1p-126f));
  Value scaled = bits(select(isTiny, mul(x, number(0x1p24f)), x));
  Value offset = subBits(scaled, integer(kTwoThirds));
  Value field = bitAnd(offset, integer(kExponentField));
  Value m = fromBits(subBits(scaled, field));
  Value e = toNumber(shiftRight(offset, 23));
  e = sub(e, select(isTiny, number(24), number(0)));
  return {e, sub(m, number(1))};
}

/// Returns log(1 + f) - f, for f in [-1/3, 1/3).
Value Floats::logSeries(Value f) {
  return mul(mul(f, f),
             polynomial(f, {-0.5f, 0x1.555502p-2f, -0x1.ffff14p-3f,
                            0x1.99d1c6p-3f, -0x1.559802p-3f, 0x1.1ec0cep-3f,
                            -0x1.f3a7dep-4f, 0x1.1ec6f8p-3f, -0x1.06cdfcp-3f}));
}

Value Floats::logOfParts(Parts parts, Value low) {
  auto [e, f] = parts;
  Value rest = fma(e, number(kLog2Low), logSeries(f));
  if (low) // The derivative of log(1 + f) is about 1 - f.
    rest = add(rest, fma(neg(f), low, low));
  return fma(e, number(kLog2), add(f, rest));
}

/// Returns shift + f * factor + low, where `shift` is zero or larger than
/// f * factor.
Value Floats::shiftedProduct(Value shift, Value f, float factor, Value low) {
  Value high = fma(f, number(factor), shift);
  Value lost = fma(f, number(factor), sub(shift, high));
  return add(high, add(lost, low));
}

/// Returns `y`, a logarithm of `x`, or its value at the ends of its domain.
Value Floats::atEnds(Value x, Value y) {
  Value isZero = isEqual(x, number(0));
  Value other = select(isZero, number(-kInfinity), number(kNaN));
  y = select(isLess(number(0), x), y, other);
  // Infinity stays, and NaN keeps its bits.
  return select(isLess(x, number(kInfinity)), y, x);
}

Value Floats::log(Value x) { return atEnds(x, logOfParts(split(x))); }

Value Floats::log2(Value x) {
  auto [e, f] = split(x);
  Value low =
      fma(logSeries(f), number(0x1.715476p+0f), mul(f, number(0x1.4ae0cp-26f)));
  return atEnds(x, shiftedProduct(e, f, 0x1.715476p+0f, low));
}

Value Floats::log10(Value x) {
  auto [e, f] = split(x);
  Value low = fma(logSeries(f), number(0x1.bcb7b2p-2f),
                  mul(f, number(-0x1.5b235ep-27f)));
  low = fma(e, number(0x1.3509f8p-18f), low);
  // The product is exact.
  Value shift = mul(e, number(0x1.344p-2f));
  return atEnds(x, shiftedProduct(shift, f, 0x1.bcb7b2p-2f, low));
}

/// Returns log(1 + v), or log(v.high) where `isLarge` holds, if v > -1. With
/// 2^e (1 + f) = 1 + v, f is v 2^-e + (2^-e - 1): nothing is lost where v is
/// small. Without `isLarge`, v is less than 2^127.
Value Floats::logOfOnePlus(Pair v, Value isLarge) {
  Value sum = add(v.high, number(1));
  Value u = bits(isLarge ? select(isLarge, v.high, sum) : sum);
  Value offset = subBits(u, integer(kTwoThirds));
  Value field = bitAnd(offset, integer(kExponentField));
  // Wrong from 2^127 on.
  Value scale = fromBits(subBits(integer(0x3f800000), field));
  Value shift = sub(scale, number(1));
  Value f = fma(v.high, scale, shift);
  Value low = fma(v.high, scale, sub(shift, f));
  if (v.low)
    low = fma(v.low, scale, low);
  if (isLarge) {
    Value m = fromBits(subBits(u, field));
    f = select(isLarge, sub(m, number(1)), f);
    low = select(isLarge, number(0), low);
  }
  Value e = toNumber(shiftRight(offset, 23));
  return logOfParts({e, f}, low);
}

/// From 2^26 on, log(1 + x) rounds to log(x).
Value Floats::log1p(Value x) {
  Value y = logOfOnePlus({x, {}}, isLess(number(0x1p26f), x));
  // Keeps the signs of zeros.
  y = select(isEqual(x, number(0)), x, y);
  return atEnds(add(x, number(1)), y);
}

/// asinh(x) = log(1 + v) with v = x + x^2 / (1 + sqrt(1 + x^2)), for x >= 0.
Value Floats::asinh(Value x) {
  Value a = abs(x), isLarge = isLess(number(0x1p30f), a);
  Value a2 = mul(a, a);
  Value root = sqrt(add(a2, number(1)));
  Value w = div(a2, add(root, number(1)));
  w = select(isLarge, number(0), w);
  Value y = logOfOnePlus(fastSum(a, w), isLarge);
  y = add(y, select(isLarge, number(kLog2 + kLog2Low), number(0)));
  return withSign(select(isLess(a, number(kInfinity)), y, a), x);
}

/// acosh(x) = log(1 + v) with v = t + sqrt(t^2 + 2 t) and t = x - 1. The
/// rounding error of the root is added to v.
Value Floats::acosh(Value x) {
  Value isLarge = isLess(number(0x1p30f), x);
  Value t = select(isLarge, x, sub(x, number(1)));
  Value twice = add(t, t), square = fma(t, t, twice);
  Value root = sqrt(square);
  Value low = fma(t, t, sub(twice, square));
  low = div(add(low, fma(neg(root), root, square)), add(root, root));
  Value isUsable = both(isNot(isLarge), isLess(number(0), t));
  root = select(isUsable, root, number(0));
  low = select(isUsable, low, number(0));
  Pair v = fastSum(root, t);
  Value larger = isLess(root, t);
  v = {v.high, select(larger, sub(root, sub(v.high, t)), v.low)};
  v.low = add(v.low, low);
  Value y = logOfOnePlus(v, isLarge);
  y = add(y, select(isLarge, number(kLog2 + kLog2Low), number(0)));
  y = select(isLess(x, number(1)), number(kNaN), y);
  return select(isLess(x, number(kInfinity)), y, x);
}

/// atanh(x) = log(1 + v) / 2 with v = 2 x / (1 - x), for x >= 0. For x < 1, v
/// is at most 2^25.
Value Floats::atanh(Value x) {
  Value a = abs(x), one = number(1);
  Value twice = add(a, a), d = sub(one, a);
  Value lost = sub(sub(one, d), a);
  Value inverse = div(one, d);
  Value high = mul(twice, inverse);
  Value rest = fma(neg(high), d, twice);
  rest = fma(neg(high), lost, rest);
  Value y = logOfOnePlus({high, mul(rest, inverse)}, Value());
  y = mul(y, number(0.5f));
  // Where |x| is so small that its half would be subnormal, the result is x.
  y = select(isLess(a, number(0x1p-100f)), a, y);
  y = select(isEqual(a, one), number(kInfinity), y);
  y = select(isLess(one, a), number(kNaN), y);
  return withSign(y, x);
}

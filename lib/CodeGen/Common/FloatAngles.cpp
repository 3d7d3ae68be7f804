//===- FloatAngles.cpp - trigonometric functions of f32 -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Floats.h"

using namespace mlir;
using namespace fx::codegen;

/// Approximates sine or cosine of the rest of the angle, whichever the quarter
/// demands.
Value Floats::sineOrCosine(Value x, bool isCosine) {
  Angle angle = reduceAnyAngle(abs(x));
  auto [r, low] = angle.rest;
  Value r2 = mul(r, r);
  Value sine =
      polynomial(r2, {-0x1.555542p-3f, 0x1.1105fap-7f, -0x1.98d742p-13f});
  sine = add(r, fma(mul(r, r2), sine, low));
  Value cosine = polynomial(
      r2, {-0.5f, 0x1.555548p-5f, -0x1.6c0aecp-10f, 0x1.998d66p-16f});
  cosine = add(fma(r2, cosine, neg(mul(r, low))), number(1));
  Value quarters = angle.quarters;
  if (isCosine)
    quarters = addBits(quarters, integer(1));
  Value isOdd = isNonzero(bitAnd(quarters, integer(1)));
  Value y = select(isOdd, cosine, sine);
  // The second bit of the quarter is the sign.
  Value sign = shiftLeft(quarters, 30);
  if (!isCosine)
    sign = bitXor(sign, bits(x));
  return fromBits(bitXor(bits(y), bitAnd(sign, integer(kSignBit))));
}

/// The tangent is that of the rest, or -1 / tan(rest). The reciprocal of a sum
/// of two numbers is corrected by its remainder.
Value Floats::tan(Value x) {
  Angle angle = reduceAnyAngle(abs(x));
  auto [r, low] = angle.rest;
  Value r2 = mul(r, r);
  Value series = polynomial(r2, {0x1.555568p-2f, 0x1.110b82p-3f, 0x1.bb3856p-5f,
                                 0x1.58f7dp-6f, 0x1.764732p-7f,
                                 -0x1.54e568p-11f, 0x1.3695a2p-8f});
  Pair t = fastSum(r, fma(mul(r, r2), series, fma(low, r2, low)));
  Value inverse = div(number(-1), t.high);
  Value error = fma(inverse, t.high, number(1));
  error = fma(inverse, t.low, error);
  inverse = fma(inverse, error, inverse);
  Value isOdd = isNonzero(bitAnd(angle.quarters, integer(1)));
  Value y = select(isOdd, inverse, t.high);
  return fromBits(bitXor(bits(y), bitAnd(bits(x), integer(kSignBit))));
}

static constexpr float kHalfPi = 0x1.921fb6p+0f, kHalfPiLow = -0x1.777a5cp-25f;

/// Coefficients of (asin(x) - x) / x^3, for |x| <= 1/2.
static constexpr float kArcSine[] = {0x1.5555ccp-3f, 0x1.3300cp-4f,
                                     0x1.749c6p-5f, 0x1.8af02ap-6f,
                                     0x1.5a8308p-5f};

/// For |x| > 1/2, asin(|x|) = pi/2 - 2 asin(sqrt((1 - |x|) / 2)).
Value Floats::asin(Value x) {
  Value a = abs(x), isLarge = isLess(number(0.5f), a);
  Value half = fma(a, number(-0.5f), number(0.5f));
  Value w = select(isLarge, sqrt(half), a);
  Value square = select(isLarge, half, mul(a, a));
  Value t = mul(mul(w, square), polynomial(square, kArcSine));
  Value high = fma(w, number(-2), number(kHalfPi));
  Value lost = fma(w, number(-2), sub(number(kHalfPi), high));
  Value far = add(high, fma(t, number(-2), add(lost, number(kHalfPiLow))));
  return withSign(select(isLarge, far, add(w, t)), x);
}

/// acos(x) is pi/2 - asin(x), or 2 asin(sqrt((1 - x) / 2)) for x > 1/2, or
/// pi - 2 asin(sqrt((1 + x) / 2)) for x < -1/2: always a multiple of an arc
/// sine added to an angle.
Value Floats::acos(Value x) {
  Value a = abs(x), isLarge = isLess(number(0.5f), a);
  Value isLeft = isLess(x, number(0));
  Value half = fma(a, number(-0.5f), number(0.5f));
  Value w = select(isLarge, sqrt(half), x);
  Value square = select(isLarge, half, mul(a, a));
  Value t = mul(mul(w, square), polynomial(square, kArcSine));
  Value base = select(isLeft, number(2 * kHalfPi), number(0));
  base = select(isLarge, base, number(kHalfPi));
  Value factor = select(isLeft, number(-2), number(2));
  factor = select(isLarge, factor, number(-1));
  Value low = mul(base, number(kHalfPiLow / kHalfPi));
  return add(fma(factor, w, base), fma(factor, t, low));
}

/// Coefficients of (atan(x) - x) / x^3, for |x| <= 1.
static constexpr float kArcTangent[] = {
    -0x1.55553ep-2f, 0x1.9991ecp-3f,  -0x1.24211ap-3f,
    0x1.c0946cp-4f,  -0x1.5825f2p-4f, 0x1.da9c2ep-5f,
    -0x1.fe7d24p-6f, 0x1.6551e2p-7f,  -0x1.d5a1aap-10f};

/// For x > 1, atan(x) = pi/2 + atan(-1 / x).
Value Floats::atan(Value x) {
  Value a = abs(x), isLarge = isLess(number(1), a);
  Value t = select(isLarge, div(number(-1), a), a);
  Value t2 = mul(t, t);
  Value rest = mul(mul(t, t2), polynomial(t2, kArcTangent));
  Value base = select(isLarge, number(kHalfPi), number(0));
  Value low = select(isLarge, number(kHalfPiLow), number(0));
  return withSign(add(add(base, t), add(rest, low)), x);
}

/// The arc tangent of the quotient of the smaller and the larger coordinate is
/// added to a multiple of pi/2, or subtracted from it.
Value Floats::atan2(Value y, Value x) {
  Value up = abs(y), across = abs(x), isSteep = isLess(across, up);
  Value near = select(isSteep, across, up), far = select(isSteep, up, across);
  // Both may be zero or infinite.
  Value onDiagonal = select(isEqual(near, number(0)), near, number(1));
  Value t = select(isEqual(near, far), onDiagonal, div(near, far));
  Value isLeft = hasSign(x);
  Value t2 = mul(t, t);
  t = select(bitXor(isSteep, isLeft), neg(t), t);
  Value rest = mul(mul(t, t2), polynomial(t2, kArcTangent));
  Value base = select(isLeft, number(2 * kHalfPi), number(0));
  base = select(isSteep, number(kHalfPi), base);
  Value low = mul(base, number(kHalfPiLow / kHalfPi));
  return withSign(add(add(base, t), add(rest, low)), y);
}

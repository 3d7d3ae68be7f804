//===- FloatExponentials.cpp - hyperbolic functions of f32 --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Floats.h"

using namespace mlir;
using namespace fx::codegen;

/// Needs |x| < 200. The rest is at most log(2) / 2.
Floats::Exponent Floats::reduceExponent(Value x) {
  Value n;
  Value sum = round(x, 0x1.715476p+0f, n);
  // The first part has 15 bits: its products with n are exact.
  Value r = fma(n, number(-kLog2), x);
  Value rest = fma(n, number(-kLog2Low), r);
  Value low = fma(n, number(-kLog2Low), sub(r, rest));
  return {bits(sum), {rest, low}};
}

/// Returns 2^(n + offset), if that is a normal number. `roundedBits` are the
/// bits of n + kWhole.
Value Floats::powerOfTwo(Value roundedBits, int offset) {
  // The bits of kWhole are shifted out.
  return fromBits(
      addBits(shiftLeft(roundedBits, 23), integer((127 + offset) << 23)));
}

/// e^x = (2^h)^2 e^r with x = 2 h log(2) + r: the square costs less than a
/// distribution of n to two factors, of which the longer series costs two
/// terms. One factor would not suffice where the result is subnormal.
Value Floats::exp(Value x) {
  // Beyond these bounds the result is infinite or zero.
  x = max(min(x, 89), -104);
  Value h, sum = round(x, 0x1.715476p-1f, h);
  Value r = fma(h, number(-2 * kLog2), x);
  r = fma(h, number(-2 * kLog2Low), r);
  Value y = polynomial(r, {1, 1, 0x1.00000cp-1f, 0x1.555512p-3f, 0x1.5549dcp-5f,
                           0x1.112728p-7f, 0x1.71c4e6p-10f, 0x1.9baebap-13f});
  Value power = powerOfTwo(bits(sum), 0);
  return mul(mul(y, power), power);
}

/// e^x = 2^(n + 64) e^r 2^-64. The first product is a normal number, so a
/// subnormal result is rounded once.
Value Floats::expOfNonpositive(Value x) {
  x = max(x, -104);
  Value n, sum = round(x, 0x1.715476p+0f, n);
  Value r = fma(n, number(-kLog2), x);
  r = fma(n, number(-kLog2Low), r);
  Value y = mul(polynomial(r, kShortExp), powerOfTwo(bits(sum), 64));
  return mul(y, number(0x1p-64f));
}

/// e^x - 1 = (2^n - 1) + 2^n r + 2^n (e^r - 1 - r), added in this order. All
/// are halved, since 2^128 is no number.
Value Floats::expm1(Value x) {
  Exponent e = reduceExponent(max(min(x, 89), -18));
  auto [r, low] = e.rest;
  Value half = powerOfTwo(e.bits, -1);
  Value series = polynomial(r, kExpSeries);
  Value y = fma(half, r, sub(half, number(0.5f)));
  y = fma(half, fma(mul(r, r), series, low), y);
  return select(isLess(abs(x), number(0x1p-25f)), x, add(y, y));
}

/// With x = n log(2) + r, sinh(x) = (2^n - 2^-n) / 2 cosh(r) +
/// (2^n + 2^-n) / 2 sinh(r), and cosh(x) is the same with both sums exchanged.
/// All are halved again, since 2^128 is no number.
Value Floats::sinhOrCosh(Value x, bool isCosh) {
  Value a = abs(x);
  Exponent e = reduceExponent(min(a, 89.5f));
  auto [r, low] = e.rest;
  Value up = powerOfTwo(e.bits, -2);
  // -n, limited: a smaller number does not change the result.
  Value limited = minBits(e.bits, integer(llvm::bit_cast<int>(kWhole) + 60));
  Value down = powerOfTwo(subBits(integer(0), limited), -2);
  Value sum = add(up, down), difference = sub(up, down);
  Value r2 = mul(r, r);
  Value sinh = fma(
      mul(r, r2),
      polynomial(r2, {0x1.555556p-3f, 0x1.110fe4p-7f, 0x1.a2895ep-13f}), low);
  // cosh(r) - 1
  Value cosh = mul(r2, polynomial(r2, {0.5f, 0x1.5554ep-5f, 0x1.6d56ecp-10f}));
  Value whole = isCosh ? sum : difference, other = isCosh ? difference : sum;
  Value lost = sub(up, whole);
  lost = isCosh ? add(lost, down) : sub(lost, down);
  // The larger terms are added first, and with one rounding.
  Value rest = fma(whole, cosh, fma(other, sinh, lost));
  Value y = add(fma(other, r, whole), rest);
  y = add(y, y);
  if (isCosh)
    return y;
  return withSign(select(isLess(a, number(0x1p-13f)), a, y), x);
}

/// For |x| > 5/8, tanh(|x|) = 1 - 2 / (e^(2 |x|) + 1).
Value Floats::tanh(Value x) {
  Value a = abs(x), x2 = mul(x, x);
  Value near = polynomial(x2, {-0x1.55553p-2f, 0x1.110688p-3f, -0x1.b826fep-5f,
                               0x1.51971cp-6f, -0x1.734f12p-8f});
  near = fma(mul(a, x2), near, a);
  // From 9.02 on, the result rounds to 1.
  a = min(a, 10);
  Exponent e = reduceExponent(add(a, a));
  Value r = e.rest.high;
  Value exp = polynomial(r, kExpSeries);
  exp = fma(mul(r, r), exp, r);
  Value power = powerOfTwo(e.bits, 0);
  exp = fma(power, exp, add(power, number(1)));
  Value far = sub(number(1), div(number(2), exp));
  return withSign(select(isLess(a, number(0.625f)), near, far), x);
}

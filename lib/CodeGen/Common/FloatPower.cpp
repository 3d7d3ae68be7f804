//===- FloatPower.cpp - powers of f32 -----------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Floats.h"

using namespace mlir;
using namespace fx::codegen;

/// log2(2^e m) = e + 2 / log(2) atanh(s) with s = (m - 1) / (m + 1), as a sum
/// of two numbers. Its relative error is below 2^-32.
Floats::Pair Floats::log2OfSize(Value size) {
  Parts parts = split(size);
  Value f = parts.fraction, one = number(1);
  Pair d = fastSum(number(2), f);
  Value inverse = div(one, d.high);
  Value s = mul(f, inverse);
  Value rest = fma(neg(s), d.low, fma(neg(s), d.high, f));
  Value sLow = mul(rest, inverse);
  // s2 = s^2
  Value s2 = mul(s, s);
  Value s2Low = fma(add(s, s), sLow, fma(s, s, neg(s2)));
  // p = 1/3 + s^2/5 + ...
  Value tail =
      mul(s2, polynomial(s2, {0x1.999bfep-3f, 0x1.23e46ep-3f, 0x1.ee0ae8p-4f}));
  Pair p = fastSum(number(0x1.555556p-2f), tail);
  p.low = add(p.low, number(-0x1.555556p-27f));
  // t = p s^2
  Value t = mul(p.high, s2);
  Value tLow = fma(p.high, s2, neg(t));
  tLow = fma(p.high, s2Low, fma(p.low, s2, tLow));
  // a = s (1 + t), by which atanh(s) is s + s t.
  Value st = mul(s, t);
  Value stLow = fma(s, t, neg(st));
  stLow = fma(s, tLow, fma(sLow, t, stLow));
  Pair a = fastSum(s, st);
  a.low = add(a.low, add(sLow, stLow));
  // Multiply by 2 / log(2).
  Value factor = number(0x1.715476p+1f), factorLow = number(0x1.4ae0cp-25f);
  Value product = mul(a.high, factor);
  Value low = fma(a.high, factor, neg(product));
  low = fma(a.high, factorLow, fma(a.low, factor, low));
  Pair y = fastSum(parts.exponent, product);
  return {y.high, add(y.low, low)};
}

/// Returns 2^x, for |x.high| <= 200. The sum of the first terms of the series
/// keeps its rounding error, and 2^n is the product of two numbers, as in
/// ApproximateExp2.cpp.
Value Floats::exp2(Pair x) {
  Value n, sum = round(x.high, 1, n);
  Pair t = fastSum(sub(x.high, n), x.low);
  Value q = polynomial(t.high,
                       {5.647202954e-03f, 2.402264774e-01f, 5.550331995e-02f,
                        9.618461132e-03f, 1.339911134e-03f, 1.534620242e-04f});
  Value one = number(1), first = number(0.6875f);
  Value high = fma(t.high, first, one);
  Value lost = fma(t.high, first, sub(one, high));
  lost = fma(t.low, number(0x1.62e43p-1f), lost);
  Value y = add(high, fma(t.high, q, lost));
  Value whole = subBits(bits(sum), integer(llvm::bit_cast<int>(kWhole)));
  Value half = shiftRight(whole, 1), other = subBits(whole, half);
  return mul(mul(y, powerOfTwo(half, 0)), powerOfTwo(other, 0));
}

/// Computes pow as in C, also for infinities and negative bases.
Value Floats::pow(Value x, Value y) {
  Value size = abs(x), one = number(1), zero = number(0);
  Pair log = log2OfSize(size);
  log.high = select(isEqual(size, zero), number(-kInfinity), log.high);
  log.high = select(isLess(size, number(kInfinity)), log.high, size);
  Value high = mul(y, log.high);
  Value isOneInSize = isEqual(size, one);
  high = select(isOneInSize, zero, high);
  Value low = fma(y, log.low, fma(y, log.high, neg(high)));
  // Beyond this bound the result is infinite or zero, and `low` may be NaN, as
  // for infinite powers of 1 and -1.
  Value isUsed = both(isLess(abs(high), number(200)), isNot(isOneInSize));
  low = select(isUsed, low, zero);
  Value p = exp2({max(min(high, 200), -200), low});
  p = select(isNaN(y), y, p);
  auto isWhole = [&](Value v) { return isEqual(floor(v), v); };
  Value whole = isWhole(y),
        isOdd = both(whole, isNot(isWhole(mul(y, number(0.5f)))));
  Value isNegative = hasSign(x);
  p = select(both(isNegative, isOdd), neg(p), p);
  Value hasNone = both(both(isLess(x, zero), isNot(whole)),
                       isLess(size, number(kInfinity)));
  p = select(hasNone, number(kNaN), p);
  p = select(isNaN(x), x, p);
  return select(either(isEqual(y, zero), isEqual(x, one)), one, p);
}

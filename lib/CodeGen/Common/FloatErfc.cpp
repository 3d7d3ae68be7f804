//===- FloatErfc.cpp - the complementary error function of f32 ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Floats.h"

using namespace mlir;
using namespace fx::codegen;

/// erfc(x) = t e^(-x^2) P(t - 1/2) with t = 3 / (3 + x), for x >= 0; Shepherd
/// and Laframboise (Mathematics of Computation 36, 1981) use a similar
/// quotient. The rounding error of x^2 goes into the exponential. 2^n is the
/// product of two numbers, since the result may be subnormal.
Value Floats::erfc(Value x) {
  // For larger x, the result rounds to zero.
  Value a = min(abs(x), 10.2f);
  Value three = number(3);
  Pair d = {add(three, a), {}};
  d.low = sub(a, sub(d.high, three));
  Value t = div(three, d.high);
  Value rest = fma(neg(t), d.low, fma(neg(t), d.high, three));
  // The relative error of t goes into the exponential, too.
  Value error = mul(rest, number(1 / 3.0f));
  Value argument = fma(error, t, sub(t, number(0.5f)));
  Value q = polynomial(
      argument, {0x1.2d883p-1f, 0x1.92edd2p-1f, 0x1.a7e3dcp-1f, 0x1.46670cp-1f,
                 0x1.251c8ap-2f, -0x1.b0ac1ap-6f, -0x1.0b3e6cp-3f,
                 -0x1.4b942cp-5f, 0x1.97814ep-5f, 0x1.663092p-8f});
  // The sum with the constant term keeps its rounding error.
  Value constantTerm = number(0x1.6e9828p-2f),
        p = fma(argument, q, constantTerm);
  Value pLow = fma(argument, q, sub(constantTerm, p));
  Value factor = mul(t, p), factorLow = fma(t, p, neg(factor));
  factorLow = fma(t, pLow, factorLow);
  Value square = mul(a, a), lost = fma(a, a, neg(square));
  Exponent e = reduceExponent(neg(square));
  Value r = add(e.rest.high, add(e.rest.low, sub(error, lost)));
  Value series = fma(mul(r, r), polynomial(r, kExpSeries), r);
  Value y = add(factor, fma(factor, series, factorLow));
  Value whole = subBits(e.bits, integer(llvm::bit_cast<int>(kWhole)));
  Value half = shiftRight(whole, 1), other = subBits(whole, half);
  y = mul(mul(y, powerOfTwo(half, 0)), powerOfTwo(other, 0));
  return select(isLess(x, number(0)), sub(number(2), y), y);
}

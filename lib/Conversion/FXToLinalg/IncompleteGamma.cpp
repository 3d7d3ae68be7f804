//===- IncompleteGamma.cpp - incomplete gamma functions -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes in f64: below the transition at x = a + 1 with the series of the
// lower function (DLMF 8.11.4), above it with the continued fraction of the
// upper function (DLMF 8.9.2), evaluated by Lentz's method. Near the
// transition, both need a number of terms proportional to sqrt(a).
//
//===----------------------------------------------------------------------===//

#include "Matrices.h"
#include "Special.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

/// The maximum number of terms, which only an `a` above 6e7 reaches.
static constexpr double mostTerms = 100000;

/// Returns `x`, or a tiny number if `x` is closer to 0: Lentz's method must not
/// divide by 0.
static Value awayFromZero(Scalars &s, Value x) {
  Value tiny = s.constant(1e-300);
  return s.select(s.lt(s.abs(x), tiny), tiny, x);
}

/// igamma(a, x) and, if `isUpper`, igammac(a, x): the shares of the gamma
/// function's integral below and above x.
template <bool isUpper>
static LogicalResult lowerIncompleteGamma(NodeLowering &n) {
  Tensor first = n.tensor("self"), second = n.tensor("other");
  if (n.failed() || !n.resultType() || !isa<FloatType>(n.resultDtype()))
    return n.fail("the result is no float");
  Builder &b = n.b;
  Type f64 = b.b.getF64Type();
  Sizes sizes(n.resultSizes());
  if (!n.broadcasts(first, sizes) || !n.broadcasts(second, sizes))
    return failure();
  Sizes flat = {b.product(sizes)};
  auto row = [&](const Tensor &t) {
    return b.contiguous(b.reshape(b.expand(b.cast(t, f64), sizes), flat));
  };
  Tensor as = row(first), xs = row(second);
  Scalars s = reals(b);
  Value zero = s.constant(0), one = s.constant(1), infinity = s.highest();
  Variables v(b);
  unsigned y = v.addEmpty(flat, f64), sum = v.add(zero), term = v.add(zero),
           c = v.add(zero), d = v.add(zero);
  Value none = b.index(0);
  v.loop(none, b.index(flat[0]), [&](Value i) {
    Scalars ix = indices(b);
    Value a = tensor::ExtractOp::create(b.b, b.loc, as.value, i),
          x = tensor::ExtractOp::create(b.b, b.loc, xs.value, i);
    Value isPlain =
        s.logicalAnd(s.logicalAnd(s.gt(a, zero), s.lt(a, infinity)),
                     s.logicalAnd(s.gt(x, zero), s.lt(x, infinity)));
    Value isSeries = s.lt(x, s.add(a, one));
    Value count =
        s.min(s.add(s.constant(100), s.mul(s.constant(12), s.sqrt(s.abs(a)))),
              s.constant(mostTerms));
    count = s.toIndex(s.select(isPlain, count, zero));
    // The series: the terms x / (a + 1), x^2 / ((a + 1) (a + 2)) ...
    v.set(sum, one);
    v.set(term, one);
    v.loop(none, ix.select(isSeries, count, none), [&](Value k) {
      Value next = s.add(s.add(a, one), s.fromIndex(k));
      v.set(term, s.mul(v.get(term), s.div(x, next)));
      v.set(sum, s.add(v.get(sum), v.get(term)));
    });
    // x^a e^-x / gamma(a + 1)
    Value front =
        s.exp(s.sub(s.sub(s.mul(a, s.log(x)), x), logGamma(s, s.add(a, one))));
    Value lower = s.mul(front, v.get(sum));
    // The fraction, 1 / (x + 1 - a - (1 - a) / (x + 3 - a - ...)).
    Value start = s.add(s.sub(x, a), one);
    v.set(c, s.constant(1e300));
    v.set(d, s.div(one, awayFromZero(s, start)));
    v.set(sum, v.get(d));
    v.loop(none, ix.select(isSeries, none, count), [&](Value k) {
      Value index = s.add(s.fromIndex(k), one);
      Value factor = s.mul(index, s.sub(a, index));
      Value width = s.add(start, s.mul(s.constant(2), index));
      v.set(d,
            s.div(one, awayFromZero(s, s.add(width, s.mul(factor, v.get(d))))));
      v.set(c, awayFromZero(s, s.add(width, s.div(factor, v.get(c)))));
      v.set(sum, s.mul(v.get(sum), s.mul(v.get(c), v.get(d))));
    });
    Value upper = s.mul(s.mul(front, a), v.get(sum));
    Value r = isUpper ? s.select(isSeries, s.sub(one, lower), upper)
                      : s.select(isSeries, lower, s.sub(one, upper));
    // Special values, as in ATen.
    Value low = isUpper ? one : zero, high = isUpper ? zero : one;
    Value isWideA = s.eq(a, infinity), isWideX = s.eq(x, infinity);
    r = s.select(isWideX, high, r);
    r = s.select(isWideA, s.select(isWideX, nan(s), low), r);
    r = s.select(s.eq(x, zero), low, r);
    r = s.select(s.eq(a, zero), s.select(s.gt(x, zero), high, nan(s)), r);
    Value isNegative = s.logicalOr(s.lt(a, zero), s.lt(x, zero));
    v.store(y, {i}, s.select(isNegative, nan(s), r));
  });
  return n.result(b.reshape(v.tensor(y, flat, f64), sizes));
}

void registerIncompleteGamma(Registry &r) {
  r.add({"aten.igamma.default", "aten.special_gammainc.default"},
        lowerIncompleteGamma<false>);
  r.add({"aten.igammac.default", "aten.special_gammaincc.default"},
        lowerIncompleteGamma<true>);
}

} // namespace fx::lin

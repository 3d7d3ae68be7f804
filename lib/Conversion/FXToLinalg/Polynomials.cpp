//===- Polynomials.cpp - orthogonal polynomials ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace fx::lin {

namespace {
/// T, U, V and W are the Chebyshev polynomials of the first to fourth kind.
enum class Family { T, U, V, W, HermiteH, HermiteHe, Laguerre, Legendre };
} // namespace

/// Returns the polynomial of degree 1.
static Value first(Scalars &s, Family family, Value x) {
  Value one = s.constant(1), twice = s.add(x, x);
  switch (family) {
  case Family::U:
  case Family::HermiteH:
    return twice;
  case Family::V:
    return s.sub(twice, one);
  case Family::W:
    return s.add(twice, one);
  case Family::Laguerre:
    return s.sub(one, x);
  default:
    return x;
  }
}

/// Returns the polynomial of degree k + 1 from those of degrees k (`now`) and
/// k - 1 (`before`) (DLMF 18.9.1).
static Value next(Scalars &s, Family family, Value x, Value k, Value now,
                  Value before) {
  Value one = s.constant(1), after = s.add(k, one);
  switch (family) {
  case Family::HermiteH:
    return s.mul(s.constant(2), s.sub(s.mul(x, now), s.mul(k, before)));
  case Family::HermiteHe:
    return s.sub(s.mul(x, now), s.mul(k, before));
  case Family::Laguerre: {
    Value odd = s.sub(s.add(s.add(k, k), one), x);
    return s.div(s.sub(s.mul(odd, now), s.mul(k, before)), after);
  }
  case Family::Legendre: {
    Value odd = s.mul(s.add(s.add(k, k), one), x);
    return s.div(s.sub(s.mul(odd, now), s.mul(k, before)), after);
  }
  default:
    return s.sub(s.mul(s.add(x, x), now), before);
  }
}

/// Evaluates polynomials in f64, with a degree for each element. A polynomial
/// of negative degree is 0. `shifted`: the argument is 2 x - 1.
template <Family family, bool shifted>
static LogicalResult lowerPolynomial(NodeLowering &n) {
  Operands x(n, {"x", "n"});
  if (n.failed() || !isa<FloatType>(n.resultDtype()))
    return n.fail("the result is no float");
  Type f64 = n.b.b.getF64Type();
  x.hoist(n, f64);
  return n.pointwise(0, x.tensors, f64, [&](Scalars &s, ValueRange v) -> Value {
    Value at = x.get(s, v, 0), one = s.constant(1), zero = s.constant(0);
    if (shifted)
      at = s.sub(s.add(at, at), one);
    // Clamp the degree: an infinite one cannot be converted to an integer.
    Value degree =
        s.min(s.max(x.get(s, v, 1), s.constant(-1)), s.constant(2147483647));
    Scalars ix = s.indices();
    Value count = s.toIndex(degree);
    auto loop = scf::ForOp::create(s.b, s.loc, ix.integer(1),
                                   ix.max(count, ix.integer(1)), ix.integer(1),
                                   ValueRange{first(s, family, at), one});
    {
      OpBuilder::InsertionGuard guard(s.b);
      s.b.setInsertionPointToStart(loop.getBody());
      Value k = s.fromIndex(loop.getInductionVar());
      Value now = loop.getRegionIterArg(0), before = loop.getRegionIterArg(1);
      scf::YieldOp::create(
          s.b, s.loc, ValueRange{next(s, family, at, k, now, before), now});
    }
    Value r = s.select(ix.eq(count, ix.integer(0)), one, loop.getResult(0));
    return s.select(ix.lt(count, ix.integer(0)), zero, r);
  });
}

void registerPolynomials(Registry &r) {
  auto add = [&](StringRef name, LowerFn fn) {
    for (StringRef form : {"", ".x_scalar", ".n_scalar"})
      r.add(("aten.special_" + name + (form.empty() ? ".default" : form)).str(),
            fn);
  };
  add("chebyshev_polynomial_t", lowerPolynomial<Family::T, false>);
  add("chebyshev_polynomial_u", lowerPolynomial<Family::U, false>);
  add("chebyshev_polynomial_v", lowerPolynomial<Family::V, false>);
  add("chebyshev_polynomial_w", lowerPolynomial<Family::W, false>);
  add("shifted_chebyshev_polynomial_t", lowerPolynomial<Family::T, true>);
  add("shifted_chebyshev_polynomial_u", lowerPolynomial<Family::U, true>);
  add("shifted_chebyshev_polynomial_v", lowerPolynomial<Family::V, true>);
  add("shifted_chebyshev_polynomial_w", lowerPolynomial<Family::W, true>);
  add("hermite_polynomial_h", lowerPolynomial<Family::HermiteH, false>);
  add("hermite_polynomial_he", lowerPolynomial<Family::HermiteHe, false>);
  add("laguerre_polynomial_l", lowerPolynomial<Family::Laguerre, false>);
  add("legendre_polynomial_p", lowerPolynomial<Family::Legendre, false>);
}

} // namespace fx::lin

//===- Arithmetic.cpp - less common functions of one and two numbers ------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;

namespace fx::lin {

using BinaryFn = Value (*)(Scalars &, Value, Value);

/// Lowers a function of two operands, either of which may be a Python number.
/// Computes in the compute type of the result's dtype.
template <BinaryFn fn>
static LogicalResult binary(NodeLowering &n) {
  Operands x(n, {"self", n.oneOf({"other", "values"})});
  if (n.failed())
    return failure();
  Type compute = opMathType(n.resultDtype());
  x.hoist(n, compute);
  return n.pointwise(0, x.tensors, compute, [&](Scalars &s, ValueRange v) {
    return fn(s, x.get(s, v, 0), x.get(s, v, 1));
  });
}

template <Value (*fn)(Scalars &, Value)>
static LogicalResult unary(NodeLowering &n) {
  Tensor x = n.tensor("self");
  if (n.failed())
    return failure();
  return n.pointwise(0, {x}, opMathType(n.resultDtype()),
                     [](Scalars &s, ValueRange v) { return fn(s, v[0]); });
}

static Value isInfinite(Scalars &s, Value x) {
  return s.eq(s.abs(x), s.highest());
}

/// Returns the maximum, or the other operand where one is NaN.
static Value fmax(Scalars &s, Value x, Value y) {
  return s.select(s.isNan(x), y, s.select(s.isNan(y), x, s.max(x, y)));
}
static Value fmin(Scalars &s, Value x, Value y) {
  return s.select(s.isNan(x), y, s.select(s.isNan(y), x, s.min(x, y)));
}

/// Computes sqrt(x^2 + y^2) without overflow. The result is infinite if an
/// operand is, even if the other one is NaN.
static Value hypot(Scalars &s, Value x, Value y) {
  x = s.abs(x);
  y = s.abs(y);
  Value high = s.max(x, y), low = s.min(x, y), zero = s.constant(0);
  Value ratio = s.div(low, high);
  Value r = s.mul(high, s.sqrt(s.add(s.constant(1), s.mul(ratio, ratio))));
  r = s.select(s.eq(high, zero), zero, r);
  Value infinite = s.logicalOr(s.eq(x, s.highest()), s.eq(y, s.highest()));
  return s.select(infinite, s.highest(), r);
}

/// Computes log(exp(x) + exp(y)), or log2(2^x + 2^y) if `two`.
template <bool two>
static Value logaddexp(Scalars &s, Value x, Value y) {
  Value high = s.max(x, y), d = s.neg(s.abs(s.sub(x, y)));
  Value e = two ? s.unary<math::Exp2Op>(d) : s.exp(d);
  Value l = s.unary<math::Log1pOp>(e);
  if (two)
    l = s.mul(l, s.constant(1 / M_LN2));
  Value same = s.logicalAnd(s.eq(x, y), isInfinite(s, x));
  return s.select(same, x, s.add(high, l));
}

static Value heaviside(Scalars &s, Value x, Value y) {
  Value zero = s.integer(0);
  return s.select(s.eq(x, zero), y,
                  s.select(s.gt(x, zero), s.integer(1), zero));
}

/// x * log(y), or x * log1p(y) if `plusOne`; 0 where x is 0 unless y is NaN.
template <bool plusOne>
static Value xlogy(Scalars &s, Value x, Value y) {
  Value l = plusOne ? s.unary<math::Log1pOp>(y) : s.log(y);
  Value r = s.select(s.eq(x, s.constant(0)), s.constant(0), s.mul(x, l));
  return s.select(s.isNan(y), y, r);
}

/// Computes the greatest common divisor of the magnitudes with Euclid's
/// algorithm. It takes at most about 1.44 w steps for integers of w bits.
static Value gcd(Scalars &s, Value x, Value y) {
  x = s.abs(x);
  y = s.abs(y);
  auto index = [&](int64_t v) -> Value {
    return arith::ConstantIndexOp::create(s.b, s.loc, v);
  };
  Value zero = s.integer(0), one = s.integer(1);
  unsigned steps = x.getType().getIntOrFloatBitWidth() * 3 / 2;
  auto loop = scf::ForOp::create(s.b, s.loc, index(0), index(steps), index(1),
                                 ValueRange{x, y});
  {
    OpBuilder::InsertionGuard guard(s.b);
    s.b.setInsertionPointToStart(loop.getBody());
    Value a = loop.getRegionIterArg(0), c = loop.getRegionIterArg(1);
    Value done = s.eq(c, zero);
    Value rest = s.fmod(a, s.select(done, one, c));
    scf::YieldOp::create(
        s.b, s.loc,
        ValueRange{s.select(done, a, c), s.select(done, zero, rest)});
  }
  return loop.getResult(0);
}

static Value lcm(Scalars &s, Value x, Value y) {
  Value g = gcd(s, x, y), zero = s.integer(0), none = s.eq(g, zero);
  Value part = s.div(x, s.select(none, s.integer(1), g));
  return s.select(none, zero, s.abs(s.mul(part, y)));
}

/// Lowers nextafter: adds 1 to the bits of x, or subtracts 1 from them, to get
/// the next number towards y.
static LogicalResult lowerNextAfter(NodeLowering &n) {
  Tensor x = n.tensor("self"), y = n.tensor("other");
  Type dtype = n.resultDtype();
  if (n.failed() || (!dtype.isF32() && !dtype.isF64()))
    return n.fail("neither float32 nor float64");
  return n.pointwise(0, {x, y}, dtype, [&](Scalars &s, ValueRange v) {
    Type bits = s.b.getIntegerType(dtype.getIntOrFloatBitWidth());
    Scalars si(s.b, s.loc, bits);
    Value zero = s.constant(0), one = si.integer(1);
    Value i = arith::BitcastOp::create(s.b, s.loc, bits, v[0]);
    // A step away from zero increments the bits, whatever the sign.
    Value away = s.eq(s.gt(v[0], zero), s.lt(v[0], v[1]));
    i = si.select(away, si.add(i, one), si.sub(i, one));
    Value next = arith::BitcastOp::create(s.b, s.loc, dtype, i);
    Value least = arith::BitcastOp::create(s.b, s.loc, dtype, one);
    least = s.select(s.gt(v[1], zero), least, s.neg(least));
    next = s.select(s.eq(v[0], zero), least, next);
    next = s.select(s.eq(v[0], v[1]), v[1], next);
    Value nan = s.logicalOr(s.isNan(v[0]), s.isNan(v[1]));
    return s.select(nan, s.add(v[0], v[1]), next);
  });
}

static LogicalResult lowerFloatPower(NodeLowering &n) {
  Operands x(n, {"self", "exponent"});
  if (n.failed())
    return failure();
  Type compute = opMathType(n.resultDtype());
  x.hoist(n, compute);
  return n.pointwise(0, x.tensors, compute, [&](Scalars &s, ValueRange v) {
    return s.pow(x.get(s, v, 0), x.get(s, v, 1));
  });
}

/// self * 2^other
static LogicalResult lowerLdexp(NodeLowering &n) {
  Tensor x = n.tensor("self"), e = n.tensor("other");
  if (n.failed())
    return failure();
  return n.pointwise(0, {x, e}, opMathType(n.resultDtype()),
                     [](Scalars &s, ValueRange v) {
                       return s.mul(v[0], s.pow(s.constant(2), v[1]));
                     });
}

static LogicalResult lowerNanToNum(NodeLowering &n) {
  Tensor x = n.tensor("self");
  if (n.failed())
    return failure();
  auto type = dyn_cast<FloatType>(x.dtype);
  if (!type)
    return n.result(x);
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  bool lost;
  APFloat largest = APFloat::getLargest(semantics);
  largest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  double most = largest.convertToDouble();
  double nan = n.real("nan", 0), high = n.real("posinf", most),
         low = n.real("neginf", -most);
  if (n.failed())
    return failure();
  return n.pointwise(0, {x}, x.dtype, [&](Scalars &s, ValueRange v) {
    Value r = s.select(s.eq(v[0], s.lowest()), s.constant(low), v[0]);
    r = s.select(s.eq(v[0], s.highest()), s.constant(high), r);
    return s.select(s.isNan(v[0]), s.constant(nan), r);
  });
}

/// Lowers isclose: true where the operands are equal, or |self - other| is
/// finite and <= atol + |rtol * other|.
static LogicalResult lowerIsClose(NodeLowering &n) {
  Tensor x = n.tensor("self"), y = n.tensor("other");
  double rtol = n.real("rtol"), atol = n.real("atol");
  bool equalNan = n.boolean("equal_nan");
  if (n.failed() || x.dtype != y.dtype)
    return n.fail("operands of two dtypes");
  Type compute = x.dtype.isInteger(1) ? Type(n.b.b.getIntegerType(8)) : x.dtype;
  bool real = isa<FloatType>(x.dtype);
  Type wide = real ? opMathType(x.dtype) : Type(n.b.b.getF32Type());
  return n.pointwise(
      0, {x, y}, compute,
      [&](Scalars &s, ValueRange v) {
        Value close = s.eq(v[0], v[1]);
        if (real && equalNan)
          close =
              s.logicalOr(close, s.logicalAnd(s.isNan(v[0]), s.isNan(v[1])));
        if (rtol == 0 && atol == 0)
          return close;
        Scalars w(s.b, s.loc, wide);
        // Integers are subtracted as float32, where they do not wrap.
        Value a = s.cast(v[0], compute, wide), c = s.cast(v[1], compute, wide);
        Value error = real ? s.cast(s.abs(s.sub(v[0], v[1])), compute, wide)
                           : w.abs(w.sub(a, c));
        Value scale = w.abs(w.mul(c, w.constant(rtol)));
        Value near = w.le(error, w.add(w.constant(atol), scale));
        near = w.logicalAnd(near, w.lt(error, w.highest()));
        return s.logicalOr(close, near);
      },
      n.b.b.getI1Type());
}

/// Lowers round to a number of decimal digits, which may be negative.
static LogicalResult lowerRoundDecimals(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t decimals = n.integer("decimals");
  if (n.failed())
    return failure();
  if (!isa<FloatType>(x.dtype))
    return n.result(x);
  double ten = std::pow(10.0, double(std::abs(decimals)));
  return n.pointwise(0, {x}, opMathType(x.dtype),
                     [&](Scalars &s, ValueRange v) {
                       if (decimals == 0)
                         return s.roundEven(v[0]);
                       Value t = s.constant(ten);
                       if (decimals > 0)
                         return s.div(s.roundEven(s.mul(v[0], t)), t);
                       return s.mul(s.roundEven(s.div(v[0], t)), t);
                     });
}

/// log(x / (1 - x)), x first clamped to [eps, 1 - eps] if there is an eps.
static LogicalResult lowerLogit(NodeLowering &n) {
  Tensor x = n.tensor("self");
  bool clamped = n.has("eps");
  double eps = n.real("eps", 0);
  if (n.failed())
    return failure();
  return n.pointwise(
      0, {x}, opMathType(n.resultDtype()), [&](Scalars &s, ValueRange v) {
        Value x = v[0], one = s.constant(1);
        if (clamped)
          x = s.min(s.max(x, s.constant(eps)), s.constant(1 - eps));
        return s.log(s.div(x, s.sub(one, x)));
      });
}

/// Lowers frexp: the mantissa, whose magnitude is in [0.5, 1), and the
/// exponent.
static LogicalResult lowerFrexp(NodeLowering &n) {
  Tensor x = n.tensor("self");
  if (n.failed() || !x.dtype.isF32() || n.numResults() != 2)
    return n.fail("not float32");
  Type i32 = n.b.b.getI32Type();
  // In f64 every float32 is a normal number: the exponent is a bit field.
  auto exponent = [&](Scalars &s, Value v) -> Value {
    Scalars si(s.b, s.loc, s.b.getI64Type());
    Value bits = arith::BitcastOp::create(s.b, s.loc, s.b.getI64Type(), v);
    Value e = arith::ShRUIOp::create(s.b, s.loc, bits, si.integer(52));
    e = si.sub(si.logicalAnd(e, si.integer(0x7ff)), si.integer(1022));
    Value special = s.logicalOr(s.logicalOr(s.eq(v, s.constant(0)), s.isNan(v)),
                                isInfinite(s, v));
    return si.select(special, si.integer(0), e);
  };
  Type f64 = n.b.b.getF64Type();
  if (failed(n.pointwise(0, {x}, f64, [&](Scalars &s, ValueRange v) {
        Scalars si(s.b, s.loc, s.b.getI64Type());
        Value e = exponent(s, v[0]);
        Value bits =
            arith::BitcastOp::create(s.b, s.loc, s.b.getI64Type(), v[0]);
        Value scaled =
            si.sub(bits, arith::ShLIOp::create(s.b, s.loc, e, si.integer(52)));
        Value m =
            arith::BitcastOp::create(s.b, s.loc, s.b.getF64Type(), scaled);
        return s.select(s.eq(v[0], s.constant(0)), v[0],
                        s.select(si.eq(e, si.integer(0)), v[0], m));
      })))
    return failure();
  return n.set(1, n.b.pointwise(
                      {x}, x.sizes, i32, f64,
                      [&](Scalars &s, ValueRange v) {
                        return s.cast(exponent(s, v[0]), s.b.getI64Type(), i32);
                      },
                      i32));
}

/// beta * self + alpha * outer(vec1, vec2)
static LogicalResult lowerAddr(NodeLowering &n) {
  Tensor self = n.tensor("self"), x = n.tensor("vec1"), y = n.tensor("vec2");
  Number beta = n.number("beta"), alpha = n.number("alpha");
  if (n.failed() || x.rank() != 1 || y.rank() != 1)
    return n.fail("an operand is no vector");
  Type compute = opMathType(n.resultDtype());
  Hoisted b(n.b, beta, compute), a(n.b, alpha, compute);
  bool without = b.isConstant() && b.constant() == 0;
  return n.pointwise(0, {self, n.b.unsqueeze(x, 1), y}, compute,
                     [&](Scalars &s, ValueRange v) {
                       Value p = s.mul(a.in(s), s.mul(v[1], v[2]));
                       return without ? p : s.add(s.mul(b.in(s), v[0]), p);
                     });
}

static Value sinc(Scalars &s, Value x) {
  Value p = s.mul(x, s.constant(M_PI));
  return s.select(s.eq(x, s.constant(0)), s.constant(1),
                  s.div(s.unary<math::SinOp>(p), p));
}

/// Computes the argument of x as a complex number: pi if x is negative, else 0;
/// NaN if x is NaN.
static Value angle(Scalars &s, Value x) {
  Value r = s.select(s.lt(x, s.constant(0)), s.constant(M_PI), s.constant(0));
  return s.select(s.isNan(x), x, r);
}

static LogicalResult lowerIsReal(NodeLowering &n) {
  Tensor x = n.tensor("self");
  if (n.failed())
    return failure();
  Value v = Scalars(n.b.b, n.b.loc, n.b.b.getI1Type()).boolean(true);
  return n.result(n.b.expand(n.b.fromElement(v, n.b.b.getI1Type()), x.sizes));
}

/// grad * mask * scale
static LogicalResult lowerDropoutBackward(NodeLowering &n) {
  Tensor grad = n.tensor("grad_output"), mask = n.tensor("mask");
  double scale = n.real("scale");
  if (n.failed())
    return failure();
  return n.pointwise(0, {grad, mask}, opMathType(n.resultDtype()),
                     [&](Scalars &s, ValueRange v) {
                       return s.mul(s.mul(v[0], v[1]), s.constant(scale));
                     });
}

void registerArithmetic(Registry &r) {
  r.add("aten.fmax.default", binary<fmax>);
  r.add("aten.fmin.default", binary<fmin>);
  r.add("aten.hypot.default", binary<hypot>);
  r.add("aten.logaddexp.default", binary<logaddexp<false>>);
  r.add("aten.logaddexp2.default", binary<logaddexp<true>>);
  r.add("aten.heaviside.default", binary<heaviside>);
  r.add({"aten.xlogy.Tensor", "aten.xlogy.Scalar_Self",
         "aten.xlogy.Scalar_Other", "aten.special_xlogy.default",
         "aten.special_xlogy.self_scalar", "aten.special_xlogy.other_scalar"},
        binary<xlogy<false>>);
  r.add({"aten.special_xlog1py.default", "aten.special_xlog1py.self_scalar",
         "aten.special_xlog1py.other_scalar"},
        binary<xlogy<true>>);
  r.add("aten.gcd.default", binary<gcd>);
  r.add("aten.lcm.default", binary<lcm>);
  r.add("aten.copysign.Scalar", binary<[](Scalars &s, Value x, Value y) {
          return s.binary<math::CopySignOp>(x, y);
        }>);
  r.add("aten.nextafter.default", lowerNextAfter);
  r.add({"aten.float_power.Tensor_Tensor", "aten.float_power.Tensor_Scalar",
         "aten.float_power.Scalar"},
        lowerFloatPower);
  r.add("aten.ldexp.Tensor", lowerLdexp);
  r.add("aten.nan_to_num.default", lowerNanToNum);
  r.add("aten.isclose.default", lowerIsClose);
  r.add({"aten.round.decimals", "aten.special_round.default"},
        lowerRoundDecimals);
  r.add({"aten.logit.default", "aten.special_logit.default"}, lowerLogit);
  r.add("aten.frexp.Tensor", lowerFrexp);
  r.add("aten.addr.default", lowerAddr);
  r.add({"aten.sinc.default", "aten.special_sinc.default"}, unary<sinc>);
  r.add("aten.angle.default", unary<angle>);
  r.add("aten.conj_physical.default",
        unary<[](Scalars &, Value x) { return x; }>);
  r.add("aten.isreal.default", lowerIsReal);
  r.add("aten.native_dropout_backward.default", lowerDropoutBackward);
}

} // namespace fx::lin

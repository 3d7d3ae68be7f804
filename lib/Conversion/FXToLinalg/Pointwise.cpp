//===- Pointwise.cpp - pointwise operators --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/Sequence.h"

#include <cmath>

using namespace mlir;

namespace fx::lin {

//===----------------------------------------------------------------------===//
// Forms of unary and binary operators
//===----------------------------------------------------------------------===//

using UnaryFn = Value (*)(Scalars &, Value);
using BinaryFn = Value (*)(Scalars &, Value, Value);

static LogicalResult lowerUnary(NodeLowering &n, UnaryFn fn, bool predicate) {
  Tensor x = n.tensor("self");
  if (n.failed())
    return failure();
  Type i1 = n.b.b.getI1Type();
  Type compute =
      opMathType(!predicate && isa<FloatType>(n.resultDtype()) ? n.resultDtype()
                                                               : x.dtype);
  return n.pointwise(
      0, {x}, compute, [&](Scalars &s, ValueRange v) { return fn(s, v[0]); },
      predicate ? i1 : Type());
}

/// Computes in the result's dtype.
template <UnaryFn fn>
static LogicalResult unary(NodeLowering &n) {
  return lowerUnary(n, fn, false);
}
/// Computes in the operand's dtype; the result is bool.
template <UnaryFn fn>
static LogicalResult predicate(NodeLowering &n) {
  return lowerUnary(n, fn, true);
}

/// `scaled`: the operator has an argument `alpha`, a factor of the second
/// operand.
static LogicalResult lowerBinary(NodeLowering &n, BinaryFn fn, bool scaled) {
  Operands x(n, {"self", "other"});
  Number alpha = n.number("alpha", 1);
  if (n.failed())
    return failure();
  Type compute = opMathType(n.resultDtype());
  x.hoist(n, compute);
  Hoisted a(n.b, alpha, compute);
  bool plain = !scaled || (a.isConstant() && a.constant() == 1);
  return n.pointwise(0, x.tensors, compute, [&](Scalars &s, ValueRange v) {
    Value y = x.get(s, v, 1);
    if (!plain)
      y = s.mul(y, a.in(s));
    return fn(s, x.get(s, v, 0), y);
  });
}

template <BinaryFn fn>
static LogicalResult binary(NodeLowering &n) {
  return lowerBinary(n, fn, false);
}
template <BinaryFn fn>
static LogicalResult scaled(NodeLowering &n) {
  return lowerBinary(n, fn, true);
}

/// Emits the check of PyTorch that no element of operand 1, an integer divisor,
/// is 0. Fails if the divisor is the constant 0.
static LogicalResult checkDivisor(NodeLowering &n, Operands &x, Type compute) {
  if (!isa<IntegerType>(compute))
    return success();
  if (std::optional<double> constant = x.constant(1))
    return *constant != 0 ? success() : n.fail("an integer divided by 0");
  Type i1 = n.b.b.getI1Type();
  Value isGood;
  if (const Tensor *t = x.tensor(1)) {
    Tensor good = n.b.pointwise(
        {*t}, t->sizes, i1, compute,
        [&](Scalars &s, ValueRange v) { return s.ne(v[0], s.integer(0)); }, i1);
    auto all = llvm::to_vector(llvm::seq<int64_t>(0, good.rank()));
    isGood = n.b.element(n.b.reduce(
        good, all, false, i1, [](Scalars &s) { return s.boolean(true); },
        [](Scalars &s, Value a, Value v) { return s.logicalAnd(a, v); }));
  } else {
    Scalars s(n.b.b, n.b.loc, compute);
    isGood = s.ne(x.get(s, {}, 1), s.integer(0));
  }
  n.b.check(isGood, "ZeroDivisionError: expected divisors other than 0");
  return success();
}

/// `rounds`: operands of another dtype are rounded to the result's dtype first,
/// even if the compute type is wider. ATen does this in kernels without a
/// scalar operand of the compute type (BinaryOpsKernel.cpp, fmod_kernel and
/// remainder_kernel).
template <BinaryFn fn, bool rounds = false>
static LogicalResult division(NodeLowering &n) {
  Operands x(n, {"self", "other"});
  if (n.failed())
    return failure();
  Type compute = opMathType(n.resultDtype());
  x.hoist(n, compute);
  if (failed(checkDivisor(n, x, compute)))
    return failure();
  Type dtype = n.resultDtype();
  auto get = [&](Scalars &s, ValueRange v, unsigned i) {
    Value value = x.get(s, v, i);
    const Tensor *tensor = x.tensor(i);
    bool isRounded = tensor && tensor->dtype == dtype;
    return rounds && !isRounded && dtype != compute
               ? s.cast(s.cast(value, compute, dtype), dtype, compute)
               : value;
  };
  return n.pointwise(0, x.tensors, compute, [&](Scalars &s, ValueRange v) {
    return fn(s, get(s, v, 0), get(s, v, 1));
  });
}

/// Computes in the promoted dtype of the operands; the result is bool.
template <BinaryFn fn>
static LogicalResult comparison(NodeLowering &n) {
  Operands x(n, {"self", "other"});
  if (n.failed())
    return failure();
  Type compute = promote(x.tensors, x.numbers);
  if (isFloat8(compute)) {
    if (x.tensors.size() < 2)
      return n.fail("a number that is rounded to eight bits");
    compute = n.b.b.getF32Type();
  }
  x.hoist(n, compute);
  return n.pointwise(
      0, x.tensors, compute,
      [&](Scalars &s, ValueRange v) {
        return fn(s, x.get(s, v, 0), x.get(s, v, 1));
      },
      n.b.b.getI1Type());
}

/// Converts the operands to bool and computes on these.
template <BinaryFn fn>
static LogicalResult logical(NodeLowering &n) {
  Operands x(n, {"self", "other"});
  if (n.failed())
    return failure();
  Type i1 = n.b.b.getI1Type();
  x.hoist(n, i1);
  return n.pointwise(0, x.tensors, i1, [&](Scalars &s, ValueRange v) {
    return fn(s, x.get(s, v, 0), x.get(s, v, 1));
  });
}

//===----------------------------------------------------------------------===//
// Operators of other forms
//===----------------------------------------------------------------------===//

static LogicalResult lowerPow(NodeLowering &n) {
  Operands x(n, {"self", "exponent"});
  if (n.failed())
    return failure();
  Type compute = opMathType(n.resultDtype());
  x.hoist(n, compute);
  std::optional<double> exponent = x.constant(1);
  if (exponent && !isa<FloatType>(compute) && *exponent < 0)
    return n.fail("an integer to a negative power");
  return n.pointwise(0, x.tensors, compute, [&](Scalars &s, ValueRange v) {
    if (exponent)
      return s.powConstant(x.get(s, v, 0), *exponent);
    return s.pow(x.get(s, v, 0), x.get(s, v, 1));
  });
}

static LogicalResult lowerDivMode(NodeLowering &n) {
  Operands x(n, {"self", "other"});
  StringRef mode = n.string("rounding_mode", "");
  if (n.failed())
    return failure();
  Type compute = opMathType(n.resultDtype());
  x.hoist(n, compute);
  if (failed(checkDivisor(n, x, compute)))
    return failure();
  return n.pointwise(0, x.tensors, compute, [&](Scalars &s, ValueRange v) {
    Value a = x.get(s, v, 0), c = x.get(s, v, 1);
    if (mode == "floor")
      return s.floorDiv(a, c);
    return mode == "trunc" ? s.trunc(s.div(a, c)) : s.div(a, c);
  });
}

static LogicalResult lowerWhere(NodeLowering &n) {
  Tensor condition = n.tensor("condition");
  Operands x(n, {"condition", "self", "other"});
  if (n.failed())
    return failure();
  Type dtype = n.resultDtype(), i1 = n.b.b.getI1Type();
  x.hoist(n, dtype);
  SmallVector<Tensor> tensors(x.tensors);
  for (Tensor &t : tensors)
    if (&t != tensors.begin())
      t = n.b.cast(t, dtype);
  return n.pointwise(0, tensors, Type(), [&](Scalars &s, ValueRange v) {
    return s.select(s.cast(v[0], condition.dtype, i1), x.get(s, v, 1),
                    x.get(s, v, 2));
  });
}

static LogicalResult lowerMaskedFill(NodeLowering &n) {
  Operands x(n, {"mask", "self", "value"});
  if (n.failed())
    return failure();
  Type dtype = n.resultDtype(), i1 = n.b.b.getI1Type();
  x.hoist(n, dtype);
  SmallVector<Tensor> tensors(x.tensors);
  Type maskType = tensors[0].dtype;
  for (unsigned i = 1; i < tensors.size(); ++i)
    tensors[i] = n.b.cast(tensors[i], dtype);
  return n.pointwise(0, tensors, Type(), [&](Scalars &s, ValueRange v) {
    return s.select(s.cast(v[0], maskType, i1), x.get(s, v, 2), x.get(s, v, 1));
  });
}

/// Lowers clamp and its variants. Each bound may be absent, a number or a
/// tensor.
static LogicalResult lowerClamp(NodeLowering &n) {
  SmallVector<ArgName> args = {"self"};
  int low = -1, high = -1;
  if (n.has("min")) {
    low = args.size();
    args.push_back("min");
  }
  if (n.has("max")) {
    high = args.size();
    args.push_back("max");
  }
  Operands x(n, args);
  if (n.failed())
    return failure();
  Type compute = opMathType(n.resultDtype());
  x.hoist(n, compute);
  return n.pointwise(0, x.tensors, compute, [&](Scalars &s, ValueRange v) {
    Value r = x.get(s, v, 0);
    if (low >= 0)
      r = s.max(r, x.get(s, v, low));
    if (high >= 0)
      r = s.min(r, x.get(s, v, high));
    return r;
  });
}

/// Computes self + value * t1 * t2 or, if `divide`, self + value * t1 / t2.
template <bool divide>
static LogicalResult lowerAddC(NodeLowering &n) {
  Tensor self = n.tensor("self"), t1 = n.tensor("tensor1"),
         t2 = n.tensor("tensor2");
  Number value = n.number("value");
  if (n.failed())
    return failure();
  Type compute = opMathType(n.resultDtype());
  Hoisted c(n.b, value, compute);
  return n.pointwise(0, {self, t1, t2}, compute, [&](Scalars &s, ValueRange v) {
    Value p = s.mul(c.in(s), v[1]);
    return s.add(v[0], divide ? s.div(p, v[2]) : s.mul(p, v[2]));
  });
}

static LogicalResult lowerLerp(NodeLowering &n) {
  Operands x(n, {"self", "end", "weight"});
  if (n.failed())
    return failure();
  Type compute = opMathType(n.resultDtype());
  x.hoist(n, compute);
  return n.pointwise(0, x.tensors, compute, [&](Scalars &s, ValueRange v) {
    Value a = x.get(s, v, 0), e = x.get(s, v, 1), w = x.get(s, v, 2);
    Value d = s.sub(e, a);
    Value near = s.add(a, s.mul(w, d));
    Value far = s.sub(e, s.mul(d, s.sub(s.constant(1), w)));
    return s.select(s.lt(s.abs(w), s.constant(0.5)), near, far);
  });
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

#define BODY1(...) [](Scalars &s, Value x) -> Value { return __VA_ARGS__; }
#define BODY2(...)                                                             \
  [](Scalars &s, Value x, Value y) -> Value { return __VA_ARGS__; }

static void registerUnary(Registry &r) {
  r.add("aten.abs.default", unary<BODY1(s.abs(x))>);
  r.add("aten.neg.default", unary<BODY1(s.neg(x))>);
  r.add("aten.exp.default", unary<BODY1(s.exp(x))>);
  r.add({"aten.exp2.default", "aten.special_exp2.default"},
        unary<BODY1(s.unary<math::Exp2Op>(x))>);
  r.add({"aten.expm1.default", "aten.special_expm1.default"},
        unary<BODY1(s.unary<math::ExpM1Op>(x))>);
  r.add("aten.log.default", unary<BODY1(s.log(x))>);
  r.add("aten.log2.default", unary<BODY1(s.unary<math::Log2Op>(x))>);
  r.add("aten.log10.default", unary<BODY1(s.unary<math::Log10Op>(x))>);
  r.add({"aten.log1p.default", "aten.special_log1p.default"},
        unary<BODY1(s.unary<math::Log1pOp>(x))>);
  r.add("aten.sqrt.default", unary<BODY1(s.sqrt(x))>);
  r.add("aten.rsqrt.default", unary<BODY1(s.rsqrt(x))>);
  r.add("aten.reciprocal.default", unary<BODY1(s.div(s.constant(1), x))>);
  r.add("aten.square.default", unary<BODY1(s.mul(x, x))>);
  r.add("aten.sin.default", unary<BODY1(s.unary<math::SinOp>(x))>);
  r.add("aten.cos.default", unary<BODY1(s.unary<math::CosOp>(x))>);
  r.add("aten.tan.default", unary<BODY1(s.unary<math::TanOp>(x))>);
  r.add("aten.asin.default", unary<BODY1(s.unary<math::AsinOp>(x))>);
  r.add("aten.acos.default", unary<BODY1(s.unary<math::AcosOp>(x))>);
  r.add("aten.atan.default", unary<BODY1(s.unary<math::AtanOp>(x))>);
  r.add("aten.sinh.default", unary<BODY1(s.unary<math::SinhOp>(x))>);
  r.add("aten.cosh.default", unary<BODY1(s.unary<math::CoshOp>(x))>);
  r.add("aten.asinh.default", unary<BODY1(s.unary<math::AsinhOp>(x))>);
  r.add("aten.acosh.default", unary<BODY1(s.unary<math::AcoshOp>(x))>);
  r.add("aten.atanh.default", unary<BODY1(s.unary<math::AtanhOp>(x))>);
  r.add("aten.tanh.default", unary<BODY1(s.tanh(x))>);
  r.add({"aten.erf.default", "aten.special_erf.default"},
        unary<BODY1(s.erf(x))>);
  r.add({"aten.erfc.default", "aten.special_erfc.default"},
        unary<BODY1(s.unary<math::ErfcOp>(x))>);
  r.add("aten.floor.default", unary<BODY1(s.floor(x))>);
  r.add("aten.ceil.default", unary<BODY1(s.ceil(x))>);
  r.add("aten.trunc.default", unary<BODY1(s.trunc(x))>);
  r.add("aten.round.default", unary<BODY1(s.roundEven(x))>);
  r.add("aten.frac.default", unary<BODY1(s.sub(x, s.trunc(x)))>);
  r.add("aten.bitwise_not.default", unary<BODY1(s.logicalNot(x))>);
  r.add({"aten.sign.default", "aten.sgn.default"},
        unary<BODY1(s.sub(
            s.select(s.gt(x, s.integer(0)), s.integer(1), s.integer(0)),
            s.select(s.lt(x, s.integer(0)), s.integer(1), s.integer(0))))>);
  r.add("aten.positive.default", unary<BODY1(x)>);
  r.add("aten.deg2rad.default", unary<BODY1(s.mul(x, s.constant(M_PI / 180)))>);
  r.add("aten.rad2deg.default", unary<BODY1(s.mul(x, s.constant(180 / M_PI)))>);

  r.add("aten.logical_not.default", predicate<BODY1(s.eq(x, s.integer(0)))>);
  r.addWithFloat8({"aten.isnan.default"}, predicate<BODY1(s.isNan(x))>);
  r.add("aten.isinf.default",
        predicate<BODY1(s.isFloat() ? s.eq(s.abs(x), s.highest())
                                    : s.boolean(false))>);
  r.add("aten.isfinite.default",
        predicate<BODY1(s.isFloat() ? s.lt(s.abs(x), s.highest())
                                    : s.boolean(true))>);
  r.add(
      "aten.isposinf.default",
      predicate<BODY1(s.isFloat() ? s.eq(x, s.highest()) : s.boolean(false))>);
  r.add("aten.isneginf.default",
        predicate<BODY1(s.isFloat() ? s.eq(x, s.lowest()) : s.boolean(false))>);
  r.add("aten.signbit.default",
        predicate<BODY1(s.isFloat()
                            ? s.lt(s.binary<math::CopySignOp>(s.constant(1), x),
                                   s.constant(0))
                            : s.lt(x, s.integer(0)))>);
}

static void registerBinary(Registry &r) {
  r.add({"aten.add.Tensor", "aten.add.Scalar"}, scaled<BODY2(s.add(x, y))>);
  r.add({"aten.sub.Tensor", "aten.sub.Scalar", "aten.subtract.Tensor"},
        scaled<BODY2(s.sub(x, y))>);
  // other - alpha * self
  r.add({"aten.rsub.Scalar", "aten.rsub.Tensor"}, [](NodeLowering &n) {
    Operands x(n, {"self", "other"});
    Number alpha = n.number("alpha", 1);
    if (n.failed())
      return failure();
    Type compute = opMathType(n.resultDtype());
    x.hoist(n, compute);
    Hoisted a(n.b, alpha, compute);
    bool plain = a.isConstant() && a.constant() == 1;
    return n.pointwise(0, x.tensors, compute, [&](Scalars &s, ValueRange v) {
      Value self = x.get(s, v, 0);
      return s.sub(x.get(s, v, 1), plain ? self : s.mul(self, a.in(s)));
    });
  });
  r.add({"aten.mul.Tensor", "aten.mul.Scalar", "aten.multiply.Tensor"},
        binary<BODY2(s.mul(x, y))>);
  r.add({"aten.div.Tensor", "aten.div.Scalar", "aten.true_divide.Tensor",
         "aten.divide.Tensor"},
        binary<BODY2(s.div(x, y))>);
  r.add({"aten.div.Tensor_mode", "aten.div.Scalar_mode"}, lowerDivMode);
  r.add({"aten.floor_divide.default", "aten.floor_divide.Scalar"},
        division<BODY2(s.floorDiv(x, y))>);
  r.add({"aten.remainder.Tensor", "aten.remainder.Scalar",
         "aten.remainder.Scalar_Tensor"},
        division<BODY2(s.remainder(x, y)), true>);
  r.add({"aten.fmod.Tensor", "aten.fmod.Scalar"},
        division<BODY2(s.fmod(x, y)), true>);
  r.add({"aten.maximum.default", "aten.max.other"}, binary<BODY2(s.max(x, y))>);
  r.add({"aten.minimum.default", "aten.min.other"}, binary<BODY2(s.min(x, y))>);
  r.add("aten.atan2.default", binary<BODY2(s.binary<math::Atan2Op>(x, y))>);
  r.add("aten.copysign.Tensor",
        binary<BODY2(s.binary<math::CopySignOp>(x, y))>);
  r.add({"aten.pow.Tensor_Scalar", "aten.pow.Tensor_Tensor", "aten.pow.Scalar"},
        lowerPow);

  r.addWithFloat8({"aten.eq.Tensor", "aten.eq.Scalar"},
                  comparison<BODY2(s.eq(x, y))>);
  r.addWithFloat8({"aten.ne.Tensor", "aten.ne.Scalar"},
                  comparison<BODY2(s.ne(x, y))>);
  r.add({"aten.lt.Tensor", "aten.lt.Scalar"}, comparison<BODY2(s.lt(x, y))>);
  r.add({"aten.le.Tensor", "aten.le.Scalar"}, comparison<BODY2(s.le(x, y))>);
  r.add({"aten.gt.Tensor", "aten.gt.Scalar"}, comparison<BODY2(s.gt(x, y))>);
  r.add({"aten.ge.Tensor", "aten.ge.Scalar"}, comparison<BODY2(s.ge(x, y))>);

  r.add("aten.logical_and.default", logical<BODY2(s.logicalAnd(x, y))>);
  r.add("aten.logical_or.default", logical<BODY2(s.logicalOr(x, y))>);
  r.add("aten.logical_xor.default", logical<BODY2(s.logicalXor(x, y))>);
  r.add({"aten.bitwise_and.Tensor", "aten.bitwise_and.Scalar",
         "aten.bitwise_and.Scalar_Tensor", "aten.__and__.Tensor",
         "aten.__and__.Scalar"},
        binary<BODY2(s.logicalAnd(x, y))>);
  r.add({"aten.bitwise_or.Tensor", "aten.bitwise_or.Scalar",
         "aten.bitwise_or.Scalar_Tensor", "aten.__or__.Tensor",
         "aten.__or__.Scalar"},
        binary<BODY2(s.logicalOr(x, y))>);
  r.add({"aten.bitwise_xor.Tensor", "aten.bitwise_xor.Scalar",
         "aten.bitwise_xor.Scalar_Tensor", "aten.__xor__.Tensor",
         "aten.__xor__.Scalar"},
        binary<BODY2(s.logicalXor(x, y))>);
  r.add({"aten.bitwise_left_shift.Tensor", "aten.__lshift__.Tensor",
         "aten.__lshift__.Scalar", "aten.bitwise_left_shift.Tensor_Scalar",
         "aten.bitwise_left_shift.Scalar_Tensor"},
        binary<BODY2(s.shiftLeft(x, y))>);
  r.add({"aten.bitwise_right_shift.Tensor", "aten.__rshift__.Tensor",
         "aten.__rshift__.Scalar", "aten.bitwise_right_shift.Tensor_Scalar",
         "aten.bitwise_right_shift.Scalar_Tensor"},
        binary<BODY2(s.shiftRight(x, y))>);
}

void registerPointwise(Registry &r) {
  registerUnary(r);
  registerBinary(r);
  r.addWithFloat8({"aten.where.self", "aten.where.ScalarOther",
                   "aten.where.ScalarSelf", "aten.where.Scalar"},
                  lowerWhere);
  r.add({"aten.masked_fill.Scalar", "aten.masked_fill.Tensor"},
        lowerMaskedFill);
  r.add({"aten.clamp.default", "aten.clamp.Tensor", "aten.clip.default",
         "aten.clamp_min.default", "aten.clamp_max.default",
         "aten.clamp_min.Tensor", "aten.clamp_max.Tensor"},
        lowerClamp);
  r.add("aten.addcmul.default", lowerAddC<false>);
  r.add("aten.addcdiv.default", lowerAddC<true>);
  r.add({"aten.lerp.Scalar", "aten.lerp.Tensor"}, lowerLerp);
}

} // namespace fx::lin

//===- ComplexArithmetic.cpp - functions of complex numbers ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Complex.h"
#include "GraphLowering.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace fx::lin {

namespace {
using ZFn = llvm::function_ref<Z(Scalars &, Z)>;
using ZFn2 = llvm::function_ref<Z(Scalars &, Z, Z)>;

/// An operand of arithmetic. As in torch, a real tensor or number is first made
/// complex, with an imaginary part that is 0. A product of that 0 and infinity
/// therefore gives NaN here, too.
class Operand {
public:
  Operand(NodeLowering &n, ArgName name,
          std::optional<double> absent = std::nullopt) {
    Argument arg = n.arg(name);
    if (arg.isNone() && absent) {
      constant = {*absent, 0};
      return;
    }
    if (auto z = dyn_cast_or_null<ComplexAttr>(arg.tree)) {
      constant = {z.getReal().getValueAsDouble(),
                  z.getImag().getValueAsDouble()};
    } else if (!n.isTensor(arg)) {
      number = n.asNumber(arg);
    } else {
      Pair pair = getPair(n, name);
      tensors.push_back(pair.re);
      if (!pair.isReal)
        tensors.push_back(pair.im);
    }
  }
  /// Computes a number that is not constant; call it before the body is built.
  void hoist(NodeLowering &n, Type compute) {
    if (number)
      hoisted.emplace(n.b, *number, compute);
  }
  /// Returns the operand in a body and removes its elements from the front of
  /// `v`.
  Z get(Scalars &s, ValueRange &v) const {
    if (tensors.empty())
      return number
                 ? Z{hoisted->in(s), s.constant(0)}
                 : Z{s.constant(constant.first), s.constant(constant.second)};
    ValueRange mine = v.take_front(tensors.size());
    v = v.drop_front(tensors.size());
    return {mine[0], mine.size() == 2 ? mine[1] : s.constant(0)};
  }

  SmallVector<Tensor> tensors;

private:
  std::optional<Number> number;
  std::pair<double, double> constant;
  std::optional<Hoisted> hoisted;
};
} // namespace

/// Sets the result to `fn` of "self" and "other", element by element.
static LogicalResult setBinary(NodeLowering &n, ZFn2 fn) {
  Operand x(n, "self"), y(n, "other");
  if (n.failed())
    return failure();
  return setParts(n, 0, [&](bool imaginary) -> LogicalResult {
    Type compute = opMathType(n.resultDtype());
    x.hoist(n, compute);
    y.hoist(n, compute);
    SmallVector<Tensor> tensors(x.tensors);
    llvm::append_range(tensors, y.tensors);
    return n.pointwise(0, tensors, compute, [&](Scalars &s, ValueRange v) {
      Z left = x.get(s, v), right = y.get(s, v);
      Z z = fn(s, left, right);
      return imaginary ? z.im : z.re;
    });
  });
}

static Z multiply(Scalars &s, Z x, Z y) {
  return {s.sub(s.mul(x.re, y.re), s.mul(x.im, y.im)),
          s.add(s.mul(x.re, y.im), s.mul(x.im, y.re))};
}

static LogicalResult lowerProduct(NodeLowering &n) {
  return setBinary(n, multiply);
}

/// self + alpha * other; rsub(self, other) is other - alpha * self. Alpha may
/// be complex, too.
static LogicalResult lowerSum(NodeLowering &n) {
  Operand alpha(n, "alpha", 1);
  bool reversed = n.target().starts_with("aten.rsub");
  bool subtracts = reversed || n.target().starts_with("aten.sub");
  if (n.failed() || !alpha.tensors.empty() ||
      !isa<ComplexType>(n.resultDtype()))
    return n.fail("expected a complex result");
  auto part = cast<ComplexType>(n.resultDtype()).getElementType();
  alpha.hoist(n, opMathType(part));
  return setBinary(n, [&](Scalars &s, Z x, Z y) {
    if (reversed)
      std::swap(x, y);
    ValueRange none;
    Z f = alpha.get(s, none);
    Z t = multiply(s, subtracts ? Z{s.neg(f.re), s.neg(f.im)} : f, y);
    return Z{s.add(x.re, t.re), s.add(x.im, t.im)};
  });
}

/// Divides as c10::complex does (c10/util/complex.h): divides by the larger
/// part of the divisor first (Smith, Algorithm 116, 1962).
static Z divide(Scalars &s, Z x, Z y) {
  Value c = s.abs(y.re), d = s.abs(y.im), zero = s.constant(0);
  Value wide = s.ge(c, d);
  Value big = s.select(wide, y.re, y.im), small = s.select(wide, y.im, y.re);
  Value ratio = s.div(small, big);
  Value scale = s.div(s.constant(1), s.add(big, s.mul(small, ratio)));
  auto combine = [&](Value p, Value q, bool subtracts) {
    Value left = s.select(wide, p, s.mul(p, ratio));
    Value right = s.select(wide, s.mul(q, ratio), q);
    return s.mul(subtracts ? s.sub(left, right) : s.add(left, right), scale);
  };
  Value isZero = s.logicalAnd(s.eq(c, zero), s.eq(d, zero));
  return {s.select(isZero, s.div(x.re, c), combine(x.re, x.im, false)),
          s.select(isZero, s.div(x.im, d), combine(x.im, x.re, true))};
}

static LogicalResult lowerQuotient(NodeLowering &n) {
  return setBinary(n, divide);
}

/// Lowers div with a rounding mode, which must be None for complex numbers.
static LogicalResult lowerQuotientOfMode(NodeLowering &n) {
  if (n.has("rounding_mode"))
    return n.fail("complex numbers are not rounded");
  return lowerQuotient(n);
}

static LogicalResult lowerAbs(NodeLowering &n) {
  Pair z = getPair(n, "self");
  if (n.failed() || z.isReal)
    return n.fail("expected a complex tensor");
  return n.pointwise(
      0, {z.re, z.im}, n.resultDtype(), [](Scalars &s, ValueRange v) {
        Value x = s.abs(v[0]), y = s.abs(v[1]);
        Value big = s.max(x, y), small = s.min(x, y);
        Value ratio = s.div(small, big);
        Value length =
            s.mul(big, s.sqrt(s.add(s.constant(1), s.mul(ratio, ratio))));
        // The result is 0 for 0, and infinite if a part is, even if the other
        // part is NaN.
        Value infinity = s.highest();
        Value isInfinite = s.logicalOr(s.eq(x, infinity), s.eq(y, infinity));
        length = s.select(s.eq(big, s.constant(0)), big, length);
        return s.select(isInfinite, infinity, length);
      });
}

static LogicalResult lowerAngle(NodeLowering &n) {
  Pair z = getPair(n, "self");
  if (n.failed() || z.isReal)
    return n.fail("expected a complex tensor");
  return n.pointwise(0, {z.im, z.re}, n.resultDtype(),
                     [](Scalars &s, ValueRange v) {
                       return s.binary<math::Atan2Op>(v[0], v[1]);
                     });
}

//===----------------------------------------------------------------------===//
// Comparisons and truth
//===----------------------------------------------------------------------===//

/// Lowers eq and ne, which compare both parts.
template <bool isEqual>
static LogicalResult lowerEqual(NodeLowering &n) {
  Operand x(n, "self"), y(n, "other");
  if (n.failed())
    return failure();
  SmallVector<Tensor> tensors(x.tensors);
  llvm::append_range(tensors, y.tensors);
  // The wider of the operands' types, as torch promotes them.
  Type compute = n.b.b.getF32Type();
  for (const Tensor &t : tensors)
    if (t.dtype.isF64())
      compute = t.dtype;
  x.hoist(n, compute);
  y.hoist(n, compute);
  return n.pointwise(
      0, tensors, compute,
      [&](Scalars &s, ValueRange v) {
        Z left = x.get(s, v), right = y.get(s, v);
        return isEqual ? s.logicalAnd(s.eq(left.re, right.re),
                                      s.eq(left.im, right.im))
                       : s.logicalOr(s.ne(left.re, right.re),
                                     s.ne(left.im, right.im));
      },
      n.b.b.getI1Type());
}

Tensor test(Builder &b, const Pair &z,
            llvm::function_ref<Value(Scalars &, Z)> fn) {
  Type i1 = b.b.getI1Type();
  return b.pointwise(
      {z.re, z.im}, z.re.sizes, i1, z.re.dtype,
      [&](Scalars &s, ValueRange v) { return fn(s, {v[0], v[1]}); }, i1);
}

Value isTrue(Scalars &s, Z z) {
  Value zero = s.constant(0);
  return s.logicalOr(s.ne(z.re, zero), s.ne(z.im, zero));
}

/// Lowers operators that only ask which elements are 0 (any, all, logical_and,
/// count_nonzero ...): applies their lowering for real tensors to the bool
/// tensors operand != 0.
static LogicalResult lowerTruth(NodeLowering &n) {
  LowerFn lower = Registry::get().lookup(n.target());
  SmallVector<std::pair<Value, Lowered>> replaced;
  for (Value operand : n.op->getOperands()) {
    const Lowered *lowered = n.graph.lookup(operand);
    if (!lowered || lowered->kind != Lowered::Kind::Complex)
      continue;
    Pair z{lowered->tensor, *lowered->imaginary};
    replaced.emplace_back(operand, *lowered);
    n.graph.set(operand, Lowered(test(n.b, z, isTrue)));
  }
  LogicalResult done = lower ? lower(n) : failure();
  for (auto &[operand, lowered] : replaced)
    n.graph.set(operand, lowered);
  return done;
}

/// Lowers isfinite ('f'), isinf ('i') and isnan ('n').
template <char kind>
static LogicalResult lowerKind(NodeLowering &n) {
  Pair z = getPair(n, "self");
  if (n.failed() || z.isReal)
    return n.fail("expected a complex tensor");
  return n.result(test(n.b, z, [](Scalars &s, Z z) {
    Value infinity = s.highest();
    Value isNan = s.logicalOr(s.isNan(z.re), s.isNan(z.im));
    if (kind == 'n')
      return isNan;
    Value isInfinite =
        s.logicalOr(s.eq(s.abs(z.re), infinity), s.eq(s.abs(z.im), infinity));
    return kind == 'i' ? isInfinite
                       : s.logicalNot(s.logicalOr(isNan, isInfinite));
  }));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static LogicalResult setUnary(NodeLowering &n, ZFn fn) {
  Pair z = getPair(n, "self");
  if (n.failed() || z.isReal)
    return n.fail("expected a complex tensor");
  return setParts(n, 0, [&](bool imaginary) {
    return n.pointwise(0, {z.re, z.im}, opMathType(n.resultDtype()),
                       [&](Scalars &s, ValueRange v) {
                         Z w = fn(s, {v[0], v[1]});
                         return imaginary ? w.im : w.re;
                       });
  });
}

/// exp(x + iy) = exp(x) (cos y + i sin y).
static Z exponential(Scalars &s, Z z) {
  Value size = s.exp(z.re);
  return {s.mul(size, s.unary<math::CosOp>(z.im)),
          s.mul(size, s.unary<math::SinOp>(z.im))};
}

static Z exponential2(Scalars &s, Z z) {
  Value ln2 = s.constant(0x1.62e42fefa39efp-1);
  return exponential(s, {s.mul(z.re, ln2), s.mul(z.im, ln2)});
}

static Z square(Scalars &s, Z z) { return multiply(s, z, z); }

static Z reciprocal(Scalars &s, Z z) {
  return divide(s, {s.constant(1), s.constant(0)}, z);
}

/// w / (1 + exp(-z)), where w is z for silu and 1 for sigmoid.
template <bool isSilu>
static Z logistic(Scalars &s, Z z) {
  Z e = exponential(s, {s.neg(z.re), s.neg(z.im)});
  Z w = isSilu ? z : Z{s.constant(1), s.constant(0)};
  return divide(s, w, {s.add(s.constant(1), e.re), e.im});
}

template <Z (*fn)(Scalars &, Z)>
static LogicalResult lowerUnary(NodeLowering &n) {
  return setUnary(n, fn);
}

/// Lowers the powers -1, 1, 2 and 3 by multiplication and division, as ATen
/// does (UnaryOps of pow_tensor_scalar).
static LogicalResult lowerPower(NodeLowering &n) {
  double exponent = n.real("exponent");
  if (n.failed() ||
      (exponent != 1 && exponent != 2 && exponent != 3 && exponent != -1))
    return n.fail("a power of complex numbers other than -1, 1, 2 and 3");
  return setUnary(n, [&](Scalars &s, Z z) {
    if (exponent == -1)
      return reciprocal(s, z);
    Z w = z;
    for (int i = 1; i < exponent; ++i)
      w = multiply(s, w, z);
    return w;
  });
}

void registerComplexArithmetic(Registry &r) {
  r.addComplex({"aten.add.Tensor", "aten.sub.Tensor", "aten.add.Scalar",
                "aten.sub.Scalar", "aten.rsub.Tensor", "aten.rsub.Scalar"},
               lowerSum);
  r.addComplex({"aten.mul.Tensor", "aten.mul.Scalar"}, lowerProduct);
  r.addComplex({"aten.div.Tensor", "aten.div.Scalar"}, lowerQuotient);
  r.addComplex({"aten.div.Tensor_mode", "aten.div.Scalar_mode"},
               lowerQuotientOfMode);
  r.addComplex({"aten.eq.Tensor", "aten.eq.Scalar"}, lowerEqual<true>);
  r.addComplex({"aten.ne.Tensor", "aten.ne.Scalar"}, lowerEqual<false>);
  r.addComplex({"aten.any.default", "aten.any.dim", "aten.any.dims",
                "aten.all.default", "aten.all.dim", "aten.all.dims",
                "aten.logical_and.default", "aten.logical_or.default",
                "aten.logical_xor.default", "aten.logical_not.default",
                "aten.count_nonzero.default", "aten.count_nonzero.dim_IntList"},
               lowerTruth);
  r.addComplex("aten.isfinite.default", lowerKind<'f'>);
  r.addComplex("aten.isinf.default", lowerKind<'i'>);
  r.addComplex("aten.isnan.default", lowerKind<'n'>);
  r.addComplex("aten.abs.default", lowerAbs);
  r.addComplex("aten.angle.default", lowerAngle);
  r.addComplex("aten.exp.default", lowerUnary<exponential>);
  r.addComplex("aten.exp2.default", lowerUnary<exponential2>);
  r.addComplex("aten.square.default", lowerUnary<square>);
  r.addComplex("aten.reciprocal.default", lowerUnary<reciprocal>);
  r.addComplex("aten.sigmoid.default", lowerUnary<logistic<false>>);
  r.addComplex("aten.silu.default", lowerUnary<logistic<true>>);
  r.addComplex("aten.pow.Tensor_Scalar", lowerPower);
}

} // namespace fx::lin

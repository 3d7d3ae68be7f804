//===- Symbolic.cpp - numbers and the operators on them -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphLowering.h"
#include "NodeLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace fx::lin {

// Most symbolic numbers are lowered from the expressions in their types, not by
// these functions, which lower numbers whose values are known at run time only.

/// Lowers item: the only element, as int64, float64 or bool.
static LogicalResult lowerItem(NodeLowering &n) {
  Tensor x = n.tensor("self");
  if (n.failed())
    return failure();
  for (ExprAttr size : x.sizes)
    if (size.getInteger() != 1)
      return n.fail("the tensor has more than one element");
  Builder &b = n.b;
  Scalars s(b.b, b.loc, x.dtype);
  Value v = b.element(x);
  Type wide = isa<FloatType>(x.dtype) ? Type(b.b.getF64Type())
              : x.dtype.isInteger(1)  ? Type(b.b.getI1Type())
                                      : Type(b.b.getI64Type());
  Value number = s.cast(v, x.dtype, wide);
  n.graph.set(
      n.op->getResult(0),
      Lowered(n.graph.named(b.loc, n.op->getResult(0).getType(), number)));
  return success();
}

static bool isReal(const Number &x) { return x.kind == Number::Kind::Float; }

/// Sets the result to `v`, converted from dtype `from` to the type of the
/// node's result.
static LogicalResult setNumber(NodeLowering &n, Value v, Type from) {
  Type type = n.op->getResult(0).getType();
  Type want = builtinType(type);
  if (!want || isa<RankedTensorType>(want))
    return n.fail("the result is no number");
  Scalars s(n.b.b, n.b.loc, from);
  n.graph.set(n.op->getResult(0),
              Lowered(n.graph.named(n.b.loc, type, s.cast(v, from, want))));
  return success();
}

using BinaryFn = Value (*)(Scalars &, Value, Value);

/// Lowers a binary operator on numbers. `fn` gets both operands as f64 if one
/// is a float or `real` is set, and else as i64. It returns a value of the same
/// type, or an i1 if `relation` is set.
static LogicalResult lowerBinary(NodeLowering &n, BinaryFn fn, bool real,
                                 bool relation) {
  Number x = n.number("a"), y = n.number("b");
  if (n.failed())
    return failure();
  Type type = real || isReal(x) || isReal(y) ? Type(n.b.b.getF64Type())
                                             : Type(n.b.b.getI64Type());
  Scalars s(n.b.b, n.b.loc, type);
  Value v = fn(s, n.b.number(x, type), n.b.number(y, type));
  return setNumber(n, v, relation ? Type(n.b.b.getI1Type()) : type);
}

template <BinaryFn fn>
static LogicalResult arithmetic(NodeLowering &n) {
  return lowerBinary(n, fn, false, false);
}
template <BinaryFn fn>
static LogicalResult realArithmetic(NodeLowering &n) {
  return lowerBinary(n, fn, true, false);
}
template <BinaryFn fn>
static LogicalResult relation(NodeLowering &n) {
  return lowerBinary(n, fn, false, true);
}

/// Lowers `&` and `|`: on truth values in i1, else bitwise in i64.
template <BinaryFn fn>
static LogicalResult logic(NodeLowering &n) {
  Number x = n.number("a"), y = n.number("b");
  if (n.failed())
    return failure();
  bool truth = x.kind == Number::Kind::Bool && y.kind == Number::Kind::Bool;
  Type type = truth ? n.b.b.getI1Type() : n.b.b.getI64Type();
  Scalars s(n.b.b, n.b.loc, type);
  return setNumber(n, fn(s, n.b.number(x, type), n.b.number(y, type)), type);
}

/// Lowers `**`. An integer to a negative power is a float.
static LogicalResult lowerPow(NodeLowering &n) {
  bool real = isa<SymFloatType>(n.op->getResult(0).getType());
  return lowerBinary(
      n, [](Scalars &s, Value x, Value y) { return s.pow(x, y); }, real,
      /*relation=*/false);
}

using UnaryFn = Value (*)(Scalars &, Value);

/// Lowers a unary operator on a number: in f64 if it is a float or `real` is
/// set, and else in i64.
template <UnaryFn fn, bool real>
static LogicalResult unary(NodeLowering &n) {
  Number x = n.number(n.oneOf({"a", "x"}));
  if (n.failed())
    return failure();
  Type type =
      real || isReal(x) ? Type(n.b.b.getF64Type()) : Type(n.b.b.getI64Type());
  Scalars s(n.b.b, n.b.loc, type);
  return setNumber(n, fn(s, n.b.number(x, type)), type);
}

static LogicalResult lowerNot(NodeLowering &n) {
  Number x = n.number("a");
  if (n.failed())
    return failure();
  Type i1 = n.b.b.getI1Type();
  Scalars s(n.b.b, n.b.loc, i1);
  return setNumber(n, s.logicalNot(n.b.number(x, i1)), i1);
}

static LogicalResult lowerIte(NodeLowering &n) {
  Number c = n.number("b"), x = n.number("t"), y = n.number("f");
  if (n.failed())
    return failure();
  Type type = isReal(x) || isReal(y) ? Type(n.b.b.getF64Type())
                                     : Type(n.b.b.getI64Type());
  Scalars s(n.b.b, n.b.loc, type);
  return setNumber(n,
                   s.select(n.b.number(c, n.b.b.getI1Type()),
                            n.b.number(x, type), n.b.number(y, type)),
                   type);
}

/// Lowers sym_size.int to the size of the lowered tensor.
static LogicalResult lowerSymSize(NodeLowering &n) {
  Argument arg = n.arg("self");
  const Lowered *lowered =
      arg.isValue() ? n.graph.lookup(arg.getValue()) : nullptr;
  if (!lowered || lowered->kind != Lowered::Kind::Tensor)
    return n.fail("an argument is no tensor");
  int64_t dim = n.dim("dim", lowered->tensor.rank());
  if (n.failed() || lowered->tensor.rank() == 0)
    return n.fail("a 0-d tensor has no size");
  Number number;
  number.expr = lowered->tensor.sizes[dim];
  if (!n.b.symbols.canEvaluate(number.expr))
    return n.fail("the size is not known");
  return n.set(0, number);
}

#define BODY2(...)                                                             \
  [](Scalars &s, Value x, Value y) -> Value { return __VA_ARGS__; }
#define BODY1(...) [](Scalars &s, Value x) -> Value { return __VA_ARGS__; }

void registerSymbolic(Registry &r) {
  r.add({"aten.item.default", "aten._local_scalar_dense.default"}, lowerItem);
  r.add("aten.sym_size.int", lowerSymSize);
  r.addComplex("aten.sym_size.int", lowerSymSize);

  r.add("_operator.add", arithmetic<BODY2(s.add(x, y))>);
  r.add("_operator.sub", arithmetic<BODY2(s.sub(x, y))>);
  r.add("_operator.mul", arithmetic<BODY2(s.mul(x, y))>);
  r.add("_operator.floordiv", arithmetic<BODY2(s.floorDiv(x, y))>);
  r.add("_operator.mod", arithmetic<BODY2(s.remainder(x, y))>);
  r.add("_operator.truediv", realArithmetic<BODY2(s.div(x, y))>);
  r.add("_operator.pow", lowerPow);
  r.add("torch.sym_max", arithmetic<BODY2(s.max(x, y))>);
  r.add("torch.sym_min", arithmetic<BODY2(s.min(x, y))>);
  r.add("_operator.neg", unary<BODY1(s.neg(x)), false>);
  r.add("_operator.pos", unary<BODY1(x), false>);
  r.add("torch.sym_float", unary<BODY1(x), true>);
  r.add({"torch.sym_int", "math.trunc"}, unary<BODY1(s.trunc(x)), true>);
  r.add("math.floor", unary<BODY1(s.floor(x)), true>);
  r.add("math.ceil", unary<BODY1(s.ceil(x)), true>);
  r.add({"torch._sym_sqrt", "torch.sym_sqrt"}, unary<BODY1(s.sqrt(x)), true>);

  r.add("_operator.eq", relation<BODY2(s.eq(x, y))>);
  r.add("_operator.ne", relation<BODY2(s.ne(x, y))>);
  r.add("_operator.lt", relation<BODY2(s.lt(x, y))>);
  r.add("_operator.le", relation<BODY2(s.le(x, y))>);
  r.add("_operator.gt", relation<BODY2(s.gt(x, y))>);
  r.add("_operator.ge", relation<BODY2(s.ge(x, y))>);
  r.add("_operator.and_", logic<BODY2(s.logicalAnd(x, y))>);
  r.add("_operator.or_", logic<BODY2(s.logicalOr(x, y))>);
  r.add({"torch.sym_not", "_operator.not_"}, lowerNot);
  r.add("torch.sym_ite", lowerIte);
}

} // namespace fx::lin

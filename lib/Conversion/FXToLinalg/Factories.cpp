//===- Factories.cpp - operators that make tensors of numbers -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Complex.h"
#include "GraphLowering.h"
#include "NodeLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace fx::lin {

/// Sets the result to a 0-d tensor of `value`, broadcast.
static LogicalResult fill(NodeLowering &n, const Number &value) {
  if (n.failed() || !n.resultType())
    return n.fail("the result is no tensor");
  // Eight-bit floats are converted from f32, as PyTorch does.
  Type wanted = n.resultDtype();
  Type dtype = isFloat8(wanted) ? n.b.b.getF32Type() : wanted;
  if (!isSupported(dtype))
    return n.fail("the result's dtype has no native code");
  Tensor scalar;
  Hoisted h(n.b, value, dtype);
  if (h.isConstant()) {
    // Make it a dense constant, which folders see.
    Value v = n.b.number(value, dtype);
    Attribute attr;
    if (auto constant = v.getDefiningOp<arith::ConstantOp>()) {
      attr = constant.getValue();
      constant.erase();
    }
    auto type = RankedTensorType::get({}, signless(dtype));
    Value tensor = arith::ConstantOp::create(
        n.b.b, n.b.loc, DenseElementsAttr::get(type, attr));
    scalar = Tensor(tensor, {}, dtype);
  } else {
    scalar = n.b.fromElement(n.b.number(value, dtype), dtype);
  }
  return n.result(n.b.expand(n.b.cast(scalar, wanted), n.resultSizes()));
}

static LogicalResult lowerFull(NodeLowering &n) {
  return fill(n, n.number("fill_value"));
}
template <int value>
static LogicalResult lowerConstant(NodeLowering &n) {
  Number v;
  v.expr = n.b.expr(n.graph.part == 1 ? 0 : value);
  return fill(n, v);
}

static LogicalResult lowerFillValue(NodeLowering &n) {
  Argument value = n.arg("value");
  if (!n.isTensor(value))
    return fill(n, n.number("value"));
  Tensor t = n.asTensor(value);
  if (n.failed() || t.rank() != 0)
    return n.fail("the value is no scalar");
  return n.result(n.b.expand(n.b.cast(t, n.resultDtype()), n.resultSizes()));
}

/// copy(self, src): src in self's shape and dtype. For the in-place operator,
/// src may be a number.
static LogicalResult lowerCopyInto(NodeLowering &n) {
  if (!n.isTensor(n.arg("src")))
    return fill(n, n.number("src"));
  return copyInto(n, n.tensor("src"));
}

static LogicalResult lowerScalarTensor(NodeLowering &n) {
  return fill(n, n.number("s"));
}

/// start + i * step, in f64 or i64 as ATen computes it.
static LogicalResult lowerArange(NodeLowering &n) {
  Number start = n.number("start", 0), step = n.number("step", 1);
  if (n.failed() || n.resultSizes().size() != 1)
    return n.fail("the result is no vector");
  bool real = isa<FloatType>(n.resultDtype());
  Type compute = real ? Type(n.b.b.getF64Type()) : Type(n.b.b.getI64Type());
  Hoisted first(n.b, start, compute), by(n.b, step, compute);
  return n.result(n.b.indexed({}, n.resultSizes(), n.resultDtype(), compute,
                              [&](Scalars &s, ValueRange, ArrayRef<Value> at) {
                                Value i = s.fromIndex(at[0]);
                                if (!by.isConstant() || by.constant() != 1)
                                  i = s.mul(i, by.in(s));
                                if (!first.isConstant() ||
                                    first.constant() != 0)
                                  i = s.add(i, first.in(s));
                                return i;
                              }));
}

/// Lowers linspace and logspace. As in ATen, the first half of the elements is
/// computed from the start and the second half from the end. Integers are
/// computed in f64. Either end may be a 0-d tensor.
template <bool log>
static LogicalResult lowerLinspace(NodeLowering &n) {
  int64_t steps = n.integer("steps");
  double base = log ? n.real("base", 10) : 0;
  Type dtype = n.resultDtype();
  if (n.failed() || n.resultSizes().size() != 1)
    return n.fail("the result is no vector");
  bool real = isa<FloatType>(dtype);
  Type compute = real && !log ? opMathType(dtype) : Type(n.b.b.getF64Type());
  Value ends[2];
  for (unsigned i = 0; i < 2; ++i) {
    Argument arg = n.arg(i ? ArgName("end") : ArgName("start"));
    Value v;
    Type from;
    if (n.isTensor(arg)) {
      Tensor t = n.asTensor(arg);
      if (n.failed() || t.rank() != 0)
        return n.fail("an end is no scalar");
      v = n.b.element(t);
      from = t.dtype;
    } else {
      Number number = n.asNumber(arg);
      if (n.failed())
        return failure();
      from = number.kind == Number::Kind::Float ? Type(n.b.b.getF64Type())
                                                : Type(n.b.b.getI64Type());
      v = n.b.number(number, from);
    }
    // Convert the end to the result's dtype first.
    Scalars s(n.b.b, n.b.loc, compute);
    ends[i] = s.cast(s.cast(v, from, dtype), dtype, compute);
  }
  return n.result(n.b.indexed(
      {}, n.resultSizes(), dtype, compute,
      [&](Scalars &s, ValueRange, ArrayRef<Value> at) {
        Value a = ends[0], z = ends[1], i = s.fromIndex(at[0]);
        Value step =
            s.div(s.sub(z, a), s.constant(std::max<int64_t>(steps - 1, 1)));
        Value low = s.add(a, s.mul(step, i));
        Value high = s.sub(z, s.mul(step, s.sub(s.constant(steps - 1), i)));
        Value half = s.constant(steps == 1 ? 1 : steps / 2);
        Value v = s.select(s.lt(i, half), low, high);
        return log ? s.pow(s.constant(base), v) : v;
      }));
}

/// Lowers one_hot: 1 where the index along a new last dimension is the element,
/// else 0.
static LogicalResult lowerOneHot(NodeLowering &n) {
  Tensor x = n.tensor("self");
  ArrayRef<ExprAttr> sizes = n.resultSizes();
  if (n.failed() || int64_t(sizes.size()) != x.rank() + 1)
    return n.fail("the result's rank is not what the operator gives");
  n.b.checkIndices(x, sizes.back(), "aten.one_hot: a class is out of range",
                   false);
  Type i64 = n.b.b.getI64Type();
  return n.result(n.b.indexed({n.b.unsqueeze(x, x.rank())}, sizes, i64, i64,
                              [](Scalars &s, ValueRange v, ArrayRef<Value> i) {
                                return s.select(
                                    s.eq(v[0], s.fromIndex(i.back())),
                                    s.integer(1), s.integer(0));
                              }));
}

/// Ones on the main diagonal.
static LogicalResult lowerEye(NodeLowering &n) {
  Type dtype = n.resultDtype();
  if (n.resultSizes().size() != 2 || !isSupported(dtype))
    return n.fail("the result is no matrix");
  int64_t one = n.graph.part == 1 ? 0 : 1;
  return n.result(
      n.b.indexed({}, n.resultSizes(), dtype, dtype,
                  [&](Scalars &s, ValueRange, ArrayRef<Value> at) {
                    Value same = arith::CmpIOp::create(
                        s.b, s.loc, arith::CmpIPredicate::eq, at[0], at[1]);
                    return s.select(same, s.integer(one), s.integer(0));
                  }));
}

/// Lowers tril and triu: keeps the elements on and below (tril) or above (triu)
/// a diagonal and sets the others to 0.
template <bool lower>
static LogicalResult lowerTriangle(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t diagonal = n.integer("diagonal");
  if (n.failed() || x.rank() < 2 || x.rank() != int64_t(n.resultSizes().size()))
    return n.fail("fewer than two dimensions");
  return n.result(n.b.indexed(
      {x}, n.resultSizes(), x.dtype, x.dtype,
      [&](Scalars &s, ValueRange v, ArrayRef<Value> at) {
        unsigned rank = at.size();
        Value row = arith::AddIOp::create(
            s.b, s.loc, at[rank - 2],
            arith::ConstantIndexOp::create(s.b, s.loc, diagonal));
        Value keep = arith::CmpIOp::create(s.b, s.loc,
                                           lower ? arith::CmpIPredicate::sle
                                                 : arith::CmpIPredicate::sge,
                                           at[rank - 1], row);
        return s.select(keep, v[0], s.integer(0));
      }));
}

/// Lowers operators whose result has unspecified contents: zeros.
static LogicalResult lowerEmpty(NodeLowering &n) { return lowerConstant<0>(n); }

void registerFactories(Registry &r) {
  r.addWithFloat8(
      {"aten.full.default", "aten.full_like.default", "aten.new_full.default"},
      lowerFull);
  r.addWithFloat8({"aten.zeros.default", "aten.zeros_like.default",
                   "aten.new_zeros.default", "aten.zero.default"},
                  lowerConstant<0>);
  r.addWithFloat8(
      {"aten.ones.default", "aten.ones_like.default", "aten.new_ones.default"},
      lowerConstant<1>);
  r.addWithFloat8({"aten.empty.memory_format", "aten.empty_like.default",
                   "aten.new_empty.default", "aten.empty_strided.default",
                   "aten.new_empty_strided.default",
                   "aten.empty_permuted.default"},
                  lowerEmpty);
  r.add({"aten.fill.Scalar", "aten.fill.Tensor"}, lowerFillValue);
  r.addWithFloat8({"aten.copy.default"}, lowerCopyInto);
  r.add("aten.scalar_tensor.default", lowerScalarTensor);
  r.add({"aten.arange.default", "aten.arange.start", "aten.arange.start_step"},
        lowerArange);
  r.add({"aten.linspace.default", "aten.linspace.Tensor_Tensor",
         "aten.linspace.Tensor_Scalar", "aten.linspace.Scalar_Tensor"},
        lowerLinspace<false>);
  r.add({"aten.logspace.default", "aten.logspace.Tensor_Tensor",
         "aten.logspace.Tensor_Scalar", "aten.logspace.Scalar_Tensor"},
        lowerLinspace<true>);
  r.add("aten.one_hot.default", lowerOneHot);
  r.add({"aten.eye.default", "aten.eye.m"}, lowerEye);
  r.add("aten.tril.default", lowerTriangle<true>);
  r.add("aten.triu.default", lowerTriangle<false>);
}

} // namespace fx::lin

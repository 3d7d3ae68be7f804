//===- Copies.cpp - copies, conversions and checks ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"

using namespace mlir;

namespace fx::lin {

/// Lowers to, _to_copy, clone, contiguous ...: the same elements in the
/// result's dtype.
static LogicalResult lowerCopy(NodeLowering &n) {
  Tensor x = n.tensor(n.oneOf({"self", "a"}));
  if (n.failed())
    return failure();
  if (!isSupported(n.resultDtype()) && !isFloat8(n.resultDtype()))
    return n.fail("the result's dtype has no native code");
  return n.result(x);
}

/// Returns the bits of `x` as integers of `width` bits, `sizes` in all. The
/// lower bits of an element come first, as in memory.
static Tensor splitBits(Builder &b, const Tensor &x, unsigned width,
                        ArrayRef<ExprAttr> sizes) {
  unsigned wide = x.dtype.getIntOrFloatBitWidth();
  Type part = b.b.getIntegerType(width), whole = b.b.getIntegerType(wide);
  Sizes parts = x.sizes;
  parts.push_back(b.expr(wide / width));
  Tensor y = b.indexed(
      {b.unsqueeze(b.reinterpret(x, whole), x.rank())}, parts, part, Type(),
      [&](Scalars &s, ValueRange v, ArrayRef<Value> at) -> Value {
        Value by = arith::IndexCastOp::create(s.b, s.loc, whole, at.back());
        Value bits = arith::ConstantIntOp::create(s.b, s.loc, whole, width);
        by = arith::MulIOp::create(s.b, s.loc, by, bits);
        Value shifted = arith::ShRUIOp::create(s.b, s.loc, v[0], by);
        return arith::TruncIOp::create(s.b, s.loc, part, shifted);
      },
      part);
  return b.reshape(y, sizes);
}

/// The inverse: joins the bits of neighbours.
static Tensor joinBits(Builder &b, const Tensor &x, unsigned width,
                       ArrayRef<ExprAttr> sizes) {
  unsigned narrow = x.dtype.getIntOrFloatBitWidth();
  Type part = b.b.getIntegerType(narrow), whole = b.b.getIntegerType(width);
  Sizes parts(sizes);
  parts.push_back(b.expr(width / narrow));
  Tensor y = b.reshape(b.reinterpret(x, part), parts);
  SmallVector<Tensor> operands;
  for (int64_t i = 0; i < width / narrow; ++i)
    operands.push_back(b.select(y, sizes.size(), b.b.getIndexAttr(i)));
  return b.pointwise(
      operands, sizes, whole, Type(),
      [&](Scalars &s, ValueRange v) {
        Value bits;
        for (auto [i, one] : llvm::enumerate(v)) {
          Value wide = arith::ExtUIOp::create(s.b, s.loc, whole, one);
          Value by =
              arith::ConstantIntOp::create(s.b, s.loc, whole, i * narrow);
          wide = arith::ShLIOp::create(s.b, s.loc, wide, by);
          bits =
              bits ? Value(arith::OrIOp::create(s.b, s.loc, bits, wide)) : wide;
        }
        return bits;
      },
      whole);
}

/// Lowers view.dtype. Complex numbers, which view_as_real has as two, and
/// booleans have no bits here.
static LogicalResult lowerViewDtype(NodeLowering &n) {
  Tensor x = n.tensor("self");
  if (n.failed())
    return failure();
  Type to = n.resultDtype();
  for (Type type : {to, x.dtype})
    if (isa<ComplexType>(type) || type.isInteger(1))
      return n.fail("the bits of booleans or complex numbers");
  unsigned width = to.getIntOrFloatBitWidth(),
           from = x.dtype.getIntOrFloatBitWidth();
  if (width != from && x.rank() == 0)
    return n.fail("the bits of a number as several");
  if (width < from)
    x = splitBits(n.b, x, width, n.resultSizes());
  else if (width > from)
    x = joinBits(n.b, x, width, n.resultSizes());
  return n.result(n.b.reinterpret(x, to));
}

/// Drops an assertion that was checked when the graph was exported.
static LogicalResult lowerNothing(NodeLowering &n) { return success(); }

static LogicalResult lowerAssertScalar(NodeLowering &n) {
  Number condition = n.number("self");
  StringRef message = n.string("assert_msg");
  if (n.failed())
    return failure();
  if (condition.expr && condition.expr.isInteger() &&
      condition.expr.getValue() != 0)
    return success();
  n.b.check(n.b.number(condition, n.b.b.getI1Type()), message);
  return success();
}

/// Lowers sym_constrain_range(size, min, max) to assertions on the value of a
/// data-dependent size.
static LogicalResult lowerConstrainRange(NodeLowering &n) {
  Number size = n.number("size");
  if (n.failed() || size.kind != Number::Kind::Int)
    return n.fail("the size is no integer");
  Builder &b = n.b;
  Type i64 = b.b.getI64Type();
  for (bool isMin : {true, false}) {
    ArgName name = isMin ? ArgName("min") : ArgName("max");
    if (!n.has(name))
      continue;
    int64_t bound = n.integer(name);
    if (n.failed())
      return failure();
    Value limit = arith::ConstantIntOp::create(b.b, b.loc, i64, bound);
    b.check(arith::CmpIOp::create(b.b, b.loc,
                                  isMin ? arith::CmpIPredicate::sge
                                        : arith::CmpIPredicate::sle,
                                  b.number(size, i64), limit),
            (Twine("expected a size of at ") + (isMin ? "least " : "most ") +
             Twine(bound))
                .str());
  }
  return success();
}

static LogicalResult lowerAssertTensor(NodeLowering &n) {
  Tensor condition = n.tensor("self");
  StringRef message = n.string("assert_msg", "assertion failed");
  if (n.failed())
    return failure();
  for (ExprAttr size : condition.sizes)
    if (size.getInteger() != 1)
      return n.fail("the condition has more than one element");
  n.b.check(n.b.element(n.b.cast(condition, n.b.b.getI1Type())), message);
  return success();
}

void registerCopies(Registry &r) {
  r.addWithFloat8({"aten.to.dtype",
                   "aten.to.device",
                   "aten.to.dtype_layout",
                   "aten.to.other",
                   "aten._to_copy.default",
                   "aten.type_as.default",
                   "aten.clone.default",
                   "aten.contiguous.default",
                   "aten.alias.default",
                   "aten.alias_copy.default",
                   "aten.detach.default",
                   "aten.detach_.default",
                   "aten.detach_copy.default",
                   "aten.lift_fresh_copy.default",
                   "aten.lift_fresh.default",
                   "aten.lift.default",
                   "prims.convert_element_type.default",
                   "prims.device_put.default",
                   "aten.resolve_conj.default",
                   "aten.resolve_neg.default",
                   "aten.conj.default",
                   "aten.real.default"},
                  lowerCopy);
  r.addWithFloat8({"aten.view.dtype"}, lowerViewDtype);
  r.add("aten._assert_tensor_metadata.default", lowerNothing);
  r.add({"aten.sym_constrain_range.default",
         "aten.sym_constrain_range_for_size.default"},
        lowerConstrainRange);
  r.add("aten._assert_scalar.default", lowerAssertScalar);
  r.add({"aten._assert_async.msg", "aten._assert_async.default"},
        lowerAssertTensor);
}

} // namespace fx::lin

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

/// Lowers view.dtype where the dtypes have the same size.
static LogicalResult lowerViewDtype(NodeLowering &n) {
  Tensor x = n.tensor("self");
  if (n.failed())
    return failure();
  Type to = n.resultDtype();
  auto isBool = [](Type type) { return type.isInteger(1); };
  if (isBool(to) != isBool(x.dtype) || isa<ComplexType>(to) ||
      to.getIntOrFloatBitWidth() != x.dtype.getIntOrFloatBitWidth())
    return n.fail("a reinterpretation between dtypes of different sizes");
  if (signless(to) != signless(x.dtype))
    return n.result(n.b.reinterpret(x, to));
  x.dtype = to;
  return n.result(x);
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

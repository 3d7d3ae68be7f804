//===- Symbolic.cpp - result types of symbolic operators ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace mlir;
using namespace fx;
using namespace fx::shape;

//===----------------------------------------------------------------------===//
// Sizes of tensors
//===----------------------------------------------------------------------===//

static InferredTypes inferSymSize(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  if (!self || self.getRank() == 0)
    return failure();
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank());
  if (!dim)
    return failure();
  return result(SymIntType::get(call.getContext(), self.getSizes()[*dim]));
}

static InferredTypes inferSymNumel(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  if (!self)
    return failure();
  return result(SymIntType::get(
      call.getContext(), getNumElements(call.getContext(), self.getSizes())));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Returns true if an argument is a float, false if all are ints or bools, and
/// std::nullopt if one is not a real number.
static std::optional<bool> anyFloat(const OperatorView &call) {
  bool isFloat = false;
  for (unsigned i = 0; i < call.getNumArgs(); ++i) {
    Type dtype = getNumberDtype(call.getArg(i));
    if (!dtype || isComplexDtype(dtype))
      return std::nullopt;
    isFloat |= isFloatDtype(dtype);
  }
  return isFloat;
}

/// Infers an arithmetic operator. The result is an int whose expression is
/// `compute` of the operands' expressions, or a float without an expression if
/// an operand is a float.
template <typename Compute>
static InferredTypes inferArithmetic(const OperatorView &call,
                                     Compute compute) {
  std::optional<bool> isFloat = anyFloat(call);
  if (!isFloat)
    return failure();
  MLIRContext *context = call.getContext();
  if (*isFloat)
    return result(SymFloatType::get(context, ExprAttr()));
  Size a = call.getArg(0u).getExpr(), b = call.getArg(1).getExpr();
  return result(SymIntType::get(context, compute(a, b).get()));
}

static Size apply(StringRef name, Size a, Size b) {
  return a && b ? Size(ExprAttr::call(a.get().getContext(), name,
                                      {a.get(), b.get()}))
                : Size();
}

static InferredTypes inferAdd(const OperatorView &call) {
  return inferArithmetic(call, [](Size a, Size b) { return a + b; });
}
static InferredTypes inferSub(const OperatorView &call) {
  return inferArithmetic(call, [](Size a, Size b) { return a - b; });
}
static InferredTypes inferMul(const OperatorView &call) {
  return inferArithmetic(call, [](Size a, Size b) { return a * b; });
}
static InferredTypes inferNeg(const OperatorView &call) {
  return inferArithmetic(call, [](Size a, Size) { return a * -1; });
}
static InferredTypes inferPos(const OperatorView &call) {
  return inferArithmetic(call, [](Size a, Size) { return a; });
}
static InferredTypes inferFloorDiv(const OperatorView &call) {
  return inferArithmetic(call, [](Size a, Size b) { return a.floorDiv(b); });
}
static InferredTypes inferMod(const OperatorView &call) {
  return inferArithmetic(call,
                         [](Size a, Size b) { return apply("mod", a, b); });
}
static InferredTypes inferPow(const OperatorView &call) {
  // A negative exponent gives a float.
  std::optional<int64_t> exponent = call.getArg(1).getInt();
  if (!exponent || *exponent < 0)
    return failure();
  return inferArithmetic(call,
                         [](Size a, Size b) { return apply("pow", a, b); });
}
static InferredTypes inferMax(const OperatorView &call) {
  return inferArithmetic(call, [](Size a, Size b) { return a.max(b); });
}
static InferredTypes inferMin(const OperatorView &call) {
  return inferArithmetic(call, [](Size a, Size b) { return a.min(b); });
}

static InferredTypes inferInt(const OperatorView &call) {
  return result(SymIntType::get(call.getContext(), call.getArg(0u).getExpr()));
}
static InferredTypes inferFloat(const OperatorView &call) {
  return result(SymFloatType::get(call.getContext(), ExprAttr()));
}

//===----------------------------------------------------------------------===//
// Booleans
//===----------------------------------------------------------------------===//

/// Infers a comparison. Its expression has the name of the operator: `eq`,
/// `lt` ….
static InferredTypes inferRelation(const OperatorView &call) {
  // Operands that are not real numbers have no order.
  if (!anyFloat(call).has_value())
    return failure();
  StringRef name = call.getSchema().getName().split('.').second;
  Size value = apply(name, call.getArg(0u).getExpr(), call.getArg(1).getExpr());
  return result(SymBoolType::get(call.getContext(), value.get()));
}

static InferredTypes inferTruth(const OperatorView &call) {
  return result(SymBoolType::get(call.getContext(), ExprAttr()));
}

void fx::registerSymbolicShapes(HookTable<ShapeRule> &hooks) {
  hooks.add(inferSymSize, {"aten.sym_size.int"});
  hooks.add(inferSymNumel, {"aten.sym_numel.default"});
  hooks.add(inferAdd, {"_operator.add"});
  hooks.add(inferSub, {"_operator.sub"});
  hooks.add(inferMul, {"_operator.mul"});
  hooks.add(inferNeg, {"_operator.neg"});
  hooks.add(inferPos, {"_operator.pos"});
  hooks.add(inferFloorDiv, {"_operator.floordiv"});
  hooks.add(inferMod, {"_operator.mod"});
  hooks.add(inferPow, {"_operator.pow"});
  hooks.add(inferMax, {"torch.sym_max"});
  hooks.add(inferMin, {"torch.sym_min"});
  hooks.add(inferInt,
            {"torch.sym_int", "math.trunc", "math.floor", "math.ceil"});
  hooks.add(inferFloat, {"torch.sym_float", "torch.sym_sqrt", "torch._sym_sqrt",
                         "_operator.truediv"});
  hooks.add(inferRelation, {"_operator.eq", "_operator.ne", "_operator.lt",
                            "_operator.le", "_operator.gt", "_operator.ge"});
  hooks.add(inferTruth, {"torch.sym_not", "_operator.not_"});
}

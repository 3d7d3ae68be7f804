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
FX_REGISTER_SHAPE_RULES(inferSymSize, "aten.sym_size.int")

static InferredTypes inferSymNumel(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  if (!self)
    return failure();
  return result(SymIntType::get(
      call.getContext(), getNumElements(call.getContext(), self.getSizes())));
}
FX_REGISTER_SHAPE_RULES(inferSymNumel, "aten.sym_numel.default")

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// True if an argument is a float, false if all are ints or bools; nothing if
/// one is no number.
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

/// An int operator whose value is `compute` of the operands' expressions.
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

FX_REGISTER_SHAPE_RULES(inferAdd, "_operator.add")
FX_REGISTER_SHAPE_RULES(inferSub, "_operator.sub")
FX_REGISTER_SHAPE_RULES(inferMul, "_operator.mul")
FX_REGISTER_SHAPE_RULES(inferNeg, "_operator.neg")
FX_REGISTER_SHAPE_RULES(inferPos, "_operator.pos")
FX_REGISTER_SHAPE_RULES(inferFloorDiv, "_operator.floordiv")
FX_REGISTER_SHAPE_RULES(inferMod, "_operator.mod")
FX_REGISTER_SHAPE_RULES(inferPow, "_operator.pow")
FX_REGISTER_SHAPE_RULES(inferMax, "torch.sym_max")
FX_REGISTER_SHAPE_RULES(inferMin, "torch.sym_min")

static InferredTypes inferInt(const OperatorView &call) {
  return result(SymIntType::get(call.getContext(), call.getArg(0u).getExpr()));
}
static InferredTypes inferFloat(const OperatorView &call) {
  return result(SymFloatType::get(call.getContext(), ExprAttr()));
}
FX_REGISTER_SHAPE_RULES(inferInt, "torch.sym_int", "math.trunc", "math.floor",
                        "math.ceil")
FX_REGISTER_SHAPE_RULES(inferFloat, "torch.sym_float", "torch.sym_sqrt",
                        "torch._sym_sqrt", "_operator.truediv")

//===----------------------------------------------------------------------===//
// Truth
//===----------------------------------------------------------------------===//

/// The relation is named as the operator: `eq`, `lt` ….
static InferredTypes inferRelation(const OperatorView &call) {
  if (!anyFloat(call))
    return failure();
  StringRef name = call.getSchema().getName().split('.').second;
  Size value = apply(name, call.getArg(0u).getExpr(), call.getArg(1).getExpr());
  return result(SymBoolType::get(call.getContext(), value.get()));
}
FX_REGISTER_SHAPE_RULES(inferRelation, "_operator.eq", "_operator.ne",
                        "_operator.lt", "_operator.le", "_operator.gt",
                        "_operator.ge")

static InferredTypes inferTruth(const OperatorView &call) {
  return result(SymBoolType::get(call.getContext(), ExprAttr()));
}
FX_REGISTER_SHAPE_RULES(inferTruth, "torch.sym_not", "_operator.not_")

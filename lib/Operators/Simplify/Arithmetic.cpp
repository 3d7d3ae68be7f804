//===- Arithmetic.cpp - identities of arithmetic --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All simplifications are exact. `x + 0.0` is not simplified because it turns
// -0.0 into 0.0 (`x - 0.0` and `x + -0.0` are simplified). `x * 0.0` and `x -
// x` are not simplified because of NaN and infinities. Simplifier compares the
// types, so the functions below need not check whether an operand changes the
// dtype or the sizes.
//
//===----------------------------------------------------------------------===//

#include "Operands.h"

#include <cmath>

using namespace mlir;
using namespace fx;

static bool isFloat(Value value) {
  FakeTensorType type = getTensor(value);
  return type && !isa<IntegerType>(type.getDtype());
}

/// Returns the fill value of a tensor as the call gives it, before the
/// conversion to the dtype of the tensor.
static std::optional<double> getFill(Value value) {
  if (getProducer(value, {"aten.ones.default", "aten.ones_like.default",
                          "aten.new_ones.default"}))
    return 1;
  if (getProducer(value, {"aten.zeros.default", "aten.zeros_like.default",
                          "aten.new_zeros.default"}))
    return 0;
  if (OperatorView full =
          getProducer(value, {"aten.full.default", "aten.full_like.default",
                              "aten.new_full.default"}))
    return full.getArg("fill_value").getFloat();
  if (OperatorView scalar = getProducer(value, {"aten.scalar_tensor.default"}))
    return scalar.getArg("s").getFloat();
  return std::nullopt;
}

/// Returns the value of an immediate argument, or the fill value of a tensor
/// argument.
static std::optional<double> getNumber(const Argument &argument) {
  if (std::optional<double> immediate = argument.getFloat())
    return immediate;
  std::optional<double> fill = getFill(argument.getValue());
  // An integer tensor has no -0 and truncates a fractional fill value.
  if (fill && !isFloat(argument.getValue()))
    return *fill == std::trunc(*fill) ? std::optional(*fill + 0.0)
                                      : std::nullopt;
  return fill;
}

static bool isBool(Value value) {
  FakeTensorType type = getTensor(value);
  return type && type.getDtype().isInteger(1);
}

//===----------------------------------------------------------------------===//
// Neutral elements
//===----------------------------------------------------------------------===//

static LogicalResult simplifyAdd(const OperatorView &call, Simplifier &s) {
  if (call.getArg("alpha").getFloat() != 1.0)
    return failure();
  for (unsigned i : {0u, 1u}) {
    std::optional<double> zero = getNumber(call.getArg(1 - i));
    Value other = call.getArg(i).getValue();
    if (zero == 0.0 && (std::signbit(*zero) || !isFloat(other)) &&
        succeeded(s.replaceByEqual(other)))
      return success();
  }
  return failure();
}

static LogicalResult simplifySub(const OperatorView &call, Simplifier &s) {
  std::optional<double> zero = getNumber(call.getArg(1));
  if (call.getArg("alpha").getFloat() != 1.0 || zero != 0.0 ||
      (std::signbit(*zero) && isFloat(getSelf(call))))
    return failure();
  return s.replaceByEqual(getSelf(call));
}

static LogicalResult simplifyMul(const OperatorView &call, Simplifier &s) {
  for (unsigned i : {0u, 1u})
    if (getNumber(call.getArg(1 - i)) == 1.0 &&
        succeeded(s.replaceByEqual(call.getArg(i).getValue())))
      return success();
  return failure();
}

/// Simplifies divisions by one and powers with exponent one. A floating-point
/// division with a rounding mode rounds its operand and is kept.
static LogicalResult simplifyByOne(const OperatorView &call, Simplifier &s) {
  int mode = call.getSchema().findArgument("rounding_mode");
  if (mode >= 0 && !call.getArg(mode).isNone() && isFloat(getSelf(call)))
    return failure();
  return getNumber(call.getArg(1)) == 1.0 ? s.replaceByEqual(getSelf(call))
                                          : failure();
}

static LogicalResult dropSame(const OperatorView &call, Simplifier &s) {
  Value a = call.getArg(0u).getValue(), b = call.getArg(1).getValue();
  return a && a == b ? s.replaceByEqual(a) : failure();
}

/// Simplifies `or`, `xor` and shifts with 0, `and` with all ones, and `and` and
/// `or` of equal operands.
static LogicalResult simplifyBits(const OperatorView &call, Simplifier &s) {
  StringRef target = call.getSchema().getName();
  bool isAnd = target.contains("_and"), isOr = target.contains("_or");
  if (isAnd || isOr)
    if (succeeded(dropSame(call, s)))
      return success();
  auto drop = [&](unsigned kept, unsigned dropped) {
    Value self = call.getArg(kept).getValue();
    double neutral = !isAnd ? 0 : isBool(self) ? 1 : -1;
    return getTensor(self) && !isFloat(self) &&
                   getNumber(call.getArg(dropped)) == neutral
               ? s.replaceByEqual(self)
               : failure();
  };
  if (succeeded(drop(0, 1)))
    return success();
  return isAnd || isOr || target.contains("xor") ? drop(1, 0) : failure();
}

/// Simplifies `where` with equal branches or with a known condition.
static LogicalResult simplifyWhere(const OperatorView &call, Simplifier &s) {
  Value self = call.getArg("self").getValue();
  Value other = call.getArg("other").getValue();
  if (self && self == other)
    return s.replaceByEqual(self);
  std::optional<double> condition = getNumber(call.getArg("condition"));
  if (!condition)
    return failure();
  return s.replaceByEqual(*condition != 0 ? self : other);
}

//===----------------------------------------------------------------------===//
// Repeated operators
//===----------------------------------------------------------------------===//

/// Simplifies f(f(x)) to x, e.g. -(-x) and ~~x.
static LogicalResult simplifyInvolution(const OperatorView &call,
                                        Simplifier &s) {
  auto inner = getSelf(call) ? getSelf(call).getDefiningOp<CallFunctionOp>()
                             : CallFunctionOp();
  if (!inner || inner.getTarget() != call.getSchema().getName())
    return failure();
  return s.replaceByEqual(getSelf(getOperatorView(inner)));
}

/// Simplifies f(f(x)) to f(x) if all other arguments are equal.
static LogicalResult simplifyIdempotent(const OperatorView &call,
                                        Simplifier &s) {
  Value self = getSelf(call);
  auto inner = self ? self.getDefiningOp<CallFunctionOp>() : CallFunctionOp();
  auto node = cast<CallFunctionOp>(call.getOperation());
  if (!inner || inner.getTarget() != node.getTarget() ||
      inner.getArgs() != node.getArgs() ||
      inner.getKwnames() != node.getKwnames() || inner->getNumOperands() != 1 ||
      node->getNumOperands() != 1)
    return failure();
  return s.replaceByEqual(self);
}

/// Drops the rounding of integers and of values that are already rounded.
static LogicalResult simplifyRounding(const OperatorView &call, Simplifier &s) {
  static constexpr StringLiteral roundings[] = {
      "aten.floor.default", "aten.ceil.default", "aten.trunc.default",
      "aten.round.default"};
  Value self = getSelf(call);
  return !isFloat(self) || getProducer(self, roundings) ? s.replaceByEqual(self)
                                                        : failure();
}

/// Drops the check that a size, a number of elements or a storage offset is not
/// negative. PyTorch inserts the check where the number depends on data.
static LogicalResult dropSizeCheck(const OperatorView &call, Simplifier &s) {
  static constexpr StringLiteral sizes[] = {"aten.sym_size.int",
                                            "aten.sym_numel.default",
                                            "aten.sym_storage_offset.default"};
  OperatorView check = getProducer(getSelf(call), {"_operator.ge"});
  if (!check || !getProducer(check.getArg("a").getValue(), sizes) ||
      check.getArg("b").getInt().value_or(1) > 0)
    return failure();
  s.getRewriter().eraseOp(call.getOperation());
  return success();
}

void fx::registerArithmeticSimplifications(HookTable<Simplification> &hooks) {
  hooks.add(dropSizeCheck, {"aten._assert_scalar.default"});
  hooks.add(simplifyAdd, {"aten.add.Tensor", "aten.add.Scalar"});
  hooks.add(simplifySub, {"aten.sub.Tensor", "aten.sub.Scalar"});
  hooks.add(simplifyMul, {"aten.mul.Tensor", "aten.mul.Scalar"});
  hooks.add(simplifyByOne,
            {"aten.div.Tensor", "aten.div.Scalar", "aten.div.Tensor_mode",
             "aten.div.Scalar_mode", "aten.pow.Tensor_Scalar",
             "aten.pow.Tensor_Tensor"});
  hooks.add(dropSame, {"aten.maximum.default", "aten.minimum.default",
                       "aten.fmax.default", "aten.fmin.default",
                       "aten.max.other", "aten.min.other"});
  hooks.add(simplifyBits,
            {"aten.__and__.Tensor", "aten.__and__.Scalar", "aten.__or__.Tensor",
             "aten.__or__.Scalar", "aten.__xor__.Tensor", "aten.__xor__.Scalar",
             "aten.bitwise_and.Tensor", "aten.bitwise_and.Scalar",
             "aten.bitwise_or.Tensor", "aten.bitwise_or.Scalar",
             "aten.bitwise_xor.Tensor", "aten.bitwise_xor.Scalar",
             "aten.bitwise_left_shift.Tensor",
             "aten.bitwise_left_shift.Tensor_Scalar",
             "aten.bitwise_right_shift.Tensor",
             "aten.bitwise_right_shift.Tensor_Scalar"});
  hooks.add(simplifyWhere, {"aten.where.self"});
  hooks.add(simplifyInvolution, {"aten.neg.default", "aten.bitwise_not.default",
                                 "aten.logical_not.default"});
  hooks.add(simplifyIdempotent,
            {"aten.relu.default", "aten.relu6.default", "aten.abs.default",
             "aten.clamp.default", "aten.clamp_min.default",
             "aten.clamp_max.default", "aten.hardtanh.default"});
  hooks.add(simplifyRounding, {"aten.floor.default", "aten.ceil.default",
                               "aten.trunc.default", "aten.round.default"});
}

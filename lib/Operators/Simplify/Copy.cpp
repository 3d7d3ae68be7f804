//===- Copy.cpp --- identities of copies, casts and joins -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operands.h"
#include "fx/Operators/aten/_to_copy.h"
#include "fx/Operators/aten/cat.h"
#include "fx/Operators/aten/to.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Drops a copy to the same dtype, device and strides. Keeps the copy if
/// `as_strided` uses it: `as_strided` addresses the storage of the copy, which
/// may differ from the storage of the original tensor.
static LogicalResult dropCopy(const OperatorView &call, Simplifier &s) {
  for (Operation *user : call->getUsers())
    if (auto node = dyn_cast<NodeOpInterface>(user))
      if (node.getTargetName().starts_with("aten.as_strided"))
        return failure();
  return s.replaceByEqual(getSelf(call));
}

/// Simplifies `copy(x, y)` to y. Also replaces a scatter that overwrites the
/// whole tensor by its source: a slice with the sizes of the tensor covers all
/// of it.
static LogicalResult simplifyToSource(const OperatorView &call, Simplifier &s) {
  return s.replaceByEqual(call.getArg("src").getValue());
}

static bool areAll(const Argument &list, int64_t value) {
  std::optional<SmallVector<int64_t>> ints = list.getInts();
  return ints && llvm::all_of(*ints, [&](int64_t i) { return i == value; });
}

static LogicalResult simplifyRepeat(const OperatorView &call, Simplifier &s) {
  return areAll(call.getArg("repeats"), 1) ? s.replaceByEqual(getSelf(call))
                                           : failure();
}

static LogicalResult simplifyPad(const OperatorView &call, Simplifier &s) {
  return areAll(call.getArg("pad"), 0) ? s.replaceByEqual(getSelf(call))
                                       : failure();
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

static LogicalResult simplifyDropout(const OperatorView &call, Simplifier &s) {
  if (call.getArg("train").getBool() == false)
    return s.replaceByAlias(getSelf(call));
  return call.getArg("p").getFloat() == 0.0 ? s.replaceByEqual(getSelf(call))
                                            : failure();
}

/// The results are `(output, mask)`. None for `train` means true.
static LogicalResult simplifyNativeDropout(const OperatorView &call,
                                           Simplifier &s) {
  return call.getArg("train").getBool() == false
             ? s.replaceByEqual(getSelf(call))
             : failure();
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// Returns the number of bits of an integer without its sign, or of the
/// significand of a float.
static unsigned getPrecision(Type dtype) {
  if (auto type = dyn_cast<FloatType>(dtype))
    return type.getFPMantissaWidth();
  auto type = cast<IntegerType>(dtype);
  return type.getWidth() - (type.isUnsigned() || type.getWidth() == 1 ? 0 : 1);
}

/// Returns true if `to` can represent each value of `from`, so that a cast to
/// `to` followed by another cast equals the direct cast from `from`.
static bool isLossless(Type from, Type to) {
  if (from == to)
    return true;
  if (auto a = dyn_cast<FloatType>(from)) {
    // f16 and bf16 cannot represent each other: bf16 has the exponent range of
    // f32 and f16 a smaller one, but f16 has the longer significand.
    auto b = dyn_cast<FloatType>(to);
    return b && (a.isF16() || a.isBF16() || a.isF32()) &&
           ((b.isF32() && !a.isF32()) || b.isF64());
  }
  auto a = dyn_cast<IntegerType>(from);
  if (!a)
    return false;
  if (to.isF32() || to.isF64())
    return getPrecision(from) <= getPrecision(to);
  auto b = dyn_cast<IntegerType>(to);
  return b && b.getWidth() != 1 && getPrecision(from) < getPrecision(to) &&
         (a.isUnsigned() || a.getWidth() == 1 || !b.isUnsigned());
}

/// Returns the dtype of the result if the call changes nothing but the dtype,
/// or null.
static Type getCastDtype(const OperatorView &call) {
  for (auto [i, argument] : llvm::enumerate(call.getSchema().getArguments())) {
    if (i == 0 || argument.kind == SchemaKind::ScalarType ||
        argument.getName() == "non_blocking" || !call.isGiven(i))
      continue;
    Argument arg = call.getArg(i);
    bool isDevice = argument.kind == SchemaKind::Device;
    auto self = getTensor(getSelf(call)), out = getTensor(call->getResult(0));
    if (!arg.isNone() && arg.getBool() != false &&
        !(isDevice && self && out && self.getDevice() == out.getDevice()))
      return Type();
  }
  FakeTensorType type = getTensor(call->getResult(0));
  return type ? type.getDtype() : Type();
}

static LogicalResult simplifyCast(const OperatorView &call, Simplifier &s) {
  if (succeeded(s.replaceByEqual(getSelf(call))))
    return success();
  static constexpr StringLiteral casts[] = {"aten._to_copy.default",
                                            "aten.to.dtype"};
  OperatorView inner = getProducer(getSelf(call), casts);
  if (!inner || !getCastDtype(inner) || !getCastDtype(call))
    return failure();
  FakeTensorType from = getTensor(getSelf(inner));
  if (!from || !isLossless(from.getDtype(), getCastDtype(inner)))
    return failure();
  // The cast of an out-of-range float to an integer has no defined value, so
  // the direct cast may give another one.
  if (!isa<IntegerType>(from.getDtype()) &&
      isa<IntegerType>(getCastDtype(call)))
    return failure();
  if (succeeded(s.replaceByEqual(getSelf(inner))))
    return success();
  if (call.getSchema().getName() == "aten.to.dtype")
    return s.replaceByCall<aten::ToDtype>(getSelf(inner), call.getArg(1));
  return s.replaceByCall<aten::UnderToCopy>(getSelf(inner),
                                            call.getArg("dtype"));
}

//===----------------------------------------------------------------------===//
// Joins
//===----------------------------------------------------------------------===//

/// Returns the `dim` of a join, counted from the front. Returns std::nullopt if
/// the result is not a tensor or `dim` is not an immediate.
static std::optional<int64_t> getJoinDim(const OperatorView &call) {
  FakeTensorType type = getTensor(call->getResult(0));
  std::optional<int64_t> dim = call.getArg("dim").getInt();
  if (!type || !dim)
    return std::nullopt;
  return *dim < 0 ? *dim + type.getRank() : *dim;
}

/// Drops a cat of one tensor, inlines an operand that is itself a cat along the
/// same dimension, and drops operands of size 0 along the dimension.
static LogicalResult simplifyCat(const OperatorView &call, Simplifier &s) {
  SmallVector<Value> tensors = call.getArg("tensors").getValues();
  if (tensors.size() == 1)
    return s.replaceByEqual(tensors.front());
  FakeTensorType type = getTensor(call->getResult(0));
  std::optional<int64_t> dim = getJoinDim(call);
  if (!dim || *dim < 0 || *dim >= type.getRank())
    return failure();
  SmallVector<Value> flat;
  bool changed = false;
  for (Value tensor : tensors) {
    FakeTensorType part = getTensor(tensor);
    // An operand of another dtype takes part in type promotion.
    if (!part || part.getDtype() != type.getDtype())
      return failure();
    if (part.getRank() == type.getRank() &&
        part.getSizes()[*dim].getInteger() == 0) {
      changed = true;
      continue;
    }
    OperatorView inner = getProducer(tensor, {"aten.cat.default"});
    SmallVector<Value> parts;
    if (inner && tensor.hasOneUse() && getJoinDim(inner) == dim)
      parts = inner.getArg("tensors").getValues();
    bool fits = !parts.empty() && llvm::all_of(parts, [&](Value v) {
      FakeTensorType t = getTensor(v);
      return t && t.getDtype() == type.getDtype() &&
             t.getRank() == type.getRank();
    });
    if (fits) {
      llvm::append_range(flat, parts);
      changed = true;
    } else {
      flat.push_back(tensor);
    }
  }
  if (!changed || flat.empty())
    return failure();
  return s.replaceByCall<aten::Cat>(flat, *dim);
}

void fx::registerCopySimplifications(HookTable<Simplification> &hooks) {
  hooks.add(dropCopy, {"aten.clone.default", "aten.contiguous.default",
                       "aten.lift_fresh_copy.default", "aten.to.device",
                       "aten.to.dtype_layout", "aten.to.other",
                       "aten.type_as.default", "aten.positive.default"});
  hooks.add(simplifyToSource,
            {"aten.copy.default", "aten.slice_scatter.default"});
  hooks.add(simplifyRepeat, {"aten.repeat.default"});
  hooks.add(simplifyPad, {"aten.constant_pad_nd.default", "aten.pad.default"});
  hooks.add(simplifyDropout,
            {"aten.dropout.default", "aten.feature_dropout.default",
             "aten.alpha_dropout.default",
             "aten.feature_alpha_dropout.default"});
  hooks.add(simplifyNativeDropout, {"aten.native_dropout.default"});
  hooks.add(simplifyCast, {"aten._to_copy.default", "aten.to.dtype"});
  hooks.add(simplifyCat, {"aten.cat.default"});
}

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

/// A copy to the same dtype, device and strides. A view by strides reads the
/// memory of a copy, whatever the strides are of what is copied.
static LogicalResult dropCopy(const OperatorView &call, Simplifier &s) {
  for (Operation *user : call->getUsers())
    if (auto node = dyn_cast<NodeOpInterface>(user))
      if (node.getTargetName().starts_with("aten.as_strided"))
        return failure();
  return s.replaceByEqual(getSelf(call));
}

/// `copy(x, y)` is y in x's place.
static LogicalResult simplifyCopy(const OperatorView &call, Simplifier &s) {
  return s.replaceByEqual(call.getArg("src").getValue());
}

/// What is written over all of a tensor replaces it. With the sizes of the
/// whole there is but one place where the slice can lie.
static LogicalResult simplifySliceScatter(const OperatorView &call,
                                          Simplifier &s) {
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

/// `(output, mask)`; None for `train` means true.
static LogicalResult simplifyNativeDropout(const OperatorView &call,
                                           Simplifier &s) {
  return call.getArg("train").getBool() == false
             ? s.replaceByEqual(getSelf(call))
             : failure();
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// The bits of an integer or of a significand that a dtype holds, by class.
static unsigned getPrecision(Type dtype) {
  if (auto type = dyn_cast<FloatType>(dtype))
    return type.getFPMantissaWidth();
  auto type = cast<IntegerType>(dtype);
  return type.getWidth() - (type.isUnsigned() || type.getWidth() == 1 ? 0 : 1);
}

/// True where each value of `from` is one of `to`, so that a cast to `to` and
/// on is the cast from `from`.
static bool isLossless(Type from, Type to) {
  if (from == to)
    return true;
  if (auto a = dyn_cast<FloatType>(from)) {
    // bf16 has f32's exponents, f16 fewer; neither has the other's.
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

/// The dtype of a call that changes nothing else; else null.
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
  // Floats out of an integer's range have no defined value there.
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

/// `dim` of a join counted from the front; nothing for what has no dims.
static std::optional<int64_t> getJoinDim(const OperatorView &call) {
  FakeTensorType type = getTensor(call->getResult(0));
  std::optional<int64_t> dim = call.getArg("dim").getInt();
  if (!type || !dim)
    return std::nullopt;
  return *dim < 0 ? *dim + type.getRank() : *dim;
}

/// cat of one tensor; a cat among the operands of a cat along the same dim;
/// operands without elements.
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
    // Another dtype has its say in the promotion.
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
  hooks.add(simplifyCopy, {"aten.copy.default"});
  hooks.add(simplifySliceScatter, {"aten.slice_scatter.default"});
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

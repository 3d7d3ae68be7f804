//===- Creation.cpp - shape rules of factories ----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <cmath>

using namespace mlir;
using namespace fx;
using namespace fx::shape;

static InferredTypes make(const OperatorView &call, ArrayRef<ExprAttr> sizes,
                          Type fallback) {
  return result(makeTensorOn(getDevice(call.getArg("device")), sizes,
                             getDtypeOr(call, fallback)));
}

//===----------------------------------------------------------------------===//
// Filled tensors
//===----------------------------------------------------------------------===//

/// Returns false if strides are given that are negative or whose number is not
/// `rank`.
static bool takesStrides(const OperatorView &call, size_t rank) {
  Argument given = call.getArg("stride");
  std::optional<Sizes> strides;
  if (given && !given.isNone())
    strides = given.getExprs();
  if (!strides)
    return true;
  if (strides->size() != rank) {
    noteRefusal([&] {
      return "expected " + std::to_string(rank) + " strides, got " +
             toText(*strides);
    });
    return false;
  }
  for (Size stride : *strides)
    if (stride.getInt().value_or(0) < 0) {
      noteRefusal([&] {
        return "expected strides of 0 or more, got " + toText(*strides);
      });
      return false;
    }
  return true;
}

static InferredTypes inferFilled(const OperatorView &call) {
  std::optional<Sizes> sizes = call.getArg("size").getExprs();
  if (!sizes)
    return failure();
  if (!takesStrides(call, sizes->size()))
    return failure();
  return make(call, *sizes, Float32Type::get(call.getContext()));
}

static InferredTypes inferFull(const OperatorView &call) {
  std::optional<Sizes> sizes = call.getArg("size").getExprs();
  Type dtype = getNumberDtype(call.getArg("fill_value"));
  if (!sizes || !dtype)
    return failure();
  return make(call, *sizes, dtype);
}

static InferredTypes inferRandInt(const OperatorView &call) {
  std::optional<Sizes> sizes = call.getArg("size").getExprs();
  if (!sizes)
    return failure();
  return make(call, *sizes, IntegerType::get(call.getContext(), 64));
}

static InferredTypes inferScalarTensor(const OperatorView &call) {
  return make(call, {}, Float32Type::get(call.getContext()));
}

/// Takes the sizes, dtype and device from `self` if the call does not give
/// them.
static InferredTypes inferLike(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  if (!self)
    return failure();
  std::optional<Sizes> sizes = Sizes(self.getSizes());
  if (Argument given = call.getArg("size"))
    sizes = given.getExprs();
  if (!sizes || !takesStrides(call, sizes->size()))
    return failure();
  return result(makeTensorOn(getDevice(call.getArg("device"), self.getDevice()),
                             *sizes, getDtypeOr(call, self.getDtype())));
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

/// Returns ceil((end - start) / step). A range of int64 truncates all three
/// numbers first (aten/src/ATen/native/RangeFactories.cpp); ranges of other
/// integer types do not.
static Size getRangeLength(const Argument &start, const Argument &end,
                           const Argument &step, bool isInt64,
                           MLIRContext *context) {
  auto isFloat = [](const Argument &a) {
    return a.tree && isa<FloatAttr>(a.tree);
  };
  if (isFloat(start) || isFloat(end) || isFloat(step)) {
    std::optional<double> a = start.tree ? start.getFloat() : 0.0,
                          b = end.getFloat();
    std::optional<double> s = step.tree ? step.getFloat() : 1.0;
    if (!a || !b || !s)
      return {};
    if (isInt64) {
      for (std::optional<double> *number : {&a, &b, &s})
        *number = std::trunc(**number);
    }
    double length = std::ceil((*b - *a) / *s);
    if (*s == 0 || length < 0) {
      noteRefusal([] { return "expected a step from start towards end"; });
      return {};
    }
    return length >= 0 && length < 1e15 ? makeSize(context, int64_t(length))
                                        : Size();
  }
  Size last = end.getExpr(),
       by = step.tree ? Size(step.getExpr()) : makeSize(context, 1);
  Size first = start.tree ? Size(start.getExpr()) : makeSize(context, 0);
  if (by.is(0))
    noteRefusal([] { return "expected a step other than 0, got 0"; });
  if (!by || by.is(0))
    return {};
  Size span = last - first;
  return by.is(1) ? span : span.ceilDiv(by);
}

static InferredTypes inferArange(const OperatorView &call) {
  Argument start = call.getArg("start"), end = call.getArg("end"),
           step = call.getArg("step");
  bool isFloat = false;
  for (const Argument &argument : {start, end, step})
    if (argument.tree) {
      Type dtype = getNumberDtype(argument);
      if (!dtype)
        return failure();
      isFloat |= isFloatDtype(dtype);
    }
  Type dtype = isFloat ? Type(Float32Type::get(call.getContext()))
                       : IntegerType::get(call.getContext(), 64);
  Size length = getRangeLength(start, end, step,
                               getDtypeOr(call, dtype).isSignlessInteger(64),
                               call.getContext());
  return make(call, length.get(), dtype);
}

static InferredTypes inferLinspace(const OperatorView &call) {
  return make(call, call.getArg("steps").getExpr(),
              Float32Type::get(call.getContext()));
}

static InferredTypes inferEye(const OperatorView &call) {
  ExprAttr rows = call.getArg("n").getExpr();
  Argument m = call.getArg("m");
  ExprAttr columns = m ? m.getExpr() : rows;
  return make(call, {rows, columns}, Float32Type::get(call.getContext()));
}

static InferredTypes inferRandPerm(const OperatorView &call) {
  return make(call, call.getArg("n").getExpr(),
              IntegerType::get(call.getContext(), 64));
}

void fx::registerCreationShapes(HookTable<ShapeRule> &hooks) {
  hooks.add(inferFilled,
            {"aten.zeros.default", "aten.ones.default",
             "aten.empty.memory_format", "aten.empty_strided.default",
             "aten.rand.default", "aten.randn.default"});
  hooks.add(inferFull, {"aten.full.default"});
  hooks.add(inferRandInt, {"aten.randint.default", "aten.randint.low"});
  hooks.add(inferScalarTensor, {"aten.scalar_tensor.default"});
  hooks.add(inferLike,
            {"aten.zeros_like.default", "aten.ones_like.default",
             "aten.empty_like.default", "aten.full_like.default",
             "aten.rand_like.default", "aten.randn_like.default",
             "aten.randint_like.default", "aten.randint_like.low_dtype",
             "aten.new_zeros.default", "aten.new_ones.default",
             "aten.new_empty.default", "aten.new_full.default",
             "aten.new_empty_strided.default"});
  hooks.add(inferArange, {"aten.arange.default", "aten.arange.start",
                          "aten.arange.start_step"});
  hooks.add(inferLinspace, {"aten.linspace.default", "aten.logspace.default"});
  hooks.add(inferEye, {"aten.eye.default", "aten.eye.m"});
  hooks.add(inferRandPerm, {"aten.randperm.default"});
}

//===- Reduction.cpp - shape rules of reductions and scans ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace mlir;
using namespace fx;
using namespace fx::shape;

/// Returns the sizes after a reduction of `dims`. The reduced dimensions are
/// removed, or have size 1 with `keepdim`.
static Sizes reduceSizes(FakeTensorType self, ArrayRef<int64_t> dims,
                         bool keepdim) {
  Sizes sizes;
  for (auto [i, size] : llvm::enumerate(self.getSizes())) {
    if (!llvm::is_contained(dims, int64_t(i)))
      sizes.push_back(size);
    else if (keepdim)
      sizes.push_back(makeSize(self.getContext(), 1));
  }
  return sizes;
}

/// Returns the sizes of the result of a reduction and sets `self` to the type
/// of its operand. `dim` is an int or a list; if it is None or absent, all
/// dimensions are reduced.
static std::optional<Sizes> getReducedSizes(const OperatorView &call,
                                            FakeTensorType &self) {
  self = getTensor(call.getArg(0u));
  if (!self)
    return std::nullopt;
  std::optional<SmallVector<int64_t>> dims =
      wrapDims(call.getArg("dim"), self.getRank());
  if (!dims)
    return std::nullopt;
  return reduceSizes(self, *dims,
                     call.getArg("keepdim").getBool().value_or(false));
}

static InferredTypes inferSum(const OperatorView &call) {
  FakeTensorType self;
  std::optional<Sizes> sizes = getReducedSizes(call, self);
  if (!sizes)
    return failure();
  return result(makeTensor(
      self, *sizes, getDtypeOr(call, promoteIntToLong(self.getDtype()))));
}
static InferredTypes inferMean(const OperatorView &call) {
  FakeTensorType self;
  std::optional<Sizes> sizes = getReducedSizes(call, self);
  if (!sizes)
    return failure();
  return result(makeTensor(self, *sizes, getDtypeOr(call, self.getDtype())));
}
/// The dtype is float32 for integers and the real dtype for complex numbers.
static InferredTypes inferNorm(const OperatorView &call) {
  FakeTensorType self;
  std::optional<Sizes> sizes = getReducedSizes(call, self);
  if (!sizes)
    return failure();
  Type dtype = promoteIntToFloat(toRealDtype(self.getDtype()));
  return result(makeTensor(self, *sizes, getDtypeOr(call, dtype)));
}
static InferredTypes inferLogSumExp(const OperatorView &call) {
  FakeTensorType self;
  std::optional<Sizes> sizes = getReducedSizes(call, self);
  if (!sizes)
    return failure();
  return result(makeTensor(self, *sizes, promoteIntToFloat(self.getDtype())));
}
static InferredTypes inferVarMean(const OperatorView &call) {
  FakeTensorType self;
  std::optional<Sizes> sizes = getReducedSizes(call, self);
  if (!sizes)
    return failure();
  return results({makeTensor(self, *sizes, toRealDtype(self.getDtype())),
                  makeTensor(self, *sizes, self.getDtype())});
}
static InferredTypes inferAny(const OperatorView &call) {
  FakeTensorType self;
  std::optional<Sizes> sizes = getReducedSizes(call, self);
  if (!sizes)
    return failure();
  // PyTorch keeps uint8 for backward compatibility.
  Type dtype = IntegerType::get(call.getContext(), 1);
  if (self.getDtype().isUnsignedInteger(8))
    dtype = self.getDtype();
  return result(makeTensor(self, *sizes, dtype));
}
static InferredTypes inferExtremum(const OperatorView &call) {
  FakeTensorType self;
  std::optional<Sizes> sizes = getReducedSizes(call, self);
  if (!sizes)
    return failure();
  return result(makeTensor(self, *sizes));
}
static InferredTypes inferArgExtremum(const OperatorView &call) {
  FakeTensorType self;
  std::optional<Sizes> sizes = getReducedSizes(call, self);
  if (!sizes)
    return failure();
  return result(
      makeTensor(self, *sizes, IntegerType::get(call.getContext(), 64)));
}
/// The results are the values and their indices.
static InferredTypes inferExtremumDim(const OperatorView &call) {
  FakeTensorType self;
  std::optional<Sizes> sizes = getReducedSizes(call, self);
  if (!sizes)
    return failure();
  return results(
      {makeTensor(self, *sizes),
       makeTensor(self, *sizes, IntegerType::get(call.getContext(), 64))});
}

static InferredTypes inferKthValue(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  std::optional<int64_t> k = call.getArg("k").getInt();
  if (!self)
    return failure();
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank());
  if (!dim)
    return failure();
  std::optional<int64_t> size =
      self.getRank() == 0 ? 1 : Size(self.getSizes()[*dim]).getInt();
  if (k && size && (*k < 1 || *k > *size))
    return refuse("expected k from 1 to " + Twine(*size) + ", got " +
                  Twine(*k));
  return inferExtremumDim(call);
}

//===----------------------------------------------------------------------===//
// Scans and softmax
//===----------------------------------------------------------------------===//

/// Returns false if the argument `dim` is an int that is out of range. An
/// absent `dim`, or one that is not an int, is valid.
static bool hasValidDim(const OperatorView &call, FakeTensorType self) {
  Argument dim = call.getArg("dim");
  return !dim || !dim.getInt() || wrapDim(dim, self.getRank());
}

static InferredTypes inferScan(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  if (!self || !hasValidDim(call, self))
    return failure();
  Type dtype = getDtypeOr(call, promoteIntToLong(self.getDtype()));
  return result(makeTensor(self, self.getSizes(), dtype));
}
static InferredTypes inferSoftmax(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  if (!self || !hasValidDim(call, self))
    return failure();
  Type dtype = getDtypeOr(call, self.getDtype());
  if (call.getArg("half_to_float").getBool().value_or(false))
    dtype = Float32Type::get(call.getContext());
  return result(makeTensor(self, self.getSizes(), dtype));
}
static InferredTypes inferScanWithIndices(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  if (!self || !hasValidDim(call, self))
    return failure();
  return results({self.withoutMeta(),
                  makeTensor(self, self.getSizes(),
                             IntegerType::get(call.getContext(), 64))});
}
static InferredTypes inferArgSort(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  if (!self || !hasValidDim(call, self))
    return failure();
  return result(makeTensor(self, self.getSizes(),
                           IntegerType::get(call.getContext(), 64)));
}
static InferredTypes inferTopK(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  if (!self)
    return failure();
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank());
  Sizes sizes(self.getSizes());
  if (!dim)
    return failure();
  std::optional<int64_t> k = call.getArg("k").getInt();
  std::optional<int64_t> size = sizes.empty() ? 1 : Size(sizes[*dim]).getInt();
  if (k && (*k < 0 || (size && *k > *size)))
    return refuse("expected k from 0 to " +
                  (size ? std::to_string(*size) : toText(sizes[*dim])) +
                  ", got " + Twine(*k));
  if (!sizes.empty())
    sizes[*dim] = call.getArg("k").getExpr();
  return results(
      {makeTensor(self, sizes),
       makeTensor(self, sizes, IntegerType::get(call.getContext(), 64))});
}

static InferredTypes inferAlong(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  if (!self || !hasValidDim(call, self))
    return failure();
  return sameAsFirst(call);
}

void fx::registerReductionShapes(HookTable<ShapeRule> &hooks) {
  hooks.add(inferSum,
            {"aten.sum.default", "aten.sum.dim_IntList", "aten.prod.default",
             "aten.prod.dim_int", "aten.nansum.default"});
  hooks.add(inferMean,
            {"aten.mean.default", "aten.mean.dim", "aten.nanmean.default"});
  hooks.add(inferNorm,
            {"aten.linalg_vector_norm.default", "aten.norm.ScalarOpt_dim",
             "aten.norm.ScalarOpt_dim_dtype", "aten.norm.Scalar",
             "aten.var.correction", "aten.var.dim", "aten.var.default",
             "aten.std.correction", "aten.std.dim", "aten.std.default"});
  hooks.add(inferLogSumExp,
            {"aten.logsumexp.default", "aten.special_logsumexp.default"});
  hooks.add(inferVarMean, {"aten.var_mean.correction", "aten.var_mean.dim",
                           "aten.std_mean.correction"});
  hooks.add(inferAny, {"aten.any.default", "aten.any.dim", "aten.any.dims",
                       "aten.all.default", "aten.all.dim", "aten.all.dims"});
  hooks.add(inferExtremum, {"aten.amax.default", "aten.amin.default",
                            "aten.max.default", "aten.min.default"});
  hooks.add(inferArgExtremum,
            {"aten.argmax.default", "aten.argmin.default",
             "aten.count_nonzero.default", "aten.count_nonzero.dim_IntList"});
  hooks.add(inferExtremumDim, {"aten.max.dim", "aten.min.dim",
                               "aten.median.dim", "aten.mode.default"});
  hooks.add(inferKthValue, {"aten.kthvalue.default"});
  hooks.add(inferScan, {"aten.cumsum.default", "aten.cumprod.default"});
  hooks.add(inferSoftmax,
            {"aten.softmax.int", "aten._softmax.default",
             "aten.log_softmax.int", "aten.special_softmax.default",
             "aten.special_log_softmax.default", "aten._log_softmax.default",
             "aten._safe_softmax.default"});
  hooks.add(inferScanWithIndices, {"aten.cummax.default", "aten.cummin.default",
                                   "aten.sort.default", "aten.sort.stable"});
  hooks.add(inferArgSort, {"aten.argsort.default", "aten.argsort.stable"});
  hooks.add(inferTopK, {"aten.topk.default"});
  hooks.add(inferAlong, {"aten.logcumsumexp.default"});
}

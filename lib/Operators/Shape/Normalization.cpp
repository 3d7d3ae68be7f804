//===- Normalization.cpp - shape rules of normalizations ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace mlir;
using namespace fx;
using namespace fx::shape;

/// Returns false if `normalized_shape` provably differs from the last sizes of
/// `input`.
static bool isNormalizable(const OperatorView &call, FakeTensorType input) {
  std::optional<Sizes> shape = call.getArg("normalized_shape").getExprs();
  if (!shape)
    return true;
  bool fits = !shape->empty() && int64_t(shape->size()) <= input.getRank();
  if (fits)
    for (auto [size, wanted] :
         llvm::zip_equal(input.getSizes().take_back(shape->size()), *shape))
      fits &= !size.isProvablyDifferent(wanted);
  if (!fits)
    noteRefusal([&] {
      return "expected a normalized_shape that " + toText(input.getSizes()) +
             " ends with, got " + toText(*shape);
    });
  return fits;
}

static InferredTypes inferLayerNorm(const OperatorView &call) {
  FakeTensorType input = getTensor(call.getArg(0u));
  if (!input || !isNormalizable(call, input))
    return failure();
  return sameAsFirst(call);
}

static InferredTypes inferGroupNorm(const OperatorView &call) {
  FakeTensorType input = getTensor(call.getArg(0u));
  if (!input)
    return failure();
  if (input.getRank() < 2)
    return refuse("expected an input of rank 2 or more, got " +
                  Twine(input.getRank()));
  std::optional<int64_t> groups = call.getArg("num_groups").getInt(),
                         channels = Size(input.getSizes()[1]).getInt();
  if (groups && *groups <= 0)
    return refuse("expected num_groups above 0, got " + Twine(*groups));
  if (groups && channels && *channels % *groups != 0)
    return refuse("expected num_groups that divides " + Twine(*channels) +
                  " channels, got " + Twine(*groups));
  return sameAsFirst(call);
}

/// The results are the output, and the mean and the reciprocal standard
/// deviation of each row.
static InferredTypes inferNativeLayerNorm(const OperatorView &call) {
  FakeTensorType input = getTensor(call.getArg(0u));
  if (!input || !isNormalizable(call, input))
    return failure();
  int64_t normalized = call.getArg("normalized_shape").getElements().size();
  if (normalized > input.getRank())
    return failure();
  Sizes sizes(input.getSizes());
  for (ExprAttr &size : MutableArrayRef(sizes).take_back(normalized))
    size = makeSize(call.getContext(), 1);
  Type statistics = makeTensor(input, sizes);
  return results({input.withoutMeta(), statistics, statistics});
}

static InferredTypes inferFusedRmsNorm(const OperatorView &call) {
  InferredTypes types = inferNativeLayerNorm(call);
  if (succeeded(types))
    types->pop_back();
  return types;
}

/// The results are the output and two statistics of the batch. Their sizes are
/// [C] in training and [0] otherwise.
static InferredTypes inferNativeBatchNorm(const OperatorView &call) {
  FakeTensorType input = getTensor(call.getArg(0u));
  if (!input || input.getRank() < 2)
    return failure();
  Argument training = call.getArg("training");
  if (training && !training.getBool())
    return failure();
  bool isTraining = training && *training.getBool();
  ExprAttr size =
      isTraining ? input.getSizes()[1] : makeSize(call.getContext(), 0).get();
  Type statistics = makeTensor(input, size);
  return results({input.withoutMeta(), statistics, statistics});
}

/// The results are the output and two statistics of sizes [N, groups].
static InferredTypes inferNativeGroupNorm(const OperatorView &call) {
  FakeTensorType input = getTensor(call.getArg(0u));
  ExprAttr batch = call.getArg("N").getExpr(),
           groups = call.getArg("group").getExpr();
  if (!input || !batch || !groups)
    return failure();
  Type statistics = makeTensor(input, {batch, groups});
  return results({input.withoutMeta(), statistics, statistics});
}

void fx::registerNormalizationShapes(HookTable<ShapeRule> &hooks) {
  hooks.add(sameAsFirst,
            {"aten.batch_norm.default", "aten.instance_norm.default",
             "aten._weight_norm.default"});
  hooks.add(inferLayerNorm,
            {"aten.layer_norm.default", "aten.rms_norm.default"});
  hooks.add(inferGroupNorm, {"aten.group_norm.default"});
  hooks.add(inferNativeLayerNorm, {"aten.native_layer_norm.default"});
  hooks.add(inferFusedRmsNorm, {"aten._fused_rms_norm.default"});
  hooks.add(inferNativeBatchNorm,
            {"aten.native_batch_norm.default",
             "aten._native_batch_norm_legit.default",
             "aten._native_batch_norm_legit.no_stats",
             "aten._native_batch_norm_legit_no_training.default"});
  hooks.add(inferNativeGroupNorm, {"aten.native_group_norm.default"});
}

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

FX_REGISTER_SHAPE_RULES(sameAsFirst, "aten.layer_norm.default",
                        "aten.batch_norm.default", "aten.group_norm.default",
                        "aten.instance_norm.default", "aten.rms_norm.default",
                        "aten._weight_norm.default")

/// The output, and the mean and reciprocal deviation of each row.
static InferredTypes inferNativeLayerNorm(const OperatorView &call) {
  FakeTensorType input = getTensor(call.getArg(0u));
  if (!input)
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
FX_REGISTER_SHAPE_RULES(inferNativeLayerNorm, "aten.native_layer_norm.default")

static InferredTypes inferFusedRmsNorm(const OperatorView &call) {
  InferredTypes types = inferNativeLayerNorm(call);
  if (succeeded(types))
    types->pop_back();
  return types;
}
FX_REGISTER_SHAPE_RULES(inferFusedRmsNorm, "aten._fused_rms_norm.default")

/// The output, and the statistics of the batch: [C] while training, else [0].
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
FX_REGISTER_SHAPE_RULES(inferNativeBatchNorm, "aten.native_batch_norm.default",
                        "aten._native_batch_norm_legit.default",
                        "aten._native_batch_norm_legit.no_stats",
                        "aten._native_batch_norm_legit_no_training.default")

/// The output, and the statistics [N, groups].
static InferredTypes inferNativeGroupNorm(const OperatorView &call) {
  FakeTensorType input = getTensor(call.getArg(0u));
  ExprAttr batch = call.getArg("N").getExpr(),
           groups = call.getArg("group").getExpr();
  if (!input || !batch || !groups)
    return failure();
  Type statistics = makeTensor(input, {batch, groups});
  return results({input.withoutMeta(), statistics, statistics});
}
FX_REGISTER_SHAPE_RULES(inferNativeGroupNorm, "aten.native_group_norm.default")

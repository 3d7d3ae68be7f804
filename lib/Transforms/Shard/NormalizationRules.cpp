//===- NormalizationRules.cpp - norms of rows, groups and channels --------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

using namespace mlir;
using namespace fx;
using namespace fx::shard;

/// Normalizes the last dimensions.
static bool addLayerNorm(const OperatorView &call, Rule &rule) {
  FakeTensorType input = getOperandType(call, 0);
  if (!input)
    return false;
  int64_t count = call.getArg("normalized_shape").getElements().size();
  for (unsigned dim = 0; dim + count < input.getRank(); ++dim) {
    Factor factor = Factor(call).operand(0, dim);
    // The mean and the deviation have sizes of 1 in the last dimensions.
    for (unsigned i = 0; i < call->getNumResults(); ++i)
      factor.result(i, dim);
    rule.factors.push_back(factor);
  }
  return true;
}

/// Returns a factor of dimension 1 of the input and the result, and of all
/// vectors.
static Factor getChannels(const OperatorView &call) {
  Factor channels = Factor(call).operand(0, 1).result(0, 1);
  for (unsigned i = 1; i < call->getNumOperands(); ++i)
    if (FakeTensorType type = getOperandType(call, i);
        type && type.getRank() == 1)
      channels.operand(i, 0);
  return channels;
}

static bool addGroupNorm(const OperatorView &call, Rule &rule) {
  std::optional<int64_t> groups = call.getArg("num_groups").getInt();
  if (!getOperandType(call, 0) || !groups || call->getNumResults() != 1)
    return false;
  rule.factors.push_back(Factor(call).operand(0, 0).result(0, 0));
  Factor channels = getChannels(call);
  channels.sizes.push_back({"num_groups", std::nullopt});
  channels.count = groups;
  channels.isWhole = false;
  rule.factors.push_back(channels);
  return true;
}

/// Without training, each channel has its own constants.
static bool addBatchNorm(const OperatorView &call, Rule &rule) {
  if (!getOperandType(call, 0))
    return false;
  if (call.declares("training") &&
      call.getArg("training").getBool().value_or(true))
    return false;
  if (call.getSchema().getName() != "aten.batch_norm.default")
    for (unsigned i = 1; i < call->getNumResults(); ++i)
      if (!call->getResult(i).use_empty())
        return false;
  rule.factors.push_back(getChannels(call));
  return true;
}

//===----------------------------------------------------------------------===//
// Quantized weights
//===----------------------------------------------------------------------===//

/// A scale and a zero point for each element of one dimension.
static bool addPerChannel(const OperatorView &call, Rule &rule) {
  FakeTensorType input = getOperandType(call, 0);
  Dim axis = input ? getDim(call, "axis", input.getRank()) : std::nullopt;
  if (!axis)
    return false;
  for (unsigned dim = 0; dim < input.getRank(); ++dim) {
    Factor factor = Factor(call).operand(0, dim).result(0, dim);
    if (dim == *axis)
      for (unsigned i = 1; i < call->getNumOperands(); ++i)
        if (FakeTensorType type = getOperandType(call, i);
            type && type.getRank() == 1)
          factor.operand(i, 0);
    rule.factors.push_back(factor);
  }
  return true;
}

static bool addPerTensor(const OperatorView &call, Rule &rule) {
  FakeTensorType input = getOperandType(call, 0);
  if (!input)
    return false;
  for (unsigned dim = 0; dim < input.getRank(); ++dim)
    rule.factors.push_back(Factor(call).operand(0, dim).result(0, dim));
  return true;
}

void shard::addNormalizationRules(RuleTable &rules) {
  for (StringRef name :
       {"aten.layer_norm.default", "aten.native_layer_norm.default",
        "aten.rms_norm.default", "aten._fused_rms_norm.default"})
    rules[name] = addLayerNorm;
  rules["aten.group_norm.default"] = addGroupNorm;
  for (StringRef name : {"aten.batch_norm.default",
                         "aten._native_batch_norm_legit_no_training.default"})
    rules[name] = addBatchNorm;
  for (StringRef name : {"quantized_decomposed.dequantize_per_channel.default",
                         "quantized_decomposed.quantize_per_channel.default"})
    rules[name] = addPerChannel;
  for (StringRef name : {"quantized_decomposed.dequantize_per_tensor.default",
                         "quantized_decomposed.dequantize_per_tensor.tensor",
                         "quantized_decomposed.quantize_per_tensor.default",
                         "quantized_decomposed.quantize_per_tensor.tensor"})
    rules[name] = addPerTensor;
}

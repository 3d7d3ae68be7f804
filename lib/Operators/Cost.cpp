//===- Cost.cpp - what a call computes and moves --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/Cost.h"
#include "fx/Support/HostTensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fx;

namespace {
/// A number as an expression; null if it depends on something unknown.
struct Count {
  ExprAttr expr;

  friend Count operator*(Count a, Count b) {
    return {a.expr && b.expr
                ? ExprAttr::mul(a.expr.getContext(), {a.expr, b.expr})
                : ExprAttr()};
  }
  friend Count operator*(Count a, int64_t b) {
    return a.expr ? a * Count{ExprAttr::integer(a.expr.getContext(), b)} : a;
  }
  friend Count operator+(Count a, Count b) {
    return {a.expr && b.expr
                ? ExprAttr::add(a.expr.getContext(), {a.expr, b.expr})
                : ExprAttr()};
  }
};
} // namespace

static FakeTensorType getTensor(Value value) {
  return value ? dyn_cast<FakeTensorType>(value.getType()) : FakeTensorType();
}
static FakeTensorType getTensor(const OperatorView &call, StringRef name) {
  return getTensor(call.findArg(name).getValue());
}

static Count product(MLIRContext *ctx, ArrayRef<ExprAttr> sizes) {
  return {ExprAttr::mul(ctx, sizes)};
}
static Count count(FakeTensorType type) {
  return type ? product(type.getContext(), type.getSizes()) : Count();
}
static Count result(const OperatorView &call) {
  return count(call->getNumResults() ? getTensor(call->getResult(0))
                                     : FakeTensorType());
}

ExprAttr fx::getElementCount(Type type) {
  return count(dyn_cast<FakeTensorType>(type)).expr;
}

ExprAttr fx::getByteCount(Type type) {
  auto tensor = dyn_cast<FakeTensorType>(type);
  std::optional<DType> dtype =
      tensor ? getDType(tensor.getDtype()) : std::nullopt;
  return dtype ? (count(tensor) * getByteSize(*dtype)).expr : ExprAttr();
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

static Cost makeContraction(Count contractions, Count rest) {
  return {contractions.expr, (contractions + rest).expr, {}};
}
static Count zero(const OperatorView &call) {
  return {ExprAttr::integer(call.getContext(), 0)};
}
/// Returns the additions of the operand `name`: one for each element of the
/// result, or 0 if the operand is absent.
static Count bias(const OperatorView &call, StringRef name) {
  return call.findArg(name).isValue() ? result(call) : zero(call);
}

/// Returns the cost 2 m n k of a matmul; k is the last size of the operand
/// `left`. Adds one addition per element of the result for the operand `added`.
static Cost costProduct(const OperatorView &call, StringRef left,
                        StringRef added) {
  FakeTensorType type = getTensor(call, left);
  if (!type || type.getRank() == 0)
    return {};
  return makeContraction(result(call) * Count{type.getSizes().back()} * 2,
                         added.empty() ? zero(call) : bias(call, added));
}
static Cost costMatMul(const OperatorView &call) {
  return costProduct(call, "self", "");
}
static Cost costLinear(const OperatorView &call) {
  return costProduct(call, "input", "bias");
}
static Cost costAddmm(const OperatorView &call) {
  return costProduct(call, "mat1", "self");
}
static Cost costBaddbmm(const OperatorView &call) {
  return costProduct(call, "batch1", "self");
}

/// Counts a multiplication and an addition for each element of the weight and
/// each pixel of the output, or of the input if the convolution is transposed.
static Cost costConvolution(const OperatorView &call) {
  FakeTensorType input = getTensor(call, "input"),
                 weight = getTensor(call, "weight"),
                 output = getTensor(call->getResult(0));
  if (!input || !weight || !output || weight.getRank() < 3)
    return {};
  std::optional<bool> transposed = call.getArg("transposed").getBool();
  bool isTransposed = call.getSchema().getName().contains("conv_transpose") ||
                      transposed.value_or(false);
  int64_t spatial = weight.getRank() - 2;
  FakeTensorType pixels = isTransposed ? input : output;
  if (pixels.getRank() < spatial)
    return {};
  Count n = product(call.getContext(), pixels.getSizes().take_back(spatial));
  if (pixels.getRank() == spatial + 2)
    n = n * Count{pixels.getSizes().front()};
  return makeContraction(n * count(weight) * 2, bias(call, "bias"));
}

/// Counts two matmuls, and a scaling and a softmax (6 operations) for each
/// score. A causal mask does not reduce the count, as in PyTorch.
static Cost costAttention(const OperatorView &call) {
  FakeTensorType query = getTensor(call, "query"), key = getTensor(call, "key"),
                 value = getTensor(call, "value");
  if (!query || !key || !value || query.getRank() < 2 || key.getRank() < 2 ||
      value.getRank() < 2)
    return {};
  Count scores = product(call.getContext(), query.getSizes().drop_back()) *
                 Count{key.getSizes()[key.getRank() - 2]};
  Count products = scores * Count{query.getSizes().back()} * 2 +
                   scores * Count{value.getSizes().back()} * 2;
  return makeContraction(products, scores * 6);
}

//===----------------------------------------------------------------------===//
// Other operators
//===----------------------------------------------------------------------===//

static Cost makeCost(const OperatorView &call, Count total) {
  return {zero(call).expr, total.expr, {}};
}
static Count firstOperand(const OperatorView &call) {
  return count(call->getNumOperands() ? getTensor(call->getOperand(0))
                                      : FakeTensorType());
}

/// Counts 5 operations per element: maximum, difference, exponential, sum,
/// quotient.
static Cost costSoftmax(const OperatorView &call) {
  return makeCost(call, result(call) * 5);
}

/// Counts 7 operations per element: mean, centering, squares, their mean,
/// scaling, weight and bias.
static Cost costNorm(const OperatorView &call) {
  return makeCost(call, result(call) * 7);
}

/// Counts 4 operations per element: squares, their mean, scaling, weight.
static Cost costRMSNorm(const OperatorView &call) {
  return makeCost(call, result(call) * 4);
}

/// Counts a multiplication and an addition per element if the statistics are
/// known. Counts the same as costNorm in training.
static Cost costBatchNorm(const OperatorView &call) {
  bool trains = call.getArg("training").getBool().value_or(false);
  return makeCost(call, result(call) * (trains ? 7 : 2));
}

/// Counts one operation for each element of each window.
static Cost costPool(const OperatorView &call) {
  Count n = result(call);
  std::optional<SmallVector<int64_t>> window =
      call.getArg("kernel_size").getInts();
  if (!window)
    return {};
  int64_t dims = call.getSchema().getName().contains("pool3d")   ? 3
                 : call.getSchema().getName().contains("pool2d") ? 2
                                                                 : 1;
  if (window->size() != 1 && int64_t(window->size()) != dims)
    return {};
  for (int64_t i = 0; i < dims; ++i)
    n = n * (*window)[window->size() == 1 ? 0 : i];
  return makeCost(call, n);
}

static Cost costInput(const OperatorView &call) {
  return makeCost(call, firstOperand(call));
}

Cost fx::getCost(const OperatorView &call) {
  const OperatorSchema &schema = call.getSchema();
  Cost cost;
  if (schema.isSymbolic() || schema.isView()) {
    cost.contractions = cost.total = cost.bytes = zero(call).expr;
    return cost;
  }
  if (auto rule = HookTable<CostRule>::get().lookup(schema))
    cost = rule(call);
  else if (schema.has(OperatorSchema::Pointwise))
    cost = makeCost(call, result(call));
  else if (schema.has(OperatorSchema::Reduction))
    cost = costInput(call);
  else
    cost = makeCost(call, zero(call));
  Count bytes = zero(call);
  llvm::SmallSetVector<Value, 8> values(call->operand_begin(),
                                        call->operand_end());
  values.insert(call->result_begin(), call->result_end());
  for (Value value : values)
    if (isa<FakeTensorType>(value.getType()))
      bytes = bytes + Count{getByteCount(value.getType())};
  cost.bytes = bytes.expr;
  return cost;
}

void CostRule::registerAll(HookTable<CostRule> &hooks) {
  hooks.add(costMatMul,
            {"aten.mm.default", "aten.bmm.default", "aten.matmul.default",
             "aten.mv.default", "aten.dot.default"});
  hooks.add(costLinear, {"aten.linear.default"});
  hooks.add(costAddmm, {"aten.addmm.default"});
  hooks.add(costBaddbmm, {"aten.baddbmm.default"});
  hooks.add(costConvolution,
            {"aten.convolution.default", "aten.conv1d.default",
             "aten.conv2d.default", "aten.conv3d.default",
             "aten.conv1d.padding", "aten.conv2d.padding",
             "aten.conv3d.padding", "aten.conv_transpose1d.default",
             "aten.conv_transpose2d.input", "aten.conv_transpose3d.input"});
  hooks.add(costAttention, {"aten.scaled_dot_product_attention.default"});
  hooks.add(costSoftmax, {"aten.softmax.int", "aten._softmax.default",
                          "aten.log_softmax.int", "aten._log_softmax.default",
                          "aten.special_softmax.default",
                          "aten.special_log_softmax.default"});
  hooks.add(costNorm,
            {"aten.layer_norm.default", "aten.native_layer_norm.default",
             "aten.group_norm.default", "aten.native_group_norm.default"});
  hooks.add(costRMSNorm, {"aten.rms_norm.default"});
  hooks.add(costBatchNorm, {"aten.batch_norm.default",
                            "aten._native_batch_norm_legit_no_training.default",
                            "aten._native_batch_norm_legit.default",
                            "aten.native_batch_norm.default"});
  hooks.add(costPool,
            {"aten.max_pool1d.default", "aten.max_pool2d.default",
             "aten.max_pool3d.default", "aten.max_pool2d_with_indices.default",
             "aten.max_pool3d_with_indices.default", "aten.avg_pool1d.default",
             "aten.avg_pool2d.default", "aten.avg_pool3d.default"});
  hooks.add(costInput, {"aten.adaptive_avg_pool1d.default",
                        "aten.adaptive_avg_pool2d.default",
                        "aten.adaptive_avg_pool3d.default",
                        "aten._adaptive_avg_pool2d.default",
                        "aten._adaptive_avg_pool3d.default",
                        "aten.cumsum.default", "aten.cumprod.default"});
}

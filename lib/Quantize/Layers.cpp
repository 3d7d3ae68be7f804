//===- Layers.cpp - operators that can compute on integers ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"

using namespace mlir;
using namespace fx;

llvm::StringRef fx::getName(LayerKind kind) {
  switch (kind) {
  case LayerKind::Linear:
    return "linear";
  case LayerKind::Conv:
    return "conv";
  case LayerKind::MatMul:
    return "matmul";
  case LayerKind::Add:
    return "add";
  case LayerKind::Pool:
    return "pool";
  case LayerKind::Cat:
    return "cat";
  }
  return "";
}

std::optional<LayerKind> fx::getLayerKind(StringRef name) {
  for (LayerKind kind : kAllLayerKinds)
    if (name == getName(kind))
      return kind;
  return std::nullopt;
}

static int64_t getRank(Value value) {
  auto type = dyn_cast<FakeTensorType>(value.getType());
  return type ? type.getRank() : -1;
}

/// Returns the index of the operand of a tensor argument.
static std::optional<unsigned> getOperand(const Argument &argument) {
  if (!argument.isValue() || getRank(argument.getValue()) < 0)
    return std::nullopt;
  return argument.operands.getBeginOperandIndex();
}

/// Returns the matrix whose transpose `value` is, or null.
static Value getTransposed(Value value) {
  OperatorView call = getOperatorView(value.getDefiningOp());
  if (!call || getRank(value) != 2)
    return Value();
  StringRef target = call.getSchema().getName();
  if (target == "aten.t.default")
    return call.getArg(0u).getValue();
  if (target == "aten.permute.default") {
    auto dims = call.getArg(1).getInts();
    if (!dims || dims->size() != 2 || (*dims)[0] == 0 || (*dims)[0] == -2)
      return Value();
    return call.getArg(0u).getValue();
  }
  if (target == "aten.transpose.int") {
    auto a = call.getArg(1).getInt(), b = call.getArg(2).getInt();
    if (!a || !b || (*a + 2) % 2 == (*b + 2) % 2)
      return Value();
    return call.getArg(0u).getValue();
  }
  return Value();
}

/// Makes `argument` the weight of the layer; `axis` is its dimension of output
/// channels. Returns false if the argument is not a constant tensor.
static bool setWeight(Layer &layer, const Argument &argument, unsigned axis,
                      ConstantAnalysis &constants) {
  std::optional<unsigned> operand = getOperand(argument);
  if (!operand || !constants.contains(argument.getValue()))
    return false;
  layer.weight = *operand;
  layer.source = argument.getValue();
  layer.channelAxis = axis;
  Value transposed = getTransposed(layer.source);
  if (transposed && constants.contains(transposed)) {
    layer.source = transposed;
    layer.channelAxis = 1 - axis;
  }
  return true;
}

static std::optional<Layer> makeLayer(const OperatorView &call, LayerKind kind,
                                      ArrayRef<Argument> activations,
                                      ConstantAnalysis &constants) {
  Layer layer;
  layer.op = call;
  layer.kind = kind;
  for (const Argument &argument : activations) {
    std::optional<unsigned> operand = getOperand(argument);
    if (!operand || constants.isConstant(argument.getValue()))
      return std::nullopt;
    layer.activations.push_back(*operand);
  }
  return layer;
}

/// Matches a matmul of an activation and a weight, or of two activations.
static std::optional<Layer> matchProduct(const OperatorView &call,
                                         unsigned left, unsigned right,
                                         unsigned channelAxis,
                                         ConstantAnalysis &constants) {
  Argument x = call.getArg(left), y = call.getArg(right);
  Layer weighted;
  if (y.getValue() && getRank(y.getValue()) == 2 &&
      setWeight(weighted, y, channelAxis, constants)) {
    auto layer = makeLayer(call, LayerKind::Linear, {x}, constants);
    if (layer) {
      layer->weight = weighted.weight;
      layer->source = weighted.source;
      layer->channelAxis = weighted.channelAxis;
    }
    return layer;
  }
  return makeLayer(call, LayerKind::MatMul, {x, y}, constants);
}

static std::optional<Layer> matchConvolution(const OperatorView &call,
                                             bool isTransposed,
                                             ConstantAnalysis &constants) {
  auto layer = makeLayer(call, LayerKind::Conv, {call.getArg(0u)}, constants);
  if (!layer ||
      !setWeight(*layer, call.getArg(1), isTransposed ? 1 : 0, constants))
    return std::nullopt;
  // The groups of a transposed convolution share the output dimension of the
  // weight, so its index is not that of an output channel.
  if (isTransposed && call.getArg("groups").getInt() != 1)
    layer->channelAxis = std::nullopt;
  return layer;
}

/// Matches the sum of two activations of equal sizes.
static std::optional<Layer> matchAdd(const OperatorView &call,
                                     ConstantAnalysis &constants) {
  Value x = call.getArg(0u).getValue(), y = call.getArg(1).getValue();
  auto type = x ? dyn_cast<FakeTensorType>(x.getType()) : FakeTensorType();
  auto other = y ? dyn_cast<FakeTensorType>(y.getType()) : FakeTensorType();
  if (!type || !other || type.getSizes() != other.getSizes() ||
      call.getArg("alpha").getFloat() != 1)
    return std::nullopt;
  return makeLayer(call, LayerKind::Add, {call.getArg(0u), call.getArg(1)},
                   constants);
}

static std::optional<Layer> matchPool(const OperatorView &call, bool isMax,
                                      ConstantAnalysis &constants) {
  // Quantization makes values equal, which may change the index of a maximum.
  for (unsigned i = 1; i < call->getNumResults(); ++i)
    if (!call->getResult(i).use_empty())
      return std::nullopt;
  auto layer = makeLayer(call, LayerKind::Pool, {call.getArg(0u)}, constants);
  if (layer)
    layer->keepsValues = isMax;
  return layer;
}

std::optional<Layer> fx::matchLayer(Operation *op,
                                    ConstantAnalysis &constants) {
  auto node = dyn_cast_if_present<CallFunctionOp>(op);
  OperatorView call = node ? getOperatorView(op) : OperatorView();
  if (!call || op->getNumResults() == 0)
    return std::nullopt;
  StringRef name = call.getSchema().getName();
  if (!name.consume_front("aten."))
    return std::nullopt;
  if (name == "linear.default")
    return matchProduct(call, 0, 1, 0, constants);
  if (name == "addmm.default") {
    if (call.getArg("beta").getFloat() != 1 ||
        call.getArg("alpha").getFloat() != 1)
      return std::nullopt;
    return matchProduct(call, 1, 2, 1, constants);
  }
  if (name == "mm.default" || name == "matmul.default" || name == "bmm.default")
    return matchProduct(call, 0, 1, 1, constants);
  auto [stem, overload] = name.split('.');
  if (stem == "conv1d" || stem == "conv2d" || stem == "conv3d")
    return matchConvolution(call, false, constants);
  if (stem == "conv_transpose1d" || stem == "conv_transpose2d" ||
      stem == "conv_transpose3d")
    return matchConvolution(call, true, constants);
  if (name == "convolution.default") {
    std::optional<bool> transposed = call.getArg("transposed").getBool();
    if (!transposed)
      return std::nullopt;
    return matchConvolution(call, *transposed, constants);
  }
  if (name == "add.Tensor")
    return matchAdd(call, constants);
  if (name == "cat.default") {
    auto layer = makeLayer(call, LayerKind::Cat, call.getArg(0u).getElements(),
                           constants);
    if (!layer || layer->activations.empty())
      return std::nullopt;
    layer->keepsValues = true;
    return layer;
  }
  if (name == "max_pool2d.default" || name == "max_pool2d_with_indices.default")
    return matchPool(call, true, constants);
  if (name == "avg_pool2d.default" || name == "adaptive_avg_pool2d.default" ||
      name == "_adaptive_avg_pool2d.default")
    return matchPool(call, false, constants);
  return std::nullopt;
}

bool fx::isBetweenLayers(Operation *op) {
  OperatorView call = getOperatorView(op);
  if (!call || op->getNumResults() != 1)
    return false;
  StringRef name = call.getSchema().getName();
  static constexpr StringLiteral names[] = {
      "aten.relu.default",       "aten.relu6.default",
      "aten.hardtanh.default",   "aten.clamp.default",
      "aten.clamp_min.default",  "aten.leaky_relu.default",
      "aten.dropout.default",    "aten.contiguous.default",
      "aten.clone.default",      "aten.reshape.default",
      "aten.flatten.using_ints", "aten.slice.Tensor"};
  return call.getSchema().isView() || llvm::is_contained(names, name);
}

bool fx::isDequantize(Operation *op) {
  auto call = dyn_cast_if_present<CallFunctionOp>(op);
  return call &&
         call.getTarget().starts_with("quantized_decomposed.dequantize_");
}

//===- CostModel.cpp - what a layer would take ----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"
#include "fx/IR/Ranges.h"
#include "fx/Operators/Cost.h"

using namespace mlir;
using namespace fx;

/// Operations per element; the cost of one is half a multiply-add. kQuantize:
/// multiply, round, add the zero point, two bounds, two conversions and a
/// store. kObserve: find the extremes in each run of the dynamic mode. kScale:
/// convert and scale a sum. kPack: pack four terms of the second activation of
/// a matmul together, and sum its terms.
static constexpr double kQuantize = 16, kObserve = 4, kScale = 4, kPack = 16;
/// The fixed cost, in seconds, of the kernels that find the extremes and
/// quantize.
static constexpr double kStart = 0.5e-6;

/// Returns the value of `expr` if each symbol is 1 or, if that is greater, the
/// minimum of its range.
static std::optional<double> getLeast(GraphOp graph, ExprAttr expr) {
  if (!expr)
    return std::nullopt;
  auto lookup = [&](StringRef name) -> std::optional<int64_t> {
    for (auto range : graph.getSymbols().getAsRange<RangeAttr>())
      if (range.getExpr().isSymbol() && range.getExpr().getName() == name)
        return std::max<int64_t>(1, getCheckedMin(range).value_or(1));
    return std::nullopt;
  };
  std::optional<int64_t> value = expr.evaluate(lookup);
  return value ? std::optional<double>(*value) : std::nullopt;
}

/// Returns true if code generation has an integer kernel for the layer. A
/// matmul of two activations must have a static reduction dimension. A
/// convolution with groups must have a multiple of four input channels per
/// group, since the kernel sums four channels at a time. This excludes
/// depthwise convolutions, which take as few instructions in float.
static bool hasIntegerKernel(const Layer &layer) {
  if (layer.kind == LayerKind::MatMul) {
    auto type = dyn_cast<FakeTensorType>(layer.getActivation(0).getType());
    return type && type.getRank() > 0 &&
           !ShapedType::isDynamic(type.getDimSize(type.getRank() - 1));
  }
  if (layer.kind != LayerKind::Conv)
    return true;
  OperatorView call = getOperatorView(layer.op);
  if (!call)
    return false;
  if (call.getArg("groups").getInt() == 1)
    return true;
  auto type = dyn_cast<FakeTensorType>(layer.source.getType());
  return type && layer.channelAxis == 0 && type.getDimSize(1) % 4 == 0;
}

std::optional<LayerTimes> fx::estimateTimes(const Layer &layer,
                                            const QuantizationConfig &config,
                                            unsigned numUsers) {
  using Mode = QuantizationConfig::Mode;
  if (!layer.isContraction() || config.mode == Mode::WeightOnly)
    return std::nullopt;
  auto graph = layer.op->getParentOfType<GraphOp>();
  OperatorView call = getOperatorView(layer.op);
  auto count = [&](Value value) {
    return getLeast(graph, getElementCount(value.getType()));
  };
  std::optional<double> operations =
      getLeast(graph, getCost(call).contractions);
  std::optional<double> results = count(layer.op->getResult(0));
  double inputs = 0, weights = 0, scales = 0;
  for (unsigned i = 0; i < layer.activations.size(); ++i) {
    std::optional<double> n = count(layer.getActivation(i));
    if (!n)
      return std::nullopt;
    inputs += *n;
  }
  if (layer.weight) {
    auto type = dyn_cast<FakeTensorType>(layer.source.getType());
    std::optional<double> n = count(layer.source);
    if (!type || !n)
      return std::nullopt;
    weights = *n;
    if (config.groupSize)
      scales = weights / config.groupSize;
    else if (config.perChannel && layer.channelAxis)
      scales = std::max<int64_t>(0, type.getDimSize(*layer.channelAxis));
  }
  if (!operations || !results)
    return std::nullopt;
  const double peak = config.rates.peak * 1e9,
               bandwidth = config.rates.bandwidth * 1e9,
               integerPeak = config.rates.integerRatio * peak;
  LayerTimes times;
  times.hasKernel = hasIntegerKernel(layer);
  times.real = std::max(*operations / peak,
                        4 * (inputs + weights + *results) / bandwidth);
  double bytes =
      inputs + weights * config.weightBits / 8 + 4 * (scales + *results);
  // Without an integer kernel, the inputs are dequantized in memory first.
  times.integer =
      times.hasKernel
          ? std::max(*operations / integerPeak, bytes / bandwidth)
          : times.real + inputs * kScale / peak + 5 * inputs / bandwidth;
  if (layer.kind == LayerKind::MatMul && times.hasKernel)
    times.integer += count(layer.getActivation(1)).value_or(0) * kPack / peak;
  double conversions = inputs * kQuantize / peak;
  if (config.mode == Mode::Dynamic)
    conversions += inputs * kObserve / peak + kStart;
  times.integer +=
      conversions / std::max(1u, numUsers) + *results * kScale / peak;
  return times;
}

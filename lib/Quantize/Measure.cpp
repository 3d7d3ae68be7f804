//===- Measure.cpp - how much quantization loses --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "Samples.h"
#include "fx/Transforms/Constants.h"

#include "mlir/IR/OwningOpRef.h"
#include <cmath>

using namespace mlir;
using namespace fx;

template <typename T>
static void addErrors(SignalToNoise &ratio, const HostTensor &want,
                      const HostTensor &got) {
  auto *x = reinterpret_cast<const T *>(want.data.get());
  auto *y = reinterpret_cast<const T *>(got.data.get());
  for (int64_t i = 0, e = want.getNumElements(); i < e; ++i) {
    double value = x[i], error = value - double(y[i]);
    // Integers have no NaN.
    if (std::isnan(value))
      continue;
    // Attention masks are infinite in both; their difference would be NaN.
    if (x[i] == y[i])
      error = 0;
    else if (std::isnan(error))
      error = std::numeric_limits<double>::infinity();
    if (std::isfinite(value))
      ratio.signal += value * value;
    ratio.noise += error * error;
  }
}

void SignalToNoise::add(const HostTensor &want, const HostTensor &got) {
  if (want.dtype != got.dtype || want.sizes != got.sizes)
    return;
  if (want.dtype == DType::F32)
    addErrors<float>(*this, want, got);
  else if (want.dtype == DType::F64)
    addErrors<double>(*this, want, got);
}

double SignalToNoise::getDecibels() const {
  if (signal == 0 && noise == 0)
    return std::numeric_limits<double>::quiet_NaN();
  return 10 * std::log10(signal / noise);
}

/// Returns the layer index in the attribute `name`. Returns std::nullopt if
/// there is no such layer: the subgraphs of a file may have any attributes.
static std::optional<size_t> getLayer(Operation *op, StringRef name,
                                      ArrayRef<LayerReport> layers) {
  auto attr = op->getAttrOfType<IntegerAttr>(name);
  if (!attr || attr.getValue().getActiveBits() > 32 ||
      attr.getValue().getZExtValue() >= layers.size())
    return std::nullopt;
  return attr.getValue().getZExtValue();
}

llvm::Error fx::measureLayers(ModuleOp module, const QuantizeOptions &options,
                              const InputMoments &moments,
                              std::vector<LayerReport> &layers) {
  OwningOpRef<ModuleOp> shadows(module.clone());
  if (failed(convertToShadows(*shadows, &moments)))
    return llvm::createStringError("the layers cannot be measured");
  // The shadow (quantized copy) of a layer runs after the layer. Other nodes
  // may run in between.
  std::vector<HostValue> results(layers.size());
  auto watch = [&](Operation *op, ArrayRef<HostValue> values) {
    if (values.empty() || !values[0])
      return;
    if (auto layer = getLayer(op, "fx.layer", layers)) {
      results[*layer] = *values[0];
      return;
    }
    auto layer = getLayer(op, "fx.shadow", layers);
    if (!layer || !results[*layer])
      return;
    layers[*layer].own.add(*results[*layer], *values[0]);
    results[*layer].reset();
  };
  auto wants = [&](Operation *op) {
    return getLayer(op, "fx.shadow", layers) ||
           (getLayer(op, "fx.layer", layers) && op->hasAttr("fx.quantize"));
  };
  auto runner = SampleRunner::create(*shadows, wants, watch);
  if (!runner)
    return runner.takeError();
  auto samples = findSamples(options.samples, options.maxSamples);
  if (!samples)
    return samples.takeError();
  SmallVector<HostValue> outputs;
  for (const std::string &sample : *samples)
    if (llvm::Error error = (*runner)->run(sample, outputs))
      return error;
  return llvm::Error::success();
}

llvm::Error fx::measureModel(ModuleOp floats, ModuleOp quantized,
                             const QuantizeOptions &options,
                             QuantizationReport &report) {
  std::vector<HostValue> results(report.layers.size());
  auto isLayer = [&](Operation *op) {
    return getLayer(op, "fx.layer", report.layers).has_value();
  };
  auto keep = [&](Operation *op, ArrayRef<HostValue> values) {
    if (!values.empty())
      results[*getLayer(op, "fx.layer", report.layers)] = values[0];
  };
  auto compare = [&](Operation *op, ArrayRef<HostValue> values) {
    size_t layer = *getLayer(op, "fx.layer", report.layers);
    if (!results[layer] || values.empty() || !values[0])
      return;
    report.layers[layer].total.add(*results[layer], *values[0]);
    results[layer].reset();
  };
  auto want = SampleRunner::create(floats, isLayer, keep);
  if (!want)
    return want.takeError();
  auto got = SampleRunner::create(quantized, isLayer, compare);
  if (!got)
    return got.takeError();
  auto samples = findSamples(options.samples, options.maxSamples);
  if (!samples)
    return samples.takeError();
  report.samples = samples->size();
  SmallVector<HostValue> wanted, gotten;
  for (const std::string &sample : *samples) {
    if (llvm::Error error = (*want)->run(sample, wanted))
      return error;
    if (llvm::Error error = (*got)->run(sample, gotten))
      return error;
    report.outputs.resize(std::max(report.outputs.size(), wanted.size()));
    for (auto [i, value] : llvm::enumerate(wanted))
      if (value && i < gotten.size() && gotten[i])
        report.outputs[i].add(*value, *gotten[i]);
  }
  return llvm::Error::success();
}

//===- Measure.cpp - how much quantization loses -*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "../Transforms/Constants.h"
#include "Samples.h"

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
    // Masks of attention are infinite in both.
    if (x[i] == y[i])
      error = 0;
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

static std::optional<int64_t> getNumber(Operation *op, StringRef name) {
  auto attr = op->getAttrOfType<IntegerAttr>(name);
  return attr ? std::optional(attr.getInt()) : std::nullopt;
}

llvm::Error fx::measureLayers(ModuleOp module, const QuantizeOptions &options,
                              std::vector<LayerReport> &layers) {
  OwningOpRef<ModuleOp> shadows(module.clone());
  std::string folder = getStateFolder(module, options.baseDir);
  if (failed(convertToShadows(*shadows, folder)))
    return llvm::createStringError("the layers cannot be measured");
  // A copy runs behind its layer, perhaps not at once.
  llvm::DenseMap<int64_t, HostTensor> results;
  auto watch = [&](Operation *op, ArrayRef<HostValue> values) {
    if (values.empty() || !values[0])
      return;
    if (auto layer = getNumber(op, "fx.layer")) {
      results[*layer] = *values[0];
      return;
    }
    int64_t layer = *getNumber(op, "fx.shadow");
    auto it = results.find(layer);
    if (it == results.end() || size_t(layer) >= layers.size())
      return;
    layers[layer].own.add(it->second, *values[0]);
    results.erase(it);
  };
  auto wants = [](Operation *op) {
    return op->hasAttr("fx.shadow") ||
           (op->hasAttr("fx.layer") && op->hasAttr("fx.quantize"));
  };
  auto runner = SampleRunner::create(*shadows, folder, wants, watch);
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
  llvm::DenseMap<int64_t, HostTensor> results;
  auto isLayer = [](Operation *op) { return op->hasAttr("fx.layer"); };
  auto keep = [&](Operation *op, ArrayRef<HostValue> values) {
    if (!values.empty() && values[0])
      results[*getNumber(op, "fx.layer")] = *values[0];
  };
  auto compare = [&](Operation *op, ArrayRef<HostValue> values) {
    int64_t layer = *getNumber(op, "fx.layer");
    auto it = results.find(layer);
    if (it == results.end() || values.empty() || !values[0])
      return;
    report.layers[layer].total.add(it->second, *values[0]);
    results.erase(it);
  };
  auto want = SampleRunner::create(
      floats, getStateFolder(floats, options.baseDir), isLayer, keep);
  if (!want)
    return want.takeError();
  auto got = SampleRunner::create(
      quantized, getStateFolder(quantized, options.baseDir), isLayer, compare);
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

//===- Config.cpp - settings of a quantization ----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Quantize/Quantize.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace fx;

using Mode = QuantizationConfig::Mode;

llvm::StringRef fx::getName(Mode mode) {
  switch (mode) {
  case Mode::Static:
    return "static";
  case Mode::Dynamic:
    return "dynamic";
  case Mode::WeightOnly:
    return "weight-only";
  }
  return "";
}

std::optional<Mode> fx::getQuantizationMode(StringRef name) {
  for (Mode mode : {Mode::Static, Mode::Dynamic, Mode::WeightOnly})
    if (name == getName(mode))
      return mode;
  return std::nullopt;
}

llvm::StringRef fx::getName(QuantizationConfig::Rounding rounding) {
  return rounding == QuantizationConfig::Rounding::Gptq ? "gptq" : "nearest";
}

std::optional<QuantizationConfig::Rounding>
fx::getQuantizationRounding(StringRef name) {
  using Rounding = QuantizationConfig::Rounding;
  for (Rounding rounding : {Rounding::Nearest, Rounding::Gptq})
    if (name == getName(rounding))
      return rounding;
  return std::nullopt;
}

bool QuantizationConfig::takes(LayerKind kind) const {
  if (!kinds.empty() && !llvm::is_contained(kinds, kind))
    return false;
  switch (mode) {
  case Mode::Static:
    return true;
  case Mode::Dynamic:
    return kind == LayerKind::Linear;
  case Mode::WeightOnly:
    return kind == LayerKind::Linear || kind == LayerKind::Conv;
  }
  return false;
}

llvm::Error QuantizationConfig::check() const {
  auto fail = [](const Twine &message) {
    return llvm::createStringError(message);
  };
  if (weightBits != 8 && weightBits != 4)
    return fail("expected weights of 8 or 4 bits, got " + Twine(weightBits));
  if (groupSize < 0 || groupSize == 1)
    return fail("expected a group size of 2 or more, or 0, got " +
                Twine(groupSize));
  if (groupSize && !perChannel)
    return fail("groups lie within channels: expected one scale a channel, got "
                "one a tensor");
  if (rounding == Rounding::Gptq && !perChannel)
    return fail("rounding 'gptq' needs one scale a channel, got one a tensor");
  return llvm::Error::success();
}

DictionaryAttr QuantizationConfig::toAttr(MLIRContext *context) const {
  Builder b(context);
  SmallVector<NamedAttribute> all = {
      b.getNamedAttr("mode", b.getStringAttr(getName(mode))),
      b.getNamedAttr("observer", b.getStringAttr(getName(observer))),
      b.getNamedAttr("symmetric", b.getBoolAttr(symmetric)),
      b.getNamedAttr("per_channel", b.getBoolAttr(perChannel)),
      b.getNamedAttr("weight_bits", b.getI64IntegerAttr(weightBits)),
      b.getNamedAttr("group_size", b.getI64IntegerAttr(groupSize))};
  if (rounding != Rounding::Nearest)
    all.push_back(
        b.getNamedAttr("rounding", b.getStringAttr(getName(rounding))));
  return b.getDictionaryAttr(all);
}

std::optional<QuantizationConfig> QuantizationConfig::fromAttr(Attribute attr) {
  auto dict = dyn_cast_if_present<DictionaryAttr>(attr);
  if (!dict)
    return std::nullopt;
  auto modeName = dict.getAs<StringAttr>("mode");
  auto observerName = dict.getAs<StringAttr>("observer");
  auto symmetric = dict.getAs<BoolAttr>("symmetric");
  auto perChannel = dict.getAs<BoolAttr>("per_channel");
  auto weightBits = dict.getAs<IntegerAttr>("weight_bits");
  auto groupSize = dict.getAs<IntegerAttr>("group_size");
  if (!modeName || !observerName || !symmetric || !perChannel || !weightBits ||
      !groupSize)
    return std::nullopt;
  std::optional<Mode> mode = getQuantizationMode(modeName);
  std::optional<ObserverKind> observer = getObserverKind(observerName);
  if (!mode || !observer)
    return std::nullopt;
  auto roundingName = dict.getAs<StringAttr>("rounding");
  std::optional<Rounding> rounding = getQuantizationRounding(
      roundingName ? roundingName.getValue() : "nearest");
  if (!rounding)
    return std::nullopt;
  QuantizationConfig config;
  config.mode = *mode;
  config.observer = *observer;
  config.rounding = *rounding;
  config.symmetric = symmetric.getValue();
  config.perChannel = perChannel.getValue();
  config.weightBits = weightBits.getInt();
  config.groupSize = groupSize.getInt();
  if (llvm::Error error = config.check()) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  return config;
}

llvm::Expected<QuantizationConfig>
fx::makeConfig(const QuantizationSettings &settings) {
  auto fail = [](const Twine &expected, const std::string &got) {
    return llvm::createStringError("expected " + expected + ", got '" + got +
                                   "'");
  };
  QuantizationConfig config;
  std::optional<Mode> mode = getQuantizationMode(settings.mode);
  if (!mode)
    return fail("mode 'static', 'dynamic' or 'weight-only'", settings.mode);
  config.mode = *mode;
  std::optional<ObserverKind> observer = getObserverKind(settings.observer);
  if (!observer)
    return fail("observer 'min-max', 'moving-average', 'histogram' or 'kl'",
                settings.observer);
  config.observer = *observer;
  std::optional<QuantizationConfig::Rounding> rounding =
      getQuantizationRounding(settings.rounding);
  if (!rounding)
    return fail("rounding 'nearest' or 'gptq'", settings.rounding);
  config.rounding = *rounding;
  config.symmetric = settings.symmetric;
  config.perChannel = !settings.perTensor;
  config.weightBits = settings.weightBits;
  config.groupSize = settings.groupSize;
  if (!(settings.minGain >= 0) || std::isinf(settings.minGain))
    return fail("a gain of 0 or more",
                llvm::formatv("{0}", settings.minGain).str());
  config.minGain = settings.minGain;
  const CPURates &rates = settings.rates;
  for (auto [name, rate] : {std::pair("a peak", rates.peak),
                            std::pair("a bandwidth", rates.bandwidth),
                            std::pair("an integer ratio", rates.integerRatio)})
    if (!(rate > 0) || std::isinf(rate))
      return fail(Twine(name) + " above 0", llvm::formatv("{0}", rate).str());
  config.rates = rates;
  for (const std::string &name : settings.ops) {
    std::optional<LayerKind> kind = getLayerKind(name);
    if (!kind)
      return fail(
          "operators 'linear', 'conv', 'matmul', 'add', 'pool' or 'cat'", name);
    config.kinds.push_back(*kind);
  }
  for (const std::string &name : settings.skip)
    config.skip[name] = "it was excluded";
  if (llvm::Error error = config.check())
    return std::move(error);
  return config;
}

//===- Observer.cpp - ranges of values, and scales from them --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Quantize/Observer.h"
#include "Histogram.h"
#include <algorithm>
#include <cmath>

using namespace fx;

llvm::StringRef fx::getName(ObserverKind kind) {
  switch (kind) {
  case ObserverKind::MinMax:
    return "min-max";
  case ObserverKind::MovingAverage:
    return "moving-average";
  case ObserverKind::Histogram:
    return "histogram";
  case ObserverKind::KL:
    return "kl";
  }
  return "";
}

std::optional<ObserverKind> fx::getObserverKind(llvm::StringRef name) {
  for (ObserverKind kind : {ObserverKind::MinMax, ObserverKind::MovingAverage,
                            ObserverKind::Histogram, ObserverKind::KL})
    if (name == getName(kind))
      return kind;
  return std::nullopt;
}

bool FloatRange::isValid() const {
  return std::isfinite(min) && std::isfinite(max) && min <= max;
}

QuantParams fx::chooseParams(FloatRange range, const QuantType &type) {
  if (!range.isValid())
    return {};
  float low = std::min(range.min, 0.0f), high = std::max(range.max, 0.0f);
  constexpr float epsilon = std::numeric_limits<float>::epsilon();
  float steps = static_cast<float>(type.max - type.min);
  QuantParams params;
  if (type.symmetric) {
    params.scale = std::max(std::max(-low, high) / (steps / 2), epsilon);
    return params;
  }
  params.scale = std::max((high - low) / steps, epsilon);
  params.zeroPoint = std::clamp(
      type.min - static_cast<int64_t>(std::nearbyint(low / params.scale)),
      type.min, type.max);
  return params;
}

int64_t fx::quantizeValue(float x, const QuantParams &params,
                          const QuantType &type) {
  float steps = std::nearbyint(x * (1.0f / params.scale)) +
                static_cast<float>(params.zeroPoint);
  return static_cast<int64_t>(std::clamp(steps, static_cast<float>(type.min),
                                         static_cast<float>(type.max)));
}

FloatRange fx::getMinMax(llvm::ArrayRef<float> values) {
  FloatRange range;
  bool isNaN = false;
  for (float x : values) {
    range.min = x < range.min ? x : range.min;
    range.max = x > range.max ? x : range.max;
    isNaN |= x != x;
  }
  if (isNaN)
    range.min = range.max = std::numeric_limits<float>::quiet_NaN();
  return range;
}

Observer::~Observer() = default;

namespace {
class MinMaxObserver final : public Observer {
public:
  void observe(llvm::ArrayRef<float> values) override {
    if (values.empty())
      return;
    FloatRange now = getMinMax(values);
    isBad |= !now.isValid();
    range.min = std::min(range.min, now.min);
    range.max = std::max(range.max, now.max);
  }
  FloatRange getRange() const override { return isBad ? FloatRange() : range; }

private:
  FloatRange range;
  bool isBad = false;
};

class MovingAverageObserver final : public Observer {
public:
  void observe(llvm::ArrayRef<float> values) override {
    if (values.empty())
      return;
    FloatRange now = getMinMax(values);
    isBad |= !now.isValid();
    if (!range) {
      range = now;
      return;
    }
    constexpr float share = 0.01f;
    range->min += share * (now.min - range->min);
    range->max += share * (now.max - range->max);
  }
  FloatRange getRange() const override {
    return isBad || !range ? FloatRange() : *range;
  }

private:
  std::optional<FloatRange> range;
  bool isBad = false;
};

/// Computes the range from a histogram of the values.
class HistogramObserver final : public Observer {
public:
  explicit HistogramObserver(bool isKL) : isKL(isKL) {}

  void observe(llvm::ArrayRef<float> values) override {
    std::vector<float> kept(values.begin(), values.end());
    llvm::erase_if(kept, [](float x) { return std::isinf(x); });
    if (kept.empty())
      return;
    FloatRange now = getMinMax(kept);
    if (!now.isValid()) {
      isBad = true;
      return;
    }
    seen.min = std::min(seen.min, now.min);
    seen.max = std::max(seen.max, now.max);
    if (isKL) {
      for (float &x : kept)
        x = std::fabs(x);
      now = {0, std::max(-now.min, now.max)};
    }
    histogram.add(kept, now);
  }

  FloatRange getRange() const override {
    if (isBad || !seen.isValid())
      return {};
    if (!isKL)
      return histogram.findLeastSquares();
    float bound = histogram.findLeastDivergence();
    return {std::max(seen.min, -bound), std::min(seen.max, bound)};
  }

private:
  bool isKL, isBad = false;
  FloatRange seen;
  Histogram histogram;
};
} // namespace

std::unique_ptr<Observer> Observer::create(ObserverKind kind) {
  switch (kind) {
  case ObserverKind::MinMax:
    return std::make_unique<MinMaxObserver>();
  case ObserverKind::MovingAverage:
    return std::make_unique<MovingAverageObserver>();
  case ObserverKind::Histogram:
  case ObserverKind::KL:
    return std::make_unique<HistogramObserver>(kind == ObserverKind::KL);
  }
  return nullptr;
}

//===- Observer.h - ranges of values, and scales from them ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The observers of PyTorch's eager quantization
// (torch/ao/quantization/observer.py). Ranges and histograms are float as in
// PyTorch, so that scales and zero points are exactly equal.
//
//===----------------------------------------------------------------------===//

#ifndef FX_QUANTIZE_OBSERVER_H
#define FX_QUANTIZE_OBSERVER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

namespace fx {

enum class ObserverKind { MinMax, MovingAverage, Histogram, KL };

/// Returns "min-max", "moving-average", "histogram" or "kl".
llvm::StringRef getName(ObserverKind kind);
std::optional<ObserverKind> getObserverKind(llvm::StringRef name);

/// A range of values to quantize. Values outside are clamped.
struct FloatRange {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();

  /// Returns false if the range is empty or contains an infinity or NaN.
  bool isValid() const;
  bool operator==(const FloatRange &) const = default;
};

/// An integer q represents the value (q - zeroPoint) * scale.
struct QuantParams {
  float scale = 1;
  int64_t zeroPoint = 0;
};

/// The range of the integers to which values are mapped.
struct QuantType {
  int64_t min = 0, max = 255;
  /// Whether the zero point is 0.
  bool symmetric = false;

  static QuantType activation(bool symmetric) {
    return symmetric ? QuantType{-128, 127, true} : QuantType{0, 255, false};
  }
  /// Omits the least integer of the type: then x and -x are both exact, and the
  /// scale is the largest magnitude divided by an integer.
  static QuantType weight(unsigned bits) {
    int64_t max = (int64_t(1) << (bits - 1)) - 1;
    return {-max, max, true};
  }
};

/// Computes scale and zero point of a range, as `_calculate_qparams` of
/// PyTorch's observers. The range is widened to contain 0. The scale is the
/// length of the range divided by max - min or, if `type` is symmetric, its
/// largest magnitude divided by (max - min) / 2. It is at least the epsilon of
/// float. An invalid range has scale 1 and zero point 0.
QuantParams chooseParams(FloatRange range, const QuantType &type);

/// Returns round(x / scale) + zeroPoint, clamped to the range of `type`. Halves
/// are rounded to even. The division is a multiplication by 1 / scale, as in
/// quantized_decomposed.quantize_per_channel.
int64_t quantizeValue(float x, const QuantParams &params,
                      const QuantType &type);

/// Observes the values that will have one scale.
class Observer {
public:
  virtual ~Observer();
  virtual void observe(llvm::ArrayRef<float> values) = 0;
  /// Returns the range to quantize; invalid if no finite value was observed.
  virtual FloatRange getRange() const = 0;

  /// Creates an observer. Its range is:
  ///
  /// - min-max: the range of all observed values;
  /// - moving-average: the moving averages of the minima and of the maxima of
  ///   the calls of `observe`, with weight 0.01 for a new one;
  /// - histogram: the range with the least squared error for 256 levels
  ///   (HistogramObserver, after
  ///   caffe2/quantization/server/norm_minimization.cc);
  /// - kl: the symmetric range whose quantization to 128 levels has the least
  ///   Kullback-Leibler divergence from the distribution of the magnitudes
  ///   (S. Migacz, "8-bit inference with TensorRT", 2017).
  ///
  /// An infinity or a NaN makes the range of the first two invalid. The others
  /// ignore infinities; a NaN makes their range invalid.
  static std::unique_ptr<Observer> create(ObserverKind kind);
};

/// Returns the least and the greatest value; NaN if a value is NaN.
FloatRange getMinMax(llvm::ArrayRef<float> values);

} // namespace fx

#endif // FX_QUANTIZE_OBSERVER_H

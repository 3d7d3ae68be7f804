//===- Observer.h - ranges of values, and scales from them ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The observers of PyTorch's eager quantization, number for number: ranges and
// histograms are float, as there (torch/ao/quantization/observer.py), so that
// scales and zero points are equal and not only close.
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

/// "min-max", "moving-average", "histogram", "kl".
llvm::StringRef getName(ObserverKind kind);
std::optional<ObserverKind> getObserverKind(llvm::StringRef name);

/// The values that quantization keeps apart; what lies outside is clamped.
struct FloatRange {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();

  /// False where nothing was seen, or an infinity or NaN.
  bool isValid() const;
  bool operator==(const FloatRange &) const = default;
};

/// What an integer q stands for: (q - zeroPoint) * scale.
struct QuantParams {
  float scale = 1;
  int64_t zeroPoint = 0;
};

/// The integers that values are mapped to.
struct QuantType {
  int64_t min = 0, max = 255;
  /// Zero is in the middle.
  bool symmetric = false;

  static QuantType activation(bool symmetric) {
    return symmetric ? QuantType{-128, 127, true} : QuantType{0, 255, false};
  }
  /// One value less than there is room for: +x and -x are then both exact, and
  /// a scale is the largest value over a whole number.
  static QuantType weight(unsigned bits) {
    int64_t max = (int64_t(1) << (bits - 1)) - 1;
    return {-max, max, true};
  }
};

/// Scale and zero point of a range, as `_calculate_qparams` of PyTorch's
/// observers: the range is widened to hold 0; affine, scale is its length over
/// max - min; symmetric, its largest magnitude over half of that. The scale is
/// at least float's epsilon. An invalid range gives scale 1.
QuantParams chooseParams(FloatRange range, const QuantType &type);

/// round(x / scale) + zero point, clamped; halves go to the even integer. The
/// division is a multiplication by the inverse, as in
/// quantized_decomposed.quantize_per_channel.
int64_t quantizeValue(float x, const QuantParams &params,
                      const QuantType &type);

/// Watches the values that one scale is chosen for.
class Observer {
public:
  virtual ~Observer();
  virtual void observe(llvm::ArrayRef<float> values) = 0;
  /// The range to quantize; invalid where no finite value was seen.
  virtual FloatRange getRange() const = 0;

  /// - min-max: all that was seen;
  /// - moving-average: of the minima and maxima, a new one counting 0.01;
  /// - histogram: the range with the least squared error of 256 steps
  ///   (HistogramObserver, after
  ///   caffe2/quantization/server/norm_minimization.cc);
  /// - kl: magnitudes up to where what 128 steps leave of the distribution
  ///   diverges least from it (S. Migacz, "8-bit inference with TensorRT",
  ///   2017).
  ///
  /// The first two take infinities and NaNs into the range, which is then
  /// invalid; the others ignore infinities, and a NaN makes them invalid.
  static std::unique_ptr<Observer> create(ObserverKind kind);
};

/// The least and greatest value; NaN where one is.
FloatRange getMinMax(llvm::ArrayRef<float> values);

} // namespace fx

#endif // FX_QUANTIZE_OBSERVER_H

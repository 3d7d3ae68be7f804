//===- Histogram.h - histograms that grow with what they see ----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_QUANTIZE_HISTOGRAM_H
#define FX_LIB_QUANTIZE_HISTOGRAM_H

#include "fx/Quantize/Observer.h"
#include <vector>

namespace fx {

/// A histogram of 2048 bins over the range of all values so far. If new values
/// lie outside this range, the counts move to bins of a wider range. The
/// numbers are those of PyTorch's HistogramObserver.
class Histogram {
public:
  /// Adds values, which must be finite, not empty and within `range`. Widens
  /// the range of the histogram to include `range`.
  void add(llvm::ArrayRef<float> values, FloatRange range);

  /// Returns the range with the least squared error if its values are quantized
  /// to 256 levels.
  FloatRange findLeastSquares() const;
  /// Returns the bound with the least Kullback-Leibler divergence between the
  /// distribution, clamped at the bound, and its quantization to 128 levels.
  /// The range of the histogram must begin at 0.
  float findLeastDivergence() const;

private:
  double getSquaredError(int first, int last) const;

  static constexpr int numBins = 2048;
  std::vector<float> bins;
  FloatRange range;
};

} // namespace fx

#endif // FX_LIB_QUANTIZE_HISTOGRAM_H

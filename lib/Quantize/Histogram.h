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

/// 2048 bins over all that was seen. When values lie outside, the counts move
/// to bins of the wider range (HistogramObserver of PyTorch, whose numbers
/// these are).
class Histogram {
public:
  /// `values`, not empty and finite, lie in `range`, whose bounds the histogram
  /// then holds.
  void add(llvm::ArrayRef<float> values, FloatRange range);

  /// The range with the least squared error when its values become 256.
  FloatRange findLeastSquares() const;
  /// For a histogram from 0 on: the bound with the least divergence (KL) of the
  /// distribution, clamped there, from what 128 levels leave of it.
  float findLeastDivergence() const;

private:
  double getSquaredError(int first, int last) const;

  static constexpr int numBins = 2048;
  std::vector<float> bins;
  FloatRange range;
};

} // namespace fx

#endif // FX_LIB_QUANTIZE_HISTOGRAM_H

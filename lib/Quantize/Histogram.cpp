//===- Histogram.cpp - histograms that grow with what they see ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Histogram.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace fx;

/// Counts values as torch.histc does: in bins of equal width, of which the last
/// includes its upper bound. A range of one value is widened by 1 on both
/// sides.
static std::vector<float> count(llvm::ArrayRef<float> values, FloatRange range,
                                int numBins) {
  std::vector<float> bins(numBins, 0.0f);
  float low = range.min, high = range.max;
  if (low == high) {
    low -= 1;
    high += 1;
  }
  for (float x : values) {
    if (!(x >= low && x <= high))
      continue;
    auto bin = static_cast<int64_t>((x - low) * numBins / (high - low));
    bins[std::clamp<int64_t>(bin, 0, numBins - 1)] += 1;
  }
  return bins;
}

/// Returns element `i` of torch.linspace, which computes the second half
/// backwards from `high`.
static float getStep(float low, float high, int steps, int i) {
  float step = (high - low) / static_cast<float>(steps - 1);
  return i < steps / 2 ? low + step * static_cast<float>(i)
                       : high - step * static_cast<float>(steps - i - 1);
}

/// Redistributes the counts of `bins` over `from` to bins of equal width over
/// `to`. Each bin is split into 16 parts; the middle of a part selects the new
/// bin.
static std::vector<float> stretch(llvm::ArrayRef<float> bins, FloatRange from,
                                  FloatRange to) {
  constexpr int parts = 16;
  int numBins = bins.size();
  std::vector<float> edges(numBins + 1), result(numBins, 0.0f);
  for (int i = 0; i <= numBins; ++i)
    edges[i] = getStep(to.min, to.max, numBins + 1, i);
  float width = (from.max - from.min) / static_cast<float>(numBins * parts);
  for (int i = 0; i < numBins * parts; ++i) {
    float middle =
        getStep(from.min, from.max, numBins * parts + 1, i) + 0.5f * width;
    int bin = std::upper_bound(edges.begin(), edges.end(), middle) -
              edges.begin() - 1;
    result[std::clamp(bin, 0, numBins - 1)] += bins[i / parts] / parts;
  }
  return result;
}

void Histogram::add(llvm::ArrayRef<float> values, FloatRange now) {
  if (bins.empty()) {
    range = now;
    bins = count(values, range, numBins);
    return;
  }
  FloatRange old = range;
  range = {std::min(old.min, now.min), std::max(old.max, now.max)};
  std::vector<float> update = count(values, range, numBins);
  std::vector<float> before;
  if (range == old) {
    before = std::move(bins);
  } else if (old.min == old.max) {
    // All values so far are equal, so they lie in one bin.
    float sum = 0;
    for (float n : bins)
      sum += n;
    before = count(old.min, range, numBins);
    for (float &n : before)
      n *= sum;
  } else {
    before = stretch(bins, old, range);
  }
  for (int i = 0; i < numBins; ++i)
    update[i] += before[i];
  bins = std::move(update);
}

/// Returns the squared error if the bins `first` to `last` are quantized to 256
/// levels and all other bins are clamped. The values of a bin are assumed to be
/// uniformly distributed. The error of a value is its distance from the middle
/// of its level; the integral of x^2 from a to b is (b^3 - a^3) / 3.
double Histogram::getSquaredError(int first, int last) const {
  constexpr int levels = 256;
  double width = (double(range.max) - double(range.min)) / numBins;
  double step = width * (last - first + 1) / levels;
  if (step == 0)
    return 0;
  auto w = static_cast<float>(width), s = static_cast<float>(step);
  auto half = static_cast<float>(step / 2);
  auto integral = [](float a, float b, float density) {
    return density * ((b * b * b - a * a * a) / 3);
  };
  auto level = [&](float x) {
    return std::clamp(std::floor(x / s), 0.0f, float(levels - 1));
  };
  double sum = 0;
  for (int i = 0; i < numBins; ++i) {
    float density = bins[i] / w;
    float begin = static_cast<float>(i - first) * w, end = begin + w;
    float a = level(begin), b = level(end);
    float error = integral(begin - (a + 0.5f) * s, half, density);
    error += (b - a - 1) * integral(-half, half, density);
    error += integral(-half, end - (b * s + half), density);
    sum += error;
  }
  return sum;
}

FloatRange Histogram::findLeastSquares() const {
  // As in torch.cumsum, the sums are float but the running total is double.
  std::vector<float> sums(numBins);
  double running = 0;
  for (int i = 0; i < numBins; ++i)
    sums[i] = static_cast<float>(running += bins[i]);
  double total = static_cast<float>(running);

  constexpr double step = 1e-5; // Step of the fraction that is cut off.
  double alpha = 0, beta = 1, least = std::numeric_limits<double>::infinity();
  int first = 0, last = numBins - 1;
  while (alpha < beta) {
    double nextAlpha = alpha + step, nextBeta = beta - step;
    int l = first, r = last;
    while (l < last && sums[l] < static_cast<float>(nextAlpha * total))
      ++l;
    while (r > first && sums[r] > static_cast<float>(nextBeta * total))
      --r;
    // Cut at the end where more bins are removed.
    int nextFirst = first, nextLast = last;
    if (l - first > last - r) {
      nextFirst = l;
      alpha = nextAlpha;
    } else {
      nextLast = r;
      beta = nextBeta;
    }
    if (nextFirst == first && nextLast == last)
      continue;
    double error = getSquaredError(nextFirst, nextLast);
    if (error > least)
      break;
    least = error;
    first = nextFirst;
    last = nextLast;
  }
  float width = (range.max - range.min) / static_cast<float>(numBins);
  return {range.min + width * static_cast<float>(first),
          range.min + width * static_cast<float>(last + 1)};
}

float Histogram::findLeastDivergence() const {
  constexpr int levels = 128;
  // Zeros are exact for any bound, and frequent after a relu. Their bin gets
  // the count of the next bin, as in NVIDIA's pytorch-quantization
  // (calib/histogram.py).
  std::vector<double> counts(bins.begin(), bins.end());
  counts[0] = counts[1];
  double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  double outside = total;
  double least = std::numeric_limits<double>::infinity();
  int best = numBins;
  std::vector<double> p(numBins);
  for (int i = 0; i < levels; ++i)
    outside -= counts[i];
  for (int size = levels; size <= numBins; ++size) {
    if (size > levels)
      outside -= counts[size - 1];
    for (int i = 0; i < size; ++i)
      p[i] = counts[i];
    // Clamped values count in the last bin of `p`, but not in the levels.
    p[size - 1] += outside;
    double inside = total - outside, divergence = 0;
    for (int level = 0; level < levels; ++level) {
      int begin = int64_t(level) * size / levels;
      int end = int64_t(level + 1) * size / levels;
      double sum = 0;
      int nonZero = 0;
      for (int i = begin; i < end; ++i) {
        sum += counts[i];
        nonZero += p[i] != 0;
      }
      if (!nonZero)
        continue;
      // The count of the level is distributed over its nonempty bins. If all of
      // its values are clamped, a small number replaces the count of 0.
      double q = std::max(sum / nonZero, 1e-4) / std::max(inside, 1.0);
      for (int i = begin; i < end; ++i)
        if (p[i] != 0)
          divergence += p[i] / total * std::log(p[i] / total / q);
    }
    if (divergence < least) {
      least = divergence;
      best = size;
    }
  }
  return range.max * static_cast<float>(best) / numBins;
}

//===- Benchmark.cpp - timing runs ----------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Benchmark.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <chrono>
#include <cmath>

namespace fx {

double Timing::getQuantile(double q) const {
  if (seconds.empty())
    return 0;
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  double at = q * (sorted.size() - 1);
  size_t low = static_cast<size_t>(at);
  size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

void Timing::print(llvm::raw_ostream &os, bool json) const {
  double median = getMedian() * 1e3, min = getMin() * 1e3,
         p90 = getQuantile(0.9) * 1e3;
  if (json)
    os << llvm::format("{\"runs\": %zu, \"median_ms\": %.6f, \"min_ms\": %.6f, "
                       "\"p90_ms\": %.6f}\n",
                       seconds.size(), median, min, p90);
  else
    os << llvm::format("median %.4f ms, min %.4f ms, p90 %.4f ms (%zu runs)\n",
                       median, min, p90, seconds.size());
}

llvm::Expected<Timing> benchmark(int count,
                                 llvm::function_ref<llvm::Error()> fn) {
  for (int i = 0; i < std::min(count, 3); ++i)
    if (llvm::Error error = fn())
      return std::move(error);
  Timing timing;
  timing.seconds.reserve(count);
  for (int i = 0; i < count; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (llvm::Error error = fn())
      return std::move(error);
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - start;
    timing.seconds.push_back(spent.count());
  }
  return timing;
}

} // namespace fx

//===- Benchmark.h - timing runs --------------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_RUN_BENCHMARK_H
#define FX_LIB_RUN_BENCHMARK_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

namespace fx {

/// The times of the runs of a benchmark.
struct Timing {
  std::vector<double> seconds;

  double getMin() const { return getQuantile(0); }
  double getMedian() const { return getQuantile(0.5); }
  /// Returns the `q`-quantile of the seconds, 0 <= q <= 1, with linear
  /// interpolation.
  double getQuantile(double q) const;
  /// Prints one line of text, or one JSON object; times are in milliseconds.
  void print(llvm::raw_ostream &os, bool json) const;
};

/// Calls `fn` up to three times to warm up, then `count` times and measures
/// each call.
llvm::Expected<Timing> benchmark(int count,
                                 llvm::function_ref<llvm::Error()> fn);

} // namespace fx

#endif // FX_LIB_RUN_BENCHMARK_H

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

/// Seconds of each run.
struct Timing {
  std::vector<double> seconds;

  double getMin() const { return getQuantile(0); }
  double getMedian() const { return getQuantile(0.5); }
  /// The value that a share `q` of the runs does not exceed, interpolated.
  double getQuantile(double q) const;
  /// One line for people, or one JSON object with times in milliseconds.
  void print(llvm::raw_ostream &os, bool json) const;
};

/// Runs `fn` a few times to warm up, then `count` times with the clock on.
llvm::Expected<Timing> benchmark(int count,
                                 llvm::function_ref<llvm::Error()> fn);

} // namespace fx

#endif // FX_LIB_RUN_BENCHMARK_H

//===- TuneStatistics.cpp - whether a schedule is faster ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuneStatistics.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

double fx::getMedian(llvm::ArrayRef<double> values) {
  if (values.empty())
    return std::numeric_limits<double>::infinity();
  std::vector<double> sorted(values);
  llvm::sort(sorted);
  size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle]
                           : (sorted[middle - 1] + sorted[middle]) / 2;
}

bool fx::areLess(llvm::ArrayRef<double> ratios, double level) {
  int n = ratios.size();
  int less = llvm::count_if(ratios, [](double ratio) { return ratio < 1; });
  // The upper tail of the binomial distribution with p = 1/2.
  double tail = 0, choose = 1; // choose: "n over i"
  for (int i = n; i >= less; --i) {
    tail += choose * std::pow(0.5, n);
    choose = choose * i / (n - i + 1);
  }
  return n > 0 && tail <= level;
}

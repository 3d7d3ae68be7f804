//===- TuneStatistics.h - whether a schedule is faster ----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_TUNESTATISTICS_H
#define FX_LIB_PIPELINES_TUNESTATISTICS_H

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace fx {

/// Returns the median; infinity if there are no values.
double getMedian(llvm::ArrayRef<double> values);

/// Returns true if so many of the ratios are less than 1 that chance gives as
/// many with a probability of at most `level`: a sign test.
bool areLess(llvm::ArrayRef<double> ratios, double level);

} // namespace fx

#endif // FX_LIB_PIPELINES_TUNESTATISTICS_H

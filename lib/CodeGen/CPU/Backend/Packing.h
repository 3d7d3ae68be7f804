//===- Packing.h - offsets of buffers by their life times -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_BACKEND_PACKING_H
#define FX_LIB_CODEGEN_CPU_BACKEND_PACKING_H

#include "mlir/Support/LLVM.h"

#include <cstdint>

namespace fx::cpu {

/// A buffer of `size` units that is live from step `first` to step `last`,
/// both included. packIntervals sets `offset`.
struct Interval {
  int64_t size;
  int64_t first, last;
  int64_t offset = -1;
};

/// Assigns an offset to each interval, so that intervals that are live at the
/// same step do not overlap. A common divisor of all sizes divides all offsets.
/// Returns the number of units that all intervals together need.
int64_t packIntervals(llvm::MutableArrayRef<Interval> intervals);

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_BACKEND_PACKING_H

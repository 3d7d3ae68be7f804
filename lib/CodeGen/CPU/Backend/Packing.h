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

/// A buffer: `size` units, live from step `first` to step `last`.
struct Interval {
  int64_t size;
  int64_t first, last;
  int64_t offset = -1;
};

/// Gives each interval an offset so that those that are live together do not
/// overlap. Offsets are multiples of what all sizes are multiples of. Returns
/// the units in all.
int64_t packIntervals(llvm::MutableArrayRef<Interval> intervals);

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_BACKEND_PACKING_H

//===- Compare.h - are two results the same? --------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_RUN_COMPARE_H
#define FX_LIB_RUN_COMPARE_H

#include "fx/Support/HostTensor.h"
#include <optional>
#include <string>

namespace fx {

/// Describes the difference of `got` from `want`. Returns none if they agree:
/// dtypes and sizes are equal, integers and bools are equal, and floating-point
/// elements differ by at most t * |want| + t * RMS(want), where t is 1e-4 for
/// float32, 1e-7 for float64, 4e-3 for float16, 3e-2 for bfloat16, 0.13 for
/// float8 with 3 bits of mantissa and 0.26 for float8 with 2. A NaN agrees with
/// a NaN, and an infinity with the same infinity.
std::optional<std::string> findDifference(const HostTensor &got,
                                          const HostTensor &want);
std::optional<std::string> findDifference(const HostValue &got,
                                          const HostValue &want);

/// Returns t for the elements of a dtype; 0 if they must be equal.
double getTolerance(DType dtype);

} // namespace fx

#endif // FX_LIB_RUN_COMPARE_H

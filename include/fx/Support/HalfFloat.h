//===- HalfFloat.h - numbers of float16 and bfloat16 ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_HALFFLOAT_H
#define FX_SUPPORT_HALFFLOAT_H

#include <cstdint>

namespace fx {

/// Converts `bits` of float16 exactly.
float halfToFloat(uint16_t bits);
/// Rounds to the nearest float16 or bfloat16, ties to even.
uint16_t floatToHalf(float value);
uint16_t floatToBFloat(float value);

} // namespace fx

#endif // FX_SUPPORT_HALFFLOAT_H

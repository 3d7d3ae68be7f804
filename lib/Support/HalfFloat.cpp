//===- HalfFloat.cpp - numbers of float16 and bfloat16 --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/HalfFloat.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

float fx::halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  if (exponent == 0x1f) // infinity or NaN, whose fraction is kept
    return bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  if (exponent)
    return bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  // Zero or subnormal: the fraction times 2^-24, which is exact.
  float value = float(fraction) * 0x1p-24f;
  return bit_cast<float>(sign | bit_cast<uint32_t>(value));
}

static uint16_t round(float value, const fltSemantics &semantics) {
  APFloat number(value);
  bool isInexact;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &isInexact);
  return uint16_t(number.bitcastToAPInt().getZExtValue());
}

uint16_t fx::floatToHalf(float value) {
  return round(value, APFloat::IEEEhalf());
}
uint16_t fx::floatToBFloat(float value) {
  return round(value, APFloat::BFloat());
}

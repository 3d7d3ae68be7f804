//===- Weights.h - weights as integers --------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_QUANTIZE_WEIGHTS_H
#define FX_LIB_QUANTIZE_WEIGHTS_H

#include "fx/Quantize/Quantize.h"

namespace fx {

/// An int8 tensor of a weight's sizes, and the scales of its parts, f32: none
/// (then `scale` is that of all), one a channel, or [channels, groups]. Zero
/// stands for 0 everywhere.
struct QuantizedWeight {
  HostTensor values;
  std::optional<HostTensor> scales;
  float scale = 1;
};

/// Quantizes a contiguous f32 tensor; `axis` is that of the channels. Nothing
/// where it holds an infinity or NaN.
std::optional<QuantizedWeight> quantizeWeight(const HostTensor &weight,
                                              std::optional<unsigned> axis,
                                              const QuantizationConfig &config);

} // namespace fx

#endif // FX_LIB_QUANTIZE_WEIGHTS_H

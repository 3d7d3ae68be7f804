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

/// A quantized weight. `values` is an int8 tensor with the sizes of the weight.
/// `scales` is an f32 or f16 tensor of sizes [channels] or [channels, groups];
/// if it is absent, `scale` holds for all values. All zero points are 0.
struct QuantizedWeight {
  HostTensor values;
  std::optional<HostTensor> scales;
  float scale = 1;
};

/// Quantizes a contiguous f32 tensor. `axis` is the dimension of the output
/// channels. Returns std::nullopt if an element is infinite or NaN.
std::optional<QuantizedWeight> quantizeWeight(const HostTensor &weight,
                                              std::optional<unsigned> axis,
                                              const QuantizationConfig &config);

/// Rounds the scale of a group to f16. A scale that changes by more than 1/128,
/// above the largest number of f16 or far below its normal ones, stays as it
/// is.
float roundScale(float scale);
/// Makes f32 scales f16 if that changes none of them.
void narrowScales(HostTensor &scales);

} // namespace fx

#endif // FX_LIB_QUANTIZE_WEIGHTS_H

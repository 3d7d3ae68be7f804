//===- CostModel.h - what a layer would take --------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_QUANTIZE_COSTMODEL_H
#define FX_LIB_QUANTIZE_COSTMODEL_H

#include "Layers.h"

namespace fx {

/// The estimated times of a layer in seconds: `real` in float, `integer` if it
/// is quantized.
struct LayerTimes {
  double real = 0, integer = 0;
  /// False if code generation computes the quantized layer in float.
  bool hasKernel = true;
};

/// Estimates the times of a matmul or convolution on one thread. A time is the
/// larger of the operations divided by the CPU's rate and the bytes divided by
/// the memory bandwidth (`config.rates`). The integer time includes the
/// quantization of the inputs, which `numUsers` layers share, and the scaling
/// of the result. Symbols have the least value of their range. Returns
/// std::nullopt for other layers, for unknown sizes, and for the mode
/// `weight-only`, whose purpose is to save memory.
std::optional<LayerTimes> estimateTimes(const Layer &layer,
                                        const QuantizationConfig &config,
                                        unsigned numUsers);

} // namespace fx

#endif // FX_LIB_QUANTIZE_COSTMODEL_H

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

/// Seconds, estimated.
struct LayerTimes {
  double real = 0, integer = 0;
  /// False where code generation multiplies floats even so.
  bool hasKernel = true;
};

/// What a matmul or convolution takes in floats and on integers, one thread.
/// Each is the larger of its operations over a CPU's rate and its bytes
/// over the rate of memory; integers add what quantizes their inputs
/// (`numUsers` layers share that) and scales the result. Symbols count as the
/// least that their range allows. None for other layers, sizes that are not
/// known, and the mode `weight-only`, which is chosen for its bytes.
std::optional<LayerTimes> estimateTimes(const Layer &layer,
                                        const QuantizationConfig &config,
                                        unsigned numUsers);

} // namespace fx

#endif // FX_LIB_QUANTIZE_COSTMODEL_H

//===- Gptq.h - rounding that compensates its errors ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_QUANTIZE_GPTQ_H
#define FX_LIB_QUANTIZE_GPTQ_H

#include "Moments.h"
#include "Weights.h"

namespace fx {

/// Quantizes the weight of a linear layer, [rows, terms], like quantizeWeight
/// with one scale for each row, or each group of a row, but so that the error
/// of the layer's results is small for the inputs with the given moment.
/// Returns nullopt if a value is not finite, or if the moment cannot be
/// factored.
std::optional<QuantizedWeight>
quantizeWeightGptq(const HostTensor &weight, const Moment &moment,
                   const QuantizationConfig &config);

} // namespace fx

#endif // FX_LIB_QUANTIZE_GPTQ_H

//===- Measure.h - how much quantization loses ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_QUANTIZE_MEASURE_H
#define FX_LIB_QUANTIZE_MEASURE_H

#include "fx/Quantize/Quantize.h"

namespace fx {

/// Sets the own error of each layer, which `fx.layer` numbers, on the samples:
/// of the layers that are marked for quantization in `module`.
llvm::Error measureLayers(mlir::ModuleOp module, const QuantizeOptions &options,
                          std::vector<LayerReport> &layers);

/// Sets the errors in the quantized model, beside the float one, of layers and
/// of outputs.
llvm::Error measureModel(mlir::ModuleOp floats, mlir::ModuleOp quantized,
                         const QuantizeOptions &options,
                         QuantizationReport &report);

} // namespace fx

#endif // FX_LIB_QUANTIZE_MEASURE_H

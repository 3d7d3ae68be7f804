//===- Measure.h - how much quantization loses ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_QUANTIZE_MEASURE_H
#define FX_LIB_QUANTIZE_MEASURE_H

#include "Moments.h"

namespace fx {

/// Measures the error of each layer by itself (`own`) on the samples. Measures
/// only layers that are marked for quantization in `module`. `fx.layer` is the
/// index of an operation in `layers`.
llvm::Error measureLayers(mlir::ModuleOp module, const QuantizeOptions &options,
                          const InputMoments &moments,
                          std::vector<LayerReport> &layers);

/// Measures the errors of the layers (`total`) and of the outputs of the
/// quantized model, compared with the float model.
llvm::Error measureModel(mlir::ModuleOp floats, mlir::ModuleOp quantized,
                         const QuantizeOptions &options,
                         QuantizationReport &report);

} // namespace fx

#endif // FX_LIB_QUANTIZE_MEASURE_H

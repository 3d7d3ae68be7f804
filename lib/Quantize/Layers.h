//===- Layers.h - operators that can compute on integers --------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_QUANTIZE_LAYERS_H
#define FX_LIB_QUANTIZE_LAYERS_H

#include "fx/Operators/View.h"
#include "fx/Quantize/Quantize.h"
#include "fx/Transforms/ConstantAnalysis.h"

namespace fx {

/// An operator that can compute on integers, and its operands that become such.
struct Layer {
  mlir::Operation *op = nullptr;
  LayerKind kind = LayerKind::Linear;
  /// The operands that hold activations, by their number.
  llvm::SmallVector<unsigned, 2> activations;
  /// The operand that is the same in all runs.
  std::optional<unsigned> weight;
  /// What is quantized for it: the operand, or the matrix that it transposes.
  mlir::Value source;
  /// The dimension of `source` that makes the outputs' channels; none where
  /// they do not lie along one.
  std::optional<unsigned> channelAxis;
  /// The result takes its values from the operands: one scale serves all.
  bool keepsValues = false;

  mlir::Value getActivation(unsigned i) const {
    return op->getOperand(activations[i]);
  }
  /// A matmul or convolution, which gains from integers by itself.
  bool isContraction() const { return kind <= LayerKind::MatMul; }
};

/// The layer that `op` is, if it is one. Dtypes are not looked at.
std::optional<Layer> matchLayer(mlir::Operation *op,
                                ConstantAnalysis &constants);

/// True for an operator between two layers that a kernel computes with them: an
/// activation function of one operand, or a view.
bool isBetweenLayers(mlir::Operation *op);

/// True for a quantized_decomposed.dequantize_… call.
bool isDequantize(mlir::Operation *op);

} // namespace fx

#endif // FX_LIB_QUANTIZE_LAYERS_H

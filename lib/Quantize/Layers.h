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

/// An operator that can compute on integers, and the operands to quantize.
struct Layer {
  mlir::Operation *op = nullptr;
  LayerKind kind = LayerKind::Linear;
  /// The indices of the operands that are activations.
  llvm::SmallVector<unsigned, 2> activations;
  /// The index of the operand that is a weight: it is the same in all runs.
  std::optional<unsigned> weight;
  /// The value that is quantized as the weight: the operand, or the matrix
  /// whose transpose the operand is.
  mlir::Value source;
  /// The dimension of `source` that is indexed by the output channel; absent if
  /// there is none.
  std::optional<unsigned> channelAxis;
  /// Whether all values of the result are values of the operands. One scale is
  /// then used for both.
  bool keepsValues = false;

  mlir::Value getActivation(unsigned i) const {
    return op->getOperand(activations[i]);
  }
  /// Returns true for a matmul or convolution, which gains from integers even
  /// if no other layer is quantized.
  bool isContraction() const { return kind <= LayerKind::MatMul; }
};

/// Returns `op` as a layer, or std::nullopt if it is none. Does not check
/// dtypes.
std::optional<Layer> matchLayer(mlir::Operation *op,
                                ConstantAnalysis &constants);

/// Returns true for an operator that a kernel computes together with the layers
/// before and after it: an activation function of one operand, or a view.
bool isBetweenLayers(mlir::Operation *op);

/// Returns true for a call of quantized_decomposed.dequantize_….
bool isDequantize(mlir::Operation *op);

} // namespace fx

#endif // FX_LIB_QUANTIZE_LAYERS_H

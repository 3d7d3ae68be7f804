//===- WeightRaiser.h - uses of dequantized weights -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_DEQUANTIZE_WEIGHTRAISER_H
#define FX_LIB_TRANSFORMS_DEQUANTIZE_WEIGHTRAISER_H

#include "../Decompose/Decompose.h"
#include "AffineWeight.h"

namespace fx {

/// The use of a weight: a matmul x wᵀ + bias, where `terms` is the dimension of
/// the weight that is summed over, or an embedding, which takes the rows `x`.
struct WeightUse {
  mlir::Operation *op = nullptr;
  mlir::Value x, weight, bias;
  int64_t terms = 1;
  bool isEmbedding = false;

  static std::optional<WeightUse> match(mlir::Operation *op);
};

/// Replaces the weight of one use.
class WeightRaiser {
public:
  WeightRaiser(const WeightUse &use, AffineWeight &weight)
      : use(use), w(weight) {}

  /// Returns false if the weight has no form for the kernels, or if they would
  /// take longer.
  bool plan(bool gpu, bool bf16);
  mlir::Value build(Decomposer &d) {
    return use.isEmbedding ? buildRows(d) : buildMatMul(d);
  }

private:
  bool chooseShift();
  bool chooseGroup();
  bool chooseForm(bool gpu, bool bf16);
  bool hasZeros() const { return w.zero || shift != 0; }
  mlir::Value getOrder(Decomposer &d);
  mlir::Value getIntegers(Decomposer &d);
  mlir::Value getRuns(Decomposer &d, WeightParameter &part, mlir::Type dtype);
  mlir::Value getScales(Decomposer &d);
  mlir::Value getZeros(Decomposer &d, mlir::Type dtype);
  mlir::Value getOffsets(Decomposer &d, mlir::Value scales);
  mlir::Value dequantize(Decomposer &d, mlir::Value scales);
  mlir::Value sumGroups(Decomposer &d, mlir::Value x);
  mlir::Value buildMatMul(Decomposer &d);
  mlir::Value buildRows(Decomposer &d);
  mlir::Value convert(Decomposer &d, mlir::Value v, mlir::Type dtype);

  const WeightUse &use;
  AffineWeight &w;
  int64_t columns = 0, terms = 0, group = 0, shift = 0;
  /// The terms are sorted by the groups, whose order this is; null: they are.
  WeightParameter *sorted = nullptr;
  bool isNarrow = false;    ///< the integers fit four bits
  bool addsOffsets = false; ///< the sums of groups are multiplied
  bool widens = false;      ///< the matmul of 16 bits computes in f32
};

} // namespace fx

#endif // FX_LIB_TRANSFORMS_DEQUANTIZE_WEIGHTRAISER_H

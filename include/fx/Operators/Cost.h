//===- Cost.h - what a call computes and moves ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts are formulas over the graph's symbols. Rules are hooks found by
// target, in lib/Operators/Cost.cpp; an operator without one that torch tags as
// pointwise or as a reduction counts one operation an element, any other none.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_COST_H
#define FX_OPERATORS_COST_H

#include "fx/Operators/Hooks.h"

namespace fx {

/// Null where a formula is not known, or its coefficients overflow.
struct Cost {
  /// Multiplications and additions of contractions alone (matmuls,
  /// convolutions, attention), a multiply-add being 2, as
  /// torch.utils.flop_counter counts them.
  ExprAttr contractions;
  /// All arithmetic on elements; an elementwise function is 1.
  ExprAttr total;
  /// Bytes of the tensors that are read and written, each once; none for a
  /// view.
  ExprAttr bytes;
};

/// A rule gives `contractions` and `total`.
struct CostRule {
  using Function = Cost (*)(const OperatorView &);
  static void registerAll(HookTable<CostRule> &hooks);
};

Cost getCost(const OperatorView &call);

/// The number of elements of a tensor type; null if it is none.
ExprAttr getElementCount(mlir::Type type);
/// Its bytes.
ExprAttr getByteCount(mlir::Type type);

} // namespace fx

#endif // FX_OPERATORS_COST_H

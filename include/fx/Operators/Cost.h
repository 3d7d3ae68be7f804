//===- Cost.h - what a call computes and moves ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts operations and bytes of a call as formulas over the graph's symbols.
// The rules are hooks of operators in lib/Operators/Cost.cpp. An operator
// without a rule counts one operation per element if torch tags it as pointwise
// or as a reduction, else none.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_COST_H
#define FX_OPERATORS_COST_H

#include "fx/Operators/Hooks.h"

namespace fx {

/// The cost of a call. A formula is null if it is not known or its coefficients
/// overflow.
struct Cost {
  /// The operations of contractions (matmuls, convolutions, attention). A
  /// multiply-add counts as 2, as in torch.utils.flop_counter.
  ExprAttr contractions;
  /// All operations on elements. An elementwise function counts as 1.
  ExprAttr total;
  /// The bytes of the tensors that are read and written, each once; 0 for a
  /// view.
  ExprAttr bytes;
};

/// A rule computes `contractions` and `total`.
struct CostRule {
  using Fn = Cost (*)(const OperatorView &);
  static void registerAll(HookTable<CostRule> &hooks);
};

Cost getCost(const OperatorView &call);

/// Returns the number of elements of a tensor type; null for any other type.
ExprAttr getElementCount(mlir::Type type);
/// Returns the number of bytes of a tensor type; null for any other type.
ExprAttr getByteCount(mlir::Type type);

} // namespace fx

#endif // FX_OPERATORS_COST_H

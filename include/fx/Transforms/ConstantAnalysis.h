//===- ConstantAnalysis.h - values that no run changes ----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_TRANSFORMS_CONSTANTANALYSIS_H
#define FX_TRANSFORMS_CONSTANTANALYSIS_H

#include "fx/IR/FXDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace fx {

/// Finds the values of a functional graph that are computed from constant
/// states alone. A state is constant if the graph mutates neither the state nor
/// another state with the same storage.
class ConstantAnalysis {
public:
  explicit ConstantAnalysis(GraphOp graph);

  /// Returns true if `value` is a constant state, or if a deterministic pure
  /// call computes it from constant values of which one or more depend on a
  /// state.
  bool contains(mlir::Value value) { return classify(value) == Class::State; }
  /// As `contains`, but also returns true for constants that do not depend on a
  /// state, such as the result of a pure call without operands.
  bool isConstant(mlir::Value value) {
    return classify(value) != Class::Varying;
  }

private:
  enum class Class { Varying, Number, State };
  Class classify(mlir::Value value);
  Class compute(mlir::Value value);

  llvm::DenseSet<mlir::Attribute> mutated;
  mlir::SymbolTable symbols;
  llvm::DenseMap<mlir::Value, Class> known;
};

} // namespace fx

#endif // FX_TRANSFORMS_CONSTANTANALYSIS_H

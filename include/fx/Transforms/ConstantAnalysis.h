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

/// Which values of a functional graph are computed from states that no one
/// mutates, neither by their own name nor by that of another state in the same
/// storage.
class ConstantAnalysis {
public:
  explicit ConstantAnalysis(GraphOp graph);

  /// True for such states and pure calls on them and on calls without operands.
  bool contains(mlir::Value value) { return classify(value) == Class::State; }
  /// As `contains`, or a pure call without operands.
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

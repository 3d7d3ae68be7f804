//===- Shape.h - result types of operators ----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shape rule gives the result types of a call: sizes as expressions over the
// graph's symbols, dtype, device. Strides are not part of it; results are
// contiguous as far as a rule says. The rules are in lib/Operators/Shape, one
// file a family:
//
//   FX_REGISTER_SHAPE_RULES(inferMatMul, "aten.mm.default", "aten.bmm.default")
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_SHAPE_H
#define FX_OPERATORS_SHAPE_H

#include "fx/Operators/Hooks.h"

#include <string>

namespace fx {

/// Types of the flattened results, in order. Failure: they cannot be told from
/// the arguments (values decide, or an expression is not known), or the
/// arguments do not fit each other.
using InferredTypes = llvm::FailureOr<llvm::SmallVector<mlir::Type>>;

struct ShapeRule {
  using Function = InferredTypes (*)(const OperatorView &);
  static void registerAll(HookTable<ShapeRule> &hooks);
};

/// True if `inferResultTypes` has a rule for the operator.
bool hasShapeRule(const OperatorSchema &schema);

/// The result types of a call. An operator in place gives the type of the
/// tensor it writes.
InferredTypes inferResultTypes(const OperatorView &call);

/// The same, and why torch refuses the arguments whatever the values of tensors
/// and symbols are; no reason where the rule cannot tell.
struct Inference {
  InferredTypes types = llvm::failure();
  std::string refusal;
};
Inference inferOrRefuse(const OperatorView &call);

/// The inferred type of each result of the node: some entries of `outs` may be
/// None and have no result. Empty if the numbers do not match.
llvm::SmallVector<mlir::Type> matchResults(CallFunctionOp call,
                                           llvm::ArrayRef<mlir::Type> inferred);

/// True if the two types cannot describe the same value: another dtype or
/// rank, or a size that differs for all values of the symbols. Strides and
/// devices are not compared.
bool areProvablyDifferent(mlir::Type a, mlir::Type b);

} // namespace fx

#endif // FX_OPERATORS_SHAPE_H

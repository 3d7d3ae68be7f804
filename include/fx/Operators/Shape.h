//===- Shape.h - result types of operators ----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shape rule infers the result types of a call: the sizes as expressions over
// the graph's symbols, the dtype and the device. Rules do not infer strides;
// inferred types are contiguous. The rules are in lib/Operators/Shape, one file
// for each family of operators:
//
//   FX_REGISTER_SHAPE_RULES(inferMatMul, "aten.mm.default", "aten.bmm.default")
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_SHAPE_H
#define FX_OPERATORS_SHAPE_H

#include "fx/Operators/Hooks.h"

#include <string>

namespace fx {

/// The types of the flattened results, in order. Failure means that the types
/// depend on values of tensors or on an unknown expression, or that the
/// arguments do not fit each other.
using InferredTypes = llvm::FailureOr<llvm::SmallVector<mlir::Type>>;

struct ShapeRule {
  using Fn = InferredTypes (*)(const OperatorView &);
  static void registerAll(HookTable<ShapeRule> &hooks);
};

/// Returns true if the operator has a shape rule.
bool hasShapeRule(const OperatorSchema &schema);

/// Infers the result types of a call. The result of an in-place operator has
/// the type of the tensor that it writes.
InferredTypes inferResultTypes(const OperatorView &call);

/// The inferred types, or the reason why torch rejects the arguments for all
/// values of tensors and symbols. `refusal` is empty if the rule does not know
/// the reason of a failure.
struct Inference {
  InferredTypes types = llvm::failure();
  std::string refusal;
};
Inference inferOrRefuse(const OperatorView &call);

/// Returns the inferred type of each result of the node. An entry of `outs`
/// that is None has an inferred type but no result. Returns an empty vector if
/// the numbers do not match.
llvm::SmallVector<mlir::Type> matchResults(CallFunctionOp call,
                                           llvm::ArrayRef<mlir::Type> inferred);

/// Returns true if the two types cannot describe the same value: they differ in
/// dtype, in rank, or in a size for all values of the symbols. Does not compare
/// strides and devices.
bool areProvablyDifferent(mlir::Type a, mlir::Type b);

} // namespace fx

#endif // FX_OPERATORS_SHAPE_H

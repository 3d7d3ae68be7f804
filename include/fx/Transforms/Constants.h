//===- Constants.h - constants, and states that hold them -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_TRANSFORMS_CONSTANTS_H
#define FX_TRANSFORMS_CONSTANTS_H

#include "fx/IR/FXDialect.h"
#include "fx/Support/HostTensor.h"
#include "llvm/Support/Error.h"

namespace fx {

/// Returns the values of `roots`, which must depend on states alone
/// (ConstantAnalysis::contains). Uses the ConstantEvaluatorInterface of the fx
/// dialect.
llvm::Expected<llvm::SmallVector<HostTensor>>
evaluateConstants(GraphOp graph, llvm::ArrayRef<mlir::Value> roots);

/// Adds a state `symbol`, which must be a free symbol, with the bytes of
/// `tensor`, and a placeholder `name` for it, after the placeholders of the
/// other states. Returns the placeholder.
PlaceholderOp addState(GraphOp graph, mlir::Location loc,
                       llvm::StringRef symbol, llvm::StringRef name,
                       InputKind kind, FakeTensorType type,
                       const HostTensor &tensor);

} // namespace fx

#endif // FX_TRANSFORMS_CONSTANTS_H

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

/// The values of `roots`, computed from states alone
/// (ConstantAnalysis::contains), by the registered constant evaluator.
llvm::Expected<llvm::SmallVector<HostTensor>>
evaluateConstants(GraphOp graph, llvm::ArrayRef<mlir::Value> roots);

/// A state with the bytes of `tensor`, whose symbol must be free, and an input
/// called `name` that it feeds, behind those of the other states.
PlaceholderOp addState(GraphOp graph, mlir::Location loc,
                       llvm::StringRef symbol, llvm::StringRef name,
                       InputKind kind, FakeTensorType type,
                       const HostTensor &tensor);

} // namespace fx

#endif // FX_TRANSFORMS_CONSTANTS_H

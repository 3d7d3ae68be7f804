//===- Calls.h - what the dialect asks of a call -----*- C++ -* -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_OPERATORS_CALLS_H
#define FX_LIB_OPERATORS_CALLS_H

#include "fx/IR/OperatorInterface.h"

namespace fx {

/// Appends the memory effects of a call to `effects`.
void addCallEffects(CallFunctionOp op, MemoryEffectList &effects);

/// Normalizes the arguments of a call, or simplifies the call if its arguments
/// are in normal form. Fails if nothing changes.
mlir::LogicalResult canonicalizeCall(CallFunctionOp op,
                                     mlir::PatternRewriter &rewriter);

/// Emits an error that begins with the name and the target of the node.
mlir::InFlightDiagnostic emitNodeError(NodeOpInterface node);

} // namespace fx

#endif // FX_LIB_OPERATORS_CALLS_H

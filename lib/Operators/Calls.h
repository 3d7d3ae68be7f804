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

void addCallEffects(CallFunctionOp op, MemoryEffectList &effects);

/// Brings the arguments into their normal form, then simplifies the call.
mlir::LogicalResult canonicalizeCall(CallFunctionOp op,
                                     mlir::PatternRewriter &rewriter);

} // namespace fx

#endif // FX_LIB_OPERATORS_CALLS_H

//===- Verify.h - checks a call against its schema --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_VERIFY_H
#define FX_OPERATORS_VERIFY_H

#include "fx/IR/FXDialect.h"
#include "fx/Operators/Schema.h"

namespace fx {

/// Checks the arguments and the number of results of `node` against `schema`.
/// Emits one error for each problem; each names the node, the target, the
/// argument, what was expected and what was got. Expects that `verifyNode`
/// holds.
mlir::LogicalResult verifyArguments(NodeOpInterface node,
                                    const OperatorSchema &schema);

/// Checks a call_function: its target exists, if torch defines all of the
/// target's namespace, and its arguments fit; a mutation does not stand in a
/// functional graph. A custom operator is no error.
mlir::LogicalResult verifyCall(CallFunctionOp call);

/// Checks the result types of all calls below `root` against the arguments, as
/// the operators' shape rules judge them. Refuses what is provably different,
/// and arguments that torch refuses; one error for each. Passes may leave types
/// that are out of date, so this is no part of the verifier: it is asked when a
/// program is read.
mlir::LogicalResult verifyResultTypes(mlir::Operation *root);

/// Why what eager gives has another type than the program says: torch's own
/// shape function of the operator is wrong. Empty for most calls.
llvm::StringRef getMistakenType(CallFunctionOp call);

} // namespace fx

#endif // FX_OPERATORS_VERIFY_H

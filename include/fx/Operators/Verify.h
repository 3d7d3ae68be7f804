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
/// Emits one error for each problem, which names the node, the target, the
/// argument, and the expected and the actual value. `verifyNode` must have
/// succeeded.
mlir::LogicalResult verifyArguments(NodeOpInterface node,
                                    const OperatorSchema &schema);

/// Verifies a call_function: its target exists if the namespace belongs to
/// torch, its arguments fit the schema, and it does not mutate an operand in a
/// functional graph. Accepts custom operators.
mlir::LogicalResult verifyCall(CallFunctionOp call);

/// Checks the result types of all calls below `root` by the shape rules of the
/// operators. Emits an error for each type that provably differs from the
/// inferred one, and for each call whose arguments torch rejects. Passes may
/// leave outdated types, so this is not a part of the verifier. It is called
/// after a program is read.
mlir::LogicalResult verifyResultTypes(mlir::Operation *root);

/// Returns a message if the recorded type of a result differs from the type
/// that eager computes because torch's shape function is wrong. Returns an
/// empty string for all other calls.
llvm::StringRef getMistakenType(CallFunctionOp call);

} // namespace fx

#endif // FX_OPERATORS_VERIFY_H

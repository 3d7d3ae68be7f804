//===- Aliases.h - which values share a storage -----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_ALIASES_H
#define FX_LIB_TRANSFORMS_ALIASES_H

#include "fx/IR/FXDialect.h"

namespace fx {

/// Returns the operand whose storage result `result` of `op` shares, or null if
/// the result has a storage of its own. For operators that alias or copy
/// depending on strides (reshape, contiguous, to …), uses the strides in the
/// types, so `op` must have the operands that it was traced with.
mlir::OpOperand *getAliasedOperand(CallFunctionOp op, unsigned result);

/// Returns true if the elements of the view `op` are the conjugates of the
/// elements of its operand.
bool conjugates(CallFunctionOp op);

/// Returns the operand that `op` mutates and returns as result `result`, or
/// null if there is none. Also returns null if `op` can replace the storage
/// (resize_).
mlir::Value getWrittenTensor(CallFunctionOp op, unsigned result);

/// Returns the tensor for which the storage of `value` was created. Looks
/// through views and results of in-place operators.
mlir::Value getStorageOwner(mlir::Value value);

/// Returns true if the views between `value` and its storage conjugate the
/// elements.
bool isConjugated(mlir::Value value);

/// Returns true if a tensor of this type is known to have no elements.
bool isEmpty(FakeTensorType type);

/// Returns true if the elements of a tensor of this type lie in memory in order
/// and without gaps. Ignores the storage offset.
bool isContiguous(FakeTensorType type);

/// Returns the dimensions from the outermost to the innermost one in memory.
/// Returns nullopt if the elements have gaps or overlap in memory.
std::optional<llvm::SmallVector<int64_t>> getMemoryOrder(FakeTensorType type);

/// An input that a graph mutates, and its final value.
struct Mutation {
  mlir::Value input, last;
  OutputSpecAttr spec;
};

/// Returns the mutations of `graph`. They are the first operands of its output,
/// in order.
llvm::SmallVector<Mutation> getMutations(GraphOp graph);

} // namespace fx

#endif // FX_LIB_TRANSFORMS_ALIASES_H

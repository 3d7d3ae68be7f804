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

/// The operand whose storage result `result` of `op` shares, or null if the
/// result has a storage of its own. Where torch decides by strides (reshape,
/// contiguous, to …) the strides in the types decide, so `op` must have the
/// operands that it was traced with.
mlir::OpOperand *getAliasedOperand(CallFunctionOp op, unsigned result);

/// Whether the view that `op` makes shows the conjugates of its operand.
bool conjugates(CallFunctionOp op);

/// The tensor that result `result` of `op` is after `op` has written it, or
/// null; null, too, where the storage changes with it.
mlir::Value getWrittenTensor(CallFunctionOp op, unsigned result);

/// The tensor that the storage of `value` was made for, through views and the
/// results of operators in place.
mlir::Value getStorageOwner(mlir::Value value);

/// True if the elements of a tensor of that type lie in memory in order,
/// without gaps. The offset of the first one does not count.
bool isContiguous(FakeTensorType type);

/// The order of dimensions, from the outermost to the innermost, in which the
/// elements lie in memory without gaps or overlap; nothing if there is none.
std::optional<llvm::SmallVector<int64_t>> getMemoryOrder(FakeTensorType type);

/// An input that a graph writes, and what it holds at the end.
struct Mutation {
  mlir::Value input, last;
  OutputSpecAttr spec;
};

/// The mutations of `graph`, an operand of its output each: they come first. A
/// state is found by its target, an input of the user by its name.
llvm::SmallVector<Mutation> getMutations(GraphOp graph);

} // namespace fx

#endif // FX_LIB_TRANSFORMS_ALIASES_H

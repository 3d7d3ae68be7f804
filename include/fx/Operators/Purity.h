//===- Purity.h - what a call reads, writes and draws -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_PURITY_H
#define FX_OPERATORS_PURITY_H

#include "fx/Operators/View.h"

namespace fx {

/// Returns the operands that `call` writes, in order: those of `(a!)`
/// arguments, and the running statistics of a batch norm in training, which its
/// schema does not annotate.
llvm::SmallVector<mlir::OpOperand *>
getWrittenOperands(const OperatorView &call);

/// Returns true if `call` draws from a random generator. A seeded operator does
/// not if training is off or if its dropout probability is 0.
bool drawsRandomNumbers(const OperatorView &call);

/// Returns true if `call` defines a data-dependent symbol (`u0`) that the types
/// of its operands do not have. Such a call must not be erased or merged with
/// an equal call.
bool definesSymbol(const OperatorView &call);

/// Returns true for `_operator.*`, `math.*` and `torch.sym_*` on symbolic
/// numbers.
bool isSymbolicComputation(const OperatorView &call);

/// Returns true if `call` has no side effects in a functional graph.
bool isPure(const OperatorView &call);

} // namespace fx

#endif // FX_OPERATORS_PURITY_H

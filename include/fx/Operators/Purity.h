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

/// The operands that this call writes: those of `(a!)` arguments, and what a
/// batch norm without annotations updates while training. In order.
llvm::SmallVector<mlir::OpOperand *>
getWrittenOperands(const OperatorView &call);

/// True if this call draws from a random generator: its operator is seeded and
/// neither told not to train nor to drop with probability 0.
bool drawsRandomNumbers(const OperatorView &call);

/// True if the call makes a data-dependent symbol (`u0`) that its operands'
/// types do not have. It must neither vanish nor be merged with its equal.
bool definesSymbol(const OperatorView &call);

/// True for `_operator.*`, `math.*` and `torch.sym_*` on symbolic numbers.
bool isSymbolicComputation(const OperatorView &call);

/// True if the call has no effect beyond its results in a functional graph.
bool isPure(const OperatorView &call);

} // namespace fx

#endif // FX_OPERATORS_PURITY_H

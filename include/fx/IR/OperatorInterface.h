//===- OperatorInterface.h - what operators mean to the IR ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect does not depend on torch's operators. This interface provides the
// effects, verification and canonicalization of an `fx.call_function`. The
// dialect promises the interface and fx/Operators/Dialect.h attaches it.
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_OPERATORINTERFACE_H
#define FX_IR_OPERATORINTERFACE_H

#include "fx/IR/FXDialect.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/PatternMatch.h"

namespace fx {

using MemoryEffectList = llvm::SmallVectorImpl<
    mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>;

class OperatorDialectInterface
    : public mlir::DialectInterface::Base<OperatorDialectInterface> {
public:
  OperatorDialectInterface(mlir::Dialect *dialect) : Base(dialect) {}

  virtual void getEffects(CallFunctionOp call,
                          MemoryEffectList &effects) const = 0;
  /// Checks the arguments against the operator's schema.
  virtual mlir::LogicalResult verify(CallFunctionOp call) const = 0;
  virtual mlir::LogicalResult
  canonicalize(CallFunctionOp call, mlir::PatternRewriter &rewriter) const = 0;
};

/// Adds the effects of an unknown operation: it reads and writes anything.
void addUnknownEffects(MemoryEffectList &effects);

/// Returns true if `op` is in a `functional` graph. Operators are pure in such
/// graphs only.
bool isInFunctionalGraph(mlir::Operation *op);

} // namespace fx

#endif // FX_IR_OPERATORINTERFACE_H

//===- OperatorInterface.h - what operators mean to the IR ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect does not know torch's operators: it asks this interface for the
// effects, the checks and the folds of an `fx.call_function`. The dialect
// promises the interface and fx/Operators/Dialect.h attaches it.
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

/// Reads and writes anything: what nothing is known of.
void addUnknownEffects(MemoryEffectList &effects);

/// Operators are pure in such a graph only.
bool isInFunctionalGraph(mlir::Operation *op);

} // namespace fx

#endif // FX_IR_OPERATORINTERFACE_H

//===- Dialect.h - the dialect with its operators ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_DIALECT_H
#define FX_OPERATORS_DIALECT_H

namespace mlir {
class DialectRegistry;
class MLIRContext;
} // namespace mlir

namespace fx {

/// Registers the fx dialect and its OperatorDialectInterface
/// (fx/IR/OperatorInterface.h), which implements torch's operators.
void registerFXDialect(mlir::DialectRegistry &registry);

/// Loads both into `context`, in which the dialect may be loaded already.
void loadFXDialect(mlir::MLIRContext &context);

} // namespace fx

#endif // FX_OPERATORS_DIALECT_H

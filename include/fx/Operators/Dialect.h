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

/// Inserts the fx dialect together with what is known of torch's operators
/// (fx/IR/OperatorInterface.h).
void registerFXDialect(mlir::DialectRegistry &registry);

/// Loads both into a context, which may have the dialect already.
void loadFXDialect(mlir::MLIRContext &context);

} // namespace fx

#endif // FX_OPERATORS_DIALECT_H

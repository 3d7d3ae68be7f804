//===- EntrySizes.h - sizes known when a function starts --------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_BACKEND_ENTRYSIZES_H
#define FX_LIB_CODEGEN_CPU_BACKEND_ENTRYSIZES_H

#include "fx/IR/FXDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace fx::cpu {

/// Recomputes index values at the start of a function, and represents them as
/// symbolic expressions.
class EntrySizes {
public:
  explicit EntrySizes(mlir::func::FuncOp func);

  /// Computes `value` at the insertion point of `b`, near the function's start.
  /// Returns null if it depends on more than the arguments' sizes and scalar
  /// values.
  mlir::Value materialize(mlir::OpBuilder &b, mlir::Value value);

  /// Returns the expression of `value`. Sizes of arguments are those of their
  /// `fx.type`; a value that is not understood becomes a new symbol.
  ExprAttr getExpr(mlir::Value value);

private:
  bool canMaterialize(mlir::Value value, unsigned depth);
  mlir::Value dimSource(mlir::Value memref, int64_t dim);
  /// Returns a new symbol.
  ExprAttr makeOpaque();

  mlir::func::FuncOp func;
  mlir::IRMapping mapping;
  llvm::DenseMap<mlir::Value, ExprAttr> exprs;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, ExprAttr> dims;
  llvm::DenseMap<mlir::Value, bool> possible;
  unsigned nextOpaque = 0;
};

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_BACKEND_ENTRYSIZES_H

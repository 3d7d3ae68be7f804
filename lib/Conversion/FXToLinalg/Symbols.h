//===- Symbols.h - symbolic sizes as index values ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_SYMBOLS_H
#define FX_CONVERSION_FXTOLINALG_SYMBOLS_H

#include "fx/IR/FXDialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace fx::lin {

/// The symbols of a graph with the values that they have at run time, and an
/// evaluator of expressions over them. Expressions over inputs' symbols are
/// evaluated once, at the function's entry; those over data-dependent symbols
/// where they are first needed.
class Symbols {
public:
  Symbols() = default;
  /// `entry` is where evaluation of the inputs' expressions goes.
  explicit Symbols(mlir::Block *entry) : entry(entry) {}

  /// Gives `name` a value of type index. `atEntry`: it dominates the body.
  void bind(llvm::StringRef name, mlir::Value value, bool atEntry);
  /// What is evaluated at the entry goes behind `op`.
  void startAfter(mlir::Operation *op) { *lastAtEntry = op; }
  bool isBound(llvm::StringRef name) const { return values.count(name); }
  /// The value that `name` has, or null.
  mlir::Value lookup(llvm::StringRef name) const {
    return values.lookup(name).value;
  }
  /// True if each symbol in `expr` has a value and each call is one that
  /// `integer` (or, for relations, `boolean`) evaluates.
  bool canEvaluate(ExprAttr expr) const;

  /// The value of an integer expression, of type index.
  mlir::Value integer(mlir::OpBuilder &b, mlir::Location loc, ExprAttr expr);
  /// The value of a truth-valued expression, an i1.
  mlir::Value boolean(mlir::OpBuilder &b, mlir::Location loc, ExprAttr expr);
  /// The value of a real expression, an f64.
  mlir::Value real(mlir::OpBuilder &b, mlir::Location loc, ExprAttr expr);
  /// An attribute where `expr` is an integer, else its value.
  mlir::OpFoldResult fold(mlir::OpBuilder &b, mlir::Location loc,
                          ExprAttr expr);

  /// Forgets values whose operations satisfy `gone`.
  void forget(llvm::function_ref<bool(mlir::Operation *)> gone);
  /// Forgets all evaluated expressions, not the symbols.
  void forgetExpressions() { cache.clear(); }

private:
  mlir::Value evaluate(mlir::OpBuilder &b, mlir::Location loc, ExprAttr expr,
                       char type);
  mlir::Value build(mlir::OpBuilder &b, mlir::Location loc, ExprAttr expr,
                    char type);
  /// `build` for a sum or a product.
  mlir::Value buildSum(mlir::OpBuilder &b, mlir::Location loc, ExprAttr expr,
                       char type);
  /// `build` for a call of a function.
  mlir::Value buildCall(mlir::OpBuilder &b, mlir::Location loc, ExprAttr expr,
                        char type);

  struct Binding {
    mlir::Value value;
    bool atEntry;
  };
  mlir::Block *entry = nullptr;
  /// The last operation placed at the entry, shared by nested scopes.
  std::shared_ptr<mlir::Operation *> lastAtEntry =
      std::make_shared<mlir::Operation *>(nullptr);
  llvm::StringMap<Binding> values;
  llvm::DenseMap<std::pair<mlir::Attribute, unsigned>, mlir::Value> cache;
};

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_SYMBOLS_H

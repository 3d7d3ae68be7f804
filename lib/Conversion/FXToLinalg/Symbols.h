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

/// The symbols of a graph with their values at run time, and an evaluator of
/// expressions over them. Expressions over the symbols of inputs are evaluated
/// once, at the function's entry; expressions over data-dependent symbols are
/// evaluated where they are first needed.
class Symbols {
public:
  Symbols() = default;
  /// Expressions over the symbols of inputs are evaluated at the start of
  /// `entry`.
  explicit Symbols(mlir::Block *entry) : entry(entry) {}

  /// Binds `name` to a value of type index, f64 or i1. `atEntry` is true if the
  /// value is available at the function's entry.
  void bind(llvm::StringRef name, mlir::Value value, bool atEntry);
  /// Inserts the operations that are evaluated at the entry after `op`.
  void startAfter(mlir::Operation *op) { *lastAtEntry = op; }
  bool isBound(llvm::StringRef name) const { return values.count(name); }
  /// Returns the value of `name`, or null.
  mlir::Value lookup(llvm::StringRef name) const {
    return values.lookup(name).value;
  }
  /// Returns true if each symbol in `expr` has a value and each call is of a
  /// function that the evaluator supports.
  bool canEvaluate(ExprAttr expr) const;

  /// Returns the value of an integer expression, of type index.
  mlir::Value integer(mlir::OpBuilder &b, mlir::Location loc, ExprAttr expr);
  /// Returns the value of a truth-valued expression, an i1.
  mlir::Value boolean(mlir::OpBuilder &b, mlir::Location loc, ExprAttr expr);
  /// Returns the value of a real expression, an f64.
  mlir::Value real(mlir::OpBuilder &b, mlir::Location loc, ExprAttr expr);
  /// Returns an index attribute if `expr` is a constant integer, else its
  /// value.
  mlir::OpFoldResult fold(mlir::OpBuilder &b, mlir::Location loc,
                          ExprAttr expr);

  /// Forgets the symbols and evaluated expressions whose values are defined by
  /// operations that satisfy `gone`.
  void forget(llvm::function_ref<bool(mlir::Operation *)> gone);
  /// Forgets all evaluated expressions; keeps the symbols.
  void forgetExpressions() { cache.clear(); }

private:
  /// Returns the value of `expr` in type `type`: 'i' index, 'f' f64, 'b' i1.
  /// Reuses a cached value if one is visible.
  mlir::Value evaluate(mlir::OpBuilder &b, mlir::Location loc, ExprAttr expr,
                       char type);
  /// Builds the value of `expr` in type `type` at the insertion point.
  mlir::Value build(mlir::OpBuilder &b, mlir::Location loc, ExprAttr expr,
                    char type);
  /// Implements `build` for a sum or a product.
  mlir::Value buildSum(mlir::OpBuilder &b, mlir::Location loc, ExprAttr expr,
                       char type);
  /// Implements `build` for a call of a function.
  mlir::Value buildCall(mlir::OpBuilder &b, mlir::Location loc, ExprAttr expr,
                        char type);

  struct Binding {
    mlir::Value value;
    bool atEntry;
  };
  mlir::Block *entry = nullptr;
  /// The last operation inserted at the entry. The copies of this object for
  /// nested scopes share it.
  std::shared_ptr<mlir::Operation *> lastAtEntry =
      std::make_shared<mlir::Operation *>(nullptr);
  llvm::StringMap<Binding> values;
  llvm::DenseMap<std::pair<mlir::Attribute, unsigned>, mlir::Value> cache;
};

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_SYMBOLS_H

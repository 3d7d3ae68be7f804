//===- Arguments.h - argument trees -----------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_ARGUMENTS_H
#define FX_IR_ARGUMENTS_H

#include "fx/IR/FXDialect.h"

namespace fx {

/// Calls `fn` for every leaf of a tree, in order. Lists and dicts are inner
/// nodes.
void walkLeaves(mlir::Attribute tree,
                llvm::function_ref<void(mlir::Attribute)> fn);

/// Returns the number of `#fx.operand` leaves.
unsigned countOperands(mlir::Attribute tree);

/// One argument of a node, or an element of a list argument: its tree and the
/// operands of its leaves. The tree is null if the argument was not given and
/// has no default.
struct Argument {
  mlir::Attribute tree;
  mlir::OperandRange operands{nullptr, 0};

  explicit operator bool() const { return static_cast<bool>(tree); }
  bool isNone() const { return !tree || llvm::isa<NoneAttr>(tree); }
  bool isValue() const { return tree && llvm::isa<OperandAttr>(tree); }
  bool isList() const { return tree && llvm::isa<mlir::ArrayAttr>(tree); }
  /// Returns the operand if the argument is a single `#fx.operand`, else null.
  mlir::Value getValue() const {
    return isValue() ? operands.front() : mlir::Value();
  }

  /// Returns the immediate if it has the Python type, else nullopt. A bool is
  /// also an int and an int is also a float, as in Python.
  std::optional<bool> getBool() const;
  std::optional<int64_t> getInt() const;
  std::optional<double> getFloat() const;
  std::optional<llvm::StringRef> getString() const;
  /// Returns the dtype as a builtin type, or null if the argument is none.
  mlir::Type getDtype() const;

  /// Returns the expression of an int immediate or of a symbolic int; null for
  /// other arguments and for a symbolic int without an expression.
  ExprAttr getExpr() const;

  /// Returns the elements of a list. A None has no elements; any other single
  /// argument is its only element, as in torch for `int[2]`.
  llvm::SmallVector<Argument, 4> getElements() const;
  /// Returns the elements if all are int immediates, else nullopt.
  std::optional<llvm::SmallVector<int64_t>> getInts() const;
  /// Returns `getExpr` of the elements if all have one, else nullopt.
  std::optional<llvm::SmallVector<ExprAttr>> getExprs() const;
  /// Returns the elements as values; null for an element that is no value (a
  /// None of `Tensor?[]`).
  llvm::SmallVector<mlir::Value> getValues() const;
};

/// Returns the arguments of a node in the order in which they are written,
/// each with its operands.
llvm::SmallVector<Argument> getArguments(NodeOpInterface node);

/// An argument to build: a tree and the values of its `#fx.operand` leaves.
struct ArgumentTree {
  mlir::Attribute tree;
  llvm::SmallVector<mlir::Value> values;

  ArgumentTree(mlir::Value value);
  ArgumentTree(mlir::Attribute immediate) : tree(immediate) {}
  ArgumentTree(const Argument &argument);
  static ArgumentTree integer(mlir::MLIRContext *ctx, int64_t value);
  static ArgumentTree list(mlir::MLIRContext *ctx,
                           llvm::ArrayRef<ArgumentTree> elements);
};

/// Creates a call_function. `keywords` are the names of the last arguments.
CallFunctionOp createCall(mlir::OpBuilder &b, mlir::Location loc,
                          llvm::StringRef target, mlir::TypeRange results,
                          llvm::ArrayRef<ArgumentTree> args,
                          llvm::ArrayRef<llvm::StringRef> keywords = {});

/// Verifies the argument tree and the keyword names: these are unique strings,
/// and there are not more of them than arguments.
mlir::LogicalResult verifyNode(NodeOpInterface node);
/// Verifies that each dict in `args` has one string key for each value and that
/// `args` has one `#fx.operand` leaf for each operand of `op`.
mlir::LogicalResult verifyTree(mlir::Operation *op, mlir::ArrayAttr args);

} // namespace fx

#endif // FX_IR_ARGUMENTS_H

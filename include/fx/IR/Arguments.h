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

/// Calls `fn` for every leaf of a tree, in order; lists and dicts are entered.
void walkLeaves(mlir::Attribute tree,
                llvm::function_ref<void(mlir::Attribute)> fn);

/// The number of `#fx.operand` leaves.
unsigned countOperands(mlir::Attribute tree);

/// One argument of a node, or an element of one: its tree and the operands of
/// its leaves. An argument that was not given and has no default has no tree.
struct Argument {
  mlir::Attribute tree;
  mlir::OperandRange operands{nullptr, 0};

  explicit operator bool() const { return static_cast<bool>(tree); }
  bool isNone() const { return !tree || llvm::isa<NoneAttr>(tree); }
  bool isValue() const { return tree && llvm::isa<OperandAttr>(tree); }
  bool isList() const { return tree && llvm::isa<mlir::ArrayAttr>(tree); }
  /// The value, where the argument is one; else null.
  mlir::Value getValue() const {
    return isValue() ? operands.front() : mlir::Value();
  }

  /// The immediate of that Python type, else nothing. A bool is an int, and an
  /// int is a float, as in Python.
  std::optional<bool> getBool() const;
  std::optional<int64_t> getInt() const;
  std::optional<double> getFloat() const;
  std::optional<llvm::StringRef> getString() const;
  /// The dtype, a builtin type; else null.
  mlir::Type getDtype() const;

  /// An int as an expression: an immediate, or a symbolic int whose expression
  /// is known; else null.
  ExprAttr getExpr() const;

  /// The elements of a list; a single argument counts as a list of one, as
  /// torch has it for `int[2]`.
  llvm::SmallVector<Argument, 4> getElements() const;
  /// The elements where all are int immediates, else nothing.
  std::optional<llvm::SmallVector<int64_t>> getInts() const;
  /// The elements where `getExpr` knows all of them, else nothing.
  std::optional<llvm::SmallVector<ExprAttr>> getExprs() const;
  /// The elements as values; null for what is none (a None of `Tensor?[]`).
  llvm::SmallVector<mlir::Value> getValues() const;
};

/// The arguments of a node in the order they are written, operands dealt out.
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

/// Creates a call_function; `keywords` name the last arguments.
CallFunctionOp createCall(mlir::OpBuilder &b, mlir::Location loc,
                          llvm::StringRef target, mlir::TypeRange results,
                          llvm::ArrayRef<ArgumentTree> args,
                          llvm::ArrayRef<llvm::StringRef> keywords = {});

/// Checks what holds for every node: the tree's value leaves are the operands,
/// the keyword names are strings, unique, and not more than the arguments.
mlir::LogicalResult verifyNode(NodeOpInterface node);
mlir::LogicalResult verifyTree(mlir::Operation *op, mlir::ArrayAttr args);

} // namespace fx

#endif // FX_IR_ARGUMENTS_H

//===- Arguments.h - argument trees -----------------*- C++ -* -===//
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

/// One argument of a node: its tree and the operands of its leaves.
struct Argument {
  mlir::Attribute tree;
  mlir::OperandRange operands;

  bool isNone() const { return !tree || llvm::isa<NoneAttr>(tree); }
  bool isValue() const { return tree && llvm::isa<OperandAttr>(tree); }
  /// The value, where the argument is one; else null.
  mlir::Value getValue() const {
    return isValue() ? operands.front() : mlir::Value();
  }
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

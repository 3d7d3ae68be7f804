//===- Text.h - text of numbers and argument trees --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_IR_TEXT_H
#define FX_LIB_IR_TEXT_H

#include "fx/IR/FXDialect.h"

namespace fx {

/// Prints the shortest decimal text that reads back as `value`, always with a
/// point, so that MLIR's lexer takes it as a float; `inf`, `neg_inf`, `nan`.
void printReal(llvm::raw_ostream &os, double value);

/// The value of the keyword `inf`, `neg_inf` or `nan`.
std::optional<double> parseSpecialReal(llvm::StringRef keyword);

/// Prints `(leaf, [leaf, leaf], name = leaf)`; operands take their places in
/// order.
void printArguments(mlir::OpAsmPrinter &printer, mlir::OperandRange operands,
                    mlir::ArrayAttr args, mlir::ArrayAttr kwnames);

/// What parseArguments reads.
struct ParsedArguments {
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  llvm::SmallVector<mlir::Attribute> args;
  llvm::SmallVector<mlir::Attribute> kwnames;
};
mlir::ParseResult parseArguments(mlir::OpAsmParser &parser,
                                 ParsedArguments &result);

/// Prints the tree of one immediate outside of an argument list.
void printLeaf(mlir::AsmPrinter &printer, mlir::Attribute leaf);

/// Prints ` as "name"` where the printer renamed the results, so that the true
/// names survive.
void printRenamed(mlir::OpAsmPrinter &printer, mlir::Operation *op);
/// Sets the location's node name from the SSA name or an `as "name"`.
mlir::ParseResult parseNodeName(mlir::OpAsmParser &parser,
                                mlir::OperationState &state);

} // namespace fx

#endif // FX_LIB_IR_TEXT_H

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

/// Prints the shortest decimal text that reads back as `value`. The text always
/// has a point, so that MLIR's lexer reads a float. Infinities and NaN are
/// printed as `inf`, `neg_inf` and `nan`.
void printReal(llvm::raw_ostream &os, double value);

/// Returns the value of the keyword `inf`, `neg_inf` or `nan`, and nullopt for
/// other keywords.
std::optional<double> parseSpecialReal(llvm::StringRef keyword);

/// Prints `(leaf, [leaf, leaf], name = leaf)`. Each `#fx.operand` leaf is
/// printed as the next of `operands`.
void printArguments(mlir::OpAsmPrinter &printer, mlir::OperandRange operands,
                    mlir::ArrayAttr args, mlir::ArrayAttr kwnames);

/// The result of parseArguments: the operands in order, the trees of all
/// arguments, and the names of the last ones, which are keyword arguments.
struct ParsedArguments {
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  llvm::SmallVector<mlir::Attribute> args;
  llvm::SmallVector<mlir::Attribute> kwnames;
};
mlir::ParseResult parseArguments(mlir::OpAsmParser &parser,
                                 ParsedArguments &result);

/// Prints one immediate outside of an argument list.
void printLeaf(mlir::AsmPrinter &printer, mlir::Attribute leaf);

/// Prints ` as "name"` if the SSA names of the results differ from the node
/// names, so that a round trip preserves the node names.
void printRenamed(mlir::OpAsmPrinter &printer, mlir::Operation *op);
/// Sets the node name in the location from `as "name"`, or else from the SSA
/// names of the results.
mlir::ParseResult parseNodeName(mlir::OpAsmParser &parser,
                                mlir::OperationState &state);

} // namespace fx

#endif // FX_LIB_IR_TEXT_H

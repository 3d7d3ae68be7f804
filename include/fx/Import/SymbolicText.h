//===- SymbolicText.h - symbolic expressions from text ----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsers for the three notations of expressions in an exported program:
//
//   sizes: sympy's srepr text,
//     Mul(Integer(2), Symbol('s77', positive=True, integer=True))
//   keys of range constraints: sympy's str text,
//     2*s77 + 1
//   guards: Python,
//     L['x'].size()[0] // 2 > 3
//
//===----------------------------------------------------------------------===//

#ifndef FX_IMPORT_SYMBOLICTEXT_H
#define FX_IMPORT_SYMBOLICTEXT_H

#include "fx/IR/FXDialect.h"
#include "llvm/Support/Error.h"

#include <variant>

namespace fx {

/// One step from a Python object: `.attr`, `["key"]`, `[0]`, or `()`.
struct Access {
  enum Kind { Attribute, Key, Index, Call } kind;
  llvm::StringRef name; ///< the name of the attribute, or the key
  int64_t index = 0;
};

/// Returns the expression for the Python object `root` with the accesses
/// applied to it, or null if there is none.
using PythonResolver =
    llvm::function_ref<ExprAttr(llvm::StringRef root, llvm::ArrayRef<Access>)>;

/// Parses srepr text.
llvm::Expected<ExprAttr> parseSrepr(mlir::MLIRContext *ctx,
                                    llvm::StringRef text);

/// Parses sympy's infix text, in which every name is a symbol.
llvm::Expected<ExprAttr> parseInfix(mlir::MLIRContext *ctx,
                                    llvm::StringRef text);

/// Parses a Python expression of integers and truth values.
llvm::Expected<ExprAttr> parsePython(mlir::MLIRContext *ctx,
                                     llvm::StringRef text,
                                     PythonResolver resolve);

} // namespace fx

#endif // FX_IMPORT_SYMBOLICTEXT_H

//===- TypeWriter.h - types to tensor metadata ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_EXPORT_TYPEWRITER_H
#define FX_LIB_EXPORT_TYPEWRITER_H

#include "fx/IR/FXDialect.h"
#include "fx/Import/Schema.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/StringSaver.h"

namespace fx {

/// The inverse of Import's TypeBuilder. Functions return nothing after an
/// error, which is emitted at `loc`.
class TypeWriter {
public:
  /// Reads the texts of the module's expressions (`fx.expressions`).
  TypeWriter(mlir::ModuleOp module, llvm::StringSaver &strings);

  std::optional<schema::SymExpr> getExpr(ExprAttr expr, mlir::Location loc);
  std::optional<schema::SymInt> getInt(ExprAttr expr, mlir::Location loc);
  std::optional<schema::SymFloat> getFloat(ExprAttr expr, mlir::Location loc);
  std::optional<schema::SymBool> getBool(ExprAttr expr, mlir::Location loc);
  std::optional<schema::TensorMeta> getMeta(FakeTensorType type,
                                            mlir::Location loc);

  static std::optional<schema::ScalarType> getDtype(mlir::Type type);
  static std::optional<schema::Layout> getLayout(llvm::StringRef name);
  static std::optional<schema::MemoryFormat>
  getMemoryFormat(llvm::StringRef name);

private:
  struct Text {
    llvm::StringRef text;
    mlir::Attribute hint;
  };
  /// sympy's srepr text; false after an error.
  bool print(llvm::raw_ostream &os, ExprAttr expr, mlir::Location loc);
  void addSymbols(llvm::StringRef text);
  std::optional<schema::SymExprHint> getHint(const Text &text) const;
  bool isPositive(ExprAttr expr) const;

  llvm::StringSaver &strings;
  llvm::DenseMap<ExprAttr, Text> texts;
  /// `Symbol('s0', positive=True, integer=True)` by the symbol's name.
  llvm::StringMap<llvm::StringRef> symbols;
  llvm::StringMap<int64_t> values; ///< of the symbols, in the example
};

} // namespace fx

#endif // FX_LIB_EXPORT_TYPEWRITER_H

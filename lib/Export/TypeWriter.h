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

/// The inverse of Import's TypeBuilder. Functions return nullopt after an
/// error, which they emit at `loc`.
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

  /// These functions return nullopt, without an error, if torch has no such
  /// dtype, layout or memory format.
  static std::optional<schema::ScalarType> getDtype(mlir::Type type);
  static std::optional<schema::Layout> getLayout(llvm::StringRef name);
  static std::optional<schema::MemoryFormat>
  getMemoryFormat(llvm::StringRef name);

private:
  struct Text {
    llvm::StringRef text;
    mlir::Attribute hint;
  };
  /// Prints sympy's srepr text. Returns false after an error.
  bool print(llvm::raw_ostream &os, ExprAttr expr, mlir::Location loc);
  void addSymbols(llvm::StringRef text);
  std::optional<schema::SymExprHint> getHint(const Text &text) const;
  bool isPositive(ExprAttr expr) const;

  llvm::StringSaver &strings;
  llvm::DenseMap<ExprAttr, Text> texts;
  /// The srepr texts of symbols, `Symbol('s0', positive=True, integer=True)`,
  /// by the symbols' names.
  llvm::StringMap<llvm::StringRef> symbols;
  llvm::StringMap<int64_t> values; ///< the example values of the symbols
};

} // namespace fx

#endif // FX_LIB_EXPORT_TYPEWRITER_H

//===- TypeBuilder.h - tensor metadata to types -----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_IMPORT_TYPEBUILDER_H
#define FX_LIB_IMPORT_TYPEBUILDER_H

#include "fx/IR/FXDialect.h"
#include "fx/Import/Schema.h"

namespace fx {

/// Builds types from the schema's metadata. Functions return null after an
/// error, which they emit about the node or record `where`.
class TypeBuilder {
public:
  explicit TypeBuilder(mlir::MLIRContext *ctx) : ctx(ctx) {}

  ExprAttr get(const schema::SymInt &value, llvm::StringRef where);
  SymIntType getType(const schema::SymInt &value, llvm::StringRef where);
  SymFloatType getType(const schema::SymFloat &value, llvm::StringRef where);
  SymBoolType getType(const schema::SymBool &value, llvm::StringRef where);
  FakeTensorType getType(const schema::TensorMeta &meta, llvm::StringRef where);

  /// Returns the texts of the expressions read so far, each with its example
  /// value (a unit attribute if it has none), for export.
  mlir::DictionaryAttr getTexts() const;

  mlir::Type getDtype(schema::ScalarType type);
  static llvm::StringRef getName(schema::Layout layout);
  static llvm::StringRef getName(schema::MemoryFormat format);

private:
  bool isContiguous(llvm::ArrayRef<ExprAttr> sizes,
                    llvm::ArrayRef<ExprAttr> strides);

  ExprAttr getExpr(const schema::SymExpr &expr, llvm::StringRef where);

  struct Text {
    ExprAttr expr;
    mlir::Attribute hint;
  };
  mlir::MLIRContext *ctx;
  llvm::StringMap<Text> texts;
};

} // namespace fx

#endif // FX_LIB_IMPORT_TYPEBUILDER_H

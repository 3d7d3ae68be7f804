//===- TypeBuilder.h - tensor metadata to types ----------------*- C++ -*-===//
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

/// Makes types of the schema's metadata. Null after an error, which is
/// emitted about the node or record `where`.
class TypeBuilder {
public:
  explicit TypeBuilder(mlir::MLIRContext *ctx) : ctx(ctx) {}

  /// From srepr text.
  ExprAttr getExpr(llvm::StringRef text, llvm::StringRef where);
  ExprAttr get(const schema::SymInt &value, llvm::StringRef where);
  SymIntType getType(const schema::SymInt &value, llvm::StringRef where);
  SymFloatType getType(const schema::SymFloat &value, llvm::StringRef where);
  SymBoolType getType(const schema::SymBool &value, llvm::StringRef where);
  FakeTensorType getType(const schema::TensorMeta &meta, llvm::StringRef where);

  mlir::Type getDtype(schema::ScalarType type);
  static llvm::StringRef getName(schema::Layout layout);
  static llvm::StringRef getName(schema::MemoryFormat format);

private:
  bool isContiguous(llvm::ArrayRef<ExprAttr> sizes,
                    llvm::ArrayRef<ExprAttr> strides);

  mlir::MLIRContext *ctx;
  llvm::StringMap<ExprAttr> expressions;
};

} // namespace fx

#endif // FX_LIB_IMPORT_TYPEBUILDER_H

//===- SchemaParser.h - reads torch's schema text ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses operator schemas: those of torch when fx-mlir is built, and those of
// custom operators when they are registered.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_SCHEMAPARSER_H
#define FX_OPERATORS_SCHEMAPARSER_H

#include "fx/Operators/Schema.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace fx::gen {

/// An argument or a result as the text of a schema declares it. ArgumentSchema
/// is its record in the table.
struct ArgumentDeclaration {
  std::string name, type, defaultText;
  SchemaKind kind = SchemaKind::Any;
  unsigned flags = 0, listDepth = 0, listSize = 0;
  uint32_t aliasSets = 0;

  bool isWrite() const { return flags & ArgumentSchema::Write; }
  bool isTensor() const { return kind == SchemaKind::Tensor && listDepth == 0; }
};

/// An operator as the text of its schema declares it.
struct OperatorDeclaration {
  /// `aten`, `add`, `Tensor` (empty for a symbolic operator),
  /// `aten.add.Tensor`.
  std::string nameSpace, base, overload, target;
  /// The text of the schema, without tags.
  std::string text;
  std::vector<ArgumentDeclaration> arguments, results;
  unsigned flags = 0;

  bool isMutating() const { return flags & OperatorSchema::Mutating; }
};

/// Parses one line, `aten::add.Tensor(Tensor self, …) -> Tensor # core` or
/// `_operator.mul(Number a, Number b) -> Number`.
llvm::Expected<OperatorDeclaration> parseSchema(llvm::StringRef line);

} // namespace fx::gen

#endif // FX_OPERATORS_SCHEMAPARSER_H

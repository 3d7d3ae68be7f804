//===- Emit.h - writes C++ from operator schemas ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_GEN_EMIT_H
#define FX_OPERATORS_GEN_EMIT_H

#include "fx/Operators/SchemaParser.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

namespace fx::gen {

/// A schema that other versions of torch have instead of that in the table, or
/// in addition. Bit i of `versions` is that of version i.
struct OtherSchema {
  OperatorDeclaration op;
  uint32_t versions = 0;
};

/// The schemas of all versions: those of one version in full, and what differs
/// in the others.
struct SchemaSet {
  std::vector<OperatorDeclaration> operators;
  /// `2.13.0`
  std::string version;
  std::vector<OtherSchema> others;
  /// The versions of `others`, as `2.8.0`.
  std::vector<std::string> otherVersions;
};

/// Writes the table that Schema.cpp includes.
void emitTable(const SchemaSet &schemas, llvm::raw_ostream &os);

/// Returns the C++ namespace of the view of `op`, which is also the folder of
/// its header.
std::string getViewNamespace(const OperatorDeclaration &op);

/// Returns the class names made of base names alone, each as
/// `namespace.ClassName`. They take precedence over class names that contain an
/// overload name.
llvm::StringSet<> getBaseNames(llvm::ArrayRef<OperatorDeclaration> operators);

/// Writes the typed views of the operators of one base name; `indices` are
/// their indices in the table.
void emitHeader(llvm::ArrayRef<OperatorDeclaration> operators,
                llvm::ArrayRef<unsigned> indices,
                const llvm::StringSet<> &baseNames, llvm::raw_ostream &os);

/// Writes the distinct argument names, sorted, as string literals.
void emitArgumentNames(llvm::ArrayRef<OperatorDeclaration> operators,
                       llvm::raw_ostream &os);

} // namespace fx::gen

#endif // FX_OPERATORS_GEN_EMIT_H

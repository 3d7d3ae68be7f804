//===- ExternCall.h - the call that a proxy executor makes ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_EXPORT_EXTERNCALL_H
#define FX_LIB_EXPORT_EXTERNCALL_H

#include "fx/IR/Arguments.h"
#include "fx/Operators/SchemaParser.h"

#include "llvm/Support/Error.h"

namespace fx {

/// An argument or a result of an operator of torch or of the user.
struct Parameter {
  Parameter(const ArgumentSchema &schema)
      : name(schema.getName()), kind(schema.kind), flags(schema.flags),
        listDepth(schema.listDepth) {}
  Parameter(const gen::ArgumentDeclaration &declared)
      : name(declared.name), kind(declared.kind), flags(declared.flags),
        listDepth(declared.listDepth) {}

  bool isOptional() const { return flags & ArgumentSchema::Optional; }
  bool isWritten() const { return flags & ArgumentSchema::Write; }
  bool hasOptionalElements() const {
    return flags & ArgumentSchema::OptionalElements;
  }

  llvm::StringRef name;
  SchemaKind kind;
  unsigned flags, listDepth;
};

/// The call of an operator in LibTorch's dispatcher that an `fx.eager` stands
/// for. The functional form of a call that writes its arguments is the call of
/// this operator on copies, which are further results.
class ExternCall {
public:
  /// Fails with the reason if there is no such call.
  static llvm::Expected<ExternCall> get(EagerOp op);

  /// Returns the name for the dispatcher, `aten::sort.stable`. A default
  /// overload has no name.
  std::string getDispatcherName() const;
  /// Returns true if results may be views of operands, or tensors that are
  /// conjugated or negated lazily.
  bool mayAlias() const { return aliases; }

  /// The given arguments, in the order of their operands.
  llvm::SmallVector<std::pair<Parameter, Argument>> arguments;
  llvm::SmallVector<Parameter> results;
  /// The trees of the results of the operator. None: the graph does not use it.
  llvm::SmallVector<mlir::Attribute> outs;
  /// The trees of the copies of the written arguments, in the order of these.
  llvm::SmallVector<mlir::Attribute> copies;

private:
  llvm::Error readSchema(EagerOp op);
  llvm::Error readArguments(llvm::ArrayRef<Argument> given,
                            llvm::ArrayRef<mlir::Attribute> names);
  llvm::Error readBases(llvm::ArrayRef<Argument> given,
                        llvm::ArrayRef<mlir::Attribute> names);
  llvm::Error readOuts(EagerOp op);
  const Parameter *find(llvm::StringRef name) const;

  llvm::StringRef target;
  llvm::SmallVector<Parameter> parameters;
  bool aliases = false;
  size_t numCopies = 0;
};

} // namespace fx

#endif // FX_LIB_EXPORT_EXTERNCALL_H

//===- Schema.h - what torch says of an operator ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schemas of torch's operators, as a read-only table that fx-schema-gen
// generates from lib/Operators/schemas. The table depends neither on the IR nor
// on LibTorch. Effects and verification of the IR use it.
//
// Records hold offsets into one pool of strings instead of pointers, so the
// table needs no relocations and no initialization.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_SCHEMA_H
#define FX_OPERATORS_SCHEMA_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace fx {

/// The base type of an argument or result, without list and optional.
enum class SchemaKind : uint8_t {
  Tensor,
  /// `Scalar`: an immediate or symbolic int, float, bool or complex number.
  Number,
  Int,
  SymInt,
  Float,
  SymFloat,
  Bool,
  SymBool,
  String,
  /// A dtype; immediates are TypeAttr of a builtin type.
  ScalarType,
  Layout,
  Device,
  MemoryFormat,
  Generator,
  QScheme,
  Storage,
  Stream,
  Dimname,
  /// A custom class, `__torch__.torch.classes.…`.
  Object,
  Dict,
  /// `Any` and type variables: every value fits.
  Any,
};

/// One argument or one result of an operator.
struct ArgumentSchema {
  enum Flag : uint8_t {
    Optional = 1,
    /// The elements of the list are optional (`Tensor?[]`).
    OptionalElements = 2,
    KwargOnly = 4,
    /// The operator writes the argument, `(a!)`.
    Write = 8,
    HasDefault = 16,
    /// The value may become an element of a list, whose alias sets are unknown,
    /// `(a -> *)`.
    Wildcard = 32,
  };

  uint32_t nameOffset, typeOffset, defaultOffset;
  /// Bit i: the value belongs to the alias set named by the i-th letter.
  uint32_t aliasSets;
  SchemaKind kind;
  uint8_t flags;
  /// 0 for a scalar, 1 for `T[]`, 2 for `T[][]`.
  uint8_t listDepth;
  /// n of `T[n]`, which also takes a single T; 0 if not given.
  uint8_t listSize;

  /// Returns the name; empty for most results.
  llvm::StringRef getName() const;
  /// Returns the text of the type without alias annotations: `SymInt[2]?`.
  llvm::StringRef getTypeText() const;
  /// Returns the text of the default: `1`, `None`, `[0, 1]`, `"mean"`.
  std::optional<llvm::StringRef> getDefaultText() const;

  bool isOptional() const { return flags & Optional; }
  bool hasOptionalElements() const { return flags & OptionalElements; }
  bool isKwargOnly() const { return flags & KwargOnly; }
  bool isWrite() const { return flags & Write; }
  bool hasDefault() const { return flags & HasDefault; }
  bool isList() const { return listDepth != 0; }
  /// Returns true for a single tensor, optional or not.
  bool isTensor() const { return kind == SchemaKind::Tensor && !isList(); }
};

/// One operator overload. Obtained from `lookupOperator` only.
struct OperatorSchema {
  enum Flag : uint32_t {
    /// An argument is written, `(a!)`.
    Mutating = 1 << 0,
    /// A result aliases an argument that is not written.
    View = 1 << 1,
    /// Draws from a random generator.
    Seeded = 1 << 2,
    Core = 1 << 3,
    Pointwise = 1 << 4,
    Reduction = 1 << 5,
    /// The functional copy of a view operator.
    ViewCopy = 1 << 6,
    /// Changes the sizes or strides of its argument in place.
    InplaceView = 1 << 7,
    /// The sizes of a result depend on values.
    DynamicShape = 1 << 8,
    /// A result that is no tensor depends on values.
    DataDependent = 1 << 9,
    /// A result may or may not alias an argument, or the schema does not
    /// annotate a mutation.
    MaybeAliasing = 1 << 10,
    /// A Python function on symbolic numbers (`_operator.mul`,
    /// `torch.sym_max`).
    Symbolic = 1 << 11,
    /// Results differ from run to run, but not because of a random generator.
    Nondeterministic = 1 << 12,
  };

  uint32_t nameOffset, firstArgument, flags;
  uint16_t numArguments, numResults;

  /// Returns the target, `aten.add.Tensor`.
  llvm::StringRef getName() const;
  llvm::ArrayRef<ArgumentSchema> getArguments() const;
  llvm::ArrayRef<ArgumentSchema> getResults() const;
  /// Returns the position of the argument `name`, or -1.
  int findArgument(llvm::StringRef name) const;
  /// Returns the number of arguments that may be positional.
  unsigned getNumPositional() const;

  bool has(Flag flag) const { return flags & flag; }
  bool isMutating() const { return has(Mutating); }
  bool isView() const { return has(View); }
  bool isSeeded() const { return has(Seeded); }
  bool isSymbolic() const { return has(Symbolic); }
  bool hasNoResults() const { return numResults == 0; }
};

/// Returns the schema of `target` (`aten.add.Tensor`, `_operator.mul`), or
/// null.
const OperatorSchema *lookupOperator(llvm::StringRef target);

/// Returns all operators, in no particular order.
llvm::ArrayRef<OperatorSchema> getAllOperators();

/// Returns true if the table has all operators of the namespace of `target`, so
/// that a target that is not in the table is an error. Returns false for
/// custom operators.
bool isKnownNamespace(llvm::StringRef target);

/// Returns the version of torch whose schemas are built in, `2.13.0`.
llvm::StringRef getSchemaVersion();

/// Properties of an operator's purity that its schema does not declare. The
/// table of exceptions is written by hand.
struct PurityException {
  llvm::StringRef target;
  /// The boolean argument that turns training on. If it is true, the operator
  /// writes `mutated`, although its schema has no annotation. If it is false, a
  /// seeded operator does not draw random numbers.
  llvm::StringRef trainingFlag;
  /// The probability argument. If it is 0, a seeded operator does not draw
  /// random numbers.
  llvm::StringRef probability;
  /// The arguments that the operator writes in training.
  llvm::ArrayRef<llvm::StringLiteral> mutated;
};

/// Returns the exception for `target`, or null.
const PurityException *lookupPurityException(llvm::StringRef target);

} // namespace fx

#endif // FX_OPERATORS_SCHEMA_H

//===- Schema.h - what torch says of an operator ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schemas of torch's operators, as a read-only table that fx-schema-gen
// makes of lib/Operators/schemas. Nothing here depends on the IR, nor on
// LibTorch: the IR uses this for effects and verification.
//
// Records hold offsets into one pool of strings instead of pointers, so the
// table needs no relocations and no start-up work.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_SCHEMA_H
#define FX_OPERATORS_SCHEMA_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace fx {

/// The base type of an argument or result, lists and options stripped.
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
    /// Written through, `(a!)`.
    Write = 8,
    HasDefault = 16,
    /// Ends up in some list of unknown alias sets, `(a -> *)`.
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

  /// Empty for most results.
  llvm::StringRef getName() const;
  /// The type as written, without alias annotations: `SymInt[2]?`.
  llvm::StringRef getTypeText() const;
  /// The default as written: `1`, `None`, `[0, 1]`, `"mean"`.
  std::optional<llvm::StringRef> getDefaultText() const;

  bool isOptional() const { return flags & Optional; }
  bool hasOptionalElements() const { return flags & OptionalElements; }
  bool isKwargOnly() const { return flags & KwargOnly; }
  bool isWrite() const { return flags & Write; }
  bool hasDefault() const { return flags & HasDefault; }
  bool isList() const { return listDepth != 0; }
  /// A single tensor, optional or not.
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
    /// A result may or may not alias an argument, or the schema does not tell
    /// of a mutation.
    MaybeAliasing = 1 << 10,
    /// A Python function on symbolic numbers (`_operator.mul`,
    /// `torch.sym_max`).
    Symbolic = 1 << 11,
    /// Differs from run to run for another reason than a generator.
    Nondeterministic = 1 << 12,
  };

  uint32_t nameOffset, firstArgument, flags;
  uint16_t numArguments, numResults;

  /// `aten.add.Tensor`.
  llvm::StringRef getName() const;
  llvm::ArrayRef<ArgumentSchema> getArguments() const;
  llvm::ArrayRef<ArgumentSchema> getResults() const;
  /// The position of the argument `name`, or -1.
  int findArgument(llvm::StringRef name) const;
  /// How many arguments may be given by position.
  unsigned getNumPositional() const;

  bool has(Flag flag) const { return flags & flag; }
  bool isMutating() const { return has(Mutating); }
  bool isView() const { return has(View); }
  bool isSeeded() const { return has(Seeded); }
  bool isSymbolic() const { return has(Symbolic); }
  bool hasNoResults() const { return numResults == 0; }
};

/// The schema of `target` (`aten.add.Tensor`, `_operator.mul`), or null.
const OperatorSchema *lookupOperator(llvm::StringRef target);

/// All operators, in no particular order.
llvm::ArrayRef<OperatorSchema> getAllOperators();

/// True if every operator of the target's namespace is in the table, so that a
/// target that is not is an error; false for custom operators.
bool isKnownNamespace(llvm::StringRef target);

/// The torch version whose schemas are built in, `2.13.0`.
llvm::StringRef getSchemaVersion();

/// What a schema does not say of its operator's purity; hand-written.
struct PurityException {
  llvm::StringRef target;
  /// With this boolean argument true, `mutated` are written although no
  /// annotation says so. With it false a seeded operator draws nothing.
  llvm::StringRef trainingFlag;
  /// A seeded operator draws nothing where this probability is 0.
  llvm::StringRef probability;
  /// Arguments that a run with `trainingFlag` writes.
  llvm::ArrayRef<llvm::StringLiteral> mutated;
};

/// The exception for `target`, or null.
const PurityException *lookupPurityException(llvm::StringRef target);

} // namespace fx

#endif // FX_OPERATORS_SCHEMA_H

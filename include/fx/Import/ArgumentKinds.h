//===- ArgumentKinds.h - the serialized kind of an argument -----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An argument tree does not say which of the schema's 31 kinds it was: torch's
// serializer chooses it by the Python value, and where a list is empty by the
// operator's schema. The same rule stands here. Import keeps as attributes what
// differs from it; export applies both.
//
// Discardable attributes of a node that hold such differences:
//   fx.kinds      {"0" = "as_optional_tensor", "out1" = ...}: argument and
//                 output kinds by position
//   fx.arg_names  the names of the positional arguments, where no schema has
//                 them (custom operators)
//   fx.function   the target is a Python function and no operator
//   fx.single_return  a higher-order operator gives one tensor and no tuple
//
//===----------------------------------------------------------------------===//

#ifndef FX_IMPORT_ARGUMENTKINDS_H
#define FX_IMPORT_ARGUMENTKINDS_H

#include "fx/IR/FXDialect.h"
#include "fx/Import/Schema.h"

namespace fx {
struct ArgumentSchema;

/// The kind that torch gives a tree whose leaves are `operands`; nullopt
/// where no kind can hold it. `schema` is the argument's, or null.
std::optional<schema::Argument::Kind>
getArgumentKind(mlir::Attribute tree, mlir::ValueRange operands,
                const ArgumentSchema *schema);

/// The name of a kind, `as_tensor`, and back.
llvm::StringRef getKindName(schema::Argument::Kind kind);
std::optional<schema::Argument::Kind> getKindByName(llvm::StringRef name);

/// Whether torch writes the target as it is, with no `torch.ops.` in front.
bool isPlainTarget(llvm::StringRef target);

} // namespace fx

#endif // FX_IMPORT_ARGUMENTKINDS_H

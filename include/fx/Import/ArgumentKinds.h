//===- ArgumentKinds.h - the serialized kind of an argument -----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An argument tree does not record which of the 31 argument kinds of torch's
// export schema an argument has. torch's serializer chooses the kind by the
// Python value, and for an empty list by the operator's schema. The functions
// below implement the same rule. Where a program differs from the rule, import
// records the difference in a discardable attribute of the node. Export applies
// the attributes and the rule.
//
// The attributes are:
//   fx.kinds      {"0" = "as_optional_tensor", "out1" = ...}: argument and
//                 output kinds by position
//   fx.arg_names  the names of the positional arguments, if no schema has
//                 them (custom operators)
//   fx.function   the target is a Python function and no operator
//   fx.single_return  a higher-order operator returns one tensor and no tuple
//
//===----------------------------------------------------------------------===//

#ifndef FX_IMPORT_ARGUMENTKINDS_H
#define FX_IMPORT_ARGUMENTKINDS_H

#include "fx/IR/FXDialect.h"
#include "fx/Import/Schema.h"

namespace fx {
struct ArgumentSchema;

/// Returns the kind that torch chooses for a tree whose values are `operands`;
/// nullopt if no kind can represent it. `schema` is the schema of the argument,
/// or null.
std::optional<schema::Argument::Kind>
getArgumentKind(mlir::Attribute tree, mlir::ValueRange operands,
                const ArgumentSchema *schema);

/// Returns the name of a kind, `as_tensor`.
llvm::StringRef getKindName(schema::Argument::Kind kind);
/// Returns the kind with this name, or nullopt.
std::optional<schema::Argument::Kind> getKindByName(llvm::StringRef name);

/// Returns true if torch writes the target without the prefix `torch.ops.`.
bool isPlainTarget(llvm::StringRef target);

} // namespace fx

#endif // FX_IMPORT_ARGUMENTKINDS_H

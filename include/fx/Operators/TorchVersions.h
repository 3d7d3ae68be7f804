//===- TorchVersions.h - schemas of other versions of torch -----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An archive names the version of torch that wrote it. The table of schemas is
// that of one version (`getSchemaVersion`), with the differences of others in
// lib/Operators/schemas/torch-*.diff.txt.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_TORCHVERSIONS_H
#define FX_OPERATORS_TORCHVERSIONS_H

#include "fx/Operators/Schema.h"
#include <string>
#include <vector>

namespace mlir {
class Operation;
} // namespace mlir

namespace fx {

/// Returns the versions of torch whose schemas are known, the oldest first, as
/// `2.8`.
std::vector<std::string> getKnownTorchVersions();

/// Returns the schema that `target` has in a version of torch (`2.10.0+cpu`).
/// If the version is not known, or does not have the operator, this is the
/// schema of the version whose schemas are built in, or else of the nearest
/// version that has the operator. Returns null if no known version has it.
const OperatorSchema *lookupOperator(llvm::StringRef target,
                                     llvm::StringRef torchVersion);

/// Returns true if `target` has another schema than the built-in one in some
/// version of torch.
bool hasOtherSchema(llvm::StringRef target);

/// Returns the schema of `target` in the version of torch that wrote the
/// program around `op`, in the sense of `lookupOperator`.
const OperatorSchema *lookupOperatorOf(mlir::Operation *op,
                                       llvm::StringRef target);

/// Returns the first version of torch that has the operator, `2.14`; empty if
/// the built-in version has it, or none.
std::string getOtherVersionOf(llvm::StringRef target);

/// Returns the position in `schema` of an argument that another version of
/// torch calls `name`; -1 if there is none.
int findRenamedArgument(const OperatorSchema &schema, llvm::StringRef name);

/// Returns true if each call that fits the schema `from` of another version has
/// the same meaning for the schema `to` of the same operator, if it gives no
/// keyword argument that `to` lacks: arguments may have been renamed, added at
/// the end with a default, or accept more.
bool isCompatible(const OperatorSchema &from, const OperatorSchema &to);

} // namespace fx

#endif // FX_OPERATORS_TORCHVERSIONS_H

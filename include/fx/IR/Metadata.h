//===- Metadata.h - what FX nodes carry beside their meaning ----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_METADATA_H
#define FX_IR_METADATA_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace fx {

/// The location of a node is
///   loc(fused<{key = value, ...}>[ "node name"( frames ) ])
/// where the fused metadata is absent if empty, the name is a NameLoc, and
/// `frames` is a chain of CallSiteLocs of the user's Python stack, innermost
/// callee first. The metadata also holds `stack_trace`, the text of the stack
/// for export, and `name` if the name of the node differs from the names of
/// its results. To keep `name` free, the keys `name`, `name_`, `name__`, … of
/// the program's metadata get one more `_` here.

/// Returns the key in the location for the key `key` of the program's metadata.
std::string getMetadataKey(llvm::StringRef key);
/// Returns the key of the program's metadata for the key `key` of a location.
llvm::StringRef getProgramKey(llvm::StringRef key);

/// Returns the FX name of the node, if it has one; several result names are
/// joined with `,`.
std::optional<llvm::StringRef> getNodeName(mlir::Operation *op);
std::optional<llvm::StringRef> getNodeName(mlir::Location loc);

/// Returns the names of the results; empty if the node has no name.
llvm::SmallVector<llvm::StringRef> getResultNames(mlir::Operation *op);

/// Returns `loc` with the node name replaced.
mlir::Location withNodeName(mlir::Location loc, llvm::StringRef name);

/// Returns the innermost frame of the user's Python stack, if any.
std::optional<mlir::FileLineColLoc> getPythonFrame(mlir::Location loc);

/// Returns the metadata dictionary (nn_module_stack, source_fn_stack,
/// torch_fn …) of the node at `loc`; null if there is none. For the location of
/// several merged nodes, this is the metadata of the first that has any.
mlir::DictionaryAttr getMetadata(mlir::Location loc);

} // namespace fx

#endif // FX_IR_METADATA_H

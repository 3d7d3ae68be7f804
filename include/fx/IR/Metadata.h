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
/// `frames` a chain of CallSiteLocs of the user's Python stack, innermost
/// callee first. The metadata also holds the stack's text, `stack_trace`, for
/// export, and `name` where the node is not called like its results. A
/// key of a program's own that is `name`, `name_`, `name__` … has one `_` more
/// here.

/// The key for one of a program, and back.
std::string getMetadataKey(llvm::StringRef key);
llvm::StringRef getProgramKey(llvm::StringRef key);

/// The name FX gives the node; several result names are joined with `,`.
std::optional<llvm::StringRef> getNodeName(mlir::Operation *op);
std::optional<llvm::StringRef> getNodeName(mlir::Location loc);

/// The names of the results; empty if the node has no name.
llvm::SmallVector<llvm::StringRef> getResultNames(mlir::Operation *op);

/// `loc` with the node name replaced.
mlir::Location withNodeName(mlir::Location loc, llvm::StringRef name);

/// The innermost frame of the user's Python stack, if the location has one.
std::optional<mlir::FileLineColLoc> getPythonFrame(mlir::Location loc);

/// The metadata dictionary (nn_module_stack, source_fn_stack, torch_fn …), or
/// null.
mlir::DictionaryAttr getMetadata(mlir::Location loc);

/// Returns the node's metadata dictionary, which may be nested in the location;
/// null if there is none.
mlir::DictionaryAttr findMetadata(mlir::Location loc);

} // namespace fx

#endif // FX_IR_METADATA_H

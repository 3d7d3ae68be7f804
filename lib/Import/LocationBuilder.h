//===- LocationBuilder.h - node metadata to locations -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_IMPORT_LOCATIONBUILDER_H
#define FX_LIB_IMPORT_LOCATIONBUILDER_H

#include "fx/Import/Schema.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringMap.h"

namespace fx {

/// Builds the locations that fx/IR/Metadata.h describes.
class LocationBuilder {
public:
  explicit LocationBuilder(mlir::MLIRContext *ctx) : ctx(ctx) {}

  /// Returns the location of a node without metadata.
  mlir::Location get(llvm::StringRef name);
  /// Returns the location of `node`, whose results have the names `results`.
  mlir::Location get(const schema::Node &node,
                     llvm::ArrayRef<llvm::StringRef> results);

private:
  /// Returns the frames of a Python stack trace as a chain of call sites, with
  /// the innermost frame as the callee. Returns an unknown location if the text
  /// has no frames or too many.
  mlir::Location getStack(llvm::StringRef trace);

  mlir::MLIRContext *ctx;
  llvm::StringMap<mlir::LocationAttr> stacks;
};

} // namespace fx

#endif // FX_LIB_IMPORT_LOCATIONBUILDER_H

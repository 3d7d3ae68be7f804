//===- Export.h - the fx dialect to .pt2 and to text ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_EXPORT_EXPORT_H
#define FX_EXPORT_EXPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace fx {

/// A model of an archive.
struct ExportModel {
  mlir::ModuleOp module;
  /// The folder that relative paths of `#fx.external` are looked up in; empty
  /// is the current one.
  std::string irFolder;
};

/// Writes modules as the models of one archive that `torch.export.load` opens:
/// each has its `fx.graph @main` and its states. The name of a model is the
/// module's `fx.model`, or `model`. All records stand in the folder `root` of
/// the archive; torch takes the file's stem.
///
/// What `importPt2` keeps as attributes and locations comes back as it was, so
/// that the program of an imported archive is written node for node. Values
/// without a name get one as FX makes them.
///
/// Fails after an error, at the location of the node it names.
mlir::LogicalResult exportPt2(llvm::ArrayRef<ExportModel> models,
                              llvm::raw_ostream &os,
                              llvm::StringRef root = "archive");

} // namespace fx

#endif // FX_EXPORT_EXPORT_H

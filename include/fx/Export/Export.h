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
  /// The folder at which relative paths of `#fx.external` start; empty: the
  /// current folder.
  std::string irFolder;
};

/// Writes modules as the models of one archive for `torch.export.load`. Each
/// module must have an `fx.graph @main`; its states are written, too. The name
/// of a model is the module's `fx.model`, or `model`. All records are in the
/// folder `root` of the archive, for which torch uses the stem of the file.
///
/// Export restores the attributes and locations of `importPt2`, so that an
/// imported program round-trips node by node. Values without a name get a name
/// as in FX.
///
/// Fails after emitting an error at the location of a node.
mlir::LogicalResult exportPt2(llvm::ArrayRef<ExportModel> models,
                              llvm::raw_ostream &os,
                              llvm::StringRef root = "archive");

} // namespace fx

#endif // FX_EXPORT_EXPORT_H

//===- Formats.h - the formats of an export ---------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_EXPORT_FORMATS_H
#define FX_EXPORT_FORMATS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace fx {

struct ExportOptions {
  /// For archives: the folder at which relative paths of `#fx.external` start.
  /// Empty: the current folder.
  std::string irFolder;
  /// For archives: the folder of all records in the archive.
  llvm::StringRef root = "archive";
  /// For FX text: the path of a sub-graph (printFXText). Empty: `@main`.
  llvm::StringRef graph;
  /// For pictures: the path of a report of `fx-compile`, or empty.
  llvm::StringRef report;
};

/// A line of fx/Export/Formats.def.
struct ExportFormat {
  llvm::StringLiteral name;
  llvm::StringLiteral description;
  /// Writes an `fx` module. Fails after emitting an error.
  mlir::LogicalResult (*write)(mlir::ModuleOp module, llvm::raw_ostream &os,
                               const ExportOptions &options);
};

/// Returns all formats, indexed by FXExportKind (fx-c/Export.h).
llvm::ArrayRef<ExportFormat> getExportFormats();

} // namespace fx

#endif // FX_EXPORT_FORMATS_H

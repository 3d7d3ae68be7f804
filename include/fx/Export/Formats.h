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
  /// Of archives: the folder that relative paths of `#fx.external` are looked
  /// up in. Empty is the current one.
  std::string irFolder;
  /// Of archives: the folder of all records.
  llvm::StringRef root = "archive";
  /// Of FX text: the path of a sub-graph (printFXText). Empty is `@main`.
  llvm::StringRef graph;
  /// Of pictures: the path of a report of `fx-compile`, or empty.
  llvm::StringRef report;
};

/// A line of fx/Export/Formats.def.
struct ExportFormat {
  llvm::StringLiteral name;
  llvm::StringLiteral description;
  /// Writes an `fx` module. Fails after an error.
  mlir::LogicalResult (*write)(mlir::ModuleOp module, llvm::raw_ostream &os,
                               const ExportOptions &options);
};

/// All formats, by their FXExportKind (fx-c/Export.h).
llvm::ArrayRef<ExportFormat> getExportFormats();

} // namespace fx

#endif // FX_EXPORT_FORMATS_H

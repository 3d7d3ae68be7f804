//===- Sarif.h - what a compilation found, for editors and CI ---*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_PIPELINES_SARIF_H
#define FX_PIPELINES_SARIF_H

#include "fx/Pipelines/Compile.h"

namespace fx {

/// A compilation's findings as a log in the Static Analysis Results Interchange
/// Format, version 2.1.0 (OASIS): one result for each operator without native
/// code, at the user's Python line, with its stack, node and module path; and
/// one for the error that ended the compilation, if it is another one.
struct SarifLog {
  std::string input;
  /// Entries as `CompileReport::operators` has them.
  llvm::json::Array operators;
  /// Operators without native code are errors, not warnings.
  bool refusesFallback = false;
  /// The text of the error, empty if there was none, and where it is.
  std::string error, file, node;
  int line = 0;

  /// Notes the node and the Python frame of `loc`.
  void setPlace(mlir::Location loc);
  llvm::json::Object toJSON() const;
};

} // namespace fx

#endif // FX_PIPELINES_SARIF_H

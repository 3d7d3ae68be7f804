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

/// The log of a compilation in the Static Analysis Results Interchange Format,
/// version 2.1.0 (OASIS). It has one result for each operator without native
/// code, at the user's Python line, with the Python stack, the node and the
/// module path. It has one more result if another error ended the compilation.
struct SarifLog {
  std::string input;
  /// Entries of `CompileReport::operators`.
  llvm::json::Array operators;
  /// Operators without native code are errors, not warnings.
  bool refusesFallback = false;
  /// The text of the error (empty: no error), and its file, node and line.
  std::string error, file, node;
  int line = 0;

  /// Sets `node`, `file` and `line` to the node and the Python frame of `loc`.
  void setPlace(mlir::Location loc);
  llvm::json::Object toJSON() const;
};

} // namespace fx

#endif // FX_PIPELINES_SARIF_H

//===- Diagnostics.h - the importer's one error -----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_IMPORT_DIAGNOSTICS_H
#define FX_LIB_IMPORT_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

namespace fx {

/// Keeps the first error that is emitted during its lifetime, with the node or
/// record that the error's location names. Suppresses all other diagnostics.
class ErrorCollector {
public:
  explicit ErrorCollector(mlir::MLIRContext *ctx);

  /// `node: message` or `message`, on one line.
  std::string getText() const { return text; }

private:
  bool found = false;
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

/// Emits an error about the node or record `where`, for an ErrorCollector.
mlir::InFlightDiagnostic emitErrorAt(mlir::MLIRContext *ctx,
                                     llvm::StringRef where);

} // namespace fx

#endif // FX_LIB_IMPORT_DIAGNOSTICS_H

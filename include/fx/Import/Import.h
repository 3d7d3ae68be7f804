//===- Import.h - .pt2 to the fx dialect -----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IMPORT_IMPORT_H
#define FX_IMPORT_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace fx {

struct ImportOptions {
  /// The model of the archive; may be empty if there is only one.
  std::string model;
  /// The folder that the paths of `#fx.external` are relative to: the one in
  /// which the IR will stand. Empty: they are the archive's path as given.
  std::string irFolder;
};

/// Reads the archive that `torch.export.save` wrote: states, sub-graphs and
/// `fx.graph @main`, verified. Weights are not touched; the module refers to
/// them. Nothing pickled in the archive is ever read.
///
/// On failure one error has been emitted, at an unknown location, whose text
/// is `<path>[:<record or node>]: <what is wrong>`, on one line.
///
/// Loads the fx dialect into the context.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importPt2(llvm::StringRef path, mlir::MLIRContext &context,
          const ImportOptions &options = {});

} // namespace fx

#endif // FX_IMPORT_IMPORT_H

//===- Module.h - loading modules of the fx dialect -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_RUN_MODULE_H
#define FX_RUN_MODULE_H

#include "fx/Import/Limits.h"

#include "fx/IR/FXDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace fx {

/// A module and the context that owns it. The paths of its external data are
/// absolute or relative to the current folder.
struct LoadedModule {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Returns true if `path` has an extension that `loadModule` reads: `.pt2`,
/// `.mlir` or `.mlirbc`.
bool isModuleFile(llvm::StringRef path);

/// Imports, within `limits`, the model `modelName` of a `.pt2` archive (empty:
/// its only model), or parses a file of MLIR text or bytecode. Errors are
/// `LocatedError`s whose place is a record, a node, or a line and column.
llvm::Expected<LoadedModule> loadModule(llvm::StringRef path,
                                        llvm::StringRef modelName,
                                        const ImportLimits &limits = {});

} // namespace fx

#endif // FX_RUN_MODULE_H

//===- Module.h - loading modules of the fx dialect -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_RUN_MODULE_H
#define FX_RUN_MODULE_H

#include "fx/IR/FXDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace fx {

/// A module and the context it lives in. The paths of its external data are
/// absolute or start at the current folder.
struct LoadedModule {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// True for the names of files that `loadModule` reads.
bool isModuleFile(llvm::StringRef path);

/// Imports a `.pt2` (`modelName` of it) or parses a `.mlir`. The places of
/// errors are records, nodes or lines.
llvm::Expected<LoadedModule> loadModule(llvm::StringRef path,
                                        llvm::StringRef modelName);

} // namespace fx

#endif // FX_RUN_MODULE_H

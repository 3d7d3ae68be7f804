//===- ModuleFile.h - reads text and bytecode ---------*- C++ -*-----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IMPORT_MODULEFILE_H
#define FX_IMPORT_MODULEFILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

namespace fx {

/// Parses text or bytecode in `buffer`, checked, after whose identifier errors
/// are named. Null, with an error reported to the context, on failure.
mlir::OwningOpRef<mlir::ModuleOp>
parseModule(std::unique_ptr<llvm::MemoryBuffer> buffer,
            mlir::MLIRContext *context);

/// The same from the file at `path`, or from standard input for "-", with paths
/// of weights resolved (fx/IR/ExternalPaths.h).
mlir::OwningOpRef<mlir::ModuleOp> parseModuleFile(llvm::StringRef path,
                                                  mlir::MLIRContext *context);

} // namespace fx

#endif // FX_IMPORT_MODULEFILE_H

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

/// What is wrong with an archive in the place of MLIR.
inline constexpr llvm::StringLiteral kArchiveText =
    "expected MLIR text or bytecode, got an archive; fx-translate "
    "--pt2-to-mlir imports it";

/// Parses and verifies MLIR text or bytecode. Errors name the identifier of
/// `buffer` as the file. Returns null on failure, after an error is emitted to
/// `context`.
mlir::OwningOpRef<mlir::ModuleOp>
parseModule(std::unique_ptr<llvm::MemoryBuffer> buffer,
            mlir::MLIRContext *context);

/// As `parseModule`, but reads the file at `path`, or standard input for "-".
/// Resolves the paths of weights (fx/IR/ExternalPaths.h).
mlir::OwningOpRef<mlir::ModuleOp> parseModuleFile(llvm::StringRef path,
                                                  mlir::MLIRContext *context);

} // namespace fx

#endif // FX_IMPORT_MODULEFILE_H

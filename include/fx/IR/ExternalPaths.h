//===- ExternalPaths.h - where the files of weights are ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a file (text or bytecode) the relative paths of `#fx.external` start at
// the folder of that file. In memory they start at the current folder, so that
// passes need not know where a module came from. Readers and writers of files
// translate between the two. Relative paths in a module from standard input
// start at the current folder. Standard output gets absolute paths.
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_EXTERNALPATHS_H
#define FX_IR_EXTERNALPATHS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"

#include <string>

namespace fx {

/// Changes the paths of `module`, which was read from the file at `path`, from
/// their form in the file to their form in memory. "-" is standard input.
void resolveExternalPaths(mlir::ModuleOp module, llvm::StringRef path);

/// Changes the paths of `module` from their form in memory to their form in a
/// file at `path`. "-" is standard output. Absolute paths stay.
void relocateExternalPaths(mlir::ModuleOp module, llvm::StringRef path);

/// Makes the paths of `module` absolute, so that they stay valid when the
/// current folder changes. Relative paths start at `folder` (empty: the
/// current folder).
void makeExternalPathsAbsolute(mlir::ModuleOp module,
                               llvm::StringRef folder = "");

/// Returns `path` relative to `folder` (empty: the current folder).
std::string getRelativePath(llvm::StringRef path, llvm::StringRef folder);

/// Prints `module` with its paths in the form of a file at `path` ("-":
/// standard output). The module is not changed.
void printModuleFile(mlir::ModuleOp module, llvm::StringRef path,
                     llvm::raw_ostream &os,
                     mlir::OpPrintingFlags flags = mlir::OpPrintingFlags());

} // namespace fx

#endif // FX_IR_EXTERNALPATHS_H

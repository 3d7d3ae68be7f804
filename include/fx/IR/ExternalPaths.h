//===- ExternalPaths.h - where the files of weights are ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a file, text or bytecode, the relative paths of `#fx.external` start at
// the folder of that file; in memory they start at the current folder, so that
// no pass has to know where a module came from. What reads a file and what
// writes one translates. What stands in no file (standard input and output)
// starts at the current folder and is written with absolute paths.
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_EXTERNALPATHS_H
#define FX_IR_EXTERNALPATHS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"

#include <string>

namespace fx {

/// Sets the paths of `module`, which was read from the file at `path`, to what
/// they are in memory; "-" is standard input.
void resolveExternalPaths(mlir::ModuleOp module, llvm::StringRef path);

/// Sets them to what they are in a file at `path`; "-" is standard output.
/// Absolute ones stay.
void relocateExternalPaths(mlir::ModuleOp module, llvm::StringRef path);

/// Makes them absolute: for modules that outlive the current folder. Relative
/// ones start at `folder` (empty: the current one).
void makeExternalPathsAbsolute(mlir::ModuleOp module,
                               llvm::StringRef folder = "");

/// What a file in `folder` (empty: the current one) names the file at `path`.
std::string getRelativePath(llvm::StringRef path, llvm::StringRef folder);

/// Prints `module` as it is in a file at `path`; the module stays as it is.
void printModuleFile(mlir::ModuleOp module, llvm::StringRef path,
                     llvm::raw_ostream &os,
                     mlir::OpPrintingFlags flags = mlir::OpPrintingFlags());

} // namespace fx

#endif // FX_IR_EXTERNALPATHS_H

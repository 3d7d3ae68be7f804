//===- ModuleHash.h - what the code of a module depends on ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_MODULEHASH_H
#define FX_LIB_PIPELINES_MODULEHASH_H

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace fx {

/// Hashes the ops of `op` with their types, attributes and the order of values,
/// but without locations and names of values, which generated code does not
/// depend on. `salt` is hashed too. The result, in hexadecimal digits, is the
/// same in all processes. Returns nothing if the module refers to data that
/// cannot be read. Thread-safe.
std::optional<std::string> hashModule(mlir::Operation *op,
                                      llvm::StringRef salt);

/// Identifies the builds of fx-mlir, MLIR and LLVM in this process.
llvm::StringRef getCompilerId();

/// Hashes `texts`, which decide what a program returns, such as its input and
/// its options. The result is in hexadecimal digits.
std::string hashTexts(llvm::ArrayRef<llvm::StringRef> texts);

} // namespace fx

#endif // FX_LIB_PIPELINES_MODULEHASH_H

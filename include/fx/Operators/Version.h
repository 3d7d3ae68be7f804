//===- Version.h - what --version prints ----------------*- C++ -*---------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_VERSION_H
#define FX_OPERATORS_VERSION_H

#include "llvm/Support/raw_ostream.h"

namespace fx {

/// Prints the versions of fx-mlir, of LLVM and of torch's schemas, one line
/// each.
void printVersion(llvm::raw_ostream &os);

/// Makes the option `--version` of a tool that uses llvm::cl print the text of
/// `printVersion`. Must be called before the command line is parsed.
void registerVersionPrinter();

} // namespace fx

#endif // FX_OPERATORS_VERSION_H

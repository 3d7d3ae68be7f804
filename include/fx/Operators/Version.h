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

/// Our version, LLVM's and that of torch's schemas, a line each.
void printVersion(llvm::raw_ostream &os);

/// Makes `--version` of a tool that uses llvm::cl print our version, LLVM's
/// and that of the torch whose operator schemas are built in. Call it before
/// the command line is parsed.
void registerVersionPrinter();

} // namespace fx

#endif // FX_OPERATORS_VERSION_H

//===- Options.h - command lines of the tools -------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_OPTIONS_H
#define FX_SUPPORT_OPTIONS_H

#include "llvm/ADT/StringRef.h"

namespace fx {

/// Parses a command line by LLVM's options. If it is wrong, prints one line,
/// `error: <tool>: ...`, and exits with status 1. `unknownHint` is added to the
/// line about an unknown option.
void parseOptions(int argc, char **argv, llvm::StringRef overview,
                  llvm::StringRef unknownHint = "");

} // namespace fx

#endif // FX_SUPPORT_OPTIONS_H

//===- Version.h - the version of fx-mlir ---------------*- C++ -*---------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_VERSION_H
#define FX_SUPPORT_VERSION_H

#include "llvm/ADT/StringRef.h"

namespace fx {

/// Returns the version of fx-mlir, `0.1.0`.
llvm::StringRef getVersion();

} // namespace fx

#endif // FX_SUPPORT_VERSION_H

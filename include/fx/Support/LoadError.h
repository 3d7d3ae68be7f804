//===- LoadError.h - why a library cannot be loaded -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_LOADERROR_H
#define FX_SUPPORT_LOADERROR_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace fx {

/// Returns the reason why the last dlopen of this thread failed, as one line
/// without the path, which errors name themselves.
std::string getLoadError(llvm::StringRef path);

} // namespace fx

#endif // FX_SUPPORT_LOADERROR_H

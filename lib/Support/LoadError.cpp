//===- LoadError.cpp - why a library cannot be loaded ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/LoadError.h"
#include "fx/Support/LocatedError.h"

#include <dlfcn.h>

std::string fx::getLoadError(llvm::StringRef path) {
  const char *reason = dlerror();
  llvm::StringRef text = reason ? reason : "no reason given";
  if (text.consume_front(path))
    text.consume_front(": ");
  if (text == "invalid ELF header" || text == "file too short")
    return ("expected a shared library: " + text).str();
  return toOneLine(text);
}

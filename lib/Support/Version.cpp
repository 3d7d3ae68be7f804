//===- Version.cpp - the version of fx-mlir -------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/Version.h"

llvm::StringRef fx::getVersion() { return FX_VERSION; }

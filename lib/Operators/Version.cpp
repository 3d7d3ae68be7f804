//===- Version.cpp - what --version prints --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/Version.h"
#include "fx/Operators/Schema.h"
#include "fx/Support/Version.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"

void fx::printVersion(llvm::raw_ostream &os) {
  os << "fx-mlir " << getVersion() << "\nLLVM " << LLVM_VERSION_STRING
     << "\ntorch schemas " << getSchemaVersion() << "\n";
}

void fx::registerVersionPrinter() { llvm::cl::SetVersionPrinter(printVersion); }

//===- Version.cpp - what --version prints --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/Version.h"
#include "fx/Operators/Schema.h"
#include "fx/Operators/TorchVersions.h"
#include "fx/Support/Version.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"

void fx::printVersion(llvm::raw_ostream &os) {
  std::vector<std::string> versions = getKnownTorchVersions();
  os << "fx-mlir " << getVersion() << "\nLLVM " << LLVM_VERSION_STRING
     << "\ntorch schemas " << getSchemaVersion() << ", archives of torch "
     << versions.front() << " to " << versions.back() << "\n";
}

void fx::registerVersionPrinter() { llvm::cl::SetVersionPrinter(printVersion); }

//===- CompileError.cpp - why a model is not compiled ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Pipelines/CompileError.h"
#include "fx/Support/OutputFile.h"

#include "llvm/Support/raw_ostream.h"

using namespace fx;

char CompileError::ID = 0;

void CompileError::log(llvm::raw_ostream &os) const {
  os << file;
  if (!place.empty())
    os << ":" << place;
  if (!file.empty() || !place.empty())
    os << ": ";
  os << message;
}

std::error_code CompileError::convertToErrorCode() const {
  return std::make_error_code(std::errc::invalid_argument);
}

llvm::Error CompileError::makeFor(llvm::StringRef file, llvm::Error error) {
  auto named = [&](std::unique_ptr<CompileError> e) -> llvm::Error {
    // The importer's messages name the file themselves, with a record.
    if (!llvm::StringRef(e->message).starts_with(file))
      e->file = file.str();
    return llvm::Error(std::move(e));
  };
  return llvm::handleErrors(
      std::move(error), named, [&](const llvm::ErrorInfoBase &e) {
        Kind kind = e.isA<OutputError>() ? Kind::Output : Kind::Code;
        return named(std::make_unique<CompileError>(kind, "", e.message()));
      });
}

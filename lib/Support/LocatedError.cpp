//===- LocatedError.cpp - an error that knows its record or node ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/LocatedError.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

namespace fx {

char LocatedError::ID = 0;

void LocatedError::log(llvm::raw_ostream &os) const {
  if (!where.empty())
    os << where << ": ";
  os << message;
}

std::error_code LocatedError::convertToErrorCode() const {
  return std::make_error_code(std::errc::invalid_argument);
}

llvm::Error makeLocatedError(const llvm::Twine &where,
                             const llvm::Twine &message) {
  return llvm::make_error<LocatedError>(where.str(), message.str());
}

std::string toOneLine(llvm::StringRef text) {
  std::string line;
  for (char c : text.take_front(2000)) {
    bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (!control)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (!line.empty() && line.back() == ' ')
    line.pop_back();
  return line;
}

} // namespace fx

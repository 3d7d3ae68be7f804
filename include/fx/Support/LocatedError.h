//===- LocatedError.h - an error that knows its record or node --*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_LOCATEDERROR_H
#define FX_SUPPORT_LOCATEDERROR_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace fx {

/// An error at a node, an input or a record of a model. Tools print
/// `error: <file>:<where>: <message>`.
class LocatedError : public llvm::ErrorInfo<LocatedError> {
public:
  static char ID;
  LocatedError(std::string where, std::string message)
      : where(std::move(where)), message(std::move(message)) {}

  llvm::StringRef getWhere() const { return where; }
  llvm::StringRef getMessage() const { return message; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string where, message;
};

llvm::Error makeLocatedError(const llvm::Twine &where,
                             const llvm::Twine &message);

/// Returns `text` as one line of at most 2000 bytes. Each line break or other
/// control character becomes a space.
std::string toOneLine(llvm::StringRef text);

} // namespace fx

#endif // FX_SUPPORT_LOCATEDERROR_H

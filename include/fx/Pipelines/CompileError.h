//===- CompileError.h - why a model is not compiled -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_PIPELINES_COMPILEERROR_H
#define FX_PIPELINES_COMPILEERROR_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace fx {

/// The error of a compilation. Its text is one line,
/// `<file>:<place>: <message>`.
class CompileError : public llvm::ErrorInfo<CompileError> {
public:
  enum class Kind {
    /// The model or an option is refused.
    Input,
    /// The output cannot be written.
    Output,
    /// An operator has neither native code nor a fallback, or fallbacks are
    /// refused.
    NoNativeCode,
    /// A pass or LLVM failed.
    Code,
    /// The compiler crashed.
    Crash,
  };

  CompileError(Kind kind, std::string place, std::string message)
      : kind(kind), place(std::move(place)), message(std::move(message)) {}

  static llvm::Error make(Kind kind, const llvm::Twine &message) {
    return llvm::make_error<CompileError>(kind, "", message.str());
  }
  /// Returns `error` with `file` as its model. An error of another class
  /// becomes a CompileError of kind `Code`.
  static llvm::Error makeFor(llvm::StringRef file, llvm::Error error);

  static char ID;
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

  Kind kind;
  /// The path of the model; empty if it is not known yet.
  std::string file;
  /// The name of a node, `line:column` of a `.mlir` file, or empty.
  std::string place;
  std::string message;
};

} // namespace fx

#endif // FX_PIPELINES_COMPILEERROR_H

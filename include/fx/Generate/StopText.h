//===- StopText.h - finds stop strings in a text ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_GENERATE_STOPTEXT_H
#define FX_GENERATE_STOPTEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace fx {

/// A text that is made of the bytes of tokens, and ends before the first of
/// some stop strings. The bytes of a token may be a part of a character, and a
/// stop string may begin and end inside tokens.
class StopText {
public:
  explicit StopText(llvm::ArrayRef<std::string> stops)
      : stops(stops.begin(), stops.end()) {}

  /// Appends the bytes of a token. Returns true if the text now has a stop
  /// string: the one that ends first, and of those the longest. The text ends
  /// before it, and the bytes after it are dropped.
  bool append(llvm::StringRef bytes);

  /// Returns the bytes that were not taken before and that are certain:
  /// without an incomplete character of UTF-8 at the end, and without an end
  /// that may become a stop string. With `isLast`, returns all bytes. The
  /// result is valid until the next call.
  llvm::StringRef take(bool isLast);

private:
  size_t countHeld() const;

  std::vector<std::string> stops;
  /// The bytes that were not taken.
  std::string held, taken;
  bool isStopped = false;
};

} // namespace fx

#endif // FX_GENERATE_STOPTEXT_H

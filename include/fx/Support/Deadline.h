//===- Deadline.h - the time limit of an import -----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_DEADLINE_H
#define FX_SUPPORT_DEADLINE_H

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <string>

namespace fx {

/// The time limit of an import. The importer polls it, so that an import ends
/// soon after the limit, not exactly at it.
class Deadline {
public:
  /// Starts now; 0: no limit.
  explicit Deadline(double seconds) : seconds(seconds) {}

  /// Returns true if the time is over.
  bool hasPassed() const { return seconds != 0 && !(getElapsed() <= seconds); }
  /// As `hasPassed`, for inner loops: reads the clock in few of the calls.
  bool poll() { return seconds != 0 && ++calls % 256 == 0 && hasPassed(); }

  std::string getMessage() const {
    std::string text;
    llvm::raw_string_ostream(text)
        << "expected an import of at most " << llvm::format("%.3g", seconds)
        << " seconds, got " << llvm::format("%.3g", getElapsed());
    return text;
  }

private:
  double getElapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }

  double seconds;
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
  unsigned calls = 0;
};

} // namespace fx

#endif // FX_SUPPORT_DEADLINE_H

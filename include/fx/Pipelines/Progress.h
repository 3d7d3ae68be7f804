//===- Progress.h - how far a compilation is --------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_PIPELINES_PROGRESS_H
#define FX_PIPELINES_PROGRESS_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <cstdint>

namespace fx {

/// The state of a running compilation.
struct Progress {
  llvm::StringRef phase;
  double done = 0; ///< the fraction of the compilation that is done, 0..1
  /// The number of kernels that the phase has finished, and of all kernels.
  /// Both are 0 in a phase that does not work kernel by kernel.
  int64_t kernelsDone = 0, kernels = 0;
};

/// Shows progress on one line of the terminal after the first second. Writes
/// nothing if standard error is no terminal. The destructor erases the line.
class ProgressLine {
public:
  ProgressLine();
  ~ProgressLine();
  void show(const Progress &progress);

private:
  bool isTerminal, isShown = false;
  std::chrono::steady_clock::time_point start, last;
};

} // namespace fx

#endif // FX_PIPELINES_PROGRESS_H

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

/// What a compilation does now.
struct Progress {
  llvm::StringRef phase;
  double done = 0; ///< part of the whole, 0..1
  /// Kernels that the phase has finished, of all; 0 of 0 where it takes the
  /// model as a whole.
  int64_t kernelsDone = 0, kernels = 0;
};

/// Shows progress on one line of a terminal, from the second second on. Writes
/// nothing where standard error is no terminal. Goes away with its line.
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

//===- Progress.cpp - how far a compilation is ----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Pipelines/Progress.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace fx;

/// Moves the cursor to the start of the line and erases the line.
static constexpr const char *kClear = "\r\033[K";

ProgressLine::ProgressLine()
    : isTerminal(llvm::sys::Process::StandardErrIsDisplayed()),
      start(std::chrono::steady_clock::now()), last(start) {}

ProgressLine::~ProgressLine() {
  if (isShown)
    llvm::errs() << kClear;
}

void ProgressLine::show(const Progress &progress) {
  using namespace std::chrono_literals;
  auto now = std::chrono::steady_clock::now();
  bool isCount = progress.kernelsDone > 0;
  // Limit updates for kernels to ten a second. Always show a new phase.
  if (!isTerminal || now - start < 1s || (isCount && now - last < 100ms))
    return;
  last = now;
  isShown = true;
  llvm::errs() << kClear << llvm::format("[%3d%%] ", int(progress.done * 100))
               << progress.phase;
  if (progress.kernels > 0)
    llvm::errs() << " (" << progress.kernelsDone << " of " << progress.kernels
                 << " kernels)";
  llvm::errs().flush();
}

//===- PassStatistic.h - what passes count ----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The statistics that .td files declare are of this class: LLVM's own count
// only in builds of LLVM with assertions, and are another class in those
// without, so that code with assertions must not use them beside a release of
// LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_PASSSTATISTIC_H
#define FX_SUPPORT_PASSSTATISTIC_H

#include <atomic>
#include <cstdint>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir {
class Pass;
} // namespace mlir

namespace fx {

/// A number that a pass counts up: one for all runs of passes of its name in
/// this process. Any number of threads may count.
class PassStatistic {
public:
  /// `name` and `description` must live as long as the process.
  PassStatistic(mlir::Pass *owner, const char *name, const char *description)
      : owner(owner), name(name), description(description) {}
  PassStatistic(const PassStatistic &) = delete;
  PassStatistic &operator=(const PassStatistic &) = delete;

  PassStatistic &operator++() { return *this += 1; }
  PassStatistic &operator+=(uint64_t more);

private:
  const mlir::Pass *owner;
  const char *name, *description;
  /// Found when something is counted first.
  std::atomic<std::atomic<uint64_t> *> value = nullptr;
};

/// Prints what was counted since the process began, by pass and name, in the
/// form of `--mlir-pass-statistics`. What counted nothing is left out.
void printPassStatistics(llvm::raw_ostream &os);

} // namespace fx

#endif // FX_SUPPORT_PASSSTATISTIC_H

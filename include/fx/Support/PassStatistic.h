//===- PassStatistic.h - what passes count ----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The class of the statistics that .td files declare. It replaces LLVM's own,
// which count only in builds of LLVM with assertions and are a different class
// in other builds, so that code built with assertions cannot use the statistics
// of a release build of LLVM.
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

/// A counter of a pass. All passes of one name share the counter in a process.
/// Counting is thread-safe.
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
  /// The shared counter; null until something is counted.
  std::atomic<std::atomic<uint64_t> *> value = nullptr;
};

/// Prints all counters of the process that are not 0, by pass and name, in the
/// form of `--mlir-pass-statistics`.
void printPassStatistics(llvm::raw_ostream &os);

} // namespace fx

#endif // FX_SUPPORT_PASSSTATISTIC_H

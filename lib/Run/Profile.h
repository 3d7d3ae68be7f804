//===- Profile.h - times of the kernels of a model ------------ -*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_RUN_PROFILE_H
#define FX_LIB_RUN_PROFILE_H

#include "Probe.h"
#include "fx/Runtime/model.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fx {

/// A kernel, or an operator that ATen runs, and the sums of all of its calls.
struct KernelProfile {
  /// The kind of an operator that ATen runs; its name is the operator's.
  static constexpr llvm::StringLiteral kFallback = "fallback";
  std::string name, kind;
  std::vector<std::string> nodes;
  /// The path of the module and the line of the user's Python code of the first
  /// node; may be empty.
  std::string module, place;
  int64_t calls = 0;
  double seconds = 0, bytes = 0, flops = 0;

  bool isContraction() const {
    return kind == "contraction" || kind == "winograd";
  }
  bool isFallback() const { return kind == kFallback; }
  /// Returns the least time by the rates, divided by the time. Returns nothing
  /// for an operator of ATen, and for a contraction whose operations are not
  /// counted.
  std::optional<double> getShareOfLimit(const MachineRates &rates) const;
};

class Profile {
public:
  /// Takes names, nodes and places from a report of fx-compile.
  Profile(const llvm::json::Object &report, const MachineRates &rates);

  /// Adds the calls of a run that took `seconds`.
  void add(llvm::ArrayRef<FXKernelRun> calls, double seconds);

  /// Prints a table, or an object of JSON. Times, calls, bytes and operations
  /// are per run.
  void print(llvm::raw_ostream &os, bool json) const;
  /// Returns the last run as a trace in Chrome's JSON format, which Perfetto
  /// reads.
  std::string getTrace() const;

private:
  std::vector<const KernelProfile *> getSorted() const;
  llvm::json::Object toJSON() const;

  /// By the number of FXKernelRun.
  std::map<int64_t, KernelProfile> kernels;
  std::vector<FXKernelRun> last;
  MachineRates rates;
  int64_t runs = 0;
  double seconds = 0; ///< of all runs
};

} // namespace fx

#endif // FX_LIB_RUN_PROFILE_H

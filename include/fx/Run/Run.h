//===- Run.h - what fx-run does ---------------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_RUN_RUN_H
#define FX_RUN_RUN_H

#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace fx {

struct RunOptions {
  /// A `.pt2` archive, a module of the fx dialect (`.mlir`) or a compiled
  /// `.so`.
  std::string model;
  /// Which model of an archive that holds several.
  std::string modelName;
  /// The folders of in_<k>.npy and out_<k>.npy.
  std::string inputs, outputs;
  /// Libraries of operators to load, as torch.ops.load_library does.
  std::vector<std::string> libraries;
  /// Where to write the JSON report; empty for none.
  std::string report;
  /// Run every node on LibTorch.
  bool interpret = false;
  /// Fail where an operator has no native code.
  bool noFallback = false;
  /// Run each partition beside the interpreter.
  bool check = false;
  /// Print the benchmark as JSON.
  bool json = false;
  /// For tests: the compiler crashes when this phase begins.
  std::string crashIn;
  /// The GPU to run on: "cuda" or "cuda:N"; empty: the CPU, or device 0
  /// where a `.so` was compiled for a GPU.
  std::string device;
  int threads = 1;
  /// Of the random generator, as torch.manual_seed; else that of a new process
  /// of PyTorch.
  std::optional<uint64_t> seed;
  /// Timed runs; 0 for none.
  int benchmark = 0;
};

/// Runs a model on files; the whole of fx-run but its command line. Outputs
/// appear all or not at all. Errors are `LocatedError`s whose place begins
/// with the file.
llvm::Error runModel(const RunOptions &options);

} // namespace fx

#endif // FX_RUN_RUN_H

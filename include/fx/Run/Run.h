//===- Run.h - what fx-run does ---------------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_RUN_RUN_H
#define FX_RUN_RUN_H

#include "fx/Import/Limits.h"

#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace fx {

struct RunOptions {
  /// A `.pt2` archive, a module of the fx dialect (`.mlir`) or a compiled
  /// `.so`.
  std::string model;
  /// The name of the model, for an archive that holds several.
  std::string modelName;
  /// The method of a `.so` with several; empty: the first one.
  std::string method;
  /// What the import of an archive may use.
  ImportLimits limits;
  /// The folders with the files in_<k>.npy and out_<k>.npy.
  std::string inputs, outputs;
  /// Libraries of operators to load, as torch.ops.load_library does.
  std::vector<std::string> libraries;
  /// The path of the JSON report; empty: no report.
  std::string report;
  /// A file of weights to replace those of the model; empty: none.
  std::string weights;
  /// Run every node on LibTorch.
  bool interpret = false;
  /// Fail where an operator has no native code.
  bool noFallback = false;
  int optLevel = 3; ///< of the compilation, 1 to 3
  /// Compare each run with the interpreter. If they differ, name the first node
  /// with another value.
  bool check = false;
  /// Print the benchmark or the profile as JSON.
  bool json = false;
  /// For tests: the compiler crashes at the beginning of this phase.
  std::string crashIn;
  /// The GPU to run on: "cuda", "rocm" or "vulkan", with or without ":N".
  /// Empty: the CPU, or device 0 if the model is a `.so` that was compiled for
  /// a GPU.
  std::string device;
  int threads = 1;
  /// The seed of the random generator, as for torch.manual_seed; nullopt: the
  /// seed of a new PyTorch process.
  std::optional<uint64_t> seed;
  /// The number of timed runs; 0: no benchmark.
  int benchmark = 0;
  /// The number of runs whose kernels are timed; 0: none.
  int profile = 0;
  /// The process groups of a run under torchrun, beside that of all ranks, as
  /// "NAME=0,1".
  std::vector<std::string> groups;
  /// How long a rank waits for the others, in seconds.
  double timeout = 300;
  /// The path of a trace of the last of these runs; empty: no trace.
  std::string trace;
};

/// Implements fx-run without its command line: runs a model on the files of a
/// folder. Writes either all outputs or none. Errors are `LocatedError`s whose
/// place begins with the file.
///
/// Under torchrun, joins the other ranks (fx/Interpreter/Distributed.h) and
/// replaces `{rank}` in paths. After an error, communication may be in
/// progress: the process must end without destroying LibTorch's objects.
llvm::Error runModel(const RunOptions &options);

} // namespace fx

#endif // FX_RUN_RUN_H

//===- Model.h - something that fx-run can run ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_RUN_MODEL_H
#define FX_LIB_RUN_MODEL_H

#include "fx/Interpreter/Distributed.h"
#include "fx/Run/Files.h"
#include "fx/Run/Run.h"
#include "fx/Runtime/model.h"
#include "llvm/Support/JSON.h"
#include <memory>
#include <vector>

namespace fx {

/// A loaded model: interpreted, compiled in process, or a compiled file.
class RunnableModel {
public:
  virtual ~RunnableModel();
  /// Returns the flattened (args, kwargs) leaves.
  virtual llvm::ArrayRef<LeafFile> getInputs() const = 0;
  /// Runs the model once; `outputs` receives the flattened user outputs. Errors
  /// name the node or input, but not the file.
  virtual llvm::Error run(llvm::ArrayRef<HostValue> inputs,
                          llvm::SmallVectorImpl<HostValue> &outputs) = 0;
  /// Seeds the random generator: that of the compiled model, or torch's, which
  /// is global to the process.
  virtual void seed(uint64_t value) = 0;
  /// Removes and returns the recorded calls of kernels. There are none if the
  /// model is interpreted or was not compiled for profiles.
  virtual std::vector<FXKernelRun> takeProfile() { return {}; }
  /// Returns what a run on `inputs` communicates with other processes, in
  /// order.
  virtual std::vector<Collective>
  getCollectives(llvm::ArrayRef<HostValue> inputs) const = 0;
  /// Returns the contents of --report.
  virtual llvm::json::Object getReport() const = 0;
};

/// Loads the model of the options, and compiles or interprets it if it is not
/// a compiled file.
llvm::Expected<std::unique_ptr<RunnableModel>>
loadModel(const RunOptions &options);

} // namespace fx

#endif // FX_LIB_RUN_MODEL_H

//===- Model.h - something that fx-run can run ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_RUN_MODEL_H
#define FX_LIB_RUN_MODEL_H

#include "fx/Run/Files.h"
#include "fx/Run/Run.h"
#include "llvm/Support/JSON.h"
#include <memory>

namespace fx {

/// A loaded model: interpreted, compiled in process, or a compiled file.
class RunnableModel {
public:
  virtual ~RunnableModel();
  /// The flattened (args, kwargs) leaves.
  virtual llvm::ArrayRef<LeafFile> getInputs() const = 0;
  /// One run; outputs are the flattened user outputs. The places of errors
  /// are nodes or inputs, without the file.
  virtual llvm::Error run(llvm::ArrayRef<HostValue> inputs,
                          llvm::SmallVectorImpl<HostValue> &outputs) = 0;
  /// Seeds the generator: a compiled model's own, or torch's, which is one for
  /// the process.
  virtual void seed(uint64_t value) = 0;
  /// The contents of --report.
  virtual llvm::json::Object getReport() const = 0;
};

/// Loads and, where asked, compiles the model of the options.
llvm::Expected<std::unique_ptr<RunnableModel>>
loadModel(const RunOptions &options);

} // namespace fx

#endif // FX_LIB_RUN_MODEL_H

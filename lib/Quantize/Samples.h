//===- Samples.h - a folder of sample inputs --------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_QUANTIZE_SAMPLES_H
#define FX_LIB_QUANTIZE_SAMPLES_H

#include "fx/IR/Signature.h"
#include "fx/Interpreter/Interpreter.h"

namespace fx {

/// Returns the folders of samples: `folder` itself if it contains files
/// in_<k>.npy, else its subfolders, sorted by name. Returns at most `most`
/// folders unless `most` is 0.
llvm::Expected<std::vector<std::string>> findSamples(llvm::StringRef folder,
                                                     unsigned most);

/// Runs a module's graph @main on samples in the interpreter.
class SampleRunner {
public:
  /// Called with a node or an input, and the values of its results.
  using Watch =
      std::function<void(mlir::Operation *, llvm::ArrayRef<HostValue>)>;

  /// Runs call `watch` for the nodes and inputs for which `wants` returns true.
  /// The module must not change during the lifetime of the runner.
  static llvm::Expected<std::unique_ptr<SampleRunner>>
  create(mlir::ModuleOp module, std::function<bool(mlir::Operation *)> wants,
         Watch watch);

  llvm::Error run(llvm::StringRef folder,
                  llvm::SmallVectorImpl<HostValue> &outputs);

  /// Runs the module on all of the samples.
  static llvm::Error runAll(mlir::ModuleOp module,
                            llvm::ArrayRef<std::string> samples,
                            std::function<bool(mlir::Operation *)> wants,
                            Watch watch);

private:
  SampleRunner(GraphSignature signature) : signature(std::move(signature)) {}

  GraphSignature signature;
  std::unique_ptr<Interpreter> interpreter;
  std::function<bool(mlir::Operation *)> wants;
  Watch watch;
};

} // namespace fx

#endif // FX_LIB_QUANTIZE_SAMPLES_H

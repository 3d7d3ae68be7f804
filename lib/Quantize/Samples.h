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

/// The folders of samples: `folder` itself where it holds files in_<k>.npy,
/// else the folders in it, by name. At most `most`, unless that is 0.
llvm::Expected<std::vector<std::string>> findSamples(llvm::StringRef folder,
                                                     unsigned most);

/// The inputs in one of them.
llvm::Expected<llvm::SmallVector<HostValue>>
readSample(llvm::StringRef folder, const GraphSignature &signature);

/// A module's graph @main, on the interpreter.
class SampleRunner {
public:
  /// Called with a node that has results, or an input, and their values.
  using Watch =
      std::function<void(mlir::Operation *, llvm::ArrayRef<HostValue>)>;

  /// `watch` sees the nodes for which `wants` holds. The module must not change
  /// while this lives.
  static llvm::Expected<std::unique_ptr<SampleRunner>>
  create(mlir::ModuleOp module, std::function<bool(mlir::Operation *)> wants,
         Watch watch);

  llvm::Error run(llvm::StringRef folder,
                  llvm::SmallVectorImpl<HostValue> &outputs);

private:
  SampleRunner(GraphSignature signature) : signature(std::move(signature)) {}

  GraphSignature signature;
  std::unique_ptr<Interpreter> interpreter;
  std::function<bool(mlir::Operation *)> wants;
  Watch watch;
};

} // namespace fx

#endif // FX_LIB_QUANTIZE_SAMPLES_H

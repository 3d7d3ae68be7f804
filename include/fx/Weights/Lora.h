//===- Lora.h - low-rank adapters of compiled models ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_WEIGHTS_LORA_H
#define FX_WEIGHTS_LORA_H

#include "fx/Runtime/Loader.h"

#include <map>
#include <string>

namespace fx {

/// The adapter that is applied to a model, and the weights that it changed.
class AppliedLora {
public:
  /// Adds `scale` times the adapter in `folder` to the weights of the model:
  /// W + scale · scaling · B·A. The folder contains `adapter_config.json` and
  /// `adapter_model.safetensors`, as the package `peft` writes them. An adapter
  /// that was applied before is replaced: the sum starts from the weights
  /// without adapters. If this fails, the model does not change.
  llvm::Error apply(CompiledModel &model, llvm::StringRef folder,
                    double scale = 1);
  /// Restores the weights without the adapter, bit for bit.
  llvm::Error remove(CompiledModel &model);
  bool isApplied() const { return !base.empty(); }

private:
  /// The weights without the adapter.
  std::map<std::string, HostTensor> base;
};

} // namespace fx

#endif // FX_WEIGHTS_LORA_H

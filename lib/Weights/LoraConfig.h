//===- LoraConfig.h - the configuration of an adapter -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_WEIGHTS_LORACONFIG_H
#define FX_LIB_WEIGHTS_LORACONFIG_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>

namespace fx {

/// The members of `adapter_config.json` that decide how weights change.
struct LoraConfig {
  double alpha = 8; ///< the default of peft
  bool isRankStabilized = false;
  /// Weights are [inputs, outputs].
  bool isTransposed = false;
  /// Values of alpha for modules whose names end in a key.
  std::map<std::string, double> alphas;

  /// Reads the file at `path`. Refuses methods other than plain LoRA.
  static llvm::Expected<LoraConfig> read(llvm::StringRef path);

  /// Returns the factor of B·A for a module and the rank of its matrices.
  double getScaling(llvm::StringRef module, int64_t rank) const;
};

} // namespace fx

#endif // FX_LIB_WEIGHTS_LORACONFIG_H

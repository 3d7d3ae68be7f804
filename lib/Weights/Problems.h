//===- Problems.h - why weights cannot be loaded ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_WEIGHTS_PROBLEMS_H
#define FX_LIB_WEIGHTS_PROBLEMS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace fx {

/// All problems of a file with a model, which become one line.
struct Problems {
  std::vector<std::string> missing;    ///< weights that the file lacks
  std::vector<std::string> unexpected; ///< tensors that the model lacks
  std::vector<std::string> fixed;      ///< weights that cannot be replaced
  std::vector<std::string> others;     ///< whole texts

  /// Returns the error, which begins with `path`, or success.
  llvm::Error take(llvm::StringRef path);
};

} // namespace fx

#endif // FX_LIB_WEIGHTS_PROBLEMS_H

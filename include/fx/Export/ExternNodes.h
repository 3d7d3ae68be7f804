//===- ExternNodes.h - calls of AOTInductor's proxy executor ----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_EXPORT_EXTERNNODES_H
#define FX_EXPORT_EXTERNNODES_H

#include "fx/IR/FXDialect.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace fx {

/// The operators that a package of AOTInductor runs on ATen. The loader reads
/// them from a JSON file and creates a proxy executor, which calls the operator
/// with a given number. The executor reads most immediates from the file. It
/// takes tensors and integers from the caller, in the order of the arguments.
class ExternNodes {
public:
  /// Adds the operator that `op` calls, and sets the call (see ProxyCall).
  /// Fails with the reason if the executor cannot call the operator.
  llvm::Error add(EagerOp op);

  bool empty() const { return nodes.empty(); }
  /// Returns the text of the file.
  std::string getText() const;

private:
  std::vector<std::string> nodes;
};

} // namespace fx

#endif // FX_EXPORT_EXTERNNODES_H

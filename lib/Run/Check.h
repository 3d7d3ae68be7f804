//===- Check.h - compiled code beside the interpreter -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_RUN_CHECK_H
#define FX_LIB_RUN_CHECK_H

#include "Model.h"

namespace fx {

/// Compiles the model and compares each of its runs with the interpreter. If an
/// output differs, finds the first node whose value differs: a binary search
/// cuts the graph after a node, and compiles and interprets the part before the
/// cut. The error of the run names this node.
llvm::Expected<std::unique_ptr<RunnableModel>>
loadChecked(const RunOptions &options);

} // namespace fx

#endif // FX_LIB_RUN_CHECK_H

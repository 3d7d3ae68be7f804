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

/// The model compiled, each run compared with the interpreter's. Where an
/// output differs, the graph is cut at ever closer nodes and both halves run
/// again, until the first node whose value differs is known; it is the place
/// of the error.
llvm::Expected<std::unique_ptr<RunnableModel>>
loadChecked(const RunOptions &options);

} // namespace fx

#endif // FX_LIB_RUN_CHECK_H

//===- Interpreted.h - interpreted models in fx-run -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_RUN_INTERPRETED_H
#define FX_LIB_RUN_INTERPRETED_H

#include "Model.h"
#include "fx/Run/Module.h"

namespace fx {

/// Returns a model that runs the graph @main of a module node by node on
/// LibTorch. The report gives `reason` for each node.
llvm::Expected<std::unique_ptr<RunnableModel>>
loadInterpreted(LoadedModule loaded, int threads, llvm::StringRef reason);

} // namespace fx

#endif // FX_LIB_RUN_INTERPRETED_H

//===- Native.h - compiled models in fx-run ---------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_RUN_NATIVE_H
#define FX_LIB_RUN_NATIVE_H

#include "Model.h"

namespace fx {

/// Loads a compiled `.so`.
llvm::Expected<std::unique_ptr<RunnableModel>>
loadArtefact(const RunOptions &options);

/// Compiles the model of the options to a temporary file and loads that file.
llvm::Expected<std::unique_ptr<RunnableModel>>
compileInProcess(const RunOptions &options);

} // namespace fx

#endif // FX_LIB_RUN_NATIVE_H

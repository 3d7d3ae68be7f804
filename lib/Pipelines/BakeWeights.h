//===- BakeWeights.h - weights from files, at compile time ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_BAKEWEIGHTS_H
#define FX_LIB_PIPELINES_BAKEWEIGHTS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace fx {

/// Replaces the values of the states of the modules, which are the methods of
/// one model, by the tensors of files: safetensors or GGUF. Every parameter and
/// persistent buffer must be in one of the files, and every tensor of the files
/// in one of the modules.
llvm::Error bakeWeights(llvm::ArrayRef<mlir::ModuleOp> modules,
                        llvm::ArrayRef<std::string> paths);

} // namespace fx

#endif // FX_LIB_PIPELINES_BAKEWEIGHTS_H

//===- ExpandRandom.h - random numbers in upstream dialects -----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CONVERSION_EXPANDRANDOM_H
#define FX_LIB_CONVERSION_EXPANDRANDOM_H

#include "mlir/IR/BuiltinOps.h"

namespace fx {

/// Replaces each fx_kernel.random by a call of a function in upstream dialects
/// and adds these functions to `module`. A function that draws numbers takes
/// the generator's state, `tensor<628xi32>`, as its last argument and returns
/// the new state as its first result. Fails, with a diagnostic, where no
/// function draws the numbers of an op.
mlir::LogicalResult expandRandom(mlir::ModuleOp module);

} // namespace fx

#endif // FX_LIB_CONVERSION_EXPANDRANDOM_H

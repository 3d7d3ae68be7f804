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

/// Makes calls of functions in upstream dialects of each fx_kernel.random, and
/// adds these functions. A function that draws takes the generator's state,
/// `tensor<628xi32>`, as its last argument and gives the new one as its first
/// result.
mlir::LogicalResult expandRandom(mlir::ModuleOp module);

} // namespace fx

#endif // FX_LIB_CONVERSION_EXPANDRANDOM_H

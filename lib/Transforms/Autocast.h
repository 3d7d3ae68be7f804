//===- Autocast.h - the casts of an autocast region -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_AUTOCAST_H
#define FX_LIB_TRANSFORMS_AUTOCAST_H

#include "fx/Transforms/NodeNamer.h"

namespace fx {

/// Casts `value` to `dtype`. Creates a `_to_copy`, or returns `value` itself if
/// it is not a tensor or already has the dtype.
mlir::Value castTo(mlir::OpBuilder &b, NodeNamer &namer, mlir::Location loc,
                   mlir::Value value, mlir::Type dtype);

/// Casts the operands of `call` as autocast to `dtype` does before it runs.
void castForAutocast(CallFunctionOp call, mlir::Type dtype, NodeNamer &namer);

} // namespace fx

#endif // FX_LIB_TRANSFORMS_AUTOCAST_H

//===- Unwrap.h - from handles of the C interface to C++ --------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CAPI_UNWRAP_H
#define FX_CAPI_UNWRAP_H

#include "fx-c/IR.h"
#include "mlir/IR/BuiltinOps.h"

namespace fx {

/// Returns the module of a handle, which keeps its ownership.
mlir::ModuleOp unwrap(FXModule *module);
mlir::MLIRContext *unwrap(FXContext *context);

} // namespace fx

#endif // FX_CAPI_UNWRAP_H

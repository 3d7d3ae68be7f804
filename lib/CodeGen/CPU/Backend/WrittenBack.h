//===- WrittenBack.h - results that replace arguments -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_BACKEND_WRITTENBACK_H
#define FX_LIB_CODEGEN_CPU_BACKEND_WRITTENBACK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fx::cpu {

/// Returns the argument that result `i` is written back to; null if the result
/// is an output. Fails after an error if there is no such argument.
mlir::FailureOr<mlir::Value> getWrittenBack(mlir::func::FuncOp func,
                                            unsigned i);

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_BACKEND_WRITTENBACK_H

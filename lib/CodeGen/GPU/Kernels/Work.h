//===- Work.h - the bytes and operations of kernels -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_WORK_H
#define FX_LIB_CODEGEN_GPU_WORK_H

#include "fx/Kernels/TargetInfo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fx::gpu {

/// Returns the attribute `kWorkAttr` for the launches of a kernel on tensors
/// without `blocks`. `kernelClass` is the class that emitted it.
mlir::DictionaryAttr describeWork(mlir::func::FuncOp kernel,
                                  const kernel::TargetInfo &target,
                                  llvm::StringRef kernelClass);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_WORK_H

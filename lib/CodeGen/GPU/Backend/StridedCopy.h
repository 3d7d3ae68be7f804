//===- StridedCopy.h - copies between layouts -------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_BACKEND_STRIDEDCOPY_H
#define FX_LIB_CODEGEN_GPU_BACKEND_STRIDEDCOPY_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace fx::gpu {

/// Returns the address of the element at `indices` as an i64. Without indices,
/// returns the address of the first element.
mlir::Value getAddress(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value buffer, mlir::ValueRange indices);

/// Returns the number of elements that a thread can copy at once, up to 16
/// bytes of a row, or 1.
int64_t getCopyWidth(mlir::memref::CopyOp op);

/// Emits host code that tests whether `width` elements can be copied at once:
/// all rows begin at multiples of their size.
mlir::Value canCopyRuns(mlir::OpBuilder &b, mlir::memref::CopyOp op,
                        int64_t width);

/// Emits a launch in which each thread copies `width` elements of a row with
/// one load and one store.
void launchCopy(mlir::OpBuilder &b, mlir::memref::CopyOp op, int64_t width);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_BACKEND_STRIDEDCOPY_H

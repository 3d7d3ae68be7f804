//===- Buffers.h - memory got from the run-time -----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_COMMON_BUFFERS_H
#define FX_CODEGEN_COMMON_BUFFERS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace mlir {
class BufferViewFlowAnalysis;
} // namespace mlir

namespace fx::codegen {

/// Calls `callee(bytes) -> memref<?xi8>`, a function of the run-time, which is
/// declared where it is missing.
mlir::Value callForBytes(mlir::OpBuilder &b, mlir::Location loc,
                         llvm::StringRef callee, mlir::Value bytes);

/// Bytes of a buffer of `type` with the dynamic sizes given.
mlir::Value computeBytes(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::MemRefType type, mlir::ValueRange sizes);

/// A buffer of `type` (identity layout) in memory of its own from `callee`.
mlir::Value createBufferView(mlir::OpBuilder &b, mlir::Location loc,
                             llvm::StringRef callee, mlir::MemRefType type,
                             mlir::ValueRange sizes);

/// Every value that may be a view of `buffer`, itself included. Unlike
/// upstream's analysis alone, it sees through the casts from i1 to i8 in front
/// of kernels.
llvm::SmallPtrSet<mlir::Value, 16>
getAliases(mlir::Value buffer, const mlir::BufferViewFlowAnalysis &analysis);

/// Bytes of one element in memory.
int64_t getElementBytes(mlir::Type type);

/// The function of this name and type in the module around `b`'s block,
/// declared where it is missing.
mlir::Operation *getOrDeclare(mlir::OpBuilder &b, llvm::StringRef name,
                              mlir::FunctionType type, bool cInterface);

} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_BUFFERS_H

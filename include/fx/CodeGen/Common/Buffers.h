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

/// Creates a call of `callee(operands) -> memref<?xi8>`, a function of the
/// run-time, and declares the function if necessary.
mlir::Value callForBytes(mlir::OpBuilder &b, mlir::Location loc,
                         llvm::StringRef callee, mlir::ValueRange operands);

/// Computes the bytes of a buffer of `type` with the dynamic sizes `sizes`.
mlir::Value computeBytes(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::MemRefType type, mlir::ValueRange sizes);

/// Returns all values that may be views of `buffer`, including `buffer`. In
/// addition to upstream's analysis, it follows the casts from i1 to i8 of the
/// operands of kernels.
llvm::SmallPtrSet<mlir::Value, 16>
getAliases(mlir::Value buffer, const mlir::BufferViewFlowAnalysis &analysis);

/// Returns the bytes of one element in memory.
int64_t getElementBytes(mlir::Type type);
/// Returns the bytes of all elements of a tensor or memref; nullopt if a size
/// is dynamic.
std::optional<int64_t> getStaticBytes(mlir::ShapedType type);

/// Returns the function `name` of the module that contains `b`'s block.
/// Declares it with type `type` if it does not exist.
mlir::Operation *getOrDeclare(mlir::OpBuilder &b, llvm::StringRef name,
                              mlir::FunctionType type, bool cInterface);

} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_BUFFERS_H

//===- Addresses.h - memrefs as addresses and numbers -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The type of a memref determines most fields of its descriptor: with a static
// shape and layout, all but the address. Instead of the descriptor, kernels
// take "fields": the address of the first element, then the dynamic sizes, and
// then the dynamic strides.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_BACKEND_ADDRESSES_H
#define FX_LIB_CODEGEN_CPU_BACKEND_ADDRESSES_H

#include "fx/CodeGen/Common/Captures.h"

namespace fx::cpu {

using namespace codegen;

/// Returns true if `type` is a memref that can be passed as fields: it is
/// strided and has no memory space.
bool hasAddress(mlir::Type type);

/// Returns the types of the fields of a memref of `type`: a pointer and i64s.
llvm::SmallVector<mlir::Type> getFieldTypes(mlir::MemRefType type);

/// Returns the fields of `memref` as a value of `type`, to which it can be
/// cast. `load` returns the aligned pointer of buffers for which it is known
/// without a descriptor, and null for others.
llvm::SmallVector<mlir::Value>
getFields(mlir::OpBuilder &b, mlir::Location loc,
          const mlir::LLVMTypeConverter &types, mlir::Value memref,
          mlir::MemRefType type,
          llvm::function_ref<mlir::Value(mlir::Value)> load = nullptr);

/// Returns the address of the first element of `memref`.
mlir::Value getAddress(mlir::OpBuilder &b, mlir::Location loc,
                       const mlir::LLVMTypeConverter &types,
                       mlir::Value memref);

/// Builds the memref of `type` from `fields`.
mlir::Value fromFields(mlir::OpBuilder &b, mlir::Location loc,
                       const mlir::LLVMTypeConverter &types,
                       mlir::MemRefType type, mlir::ValueRange fields);

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_BACKEND_ADDRESSES_H

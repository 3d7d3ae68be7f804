//===- Addresses.h - memrefs as addresses and numbers -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A descriptor holds what the type of a memref knows already: of a memref with
// static sizes all but the address. What is passed in its place is the address
// of its first element, then the sizes and then the strides that the type does
// not know.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_BACKEND_ADDRESSES_H
#define FX_LIB_CODEGEN_CPU_BACKEND_ADDRESSES_H

#include "fx/CodeGen/Common/Captures.h"

namespace fx::cpu {

using namespace codegen;

/// A memref of `type` can be passed as an address: strided, in memory of the
/// CPU.
bool hasAddress(mlir::Type type);

/// What a memref of `type` is passed as.
llvm::SmallVector<mlir::Type> getFieldTypes(mlir::MemRefType type);

/// `memref` as the fields of `type`, to which it can be cast. `load` gives the
/// aligned pointer of buffers that are known by other means than a descriptor,
/// else null.
llvm::SmallVector<mlir::Value>
getFields(mlir::OpBuilder &b, mlir::Location loc,
          const mlir::LLVMTypeConverter &types, mlir::Value memref,
          mlir::MemRefType type,
          llvm::function_ref<mlir::Value(mlir::Value)> load = nullptr);

/// The address of the first element of `memref`.
mlir::Value getAddress(mlir::OpBuilder &b, mlir::Location loc,
                       const mlir::LLVMTypeConverter &types,
                       mlir::Value memref);

/// The memref of `type` that `fields` stand for.
mlir::Value fromFields(mlir::OpBuilder &b, mlir::Location loc,
                       const mlir::LLVMTypeConverter &types,
                       mlir::MemRefType type, mlir::ValueRange fields);

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_BACKEND_ADDRESSES_H

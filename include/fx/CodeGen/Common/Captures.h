//===- Captures.h - values passed through a block of memory -----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_COMMON_CAPTURES_H
#define FX_CODEGEN_COMMON_CAPTURES_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace fx::codegen {

/// Casts `value` to its type in the LLVM dialect (a memref to its descriptor).
/// The conversion to LLVM resolves the cast.
mlir::Value castToLLVM(mlir::OpBuilder &b, const mlir::LLVMTypeConverter &types,
                       mlir::Value value);
/// Casts `value`, of a type of the LLVM dialect, to `type`.
mlir::Value castFromLLVM(mlir::OpBuilder &b, mlir::Value value,
                         mlir::Type type);

/// Creates an alloca of `count` elements of `type` at the start of the
/// function, so that loops do not allocate repeatedly.
mlir::Value createStackSlot(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Type type, int64_t count = 1);

/// Returns the address of field or element `index` of the `type` at `base`.
mlir::Value createFieldAddress(mlir::OpBuilder &b, mlir::Location loc,
                               mlir::Type type, mlir::Value base,
                               int32_t index);

/// Returns the address of a constant zero-terminated string. Equal strings
/// share a global.
mlir::Value createText(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::ModuleOp module, llvm::StringRef text);

} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_CAPTURES_H

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

/// `value` as the LLVM dialect has it (a memref as its descriptor), by a cast
/// that the conversion to LLVM resolves.
mlir::Value castToLLVM(mlir::OpBuilder &b, const mlir::LLVMTypeConverter &types,
                       mlir::Value value);
mlir::Value castFromLLVM(mlir::OpBuilder &b, mlir::Value value,
                         mlir::Type type);

/// Stack memory for one `type`, taken at the start of the function so that it
/// does not grow in a loop.
mlir::Value createStackSlot(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Type type, int64_t count = 1);

/// The address of field or element `index` of `base`, which holds a `type`.
mlir::Value createFieldAddress(mlir::OpBuilder &b, mlir::Location loc,
                               mlir::Type type, mlir::Value base,
                               int32_t index);

/// The address of a constant, zero-terminated string; equal ones are shared.
mlir::Value createText(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::ModuleOp module, llvm::StringRef text);

} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_CAPTURES_H

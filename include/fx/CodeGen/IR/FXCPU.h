//===- FXCPU.h - calls of CPU kernels on tensors ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_IR_FXCPU_H
#define FX_CODEGEN_IR_FXCPU_H

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "fx/CodeGen/IR/FXCPUDialect.h.inc"

#define GET_OP_CLASSES
#include "fx/CodeGen/IR/FXCPUOps.h.inc"

namespace fx::cpu {
/// The type by which an emitted kernel takes a buffer of `type`: row-major with
/// a dynamic offset, i8 for i1. Strides of dynamic size are dynamic.
mlir::MemRefType getKernelArgType(mlir::RankedTensorType type);
} // namespace fx::cpu

#endif // FX_CODEGEN_IR_FXCPU_H

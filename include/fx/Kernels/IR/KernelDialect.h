//===- KernelDialect.h - calls and schedules of kernels ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_IR_KERNELDIALECT_H
#define FX_KERNELS_IR_KERNELDIALECT_H

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "fx/Kernels/IR/KernelAttrInterfaces.h.inc"
#include "fx/Kernels/IR/KernelDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "fx/Kernels/IR/KernelAttrs.h.inc"

#define GET_OP_CLASSES
#include "fx/Kernels/IR/KernelOps.h.inc"

namespace fx::kernel {

/// An attribute of a kernel function, or of the op in it from which its loops
/// are generated: a ScheduleAttrInterface.
inline constexpr llvm::StringLiteral kScheduleAttr = "fx_kernel.schedule";
/// An attribute of a kernel function: the numbers of the arguments whose
/// dynamic strides may be any. All other arguments are row-major.
inline constexpr llvm::StringLiteral kStridedAttr = "fx_kernel.strided";
/// An attribute of a kernel function: a ProblemAttr.
inline constexpr llvm::StringLiteral kProblemAttr = "fx_kernel.problem";
/// An attribute of a kernel function: an array of schedules. The kernel uses
/// the one of its class instead of choosing a schedule.
inline constexpr llvm::StringLiteral kTilesAttr = "fx_kernel.tiles";

/// An attribute of a kernel function: its schedule is from a tuning file.
inline constexpr llvm::StringLiteral kTunedAttr = "fx_kernel.tuned";
/// An attribute of @main: the kernels with other schedules that measurements
/// call instead of the kernels of the model.
inline constexpr llvm::StringLiteral kVariantsAttr = "fx_kernel.variants";
/// An attribute of the module of a tuning file, and its value.
inline constexpr llvm::StringLiteral kTuningVersionAttr =
    "fx_kernel.tuning_version";
inline constexpr int64_t kTuningVersion = 1;

/// A unit attribute of math.exp in the code of a kernel: the operand is at most
/// 0 or NaN.
inline constexpr llvm::StringLiteral kNonpositiveAttr = "fx_kernel.nonpositive";

/// A unit attribute of arith.mulf in the body of a matmul of f32: a kernel may
/// round the factors to bf16.
inline constexpr llvm::StringLiteral kBF16Attr = "fx_kernel.bf16";
/// A unit attribute of such a product, one of whose factors is a converted
/// integer: a kernel may round the other one to 8 bits, with a scale for each
/// block of 32 terms.
inline constexpr llvm::StringLiteral kInt8Attr = "fx_kernel.int8";
/// A unit attribute of a matmul whose operands are converted from eight-bit
/// floats, which fx-lower-float8 removes: their sums may be those of tensor
/// cores, which do not keep all bits of sums of f32.
inline constexpr llvm::StringLiteral kFloat8Attr = "fx_kernel.float8";
/// A unit attribute of such a matmul, and of a product of eight-bit floats: all
/// terms may be added by tensor cores, not only those of a piece.
inline constexpr llvm::StringLiteral kFastSumsAttr = "fx_kernel.fast_sums";

/// Returns the memref type of an argument of an emitted kernel for a tensor of
/// `type`: row-major with a dynamic offset, with i8 elements for i1. Strides
/// that depend on dynamic sizes are dynamic.
mlir::MemRefType getKernelArgType(mlir::RankedTensorType type);

/// Expands the ops on packed and transformed weights that no kernel contains,
/// or that an inlined kernel contained.
void expandUnpacking(mlir::ModuleOp module);

} // namespace fx::kernel

#endif // FX_KERNELS_IR_KERNELDIALECT_H

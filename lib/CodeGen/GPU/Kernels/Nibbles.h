//===- Nibbles.h - weights of four bits in registers ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `fx-gpu-pack-weights` packs the rows of a weight of four bits: each word of
// 32 bits holds eight successive numbers. Byte b of a word has number b in its
// low half and number b + 4 in its high half. So the numbers of a run are in
// successive words, whatever the length of the run.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_NIBBLES_H
#define FX_LIB_CODEGEN_GPU_NIBBLES_H

#include "fx/CodeGen/Common/KernelCode.h"
#include "fx/Kernels/IR/KernelDialect.h"

namespace fx::gpu {

/// The numbers of a word.
inline constexpr int64_t kWordNumbers = 8;

/// Returns the op that defines `v` if it unpacks such rows, else null.
kernel::UnpackOp getNibbleRows(mlir::Value v);

/// Returns the eight numbers of `word`, as i8.
llvm::SmallVector<mlir::Value> splitWord(mlir::OpBuilder &b, mlir::Location loc,
                                         mlir::Value word);

/// Replaces conversions to f32 of bytes, and of numbers that `splitWord`
/// returned, by bit operations and an addition, which run at a higher rate.
void convertIntegers(codegen::KernelCode &code);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_NIBBLES_H

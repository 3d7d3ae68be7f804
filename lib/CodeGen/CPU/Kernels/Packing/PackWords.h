//===- PackWords.h - packing of terms that share a word ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_KERNELS_PACKING_PACKWORDS_H
#define FX_LIB_CODEGEN_CPU_KERNELS_PACKING_PACKWORDS_H

#include "../Emitters.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fx::cpu {

/// Emits packed[o..., i, j] = source[...] of a pack whose first inner tile has
/// `tile` columns and whose second one has the terms of a 32-bit word: two of
/// 16 bits or four of 8 bits. The last outer dimension must be that of the
/// terms, and its size a multiple of their number.
void emitPackWords(KernelCode &code, mlir::linalg::PackOp pack, int64_t tile);

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_KERNELS_PACKING_PACKWORDS_H

//===- SplitReduction.h - a reduction in two steps --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_KERNELS_FORMATION_SPLITREDUCTION_H
#define FX_LIB_KERNELS_FORMATION_SPLITREDUCTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fx::kernel {

/// Splits the reduction `op` into two steps: a reduction over `loop` only,
/// whose results keep the other loops, and a reduction of these results over
/// the other reduction loops. Returns the second reduction. Returns null and
/// changes nothing if `matchReduction` rejects `op`, a result does not have all
/// parallel loops, or a combiner has no neutral element.
mlir::linalg::GenericOp splitReduction(mlir::RewriterBase &rewriter,
                                       mlir::linalg::GenericOp op,
                                       unsigned loop);

} // namespace fx::kernel

#endif // FX_LIB_KERNELS_FORMATION_SPLITREDUCTION_H

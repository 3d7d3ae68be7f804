//===- SplitReduction.h - a reduction in two steps --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_SPLITREDUCTION_H
#define FX_LIB_CODEGEN_CPU_SPLITREDUCTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fx::kernel {

/// Replaces `op`, which `matchReduction` knows, by a reduction over `loop`
/// alone, whose results keep the other loops, and one of those over the other
/// reduction loops, which is returned. Null, and nothing changed, where a
/// result does not have all parallel loops, or a combiner no neutral element.
mlir::linalg::GenericOp splitReduction(mlir::RewriterBase &rewriter,
                                       mlir::linalg::GenericOp op,
                                       unsigned loop);

} // namespace fx::kernel

#endif // FX_LIB_CODEGEN_CPU_SPLITREDUCTION_H

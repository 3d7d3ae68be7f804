//===- Nibbles.h - integers of four bits ------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights of which only the low four bits of each byte are used: `getNibbles`
// (Analysis.h) finds the op that extracts them. Packing stores two of them in a
// byte, and `fx_kernel.unpack` with `nibbles` reads them.
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_NIBBLES_H
#define FX_KERNELS_NIBBLES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fx::kernel {

/// Creates the op that sign-extends the low four bits of bytes.
mlir::Value extractNibbles(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value bytes);

/// Lets ops that extract nibbles read the views of their results, and not the
/// views their results: packing looks for them next to a contraction.
void moveNibblesBehindViews(mlir::func::FuncOp func);

/// Joins slices 2i and 2i + 1 along dimension `dim` of a tensor of bytes to
/// slice i. The low half of a byte is from the former.
mlir::Value joinNibbles(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value bytes, unsigned dim);

} // namespace fx::kernel

#endif // FX_KERNELS_NIBBLES_H

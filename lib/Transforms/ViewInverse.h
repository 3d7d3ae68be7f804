//===- ViewInverse.h - writing through views --------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_VIEWINVERSE_H
#define FX_LIB_TRANSFORMS_VIEWINVERSE_H

#include "NodeNamer.h"
#include "fx/IR/Arguments.h"

namespace fx {

/// The value whose storage result `result` of `op` shares, or null if the
/// result has a storage of its own. Where torch decides by strides (reshape,
/// contiguous, to …) the strides in the types decide.
mlir::Value getAliasedOperand(CallFunctionOp op, unsigned result);

/// The value of the viewed tensor after `newView` was written through
/// `view`'s result `result`; `base` is its value before. Null if there is no
/// functional form.
mlir::Value createViewInverse(mlir::OpBuilder &b, NodeNamer &namer,
                              CallFunctionOp view, unsigned result,
                              mlir::Value base, mlir::Value newView);

/// The size of dimension `dim` of `tensor` as an argument: an integer or the
/// result of a new `aten.sym_size.int`.
ArgumentTree createSize(mlir::OpBuilder &b, NodeNamer &namer,
                        mlir::Location loc, mlir::Value tensor, int64_t dim);

} // namespace fx

#endif // FX_LIB_TRANSFORMS_VIEWINVERSE_H

//===- ViewInverse.h - writing through views --------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_TRANSFORMS_VIEWINVERSE_H
#define FX_LIB_TRANSFORMS_VIEWINVERSE_H

#include "fx/IR/Arguments.h"
#include "fx/Transforms/NodeNamer.h"

namespace fx {

/// Creates the value of the viewed tensor after a write of `newView` through
/// result `result` of `view`, which views operand `viewedOperand`. `base` is
/// the value of the viewed tensor before the write. If no operator is the
/// inverse of the view, applies the view to a tensor of element indices and
/// scatters `newView` by the result. Returns null for a view of another dtype
/// that has no inverse.
mlir::Value createViewInverse(mlir::OpBuilder &b, NodeNamer &namer,
                              CallFunctionOp view, unsigned viewedOperand,
                              unsigned result, mlir::Value base,
                              mlir::Value newView);

/// Result `result` of the call `view` as a view of operand `operand`.
struct ViewStep {
  CallFunctionOp view;
  unsigned operand = 0, result = 0;
};

/// Returns true if several elements of the view can be the same element of the
/// viewed tensor.
bool mayOverlap(ViewStep step);

/// Creates the value of `base` after a write of `newView` through a chain of
/// views, the first of which views `base`. Use this if a view shows an element
/// several times: the inverses of the views one after the other would not know
/// which copy was written. Returns null if a view changes the dtype or values
/// of elements.
mlir::Value createChainInverse(mlir::OpBuilder &b, NodeNamer &namer,
                               llvm::ArrayRef<ViewStep> steps, mlir::Value base,
                               mlir::Value newView);

/// Replaces a view operator that requires certain strides of its operand by one
/// that copies if necessary (view → reshape).
void takeAnyStrides(CallFunctionOp view);

/// Returns the size of dimension `dim` of `tensor` as an argument: an integer
/// or the result of a new `aten.sym_size.int`.
ArgumentTree createSize(mlir::OpBuilder &b, NodeNamer &namer,
                        mlir::Location loc, mlir::Value tensor, int64_t dim);

} // namespace fx

#endif // FX_LIB_TRANSFORMS_VIEWINVERSE_H

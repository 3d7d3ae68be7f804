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

/// The value of the viewed tensor after `newView` was written through
/// `view`'s result `result`. The view is of operand `viewedOperand`; `base` is
/// its value before. Where no operator is the view's inverse, the view of the
/// elements' numbers tells where each of `newView`'s elements goes. Null for a
/// view of another dtype that has no inverse.
mlir::Value createViewInverse(mlir::OpBuilder &b, NodeNamer &namer,
                              CallFunctionOp view, unsigned viewedOperand,
                              unsigned result, mlir::Value base,
                              mlir::Value newView);

/// A view of one operand by a call's result.
struct ViewStep {
  CallFunctionOp view;
  unsigned operand = 0, result = 0;
};

/// True unless no two elements of the view are one element of what it views.
bool mayOverlap(ViewStep step);

/// The same for a chain of views, the first one that of `base`. Where one of
/// them shows an element twice, inverses one after the other would not tell
/// which of the two was written. Null where a view changes its elements.
mlir::Value createChainInverse(mlir::OpBuilder &b, NodeNamer &namer,
                               llvm::ArrayRef<ViewStep> steps, mlir::Value base,
                               mlir::Value newView);

/// Lets a view take an operand of any strides.
void takeAnyStrides(CallFunctionOp view);

/// The size of dimension `dim` of `tensor` as an argument: an integer or the
/// result of a new `aten.sym_size.int`.
ArgumentTree createSize(mlir::OpBuilder &b, NodeNamer &namer,
                        mlir::Location loc, mlir::Value tensor, int64_t dim);

} // namespace fx

#endif // FX_LIB_TRANSFORMS_VIEWINVERSE_H

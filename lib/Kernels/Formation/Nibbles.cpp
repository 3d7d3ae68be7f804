//===- Nibbles.cpp - integers of four bits --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/Nibbles.h"
#include "fx/Kernels/Analysis.h"
#include "fx/Kernels/ConvertElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fx::kernel;

void fx::kernel::moveNibblesBehindViews(func::FuncOp func) {
  SmallVector<Operation *> views;
  func.walk([&](Operation *op) {
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      views.push_back(op);
  });
  for (Operation *view : views) {
    linalg::GenericOp nibbles = getNibbles(view->getOperand(0));
    if (!nibbles)
      continue;
    // Clone the view, because other ops may read the elements before it.
    OpBuilder b(view);
    IRMapping mapping;
    mapping.map(view->getOperand(0), nibbles.getInputs()[0]);
    Value bytes = b.clone(*view, mapping)->getResult(0);
    view->replaceAllUsesWith(
        ValueRange(extractNibbles(b, view->getLoc(), bytes)));
    view->erase();
    if (nibbles->use_empty())
      nibbles->erase();
  }
}

Value fx::kernel::extractNibbles(OpBuilder &b, Location loc, Value bytes) {
  return mapElements(
      b, loc, bytes, b.getI8Type(),
      [](OpBuilder &nested, Location at, Value byte) {
        Value four =
            arith::ConstantOp::create(nested, at, nested.getI8IntegerAttr(4));
        Value up = arith::ShLIOp::create(nested, at, byte, four);
        return arith::ShRSIOp::create(nested, at, up, four).getResult();
      });
}

Value fx::kernel::joinNibbles(OpBuilder &b, Location loc, Value bytes,
                              unsigned dim) {
  auto type = cast<RankedTensorType>(bytes.getType());
  unsigned rank = type.getRank();
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= 2;
  AffineMap whole = b.getMultiDimIdentityMap(rank);
  auto half = [&](int64_t which) {
    SmallVector<AffineExpr> exprs(whole.getResults());
    exprs[dim] = exprs[dim] * 2 + which;
    return AffineMap::get(rank, 0, exprs, b.getContext());
  };
  Value empty = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
  return linalg::GenericOp::create(
             b, loc, TypeRange(empty.getType()), ValueRange{bytes, bytes},
             empty, ArrayRef<AffineMap>{half(0), half(1), whole},
             SmallVector<utils::IteratorType>(rank,
                                              utils::IteratorType::parallel),
             [&](OpBuilder &nested, Location at, ValueRange v) {
               auto number = [&](int8_t n) {
                 return arith::ConstantOp::create(nested, at,
                                                  nested.getI8IntegerAttr(n));
               };
               Value low = arith::AndIOp::create(nested, at, v[0], number(15));
               Value high = arith::ShLIOp::create(nested, at, v[1], number(4));
               linalg::YieldOp::create(
                   nested, at,
                   arith::OrIOp::create(nested, at, low, high).getResult());
             })
      .getResult(0);
}

//===- Untransform.cpp - filters of Winograd convolutions -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/IR/KernelDialect.h"
#include "fx/Kernels/IR/Winograd.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace fx::kernel;

winograd::Matrix winograd::getFilterTransform(int64_t m) {
  SmallVector<double> points =
      m == 2 ? SmallVector<double>{0, 1, -1}
             : SmallVector<double>{0, kInner, -kInner, kOuter, -kOuter};
  Matrix g;
  for (double p : points) {
    double scale = 1;
    for (double q : points)
      if (q != p)
        scale *= p - q;
    g.push_back({1 / scale, p / scale, p * p / scale});
  }
  g.push_back({0, 0, 1});
  return g;
}

winograd::Matrix winograd::getFilterInverse(int64_t m) {
  // Row 0 of G has the first element alone, and the last row the last one.
  // Rows 1 and 2 are the values at p and -p.
  Matrix g = getFilterTransform(m), r(kFilter);
  for (auto &row : r)
    row.assign(getPixels(m), 0);
  r[0][0] = 1 / g[0][0];
  r[1][1] = 0.5 / g[1][1];
  r[1][2] = -0.5 / g[1][1];
  r[2].back() = 1;
  return r;
}

SmallVector<double> winograd::getProduct(const Matrix &x, const Matrix &y) {
  SmallVector<double> product;
  for (const auto &p : x)
    for (const auto &q : y)
      for (double i : p)
        for (double j : q)
          product.push_back(i * j);
  return product;
}

LogicalResult UntransformOp::verify() {
  int64_t m = getTile();
  if (m != 2 && m != 4)
    return emitOpError("expected a tile of 2 or 4, got ") << m;
  RankedTensorType source = getSource().getType(), type = getResult().getType();
  int64_t n = winograd::getPixels(m);
  if (source.getRank() != 3 || !source.hasStaticShape() ||
      source.getDimSize(0) != n * n)
    return emitOpError("expected a source of ")
           << n * n << " by channels by columns, got " << source;
  auto wanted = source.clone({winograd::kFilter, winograd::kFilter,
                              source.getDimSize(1), source.getDimSize(2)});
  if (type != wanted)
    return emitOpError("expected a result of type ")
           << wanted << ", got " << type;
  return success();
}

Value UntransformOp::expand(OpBuilder &b) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(*this);
  Location loc = getLoc();
  int64_t m = getTile(), n = winograd::getPixels(m);
  winograd::Matrix inverse = winograd::getFilterInverse(m);
  RankedTensorType type = getResult().getType();
  Type element = type.getElementType();
  // Element (i, j) of a filter is a sum over p and q of products of rows i and
  // j of the inverse with the transformed filter.
  SmallVector<Attribute> factors;
  for (double f : winograd::getProduct(inverse, inverse))
    factors.push_back(b.getFloatAttr(element, f));
  auto tableType = RankedTensorType::get(
      {winograd::kFilter, winograd::kFilter, n * n}, element);
  Value table = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(tableType, factors));
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), element);
  Value init = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  MLIRContext *ctx = b.getContext();
  AffineExpr i, j, c, k, t;
  bindDims(ctx, i, j, c, k, t);
  auto maps = AffineMap::inferFromExprList(
      ArrayRef<SmallVector<AffineExpr, 4>>{{t, c, k}, {i, j, t}, {i, j, c, k}},
      ctx);
  SmallVector<utils::IteratorType> kinds(5, utils::IteratorType::parallel);
  kinds.back() = utils::IteratorType::reduction;
  return linalg::GenericOp::create(
             b, loc, type, ValueRange{getSource(), table}, init, maps, kinds,
             [](OpBuilder &nested, Location at, ValueRange v) {
               Value product = arith::MulFOp::create(nested, at, v[0], v[1]);
               linalg::YieldOp::create(
                   nested, at,
                   arith::AddFOp::create(nested, at, v[2], product)
                       .getResult());
             })
      .getResult(0);
}

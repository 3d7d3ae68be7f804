//===- Matrices.cpp - what factorizations share ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matrices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

Scalars reals(Builder &b) { return Scalars(b.b, b.loc, b.b.getF64Type()); }
Scalars integers(Builder &b) { return Scalars(b.b, b.loc, b.b.getI64Type()); }
Scalars indices(Builder &b) { return Scalars(b.b, b.loc, b.b.getIndexType()); }

Sizes batchOf(const Tensor &x) {
  return Sizes(ArrayRef<ExprAttr>(x.sizes).drop_back(2));
}

Tensor stacked(Builder &b, const Tensor &x) {
  Sizes sizes = {b.product(batchOf(x))};
  sizes.append(x.sizes.end() - 2, x.sizes.end());
  return b.contiguous(b.reshape(b.cast(x, b.b.getF64Type()), sizes));
}

Tensor unstacked(Builder &b, const Tensor &x, Sizes batch) {
  batch.append(x.sizes.begin() + 1, x.sizes.end());
  return b.reshape(x, batch);
}

Tensor transposed(Builder &b, const Tensor &x) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  std::swap(order[x.rank() - 1], order[x.rank() - 2]);
  return b.permute(x, order);
}

bool isMatrices(NodeLowering &n, const Tensor &x, bool square) {
  if (n.failed() || x.rank() < 2 || !isa<FloatType>(x.dtype) ||
      !isSupported(x.dtype))
    return false;
  return !square ||
         !x.sizes[x.rank() - 1].isProvablyDifferent(x.sizes[x.rank() - 2]);
}

bool hasStaticSizes(const Tensor &x) {
  return x.sizes[x.rank() - 1].isInteger() && x.sizes[x.rank() - 2].isInteger();
}

Tensor identity(Builder &b, ArrayRef<ExprAttr> sizes) {
  Type f64 = b.b.getF64Type();
  return b.indexed({}, sizes, f64, f64,
                   [](Scalars &s, ValueRange, ArrayRef<Value> i) {
                     Value on = s.indices().eq(i[1], i[2]);
                     return s.select(on, s.constant(1), s.constant(0));
                   });
}

void checkInfo(NodeLowering &n, const Tensor &info, StringRef expected) {
  Builder &b = n.b;
  Type i64 = b.b.getI64Type();
  SmallVector<int64_t> all =
      llvm::to_vector(llvm::seq<int64_t>(0, info.rank()));
  // A code is negative if an argument is not valid.
  Tensor any = b.reduce(
      info, all, false, i64, [](Scalars &s) { return s.integer(0); },
      [](Scalars &s, Value a, Value x) { return s.logicalOr(a, x); });
  Scalars si = integers(b);
  b.check(si.eq(b.element(any), si.integer(0)),
          n.target().str() + ": expected " + expected.str());
}

LogicalResult setInfo(NodeLowering &n, unsigned i, const Tensor &info,
                      Sizes batch) {
  if (i >= n.numResults() || !n.isUsed(i))
    return success();
  return n.set(i, n.b.reshape(info, batch));
}

void substitute(Variables &v, unsigned x, Value at, Value rows, Value columns,
                bool upper, bool unit, ElementFn element) {
  Builder &b = v.b;
  Value zero = b.index(0);
  auto solveRow = [&](Value i) {
    Value next = indices(b).add(i, b.index(1));
    v.loop(upper ? next : zero, upper ? rows : i, [&](Value k) {
      Value e = element(i, k);
      v.loop(zero, columns, [&](Value c) {
        Scalars s = reals(b);
        v.store(x, {at, i, c},
                s.sub(v.load(x, {at, i, c}), s.mul(e, v.load(x, {at, k, c}))));
      });
    });
    if (unit)
      return;
    Value d = element(i, i);
    v.loop(zero, columns, [&](Value c) {
      v.store(x, {at, i, c}, reals(b).div(v.load(x, {at, i, c}), d));
    });
  };
  if (upper)
    v.loopDown(zero, rows, solveRow);
  else
    v.loop(zero, rows, solveRow);
}

} // namespace fx::lin

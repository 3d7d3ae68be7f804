//===- FactorSolvers.cpp - what LU factors solve --------------------------===//
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

/// Solves (P L U)^T x = y for stacked matrices: solves with U^T, then with L^T,
/// and swaps the rows in the opposite order.
static Tensor solveTransposed(Builder &b, const Tensor &factors,
                              const Tensor &pivots, const Tensor &y) {
  Value zero = b.index(0), rows = b.index(y.sizes[1]),
        columns = b.index(y.sizes[2]);
  Variables v(b);
  unsigned x = v.add(y);
  v.loop(zero, b.index(y.sizes[0]), [&](Value at) {
    auto element = [&](Value i, Value k) -> Value {
      return tensor::ExtractOp::create(b.b, b.loc, factors.value,
                                       ValueRange{at, k, i});
    };
    substitute(v, x, at, rows, columns, false, false, element);
    substitute(v, x, at, rows, columns, true, true, element);
    v.loopDown(zero, rows, [&](Value j) {
      Value p = integers(b).toIndex(tensor::ExtractOp::create(
          b.b, b.loc, pivots.value, ValueRange{at, j}));
      swapRows(v, x, at, j, p, columns);
    });
  });
  return v.tensor(x, y.sizes, y.dtype);
}

/// linalg_lu_solve(LU, pivots, B, left, adjoint), lu_solve(B, LU, pivots)
static LogicalResult lowerLUSolve(NodeLowering &n) {
  Tensor lu = n.tensor(n.oneOf({"LU", "LU_data"})),
         pivots = n.tensor(n.oneOf({"pivots", "LU_pivots"})),
         y = n.tensor(n.oneOf({"B", "self"}));
  bool left = n.boolean("left", true), adjoint = n.boolean("adjoint", false);
  if (!isMatrices(n, lu, true) || !isMatrices(n, y, false) ||
      pivots.rank() != lu.rank() - 1 || !isa<IntegerType>(pivots.dtype))
    return n.fail("no square matrices of floats with their pivots");
  Builder &b = n.b;
  // x A = y is A^T x^T = y^T.
  if (!left)
    y = transposed(b, y);
  if (y.sizes[y.rank() - 2].isProvablyDifferent(lu.sizes[lu.rank() - 1]))
    return n.fail("the right side does not fit");
  Sizes batch(ArrayRef<ExprAttr>(n.resultSizes()).drop_back(2));
  auto stretched = [&](const Tensor &t, int64_t own) {
    Sizes sizes(batch);
    sizes.append(t.sizes.end() - own, t.sizes.end());
    return n.broadcasts(t, sizes) ? b.expand(t, sizes) : t;
  };
  lu = stretched(lu, 2);
  pivots = stretched(pivots, 1);
  y = stretched(y, 2);
  if (n.failed())
    return failure();
  bool isTransposed = adjoint == left;
  auto solve = isTransposed ? solveTransposed : solveLU;
  Tensor x = unstacked(
      b, solve(b, stacked(b, lu), stackedPivots(b, pivots), stacked(b, y)),
      batch);
  return n.result(left ? x : transposed(b, x));
}

/// linalg_tensorsolve(self, other, dims): moves `dims` of `self` to the end,
/// reshapes it to a square matrix with as many rows as `other` has elements,
/// and solves the system with `other` as the right side.
static LogicalResult lowerTensorSolve(NodeLowering &n) {
  Tensor x = n.tensor("self"), y = n.tensor("other");
  SmallVector<int64_t> dims = n.dims("dims", x.rank(), false);
  if (n.failed() || !isa<FloatType>(x.dtype) || y.rank() > x.rank() ||
      x.dtype != y.dtype)
    return n.fail("the operands are no tensors of floats that fit");
  Builder &b = n.b;
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (!llvm::is_contained(dims, i))
      order.push_back(i);
  order.append(dims);
  x = b.permute(x, order);
  ExprAttr rows = b.product(y.sizes),
           columns =
               b.product(ArrayRef<ExprAttr>(x.sizes).drop_front(y.rank()));
  if (rows.isProvablyDifferent(columns))
    return n.fail("the matrix is not square");
  Tensor a = stacked(b, b.reshape(x, {rows, rows}));
  LU lu = factorizeLU(b, a);
  checkRegular(n, lu.info);
  Tensor r = solveLU(b, lu.factors, lu.pivots,
                     stacked(b, b.reshape(y, {rows, b.expr(1)})));
  return n.result(b.reshape(r, n.resultSizes()));
}

void registerFactorSolvers(Registry &r) {
  r.add({"aten.linalg_lu_solve.default", "aten.lu_solve.default"},
        lowerLUSolve);
  r.add("aten.linalg_tensorsolve.default", lowerTensorSolve);
}

} // namespace fx::lin

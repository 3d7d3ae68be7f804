//===- Cholesky.cpp - Cholesky's factors, triangular systems --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Textbook loops in f64, one matrix at a time.
//
//===----------------------------------------------------------------------===//

#include "Matrices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

/// linalg_cholesky(self, upper), and linalg_cholesky_ex, which also returns
/// `info`.
static LogicalResult lowerCholesky(NodeLowering &n) {
  Tensor x = n.tensor("self");
  bool upper = n.boolean("upper");
  bool ex = n.numResults() == 2;
  if (!isMatrices(n, x, true))
    return n.fail("the operand is no square matrix of floats");
  Builder &b = n.b;
  Type f64 = b.b.getF64Type(), i64 = b.b.getI64Type();
  // The upper triangle is the lower one of the transposed matrix.
  Tensor a = stacked(b, upper ? transposed(b, x) : x);
  Value zero = b.index(0), rows = b.index(a.sizes[1]),
        count = b.index(a.sizes[0]);
  Variables v(b);
  unsigned l = v.addFilled(a.sizes, f64, reals(b).constant(0)),
           info = v.addFilled({a.sizes[0]}, i64, integers(b).integer(0)),
           sum = v.add(reals(b).constant(0));
  v.loop(zero, count, [&](Value at) {
    v.loop(zero, rows, [&](Value j) {
      auto dot = [&](Value i) {
        v.set(sum, tensor::ExtractOp::create(b.b, b.loc, a.value,
                                             ValueRange{at, i, j}));
        v.loop(zero, j, [&](Value k) {
          Scalars s = reals(b);
          v.set(sum, s.sub(v.get(sum), s.mul(v.load(l, {at, i, k}),
                                             v.load(l, {at, j, k}))));
        });
        return v.get(sum);
      };
      Value square = dot(j), next = indices(b).add(j, b.index(1));
      Scalars s = reals(b), si = integers(b);
      Value bad = s.logicalNot(s.gt(square, s.constant(0)));
      Value old = v.load(info, {at});
      Value first = si.logicalAnd(bad, si.eq(old, si.integer(0)));
      v.store(info, {at}, si.select(first, si.fromIndex(next), old));
      Value d = s.sqrt(square);
      v.store(l, {at, j, j}, d);
      v.loop(next, rows, [&](Value i) {
        Value e = dot(i);
        v.store(l, {at, i, j}, reals(b).div(e, d));
      });
    });
  });
  Tensor errors = v.tensor(info, {a.sizes[0]}, i64);
  if (!ex || n.boolean("check_errors"))
    checkInfo(n, errors, "a positive-definite matrix");
  Tensor r = unstacked(b, v.tensor(l, a.sizes, f64), batchOf(x));
  if (failed(n.set(0, upper ? transposed(b, r) : r)))
    return failure();
  return setInfo(n, 1, errors, batchOf(x));
}

/// Solves the triangular systems of the matrices `x` and the right sides `y`,
/// which have equal batch sizes.
static Tensor triangular(Builder &b, const Tensor &x, const Tensor &y,
                         bool upper, bool unit) {
  Tensor a = stacked(b, x), right = stacked(b, y);
  Value rows = b.index(right.sizes[1]), columns = b.index(right.sizes[2]),
        count = b.index(right.sizes[0]);
  Variables v(b);
  unsigned r = v.add(right);
  v.loop(b.index(0), count, [&](Value at) {
    substitute(v, r, at, rows, columns, upper, unit,
               [&](Value i, Value k) -> Value {
                 return tensor::ExtractOp::create(b.b, b.loc, a.value,
                                                  ValueRange{at, i, k});
               });
  });
  return unstacked(b, v.tensor(r, right.sizes, right.dtype), batchOf(y));
}

/// Gives both operands the same batch sizes; fails where they do not fit.
static LogicalResult broadcastBatch(NodeLowering &n, Tensor &x, Tensor &y) {
  if (!isMatrices(n, x, true) || !isMatrices(n, y, false))
    return n.fail("an operand is no matrix of floats");
  Builder &b = n.b;
  Tensor one = x, two = y;
  Sizes left = batchOf(x), right = batchOf(y);
  while (left.size() < right.size())
    left.insert(left.begin(), b.expr(1));
  while (right.size() < left.size())
    right.insert(right.begin(), b.expr(1));
  for (auto [l, r] : llvm::zip(left, right)) {
    if (l.getInteger() == 1)
      l = r;
    else if (r.getInteger() != 1 && l.isProvablyDifferent(r))
      return n.fail("the batch sizes differ");
  }
  auto stretch = [&](const Tensor &t) {
    Sizes sizes(left);
    sizes.append(t.sizes.end() - 2, t.sizes.end());
    return b.expand(t, sizes);
  };
  x = stretch(one);
  y = stretch(two);
  return success();
}

/// linalg_solve_triangular(A, B, upper, left, unitriangular)
static LogicalResult lowerSolveTriangular(NodeLowering &n) {
  Tensor x = n.tensor("self"), y = n.tensor("B");
  bool upper = n.boolean("upper"), left = n.boolean("left"),
       unit = n.boolean("unitriangular");
  if (failed(broadcastBatch(n, x, y)))
    return failure();
  Builder &b = n.b;
  if (left)
    return n.result(triangular(b, x, y, upper, unit));
  return n.result(transposed(
      b, triangular(b, transposed(b, x), transposed(b, y), !upper, unit)));
}

/// triangular_solve(B, A, upper, transpose, unitriangular)
static LogicalResult lowerTriangularSolve(NodeLowering &n) {
  Tensor y = n.tensor("self"), x = n.tensor("A");
  bool upper = n.boolean("upper"), flip = n.boolean("transpose"),
       unit = n.boolean("unitriangular");
  if (failed(broadcastBatch(n, x, y)))
    return failure();
  Builder &b = n.b;
  if (failed(n.set(0, triangular(b, flip ? transposed(b, x) : x, y,
                                 upper != flip, unit))))
    return failure();
  return n.isUsed(1) ? n.set(1, x) : success();
}

/// cholesky_solve(B, L, upper), cholesky_inverse(L, upper)
template <bool inverse>
static LogicalResult lowerCholeskySolve(NodeLowering &n) {
  Tensor l = n.tensor(inverse ? ArgName("self") : ArgName("input2"));
  bool upper = n.boolean("upper");
  if (!isMatrices(n, l, true))
    return n.fail("the operand is no square matrix of floats");
  Builder &b = n.b;
  Tensor y;
  if (inverse) {
    Tensor a = stacked(b, l);
    y = b.cast(unstacked(b, identity(b, a.sizes), batchOf(l)), l.dtype);
  } else {
    y = n.tensor("self");
  }
  if (failed(broadcastBatch(n, l, y)))
    return failure();
  if (upper)
    l = transposed(b, l);
  Tensor half = triangular(b, l, y, false, false);
  return n.result(triangular(b, transposed(b, l), half, true, false));
}

void registerCholesky(Registry &r) {
  r.add({"aten.cholesky.default", "aten.linalg_cholesky.default",
         "aten.linalg_cholesky_ex.default"},
        lowerCholesky);
  r.add("aten.linalg_solve_triangular.default", lowerSolveTriangular);
  r.add("aten.triangular_solve.default", lowerTriangularSolve);
  r.add("aten.cholesky_solve.default", lowerCholeskySolve<false>);
  r.add("aten.cholesky_inverse.default", lowerCholeskySolve<true>);
}

} // namespace fx::lin

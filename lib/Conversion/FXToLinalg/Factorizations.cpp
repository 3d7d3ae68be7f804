//===- Factorizations.cpp - LU, and what it solves ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Textbook loops in f64, one matrix at a time. The pivot is the first element
// of the largest magnitude, as in LAPACK.
//
//===----------------------------------------------------------------------===//

#include "Matrices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;

namespace fx::lin {

//===----------------------------------------------------------------------===//
// LU
//===----------------------------------------------------------------------===//

void swapRows(Variables &v, unsigned x, Value at, Value i, Value k,
              Value columns) {
  v.loop(v.b.index(0), columns, [&](Value c) {
    Value upper = v.load(x, {at, i, c}), lower = v.load(x, {at, k, c});
    v.store(x, {at, i, c}, lower);
    v.store(x, {at, k, c}, upper);
  });
}

LU factorizeLU(Builder &b, const Tensor &x) {
  Type i64 = b.b.getI64Type();
  ExprAttr batch = x.sizes[0], rows = x.sizes[1], columns = x.sizes[2];
  ExprAttr steps =
      rows.isInteger() && columns.isInteger()
          ? b.expr(std::min(*rows.getInteger(), *columns.getInteger()))
          : rows;
  Sizes pivotSizes = {batch, steps}, infoSizes = {batch};
  Value zero = b.index(0), m = b.index(rows), n = b.index(columns),
        k = b.index(steps), count = b.index(batch);
  Variables v(b);
  unsigned a = v.add(x), pivots = v.addEmpty(pivotSizes, i64),
           info = v.addFilled(infoSizes, i64, integers(b).integer(0)),
           best = v.add(reals(b).constant(0)), pivot = v.add(zero);
  v.loop(zero, count, [&](Value at) {
    v.loop(zero, k, [&](Value j) {
      Value next = indices(b).add(j, b.index(1));
      v.set(best, reals(b).abs(v.load(a, {at, j, j})));
      v.set(pivot, j);
      v.loop(next, m, [&](Value i) {
        Scalars s = reals(b);
        Value y = s.abs(v.load(a, {at, i, j})), more = s.gt(y, v.get(best));
        v.set(best, s.select(more, y, v.get(best)));
        v.set(pivot, s.select(more, i, v.get(pivot)));
      });
      Value p = v.get(pivot);
      v.store(pivots, {at, j}, integers(b).fromIndex(p));
      swapRows(v, a, at, j, p, n);
      Value d = v.load(a, {at, j, j});
      Value none = reals(b).eq(d, reals(b).constant(0));
      Value old = v.load(info, {at});
      Scalars si = integers(b);
      Value first = si.logicalAnd(none, si.eq(old, si.integer(0)));
      v.store(info, {at}, si.select(first, si.fromIndex(next), old));
      v.loop(next, m, [&](Value i) {
        Scalars s = reals(b);
        Value l = v.load(a, {at, i, j});
        l = s.select(none, l, s.div(l, d));
        v.store(a, {at, i, j}, l);
        v.loop(next, n, [&](Value c) {
          Scalars s = reals(b);
          v.store(
              a, {at, i, c},
              s.sub(v.load(a, {at, i, c}), s.mul(l, v.load(a, {at, j, c}))));
        });
      });
    });
  });
  return {v.tensor(a, x.sizes, x.dtype), v.tensor(pivots, pivotSizes, i64),
          v.tensor(info, infoSizes, i64)};
}

void checkRegular(NodeLowering &n, const Tensor &info) {
  checkInfo(n, info, "a matrix that is not singular");
}

/// _linalg_check_errors(info, api_name, is_matrix)
static LogicalResult lowerCheckErrors(NodeLowering &n) {
  Tensor info = n.tensor("info");
  if (n.failed() || !isa<IntegerType>(info.dtype))
    return n.fail("the codes are no integers");
  checkInfo(n, info,
            "matrices that " + n.string("api_name").str() +
                " has a result for");
  return success();
}

Tensor solveLU(Builder &b, const Tensor &factors, const Tensor &pivots,
               const Tensor &y) {
  Value zero = b.index(0), rows = b.index(y.sizes[1]),
        columns = b.index(y.sizes[2]), count = b.index(y.sizes[0]);
  Variables v(b);
  unsigned x = v.add(y);
  v.loop(zero, count, [&](Value at) {
    v.loop(zero, rows, [&](Value j) {
      Value p = integers(b).toIndex(tensor::ExtractOp::create(
          b.b, b.loc, pivots.value, ValueRange{at, j}));
      swapRows(v, x, at, j, p, columns);
    });
    auto element = [&](Value i, Value k) -> Value {
      return tensor::ExtractOp::create(b.b, b.loc, factors.value,
                                       ValueRange{at, i, k});
    };
    substitute(v, x, at, rows, columns, false, true, element);
    substitute(v, x, at, rows, columns, true, false, element);
  });
  return v.tensor(x, y.sizes, y.dtype);
}

/// Returns the inverses, in f64, of the matrices `x`, whose factors are `lu`.
static Tensor invert(Builder &b, const LU &lu, const Tensor &x) {
  Tensor ones = b.contiguous(identity(b, lu.factors.sizes));
  return unstacked(b, solveLU(b, lu.factors, lu.pivots, ones), batchOf(x));
}

Tensor inverse(NodeLowering &n, const Tensor &x) {
  LU lu = factorizeLU(n.b, stacked(n.b, x));
  checkRegular(n, lu.info);
  return invert(n.b, lu, x);
}

static LogicalResult lowerInverse(NodeLowering &n) {
  Tensor x = n.tensor(n.oneOf({"A", "self"}));
  if (!isMatrices(n, x, true))
    return n.fail("the operand is no square matrix of floats");
  LU lu = factorizeLU(n.b, stacked(n.b, x));
  if (n.numResults() == 1 || n.boolean("check_errors", false))
    checkRegular(n, lu.info);
  if (failed(n.set(0, invert(n.b, lu, x))))
    return failure();
  return setInfo(n, 1, lu.info, batchOf(x));
}

/// linalg_solve(A, B, left), linalg_solve_ex and _linalg_solve_ex. Fails if the
/// factors are used, which the last one returns for gradients.
static LogicalResult lowerSolve(NodeLowering &n) {
  Tensor x = n.tensor("A"), y = n.tensor("B");
  bool left = n.boolean("left");
  bool inner = n.target() == "aten._linalg_solve_ex.default";
  if (!isMatrices(n, x, true) || y.rank() < 1 || y.dtype != x.dtype)
    return n.fail("the operand is no square matrix of floats");
  if (inner && (n.isUsed(1) || n.isUsed(2)))
    return n.fail("the factors are used");
  Builder &b = n.b;
  // B has one vector for each matrix of A, or matrices.
  bool vectors = y.rank() == 1;
  if (y.rank() == x.rank() - 1) {
    vectors = true;
    for (auto [have, want] : llvm::zip(y.sizes, x.sizes))
      vectors &= have == want;
  }
  if (vectors)
    y = b.unsqueeze(y, y.rank());
  else if (!left)
    y = transposed(b, y);
  if (y.rank() < 2)
    return n.fail("the right side does not fit");
  if (!left && !vectors)
    x = transposed(b, x);
  Sizes batch = batchOf(x), other = batchOf(y);
  if (batch.size() < other.size())
    batch.insert(batch.begin(), other.begin(),
                 other.begin() + (other.size() - batch.size()));
  for (auto [size, have] :
       llvm::zip(llvm::reverse(batch), llvm::reverse(other)))
    if (size.getInteger() == 1)
      size = have;
  auto stretch = [&](const Tensor &t) {
    Sizes sizes(batch);
    sizes.append(t.sizes.end() - 2, t.sizes.end());
    return stacked(b, b.expand(t, sizes));
  };
  LU lu = factorizeLU(b, stacked(b, x));
  if (n.numResults() == 1 || n.boolean("check_errors", false))
    checkRegular(n, lu.info);
  Tensor factors = stretch(unstacked(b, lu.factors, batchOf(x)));
  Sizes pivotSizes(batch);
  pivotSizes.push_back(lu.pivots.sizes[1]);
  Sizes own = batchOf(x);
  own.push_back(lu.pivots.sizes[1]);
  Tensor pivots =
      b.contiguous(b.reshape(b.expand(b.reshape(lu.pivots, own), pivotSizes),
                             {b.product(batch), lu.pivots.sizes[1]}));
  Tensor r = unstacked(b, solveLU(b, factors, pivots, stretch(y)), batch);
  if (vectors)
    r = b.squeeze(r, r.rank() - 1);
  else if (!left)
    r = transposed(b, r);
  if (failed(n.set(0, r)))
    return failure();
  // The codes are the last of several results.
  if (n.numResults() == 1)
    return success();
  return setInfo(n, n.numResults() - 1, lu.info, batchOf(x));
}

/// Computes determinants: the product of the diagonal of U, negated for each
/// swap of rows. If `logarithm`, computes the sign and the logarithm of the
/// magnitude.
template <bool logarithm>
static LogicalResult lowerDeterminant(NodeLowering &n) {
  Tensor x = n.tensor(n.oneOf({"A", "self"}));
  bool one = n.target() == "aten.logdet.default";
  if (!isMatrices(n, x, true))
    return n.fail("the operand is no square matrix of floats");
  for (unsigned i = logarithm ? 2 : 1; i < n.numResults(); ++i)
    if (n.isUsed(i))
      return n.fail("the factors are used");
  Builder &b = n.b;
  Type f64 = b.b.getF64Type();
  Tensor a = stacked(b, x);
  LU lu = factorizeLU(b, a);
  Sizes sizes = {a.sizes[0]};
  Value zero = b.index(0), steps = b.index(a.sizes[1]),
        count = b.index(a.sizes[0]);
  Variables v(b);
  unsigned value =
               v.addFilled(sizes, f64, reals(b).constant(logarithm ? 0 : 1)),
           sign = v.addFilled(sizes, f64, reals(b).constant(1));
  v.loop(zero, count, [&](Value at) {
    v.loop(zero, steps, [&](Value j) {
      Scalars s = reals(b);
      Value d = tensor::ExtractOp::create(b.b, b.loc, lu.factors.value,
                                          ValueRange{at, j, j});
      Value p = tensor::ExtractOp::create(b.b, b.loc, lu.pivots.value,
                                          ValueRange{at, j});
      Value swapped = integers(b).ne(p, integers(b).fromIndex(j));
      Value flip = s.select(swapped, s.constant(-1), s.constant(1));
      Value old = v.load(value, {at});
      if (logarithm) {
        v.store(value, {at}, s.add(old, s.log(s.abs(d))));
        Value none = s.constant(0);
        Value side = s.select(s.lt(d, none), s.constant(-1),
                              s.select(s.gt(d, none), s.constant(1), d));
        flip = s.mul(flip, side);
        v.store(sign, {at}, s.mul(v.load(sign, {at}), flip));
      } else {
        v.store(value, {at}, s.mul(old, s.mul(flip, d)));
      }
    });
  });
  Tensor r = b.reshape(v.tensor(value, sizes, f64), batchOf(x)),
         side = b.reshape(v.tensor(sign, sizes, f64), batchOf(x));
  if (!logarithm)
    return n.set(0, r);
  if (one) // logdet of a negative determinant is NaN
    return n.set(0, b.map({r, side}, f64, [](Scalars &s, ValueRange v) {
      Value nan = s.constant(std::numeric_limits<double>::quiet_NaN());
      return s.select(s.lt(v[1], s.constant(0)), nan, v[0]);
    }));
  if (failed(n.set(0, side)))
    return failure();
  return n.set(1, r);
}

/// Lowers linalg_lu_factor and linalg_lu_factor_ex: the factors in one matrix,
/// the pivots from 1, and the info codes.
static LogicalResult lowerFactors(NodeLowering &n) {
  Tensor x = n.tensor(n.oneOf({"A", "self"}));
  if (!isMatrices(n, x, false) || !n.boolean("pivot") || !hasStaticSizes(x))
    return n.fail("matrices of unknown size, or no pivots");
  Builder &b = n.b;
  LU lu = factorizeLU(b, stacked(b, x));
  if (failed(n.set(0, unstacked(b, lu.factors, batchOf(x)))))
    return failure();
  Type i64 = b.b.getI64Type();
  Tensor pivots = b.map({lu.pivots}, i64, [](Scalars &s, ValueRange v) {
    return s.add(v[0], s.integer(1));
  });
  if (failed(n.set(1, unstacked(b, pivots, batchOf(x)))))
    return failure();
  return setInfo(n, 2, lu.info, batchOf(x));
}

/// Sets the results to P, L and U of stacked factors and pivots (from 0). P is
/// empty unless `permutation`, L and U are empty unless `factorsToo`.
static LogicalResult setUnpacked(NodeLowering &n, const Tensor &factors,
                                 const Tensor &pivots, const Sizes &batch,
                                 bool factorsToo, bool permutation) {
  Builder &b = n.b;
  Type f64 = b.b.getF64Type();
  auto none = [&](unsigned i) {
    Sizes sizes(n.resultSizes(i));
    Type dtype = n.resultDtype(i);
    return n.set(i, Tensor(b.empty(sizes, dtype), sizes, dtype));
  };
  ExprAttr rows = factors.sizes[1], columns = factors.sizes[2],
           steps = pivots.sizes[1];
  if (!permutation) {
    if (failed(none(0)))
      return failure();
  } else {
    Sizes sizes = {factors.sizes[0], rows, rows};
    Value zero = b.index(0), count = b.index(sizes[0]), m = b.index(rows),
          k = b.index(steps);
    Variables v(b);
    unsigned p = v.addFilled(sizes, f64, reals(b).constant(0)),
             order = v.addEmpty({rows}, b.b.getIndexType());
    v.loop(zero, count, [&](Value at) {
      v.loop(zero, m, [&](Value i) { v.store(order, {i}, i); });
      v.loop(zero, k, [&](Value j) {
        Value with = integers(b).toIndex(tensor::ExtractOp::create(
            b.b, b.loc, pivots.value, ValueRange{at, j}));
        Value mine = v.load(order, {j}), other = v.load(order, {with});
        v.store(order, {j}, other);
        v.store(order, {with}, mine);
      });
      v.loop(zero, m, [&](Value i) {
        v.store(p, {at, v.load(order, {i}), i}, reals(b).constant(1));
      });
    });
    if (failed(n.set(0, unstacked(b, v.tensor(p, sizes, f64), batch))))
      return failure();
  }
  if (!factorsToo)
    return failed(none(1)) ? failure() : none(2);
  ExprAttr zero = b.expr(0), one = b.expr(1);
  Tensor l = b.slice(factors, 2, zero, steps, one),
         u = b.slice(factors, 1, zero, steps, one);
  l = b.indexed({l}, {factors.sizes[0], rows, steps}, f64, f64,
                [](Scalars &s, ValueRange v, ArrayRef<Value> i) {
                  Scalars ix = s.indices();
                  Value r = s.select(ix.gt(i[1], i[2]), v[0], s.constant(0));
                  return s.select(ix.eq(i[1], i[2]), s.constant(1), r);
                });
  u = b.indexed({u}, {factors.sizes[0], steps, columns}, f64, f64,
                [](Scalars &s, ValueRange v, ArrayRef<Value> i) {
                  Value above = s.indices().le(i[1], i[2]);
                  return s.select(above, v[0], s.constant(0));
                });
  if (failed(n.set(1, unstacked(b, l, batch))))
    return failure();
  return n.set(2, unstacked(b, u, batch));
}

/// linalg_lu(A, pivot)
static LogicalResult lowerLU(NodeLowering &n) {
  Tensor x = n.tensor(n.oneOf({"A", "self"}));
  if (!isMatrices(n, x, false) || !n.boolean("pivot") || !hasStaticSizes(x))
    return n.fail("matrices of unknown size, or no pivots");
  LU lu = factorizeLU(n.b, stacked(n.b, x));
  return setUnpacked(n, lu.factors, lu.pivots, batchOf(x), true, true);
}

Tensor stackedPivots(Builder &b, const Tensor &pivots) {
  Sizes batch(ArrayRef<ExprAttr>(pivots.sizes).drop_back());
  Tensor flat = b.reshape(pivots, {b.product(batch), pivots.sizes.back()});
  Type i64 = b.b.getI64Type();
  return b.contiguous(
      b.map({b.cast(flat, i64)}, i64, [](Scalars &s, ValueRange v) {
        return s.sub(v[0], s.integer(1));
      }));
}

/// lu_unpack(LU, pivots, unpack_data, unpack_pivots)
static LogicalResult lowerUnpack(NodeLowering &n) {
  Tensor x = n.tensor("LU_data"), pivots = n.tensor("LU_pivots");
  bool data = n.boolean("unpack_data"),
       permutation = n.boolean("unpack_pivots");
  if (!isMatrices(n, x, false) || !hasStaticSizes(x) ||
      pivots.rank() != x.rank() - 1 || !isa<IntegerType>(pivots.dtype))
    return n.fail("matrices of unknown size");
  return setUnpacked(n, stacked(n.b, x), stackedPivots(n.b, pivots), batchOf(x),
                     data, permutation);
}

/// linalg_tensorinv(self, ind): reshapes `self` to a matrix, the first `ind`
/// dimensions by the others, and inverts it.
static LogicalResult lowerTensorInverse(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t split = n.integer("ind");
  if (n.failed() || split < 1 || split >= x.rank() || !isa<FloatType>(x.dtype))
    return n.fail("the operand is no tensor of floats");
  Builder &b = n.b;
  auto all = ArrayRef<ExprAttr>(x.sizes);
  Tensor matrix = b.reshape(
      x, {b.product(all.take_front(split)), b.product(all.drop_front(split))});
  if (matrix.sizes[0].isProvablyDifferent(matrix.sizes[1]))
    return n.fail("the matrix is not square");
  return n.result(b.reshape(inverse(n, matrix), n.resultSizes()));
}

void registerFactorizations(Registry &r) {
  r.add("aten.linalg_lu.default", lowerLU);
  r.add("aten.lu_unpack.default", lowerUnpack);
  r.add("aten.linalg_tensorinv.default", lowerTensorInverse);
  r.add({"aten.linalg_inv.default", "aten.inverse.default",
         "aten.linalg_inv_ex.default"},
        lowerInverse);
  r.add({"aten.linalg_solve.default", "aten.linalg_solve_ex.default",
         "aten._linalg_solve_ex.default"},
        lowerSolve);
  r.add({"aten.linalg_det.default", "aten.det.default",
         "aten._linalg_det.default"},
        lowerDeterminant<false>);
  r.add({"aten.linalg_slogdet.default", "aten.slogdet.default",
         "aten._linalg_slogdet.default", "aten.logdet.default"},
        lowerDeterminant<true>);
  r.add({"aten.linalg_lu_factor.default", "aten.linalg_lu_factor_ex.default",
         "aten._lu_with_info.default"},
        lowerFactors);
  r.add("aten._linalg_check_errors.default", lowerCheckErrors);
}

} // namespace fx::lin

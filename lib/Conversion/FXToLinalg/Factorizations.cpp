//===- Factorizations.cpp - LU, Cholesky, and what they solve -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The textbook loops, matrix by matrix, in f64. Pivots are the first of the
// largest magnitudes, as LAPACK chooses them.
//
//===----------------------------------------------------------------------===//

#include "Node.h"
#include "Variables.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;

namespace fx::lin {

using ElementFn = llvm::function_ref<Value(Value, Value)>;

static Scalars reals(Builder &b) {
  return Scalars(b.b, b.loc, b.b.getF64Type());
}
static Scalars integers(Builder &b) {
  return Scalars(b.b, b.loc, b.b.getI64Type());
}
static Scalars indices(Builder &b) {
  return Scalars(b.b, b.loc, b.b.getIndexType());
}

static Sizes batchOf(const Tensor &x) {
  return Sizes(ArrayRef<ExprAttr>(x.sizes).drop_back(2));
}

/// Matrices one behind the other, in f64.
static Tensor stacked(Builder &b, const Tensor &x) {
  Sizes sizes = {b.product(batchOf(x))};
  sizes.append(x.sizes.end() - 2, x.sizes.end());
  return b.contiguous(b.reshape(b.cast(x, b.b.getF64Type()), sizes));
}

/// `x` with the batch sizes that `batch` says.
static Tensor unstacked(Builder &b, const Tensor &x, Sizes batch) {
  batch.append(x.sizes.begin() + 1, x.sizes.end());
  return b.reshape(x, batch);
}

static Tensor transposed(Builder &b, const Tensor &x) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  std::swap(order[x.rank() - 1], order[x.rank() - 2]);
  return b.permute(x, order);
}

/// Whether `x` is matrices of floats, square ones where asked.
static bool isMatrices(Node &n, const Tensor &x, bool square) {
  if (n.failed() || x.rank() < 2 || !isa<FloatType>(x.dtype) ||
      !isSupported(x.dtype))
    return false;
  return !square ||
         !x.sizes[x.rank() - 1].isProvablyDifferent(x.sizes[x.rank() - 2]);
}

/// Identity matrices like `x`, stacked.
static Tensor identity(Builder &b, ArrayRef<ExprAttr> sizes) {
  Type f64 = b.b.getF64Type();
  return b.indexed({}, sizes, f64, f64,
                   [](Scalars &s, ValueRange, ArrayRef<Value> i) {
                     Value on = s.indices().eq(i[1], i[2]);
                     return s.select(on, s.constant(1), s.constant(0));
                   });
}

//===----------------------------------------------------------------------===//
// LU
//===----------------------------------------------------------------------===//

namespace {
/// L below the diagonal and U on and above it; the row that each step swapped
/// with (from 0); the first step without a pivot (from 1), or 0.
struct LU {
  Tensor factors, pivots, info;
};
} // namespace

static LU factorize(Builder &b, const Tensor &x) {
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
      v.loop(zero, n, [&](Value c) {
        Value upper = v.load(a, {at, j, c}), lower = v.load(a, {at, p, c});
        v.store(a, {at, j, c}, lower);
        v.store(a, {at, p, c}, upper);
      });
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

static void checkRegular(Node &n, const Tensor &info) {
  Builder &b = n.b;
  Type i64 = b.b.getI64Type();
  Tensor worst = b.reduce(
      info, {0}, false, i64, [](Scalars &s) { return s.integer(0); },
      [](Scalars &s, Value a, Value x) { return s.max(a, x); });
  Scalars si = integers(b);
  b.check(si.eq(b.element(worst), si.integer(0)),
          n.target().str() + ": expected a matrix that is not singular");
}

/// Solves a triangular system for the matrix `at` of variable `x`, in place.
static void substitute(Variables &v, unsigned x, Value at, Value rows,
                       Value columns, bool upper, bool unit,
                       ElementFn element) {
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

/// Solves `lu` x = y for stacked matrices.
static Tensor solveLU(Builder &b, const Tensor &factors, const Tensor &pivots,
                      const Tensor &y) {
  Value zero = b.index(0), rows = b.index(y.sizes[1]),
        columns = b.index(y.sizes[2]), count = b.index(y.sizes[0]);
  Variables v(b);
  unsigned x = v.add(y);
  v.loop(zero, count, [&](Value at) {
    v.loop(zero, rows, [&](Value j) {
      Value p = integers(b).toIndex(tensor::ExtractOp::create(
          b.b, b.loc, pivots.value, ValueRange{at, j}));
      v.loop(zero, columns, [&](Value c) {
        Value upper = v.load(x, {at, j, c}), lower = v.load(x, {at, p, c});
        v.store(x, {at, j, c}, lower);
        v.store(x, {at, p, c}, upper);
      });
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

/// Sets result `i` to integers as i32; what nobody uses is left out.
static LogicalResult setInfo(Node &n, unsigned i, const Tensor &info,
                             Sizes batch) {
  if (i >= n.numResults() || !n.isUsed(i))
    return success();
  return n.set(i, n.b.reshape(info, batch));
}

static LogicalResult lowerInverse(Node &n) {
  Tensor x = n.tensor(0, "A");
  if (!isMatrices(n, x, true))
    return n.fail("the operand is no square matrix of floats");
  Builder &b = n.b;
  Tensor a = stacked(b, x);
  LU lu = factorize(b, a);
  if (n.numResults() == 1 || n.boolean(99, "check_errors", false))
    checkRegular(n, lu.info);
  Tensor y =
      solveLU(b, lu.factors, lu.pivots, b.contiguous(identity(b, a.sizes)));
  if (failed(n.set(0, unstacked(b, y, batchOf(x)))))
    return failure();
  return setInfo(n, 1, lu.info, batchOf(x));
}

/// linalg_solve(A, B, left), with the factors in the forms for gradients.
static LogicalResult lowerSolve(Node &n) {
  Tensor x = n.tensor(0, "A"), y = n.tensor(1, "B");
  bool left = n.boolean(99, "left", true);
  bool inner = n.target() == "aten._linalg_solve_ex.default";
  if (!isMatrices(n, x, true) || y.rank() < 1 || y.dtype != x.dtype)
    return n.fail("the operand is no square matrix of floats");
  if (inner && (n.isUsed(1) || n.isUsed(2)))
    return n.fail("the factors are used");
  Builder &b = n.b;
  // One vector for each matrix, or matrices.
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
  LU lu = factorize(b, stacked(b, x));
  if (n.numResults() == 1 || n.boolean(99, "check_errors", false))
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
  return setInfo(n, n.numResults() - 1 > 0 ? n.numResults() - 1 : 9, lu.info,
                 batchOf(x));
}

/// The determinant: the product of the pivots, by sign and logarithm of the
/// magnitude where asked.
template <bool logarithm>
static LogicalResult lowerDeterminant(Node &n) {
  Tensor x = n.tensor(0, "A");
  bool one = n.target() == "aten.logdet.default";
  if (!isMatrices(n, x, true))
    return n.fail("the operand is no square matrix of floats");
  for (unsigned i = logarithm ? 2 : 1; i < n.numResults(); ++i)
    if (n.isUsed(i))
      return n.fail("the factors are used");
  Builder &b = n.b;
  Type f64 = b.b.getF64Type();
  Tensor a = stacked(b, x);
  LU lu = factorize(b, a);
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
  if (one) // of a negative determinant: NaN
    return n.set(0, b.map({r, side}, f64, [](Scalars &s, ValueRange v) {
      Value nan = s.constant(std::numeric_limits<double>::quiet_NaN());
      return s.select(s.lt(v[1], s.constant(0)), nan, v[0]);
    }));
  if (failed(n.set(0, side)))
    return failure();
  return n.set(1, r);
}

/// The factors in one matrix, the pivots from 1, and what went wrong.
static LogicalResult lowerFactors(Node &n) {
  Tensor x = n.tensor(0, "A");
  if (!isMatrices(n, x, false) || !n.boolean(1, "pivot", true) ||
      !x.sizes[x.rank() - 1].isInteger() || !x.sizes[x.rank() - 2].isInteger())
    return n.fail("matrices of unknown size, or no pivots");
  Builder &b = n.b;
  LU lu = factorize(b, stacked(b, x));
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

//===----------------------------------------------------------------------===//
// Cholesky and triangular systems
//===----------------------------------------------------------------------===//

/// linalg_cholesky(self, upper), and with `info`.
static LogicalResult lowerCholesky(Node &n) {
  Tensor x = n.tensor(0, "self");
  bool plain = n.target() == "aten.cholesky.default";
  bool upper = n.boolean(plain ? 1 : 99, "upper", false);
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
  if (!ex || n.boolean(99, "check_errors", false)) {
    Tensor worst = b.reduce(
        errors, {0}, false, i64, [](Scalars &s) { return s.integer(0); },
        [](Scalars &s, Value a, Value x) { return s.max(a, x); });
    b.check(integers(b).eq(b.element(worst), integers(b).integer(0)),
            n.target().str() + ": expected a positive-definite matrix");
  }
  Tensor r = unstacked(b, v.tensor(l, a.sizes, f64), batchOf(x));
  if (failed(n.set(0, upper ? transposed(b, r) : r)))
    return failure();
  return setInfo(n, 1, errors, batchOf(x));
}

/// Solves triangular systems of equal batch sizes.
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
static LogicalResult broadcastBatch(Node &n, Tensor &x, Tensor &y) {
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
static LogicalResult lowerSolveTriangular(Node &n) {
  Tensor x = n.tensor(0, "self"), y = n.tensor(1, "B");
  bool upper = n.boolean(99, "upper", false),
       left = n.boolean(99, "left", true),
       unit = n.boolean(99, "unitriangular", false);
  if (failed(broadcastBatch(n, x, y)))
    return failure();
  Builder &b = n.b;
  if (left)
    return n.result(triangular(b, x, y, upper, unit));
  return n.result(transposed(
      b, triangular(b, transposed(b, x), transposed(b, y), !upper, unit)));
}

/// triangular_solve(B, A, upper, transpose, unitriangular)
static LogicalResult lowerTriangularSolve(Node &n) {
  Tensor y = n.tensor(0, "self"), x = n.tensor(1, "A");
  bool upper = n.boolean(2, "upper", true),
       flip = n.boolean(3, "transpose", false),
       unit = n.boolean(4, "unitriangular", false);
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
static LogicalResult lowerCholeskySolve(Node &n) {
  Tensor l = n.tensor(inverse ? 0 : 1, "input2");
  bool upper = n.boolean(inverse ? 1 : 2, "upper", false);
  if (!isMatrices(n, l, true))
    return n.fail("the operand is no square matrix of floats");
  Builder &b = n.b;
  Tensor y;
  if (inverse) {
    Tensor a = stacked(b, l);
    y = b.cast(unstacked(b, identity(b, a.sizes), batchOf(l)), l.dtype);
  } else {
    y = n.tensor(0, "self");
  }
  if (failed(broadcastBatch(n, l, y)))
    return failure();
  if (upper)
    l = transposed(b, l);
  Tensor half = triangular(b, l, y, false, false);
  return n.result(triangular(b, transposed(b, l), half, true, false));
}

void registerFactorizations(Registry &r) {
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
  r.add({"aten.cholesky.default", "aten.linalg_cholesky.default",
         "aten.linalg_cholesky_ex.default"},
        lowerCholesky);
  r.add("aten.linalg_solve_triangular.default", lowerSolveTriangular);
  r.add("aten.triangular_solve.default", lowerTriangularSolve);
  r.add("aten.cholesky_solve.default", lowerCholeskySolve<false>);
  r.add("aten.cholesky_inverse.default", lowerCholeskySolve<true>);
}

} // namespace fx::lin

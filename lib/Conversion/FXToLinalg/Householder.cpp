//===- Householder.cpp - QR by reflections --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Textbook loops in f64, one matrix at a time, with LAPACK's conventions: a
// reflection is 1 - tau v v^T; the first element of v is 1 and is not stored.
//
//===----------------------------------------------------------------------===//

#include "Matrices.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

namespace {
/// A QR factorization of stacked matrices: `factors` has R on and above the
/// diagonal and the reflections' vectors below it.
struct Reflections {
  Tensor factors, tau;
};
} // namespace

/// Applies reflection `j` to column `c` of matrix `at` of variable `x`.
/// `element(i)` returns the element in row i of the reflection's vector, below
/// the diagonal. `sum` is a variable for the dot product.
static void reflect(Variables &v, unsigned x, unsigned sum, Value at, Value j,
                    Value c, Value rows, Value tau,
                    function_ref<Value(Value)> element) {
  Builder &b = v.b;
  Value next = indices(b).add(j, b.index(1));
  v.set(sum, v.load(x, {at, j, c}));
  v.loop(next, rows, [&](Value i) {
    Value e = element(i);
    Scalars s = reals(b);
    v.set(sum, s.add(v.get(sum), s.mul(e, v.load(x, {at, i, c}))));
  });
  Scalars s = reals(b);
  v.set(sum, s.mul(tau, v.get(sum)));
  v.store(x, {at, j, c}, s.sub(v.load(x, {at, j, c}), v.get(sum)));
  v.loop(next, rows, [&](Value i) {
    Value e = element(i);
    Scalars s = reals(b);
    v.store(x, {at, i, c}, s.sub(v.load(x, {at, i, c}), s.mul(e, v.get(sum))));
  });
}

/// Computes the QR factorization of stacked matrices of static sizes.
static Reflections factorize(Builder &b, const Tensor &x) {
  Type f64 = b.b.getF64Type();
  ExprAttr steps =
      b.expr(std::min(*x.sizes[1].getInteger(), *x.sizes[2].getInteger()));
  Sizes tauSizes = {x.sizes[0], steps};
  Value zero = b.index(0), rows = b.index(x.sizes[1]),
        columns = b.index(x.sizes[2]);
  Variables v(b);
  unsigned a = v.add(x), taus = v.addEmpty(tauSizes, f64),
           sum = v.add(reals(b).constant(0)),
           largest = v.add(reals(b).constant(0));
  v.loop(zero, b.index(x.sizes[0]), [&](Value at) {
    v.loop(zero, b.index(steps), [&](Value j) {
      Value next = indices(b).add(j, b.index(1));
      // The norm from the diagonal downwards, scaled so that no square
      // overflows.
      v.set(largest, reals(b).constant(0));
      v.loop(next, rows, [&](Value i) {
        Scalars s = reals(b);
        v.set(largest, s.max(v.get(largest), s.abs(v.load(a, {at, i, j}))));
      });
      Scalars s = reals(b);
      Value head = v.load(a, {at, j, j}), none = s.constant(0),
            one = s.constant(1);
      Value isDone = s.eq(v.get(largest), none);
      Value scale = s.select(isDone, one, s.max(v.get(largest), s.abs(head)));
      Value first = s.div(head, scale);
      v.set(sum, s.mul(first, first));
      v.loop(next, rows, [&](Value i) {
        Scalars s = reals(b);
        Value e = s.div(v.load(a, {at, i, j}), scale);
        v.set(sum, s.add(v.get(sum), s.mul(e, e)));
      });
      Value norm = s.mul(scale, s.sqrt(v.get(sum)));
      Value beta =
          s.select(isDone, head, s.neg(s.binary<math::CopySignOp>(norm, head)));
      Value tau = s.select(isDone, none, s.div(s.sub(beta, head), beta));
      Value factor = s.select(isDone, one, s.div(one, s.sub(head, beta)));
      v.store(taus, {at, j}, tau);
      v.store(a, {at, j, j}, beta);
      v.loop(next, rows, [&](Value i) {
        v.store(a, {at, i, j}, reals(b).mul(v.load(a, {at, i, j}), factor));
      });
      v.loop(next, columns, [&](Value c) {
        reflect(v, a, sum, at, j, c, rows, tau,
                [&](Value i) { return v.load(a, {at, i, j}); });
      });
    });
  });
  return {v.tensor(a, x.sizes, f64), v.tensor(taus, tauSizes, f64)};
}

/// Returns Q y, or Q^T y if `isTransposed`, where Q is the product of the
/// reflections `q`.
static Tensor applyQ(Builder &b, const Reflections &q, const Tensor &y,
                     bool isTransposed) {
  Value zero = b.index(0), rows = b.index(y.sizes[1]),
        columns = b.index(y.sizes[2]), steps = b.index(q.tau.sizes[1]);
  Variables v(b);
  unsigned x = v.add(y), sum = v.add(reals(b).constant(0));
  v.loop(zero, b.index(y.sizes[0]), [&](Value at) {
    auto step = [&](Value j) {
      Value tau =
          tensor::ExtractOp::create(b.b, b.loc, q.tau.value, ValueRange{at, j});
      v.loop(zero, columns, [&](Value c) {
        reflect(v, x, sum, at, j, c, rows, tau, [&](Value i) -> Value {
          return tensor::ExtractOp::create(b.b, b.loc, q.factors.value,
                                           ValueRange{at, i, j});
        });
      });
    };
    if (isTransposed)
      v.loop(zero, steps, step);
    else
      v.loopDown(zero, steps, step);
  });
  return v.tensor(x, y.sizes, y.dtype);
}

/// Returns the first `rows` rows of the factors, with 0 below the diagonal.
static Tensor upperPart(Builder &b, const Tensor &factors, ExprAttr rows) {
  Tensor r = b.slice(factors, 1, b.expr(0), rows, b.expr(1));
  return b.indexed({r}, r.sizes, r.dtype, r.dtype,
                   [](Scalars &s, ValueRange v, ArrayRef<Value> i) {
                     return s.select(s.indices().le(i[1], i[2]), v[0],
                                     s.constant(0));
                   });
}

/// Returns tau in f64, contiguous, with its batch dimensions merged:
/// [batch, steps].
static Tensor stackedRows(Builder &b, const Tensor &x) {
  Sizes batch(ArrayRef<ExprAttr>(x.sizes).drop_back());
  return b.contiguous(b.reshape(b.cast(x, b.b.getF64Type()),
                                {b.product(batch), x.sizes.back()}));
}

/// linalg_qr(A, mode), qr(self, some)
static LogicalResult lowerQR(NodeLowering &n) {
  bool old = n.target() == "aten.qr.default";
  Tensor x = n.tensor(n.oneOf({"self", "A"}));
  StringRef mode = "reduced";
  if (!old)
    mode = n.string("mode");
  else if (!n.boolean("some"))
    mode = "complete";
  if (!isMatrices(n, x, false) || !hasStaticSizes(x))
    return n.fail("matrices of unknown size, or no floats");
  Builder &b = n.b;
  Tensor a = stacked(b, x);
  Reflections q = factorize(b, a);
  ExprAttr steps = q.tau.sizes[1], rows = a.sizes[1];
  ExprAttr inner = mode == "complete" ? rows : steps;
  if (mode == "r") {
    Sizes none(n.resultSizes(0));
    if (failed(n.set(0, Tensor(b.empty(none, x.dtype), none, x.dtype))))
      return failure();
  } else {
    Tensor one = b.contiguous(identity(b, {a.sizes[0], rows, inner}));
    if (failed(n.set(0, unstacked(b, applyQ(b, q, one, false), batchOf(x)))))
      return failure();
  }
  return n.set(1, unstacked(b, upperPart(b, q.factors, inner), batchOf(x)));
}

/// geqrf(self)
static LogicalResult lowerReflections(NodeLowering &n) {
  Tensor x = n.tensor("self");
  if (!isMatrices(n, x, false) || !hasStaticSizes(x))
    return n.fail("matrices of unknown size, or no floats");
  Reflections q = factorize(n.b, stacked(n.b, x));
  if (failed(n.set(0, unstacked(n.b, q.factors, batchOf(x)))))
    return failure();
  Sizes sizes = batchOf(x);
  sizes.push_back(q.tau.sizes[1]);
  return n.set(1, n.b.reshape(q.tau, sizes));
}

/// Returns the reflections that the node has as operands; std::nullopt if their
/// shapes or dtypes do not fit.
static std::optional<Reflections>
givenReflections(NodeLowering &n, const Tensor &x, const Tensor &tau) {
  if (!isMatrices(n, x, false) || !hasStaticSizes(x) ||
      tau.rank() != x.rank() - 1 || !isa<FloatType>(tau.dtype))
    return std::nullopt;
  for (int64_t i = 0; i + 2 < x.rank(); ++i)
    if (x.sizes[i] != tau.sizes[i])
      return std::nullopt;
  std::optional<int64_t> steps = tau.sizes.back().getInteger();
  if (!steps || *steps > *x.sizes[x.rank() - 1].getInteger() ||
      *steps > *x.sizes[x.rank() - 2].getInteger())
    return std::nullopt;
  return Reflections{stacked(n.b, x), stackedRows(n.b, tau)};
}

/// linalg_householder_product(input, tau): the first columns of the product.
static LogicalResult lowerProduct(NodeLowering &n) {
  Tensor x = n.tensor(n.oneOf({"input", "self"})),
         tau = n.tensor(n.oneOf({"tau", "input2"}));
  std::optional<Reflections> q = givenReflections(n, x, tau);
  if (!q)
    return n.fail("matrices of unknown size, or a tau that does not fit");
  Tensor one = n.b.contiguous(identity(n.b, q->factors.sizes));
  return n.result(unstacked(n.b, applyQ(n.b, *q, one, false), batchOf(x)));
}

/// ormqr(self, tau, other, left, transpose): Q or its transpose times `other`,
/// or `other` times it.
static LogicalResult lowerMultiply(NodeLowering &n) {
  Tensor x = n.tensor("self"), tau = n.tensor("input2"), y = n.tensor("input3");
  bool left = n.boolean("left"), transpose = n.boolean("transpose");
  std::optional<Reflections> q = givenReflections(n, x, tau);
  if (!q || !isMatrices(n, y, false) || y.rank() != x.rank())
    return n.fail("matrices of unknown size, or a tau that does not fit");
  for (int64_t i = 0; i + 2 < x.rank(); ++i)
    if (x.sizes[i] != y.sizes[i])
      return n.fail("the batches differ");
  // y Q is (Q^T y^T)^T.
  Tensor right = left ? y : transposed(n.b, y);
  if (right.sizes[x.rank() - 2].isProvablyDifferent(x.sizes[x.rank() - 2]))
    return n.fail("the matrix does not fit the reflections");
  Tensor r = unstacked(
      n.b, applyQ(n.b, *q, stacked(n.b, right), transpose == left), batchOf(x));
  return n.result(left ? r : transposed(n.b, r));
}

void registerHouseholder(Registry &r) {
  r.add({"aten.linalg_qr.default", "aten.qr.default"}, lowerQR);
  r.add("aten.geqrf.default", lowerReflections);
  r.add({"aten.linalg_householder_product.default", "aten.orgqr.default"},
        lowerProduct);
  r.add("aten.ormqr.default", lowerMultiply);
}

} // namespace fx::lin

//===- SingularValues.cpp - singular values and their uses ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one-sided Jacobi method (Hestenes, 1958), matrix by matrix, in f64: pairs
// of columns are rotated in their plane until all columns are orthogonal. The
// norms of the columns then are the singular values. The singular vectors are
// not returned to users: their signs are not determined, and may differ from
// those of LAPACK, with which programs were tested.
//
//===----------------------------------------------------------------------===//

#include "Matrices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;

namespace fx::lin {

/// The maximum number of sweeps. No matrix needs as many: the convergence is
/// quadratic.
static constexpr int64_t mostSweeps = 60;

namespace {
/// The factors of A = U S V^T, for stacked matrices with at least as many rows
/// as columns: `columns` is U S, `right` is V, and `values` is the diagonal of
/// S, which is not sorted.
struct Orthogonal {
  Tensor columns, right, values;
};

/// The cosine and the sine of the angle by which a pair of columns is rotated.
struct Rotation {
  Value cosine, sine;
};

/// The one-sided Jacobi method: rotates the columns of stacked matrices until
/// they are orthogonal.
class Jacobi {
public:
  Jacobi(Builder &b, const Tensor &x);
  Orthogonal run();

private:
  /// Divides the matrix `at` by its largest magnitude, so that no square
  /// overflows. Returns the divisor.
  Value scaleDown(Value at);
  /// Sweeps over all pairs of columns until a sweep rotates none of them.
  void iterate(Value at);
  /// Makes columns p and q orthogonal.
  void turnPair(Value at, Value p, Value q);
  /// Sets alpha, beta and gamma to the dot products x.x, y.y and x.y, where x
  /// and y are columns p and q.
  void multiplyColumns(Value at, Value p, Value q);
  /// Returns the rotation that makes the columns of the last `multiplyColumns`
  /// orthogonal; the identity if they already are. Otherwise sets `hasTurned`.
  Rotation findRotation();
  /// Rotates columns p and q of a variable whose columns have `length`
  /// elements.
  void turn(unsigned matrix, Value length, Value at, Value p, Value q,
            Rotation r);
  /// Stores the norms of the columns and undoes the scaling.
  void storeValues(Value at, Value scale);

  Builder &b;
  Sizes sizes, rightSizes, valueSizes;
  Value zero, rows, columns, none, yes, no;
  Variables v;
  unsigned a, right, values, largest, alpha, beta, gamma, isTurning, hasTurned;
};
} // namespace

Jacobi::Jacobi(Builder &b, const Tensor &x) : b(b), sizes(x.sizes), v(b) {
  Type f64 = b.b.getF64Type();
  rightSizes = {x.sizes[0], x.sizes[2], x.sizes[2]};
  valueSizes = {x.sizes[0], x.sizes[2]};
  zero = b.index(0);
  rows = b.index(x.sizes[1]);
  columns = b.index(x.sizes[2]);
  Scalars outer = reals(b);
  none = outer.constant(0);
  yes = outer.boolean(true);
  no = outer.boolean(false);
  a = v.add(x);
  right = v.add(b.contiguous(identity(b, rightSizes)));
  values = v.addEmpty(valueSizes, f64);
  largest = v.add(none);
  alpha = v.add(none);
  beta = v.add(none);
  gamma = v.add(none);
  isTurning = v.add(no);
  hasTurned = v.add(no);
}

Value Jacobi::scaleDown(Value at) {
  v.set(largest, none);
  v.loop(zero, rows, [&](Value i) {
    v.loop(zero, columns, [&](Value j) {
      Scalars s = reals(b);
      v.set(largest, s.max(v.get(largest), s.abs(v.load(a, {at, i, j}))));
    });
  });
  Scalars s = reals(b);
  Value scale =
      s.select(s.eq(v.get(largest), none), s.constant(1), v.get(largest));
  v.loop(zero, rows, [&](Value i) {
    v.loop(zero, columns, [&](Value j) {
      v.store(a, {at, i, j}, reals(b).div(v.load(a, {at, i, j}), scale));
    });
  });
  return scale;
}

void Jacobi::multiplyColumns(Value at, Value p, Value q) {
  for (unsigned sum : {alpha, beta, gamma})
    v.set(sum, none);
  v.loop(zero, rows, [&](Value i) {
    Scalars s = reals(b);
    Value x = v.load(a, {at, i, p}), y = v.load(a, {at, i, q});
    v.set(alpha, s.add(v.get(alpha), s.mul(x, x)));
    v.set(beta, s.add(v.get(beta), s.mul(y, y)));
    v.set(gamma, s.add(v.get(gamma), s.mul(x, y)));
  });
}

Rotation Jacobi::findRotation() {
  Scalars s = reals(b);
  Value g = v.get(gamma), one = s.constant(1);
  Value bound =
      s.mul(s.constant(0x1p-50), s.sqrt(s.mul(v.get(alpha), v.get(beta))));
  Value turns = s.gt(s.abs(g), bound);
  Value zeta = s.div(s.sub(v.get(beta), v.get(alpha)), s.mul(s.constant(2), g));
  Value root = s.sqrt(s.add(one, s.mul(zeta, zeta)));
  Value t =
      s.div(s.binary<math::CopySignOp>(one, zeta), s.add(s.abs(zeta), root));
  Value c = s.div(one, s.sqrt(s.add(one, s.mul(t, t))));
  Value sine = s.select(turns, s.mul(c, t), none);
  c = s.select(turns, c, one);
  v.set(hasTurned, s.logicalOr(v.get(hasTurned), turns));
  return {c, sine};
}

void Jacobi::turn(unsigned matrix, Value length, Value at, Value p, Value q,
                  Rotation r) {
  v.loop(zero, length, [&](Value i) {
    Scalars s = reals(b);
    Value x = v.load(matrix, {at, i, p}), y = v.load(matrix, {at, i, q});
    v.store(matrix, {at, i, p}, s.sub(s.mul(r.cosine, x), s.mul(r.sine, y)));
    v.store(matrix, {at, i, q}, s.add(s.mul(r.sine, x), s.mul(r.cosine, y)));
  });
}

void Jacobi::turnPair(Value at, Value p, Value q) {
  multiplyColumns(at, p, q);
  Rotation r = findRotation();
  turn(a, rows, at, p, q, r);
  turn(right, columns, at, p, q, r);
}

void Jacobi::iterate(Value at) {
  v.set(isTurning, yes);
  v.loop(zero, b.index(mostSweeps), [&](Value) {
    v.set(hasTurned, no);
    Value end = indices(b).select(v.get(isTurning), columns, zero);
    v.loop(zero, end, [&](Value q) {
      v.loop(zero, q, [&](Value p) { turnPair(at, p, q); });
    });
    v.set(isTurning, v.get(hasTurned));
  });
}

void Jacobi::storeValues(Value at, Value scale) {
  v.loop(zero, columns, [&](Value j) {
    v.set(alpha, none);
    v.loop(zero, rows, [&](Value i) {
      Scalars s = reals(b);
      Value e = v.load(a, {at, i, j});
      v.set(alpha, s.add(v.get(alpha), s.mul(e, e)));
      v.store(a, {at, i, j}, s.mul(e, scale));
    });
    Scalars s = reals(b);
    v.store(values, {at, j}, s.mul(s.sqrt(v.get(alpha)), scale));
  });
}

Orthogonal Jacobi::run() {
  v.loop(zero, b.index(sizes[0]), [&](Value at) {
    Value scale = scaleDown(at);
    iterate(at);
    storeValues(at, scale);
  });
  Type f64 = b.b.getF64Type();
  return {v.tensor(a, sizes, f64), v.tensor(right, rightSizes, f64),
          v.tensor(values, valueSizes, f64)};
}

static Orthogonal orthogonalize(Builder &b, const Tensor &x) {
  return Jacobi(b, x).run();
}

/// Returns true if the singular values of `x` can be computed. The sizes of the
/// matrices must be static, since the lowering depends on which is smaller.
static bool hasSingularValues(NodeLowering &n, const Tensor &x) {
  return isMatrices(n, x, false) && hasStaticSizes(x);
}

static bool isWide(const Tensor &x) {
  return *x.sizes[x.rank() - 2].getInteger() <
         *x.sizes[x.rank() - 1].getInteger();
}

/// Returns the singular values along a last dimension, not sorted, in f64.
static Tensor singularValues(Builder &b, const Tensor &x) {
  Tensor values =
      orthogonalize(b, stacked(b, isWide(x) ? transposed(b, x) : x)).values;
  Sizes sizes = batchOf(x);
  sizes.push_back(values.sizes[1]);
  return b.reshape(values, sizes);
}

FailureOr<Tensor> singularNorm(NodeLowering &n, const Tensor &x, char kind) {
  if (!hasSingularValues(n, x))
    return n.fail("matrices of unknown size, or no floats");
  Builder &b = n.b;
  Tensor values = singularValues(b, x);
  int64_t last = values.rank() - 1;
  if (kind != 'n' && values.sizes[last].getInteger() == 0)
    return n.fail("the norm of an empty matrix");
  Type f64 = b.b.getF64Type();
  return b.reduce(
      values, {last}, false, f64,
      [&](Scalars &s) { return kind == 'l' ? s.highest() : s.constant(0); },
      [&](Scalars &s, Value a, Value v) {
        return kind == 'n'   ? s.add(a, v)
               : kind == 'h' ? s.max(a, v)
                             : s.min(a, v);
      });
}

/// Lowers linalg_svdvals(A), which sorts the values in descending order, and
/// _linalg_svd(A, full_matrices, compute_uv) if the vectors are unused.
static LogicalResult lowerSingularValues(NodeLowering &n) {
  Tensor x = n.tensor("A");
  bool isWhole = n.numResults() == 3;
  if (!hasSingularValues(n, x))
    return n.fail("matrices of unknown size, or no floats");
  if (isWhole && (n.isUsed(0) || n.isUsed(2)))
    return n.fail("singular vectors, whose signs are LAPACK's");
  unsigned place = isWhole ? 1 : 0;
  Builder &b = n.b;
  Tensor values = b.contiguous(singularValues(b, x));
  if (llvm::any_of(values.sizes,
                   [](ExprAttr e) { return e.getInteger() == 0; }))
    return n.set(place, values);
  Tensor order = sortedOrder(b, values, true);
  return n.set(place,
               b.read(values, {order}, values.sizes,
                      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) {
                        SmallVector<Value> at(i);
                        at.back() =
                            Scalars(s.b, s.loc, order.dtype).toIndex(v[0]);
                        return at;
                      }));
}

//===----------------------------------------------------------------------===//
// Ranks and pseudo-inverses
//===----------------------------------------------------------------------===//

/// Returns the symmetric matrices with the lower triangles of `x`.
static Tensor symmetric(Builder &b, const Tensor &x) {
  int64_t last = x.rank() - 1;
  return b.read(x, {}, x.sizes, [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
    Scalars ix = s.indices();
    SmallVector<Value> place(i);
    place[last] = ix.min(i[last - 1], i[last]);
    place[last - 1] = ix.max(i[last - 1], i[last]);
    return place;
  });
}

/// Reads an optional tolerance, a number or a tensor with an element for each
/// matrix, as f64, and appends a dimension of size 1.
static std::optional<Tensor> readTolerance(NodeLowering &n, ArgName name) {
  Argument arg = n.arg(name);
  if (arg.isNone())
    return std::nullopt;
  Builder &b = n.b;
  Type f64 = b.b.getF64Type();
  Tensor t = n.isTensor(arg)
                 ? b.cast(n.asTensor(arg), f64)
                 : b.fromElement(b.number(n.asNumber(arg), f64), f64);
  return b.unsqueeze(t, t.rank());
}

/// Returns max(atol, rtol * largest), where `largest` is the maximum of the
/// values along the last dimension. By default, rtol is 0 if atol is positive,
/// and else the epsilon of the dtype of `x` times the larger size of a matrix.
static Tensor threshold(NodeLowering &n, const Tensor &x, const Tensor &values,
                        std::optional<Tensor> atol,
                        std::optional<Tensor> rtol) {
  Builder &b = n.b;
  Type f64 = b.b.getF64Type();
  Tensor largest = b.reduce(
      values, {values.rank() - 1}, true, f64,
      [](Scalars &s) { return s.constant(0); },
      [](Scalars &s, Value a, Value v) { return s.max(a, v); });
  double rounding = x.dtype.isF64() ? 0x1p-52 : 0x1p-23;
  rounding *= double(std::max(*x.sizes[x.rank() - 1].getInteger(),
                              *x.sizes[x.rank() - 2].getInteger()));
  SmallVector<Tensor> operands = {largest};
  if (atol)
    operands.push_back(*atol);
  if (rtol)
    operands.push_back(*rtol);
  return b.map(operands, f64, [&](Scalars &s, ValueRange v) {
    Value none = s.constant(0), absolute = atol ? v[1] : none;
    Value relative = rtol ? v.back() : s.constant(rounding);
    if (atol && !rtol)
      relative = s.select(s.gt(absolute, none), none, relative);
    return s.max(absolute, s.mul(relative, v[0]));
  });
}

namespace {
/// The arguments that matrix_rank and pinv share.
struct Tolerances {
  std::optional<Tensor> absolute, relative;
  bool isHermitian = false;
};
} // namespace

/// Reads the tolerances. Overloads without atol and rtol have a single
/// tolerance, named `plain`, which is absolute if `isAbsolute` and else
/// relative.
static Tolerances readTolerances(NodeLowering &n, ArgName plain,
                                 bool isAbsolute) {
  Tolerances t;
  bool isNew = n.target().contains(".atol_rtol_");
  if (isNew) {
    t.absolute = readTolerance(n, "atol");
    t.relative = readTolerance(n, "rtol");
    t.isHermitian = n.boolean("hermitian", false);
    return t;
  }
  (isAbsolute ? t.absolute : t.relative) = readTolerance(n, plain);
  if (isAbsolute) {
    // Without this, an absolute tolerance of 0 would select the default
    // relative one.
    Type f64 = n.b.b.getF64Type();
    t.relative = n.b.unsqueeze(n.b.fromElement(reals(n.b).constant(0), f64), 0);
  }
  t.isHermitian = n.boolean("hermitian", false);
  return t;
}

/// Lowers linalg_matrix_rank: the number of singular values above the
/// tolerance.
static LogicalResult lowerMatrixRank(NodeLowering &n) {
  Tensor x = n.tensor(n.oneOf({"input", "self"}));
  Tolerances t = readTolerances(n, "tol", true);
  if (!hasSingularValues(n, x) || !n.resultType())
    return n.fail("matrices of unknown size, or no floats");
  Builder &b = n.b;
  if (t.isHermitian)
    x = symmetric(b, x);
  Tensor values = singularValues(b, x);
  Tensor least = threshold(n, x, values, t.absolute, t.relative);
  Sizes sizes = b.broadcast({values, least});
  Type i64 = b.b.getI64Type(), i1 = b.b.getI1Type();
  Tensor counts = b.pointwise(
      {values, least}, sizes, i64, values.dtype,
      [&](Scalars &s, ValueRange v) { return s.gt(v[0], v[1]); }, i1);
  return n.result(b.sum(counts, {counts.rank() - 1}, false, i64));
}

/// Lowers linalg_pinv and pinverse: V S^-1 U^T, restricted to the singular
/// values above the tolerance.
static LogicalResult lowerPseudoInverse(NodeLowering &n) {
  Tensor x = n.tensor("self");
  Tolerances t = readTolerances(n, "rcond", false);
  if (!hasSingularValues(n, x))
    return n.fail("matrices of unknown size, or no floats");
  Builder &b = n.b;
  Type dtype = x.dtype, f64 = b.b.getF64Type();
  if (t.isHermitian)
    x = symmetric(b, x);
  bool wide = isWide(x);
  Sizes batch = batchOf(x);
  Orthogonal o = orthogonalize(b, stacked(b, wide ? transposed(b, x) : x));
  Sizes valueSizes(batch);
  valueSizes.push_back(o.values.sizes[1]);
  Tensor values = b.reshape(o.values, valueSizes);
  Tensor least = threshold(n, x, values, t.absolute, t.relative);
  if (!n.broadcasts(least, valueSizes))
    return failure();
  // `o.columns` is U S: divide by S once for U, and again for U S^-1.
  Tensor factor = b.map({values, least}, f64, [](Scalars &s, ValueRange v) {
    Value square = s.mul(v[0], v[0]);
    return s.select(s.gt(v[0], v[1]), s.div(s.constant(1), square),
                    s.constant(0));
  });
  Tensor right =
      b.map({o.right, b.unsqueeze(b.reshape(factor, o.values.sizes), 1)}, f64,
            [](Scalars &s, ValueRange v) { return s.mul(v[0], v[1]); });
  Sizes sizes = {o.right.sizes[0], o.right.sizes[1], o.columns.sizes[1]};
  Tensor y =
      b.contract({right, {0, 1, 3}}, {o.columns, {0, 2, 3}}, sizes, 4, f64);
  y = b.cast(unstacked(b, y, batch), dtype);
  return n.result(wide ? transposed(b, y) : y);
}

/// Lowers linalg_cond(self, p) for p = None, 2 and -2: the ratio of the largest
/// and the smallest singular value, or its reciprocal for -2. Other values of
/// p, which need the norm of the inverse, are not lowered.
static LogicalResult lowerCondition(NodeLowering &n) {
  Tensor x = n.tensor("self");
  double order = n.real("p", 2);
  if (n.failed() || std::abs(order) != 2)
    return n.fail("a condition by the inverse");
  FailureOr<Tensor> high = singularNorm(n, x, 'h'),
                    low = singularNorm(n, x, 'l');
  if (failed(high) || failed(low))
    return failure();
  return n.result(
      n.b.map({*high, *low}, n.b.b.getF64Type(), [&](Scalars &s, ValueRange v) {
        return order > 0 ? s.div(v[0], v[1]) : s.div(v[1], v[0]);
      }));
}

void registerSingularValues(Registry &r) {
  r.add({"aten.linalg_svdvals.default", "aten._linalg_svd.default"},
        lowerSingularValues);
  r.add({"aten.linalg_matrix_rank.default",
         "aten.linalg_matrix_rank.tol_tensor",
         "aten.linalg_matrix_rank.atol_rtol_float",
         "aten.linalg_matrix_rank.atol_rtol_tensor"},
        lowerMatrixRank);
  r.add({"aten.linalg_pinv.default", "aten.linalg_pinv.rcond_tensor",
         "aten.linalg_pinv.atol_rtol_float",
         "aten.linalg_pinv.atol_rtol_tensor", "aten.pinverse.default"},
        lowerPseudoInverse);
  r.add("aten.linalg_cond.default", lowerCondition);
}

} // namespace fx::lin

//===- Norms.cpp - norms, distances and similarities ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matrices.h"

#include <cmath>

using namespace mlir;

namespace fx::lin {

Tensor norm(Builder &b, const Tensor &x, ArrayRef<int64_t> dims, bool keepDim,
            double order, Type acc) {
  bool infinite = std::isinf(order);
  Tensor r = b.reduce(
      x, dims, keepDim, acc,
      [&](Scalars &s) {
        return infinite && order < 0 ? s.highest() : s.constant(0);
      },
      [&](Scalars &s, Value a, Value v) {
        if (infinite)
          return order > 0 ? s.max(a, v) : s.min(a, v);
        return s.add(a, v);
      },
      [&](Scalars &s, Value v) {
        if (order == 0)
          return s.select(s.ne(v, s.constant(0)), s.constant(1), s.constant(0));
        if (order == 2)
          return s.mul(v, v);
        v = s.abs(v);
        return infinite || order == 1 ? v : s.powConstant(v, order);
      });
  if (infinite || order == 0 || order == 1)
    return r;
  return b.pointwise({r}, r.sizes, acc, acc, [&](Scalars &s, ValueRange v) {
    return order == 2 ? s.sqrt(v[0]) : s.powConstant(v[0], 1 / order);
  });
}

static LogicalResult lowerVectorNorm(NodeLowering &n) {
  Tensor x = n.tensor("self");
  double order = n.real("ord");
  SmallVector<int64_t> dims = n.dims("dim", x.rank());
  bool keepDim = n.boolean("keepdim");
  if (n.failed() || !isa<FloatType>(n.resultDtype()) ||
      !isa<FloatType>(x.dtype))
    return n.fail("the norm of integers");
  return n.result(
      norm(n.b, x, dims, keepDim, order, opMathType(n.resultDtype())));
}

/// Sets the result to a norm of the matrices in dimensions `rows` and
/// `columns`. `name` selects the norm unless it is empty: "fro" is the 2-norm
/// of all elements, "nuc" the sum of the singular values. Otherwise `order`
/// selects it: 1 (-1) is the largest (smallest) sum of magnitudes of a column,
/// inf (-inf) that of a row, 2 (-2) the largest (smallest) singular value.
static LogicalResult matrixNorm(NodeLowering &n, const Tensor &x, int64_t rows,
                                int64_t columns, bool keepDim, StringRef name,
                                double order) {
  Type acc = opMathType(n.resultDtype());
  if (name == "fro")
    return n.result(norm(n.b, x, {rows, columns}, keepDim, 2, acc));
  bool infinite = std::isinf(order);
  if (name == "nuc" || (name.empty() && std::abs(order) == 2)) {
    SmallVector<int64_t> dims;
    for (int64_t i = 0; i < x.rank(); ++i)
      if (i != rows && i != columns)
        dims.push_back(i);
    dims.append({rows, columns});
    FailureOr<Tensor> r = singularNorm(n, n.b.permute(x, dims),
                                       !name.empty() ? 'n'
                                       : order > 0   ? 'h'
                                                     : 'l');
    if (failed(r))
      return failure();
    if (keepDim)
      for (int64_t d : {std::min(rows, columns), std::max(rows, columns)})
        r = n.b.unsqueeze(*r, d);
    return n.result(*r);
  }
  if (!name.empty() || (!infinite && std::abs(order) != 1))
    return n.fail("a norm of that order");
  int64_t inner = infinite ? columns : rows, outer = infinite ? rows : columns;
  Tensor sums = norm(n.b, x, {inner}, true, 1, acc);
  Tensor r =
      norm(n.b, sums, {outer}, true, order > 0 ? INFINITY : -INFINITY, acc);
  if (!keepDim)
    for (int64_t d : {std::max(rows, columns), std::min(rows, columns)})
      r = n.b.squeeze(r, d);
  return n.result(r);
}

static LogicalResult lowerMatrixNorm(NodeLowering &n) {
  Tensor x = n.tensor("self");
  bool named = n.target() == "aten.linalg_matrix_norm.str_ord";
  StringRef name = named ? n.string("ord") : "";
  double order = named ? 0 : n.real("ord");
  SmallVector<int64_t> dims = {x.rank() - 2, x.rank() - 1};
  if (n.has("dim"))
    dims = n.dims("dim", x.rank(), false);
  bool keepDim = n.boolean("keepdim");
  if (n.failed() || x.rank() < 2 || dims.size() != 2 ||
      !isa<FloatType>(x.dtype))
    return n.fail("no matrix");
  return matrixNorm(n, x, dims[0], dims[1], keepDim, name, order);
}

/// Lowers linalg_norm: a norm of vectors or matrices or, without `ord`, the
/// 2-norm of the flattened dimensions.
static LogicalResult lowerNorm(NodeLowering &n) {
  Tensor x = n.tensor("self");
  bool named = n.target() == "aten.linalg_norm.ord_str", given = n.has("ord");
  StringRef name = named ? n.string("ord", "fro") : "";
  double order = named || !given ? 2 : n.real("ord", 2);
  bool hasDim = n.has("dim");
  SmallVector<int64_t> dims = n.dims("dim", x.rank());
  bool keepDim = n.boolean("keepdim");
  if (n.failed() || !isa<FloatType>(x.dtype))
    return n.fail("the norm of integers");
  if (!given || (!named && dims.size() == 1) || (!hasDim && x.rank() == 0))
    return n.result(
        norm(n.b, x, dims, keepDim, order, opMathType(n.resultDtype())));
  if (dims.size() != 2)
    return n.fail("neither vectors nor matrices");
  return matrixNorm(n, x, dims[0], dims[1], keepDim, name, order);
}

/// Lowers aten.norm: linalg_vector_norm with other argument names.
static LogicalResult lowerOldNorm(NodeLowering &n) {
  Tensor x = n.tensor("self");
  double order = n.has("p") ? n.real("p", 2) : 2;
  SmallVector<int64_t> dims = n.dims("dim", x.rank());
  bool keepDim = n.boolean("keepdim", false);
  if (n.failed() || !isa<FloatType>(x.dtype))
    return n.fail("the norm of integers");
  return n.result(
      norm(n.b, x, dims, keepDim, order, opMathType(n.resultDtype())));
}

//===----------------------------------------------------------------------===//
// Distances
//===----------------------------------------------------------------------===//

static Tensor difference(Builder &b, const Tensor &x, const Tensor &y,
                         Type dtype, double eps = 0) {
  return b.map({x, y}, dtype, [&](Scalars &s, ValueRange v) {
    Value d = s.sub(v[0], v[1]);
    return eps == 0 ? d : s.add(d, s.constant(eps));
  });
}

static LogicalResult lowerDist(NodeLowering &n) {
  Tensor x = n.tensor("self"), y = n.tensor("other");
  double p = n.real("p");
  if (n.failed() || !isa<FloatType>(n.resultDtype()))
    return n.fail("the norm of integers");
  Type acc = opMathType(n.resultDtype());
  Tensor d = difference(n.b, x, y, acc);
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, d.rank()));
  return n.result(norm(n.b, d, dims, false, p, acc));
}

static LogicalResult lowerPairwiseDistance(NodeLowering &n) {
  Tensor x = n.tensor("x1"), y = n.tensor("x2");
  double p = n.real("p"), eps = n.real("eps");
  bool keepDim = n.boolean("keepdim");
  if (n.failed() || !isa<FloatType>(n.resultDtype()))
    return n.fail("the norm of integers");
  Type acc = opMathType(n.resultDtype());
  Tensor d = difference(n.b, x, y, acc, eps);
  if (d.rank() == 0)
    return n.fail("a 0-d tensor");
  return n.result(norm(n.b, d, {d.rank() - 1}, keepDim, p, acc));
}

/// Computes the distances between each row of x1 and each row of x2.
static LogicalResult lowerCDist(NodeLowering &n) {
  Tensor x = n.tensor("x1"), y = n.tensor("x2");
  double p = n.real("p");
  if (n.failed() || x.rank() < 2 || y.rank() < 2 ||
      !isa<FloatType>(n.resultDtype()))
    return n.fail("no rows");
  if (isEmpty(x.sizes) || isEmpty(y.sizes)) {
    // There are no distances, or the vectors have no elements.
    Scalars s(n.b.b, n.b.loc, n.resultDtype());
    return n.result(Tensor(n.b.filled(n.resultSizes(), s.dtype, s.constant(0)),
                           n.resultSizes(), s.dtype));
  }
  Type acc = opMathType(n.resultDtype());
  Tensor d = difference(n.b, n.b.unsqueeze(x, x.rank() - 1),
                        n.b.unsqueeze(y, y.rank() - 2), acc);
  return n.result(norm(n.b, d, {d.rank() - 1}, false, p, acc));
}

/// Computes the distances between the rows of a matrix, for each pair of rows
/// i < k.
static LogicalResult lowerPDist(NodeLowering &n) {
  Tensor x = n.tensor("self");
  double p = n.real("p");
  std::optional<int64_t> rows =
      x.rank() == 2 ? x.sizes[0].getInteger() : std::nullopt;
  if (!n.failed() && n.resultType() && rows &&
      (isEmpty(n.resultSizes()) || isEmpty(x.sizes))) {
    Scalars s(n.b.b, n.b.loc, n.resultDtype());
    return n.result(Tensor(n.b.filled(n.resultSizes(), s.dtype, s.constant(0)),
                           n.resultSizes(), s.dtype));
  }
  if (n.failed() || !rows || *rows > 512)
    return n.fail("no matrix of known size, or a large one");
  SmallVector<int64_t> first, second;
  for (int64_t i = 0; i < *rows; ++i)
    for (int64_t k = i + 1; k < *rows; ++k) {
      first.push_back(i);
      second.push_back(k);
    }
  Sizes pairs = {n.b.expr(first.size()), x.sizes[1]};
  auto pick = [&](ArrayRef<int64_t> row) {
    Tensor at = n.b.constant(row, {pairs[0], n.b.expr(1)});
    return n.b.read(
        x, {at}, pairs,
        [&](Scalars &s, ValueRange v, ArrayRef<Value> i) -> SmallVector<Value> {
          return {Scalars(s.b, s.loc, at.dtype).toIndex(v[0]), i[1]};
        });
  };
  Type acc = opMathType(n.resultDtype());
  Tensor d = difference(n.b, pick(first), pick(second), acc);
  return n.result(norm(n.b, d, {1}, false, p, acc));
}

/// Computes sum(u * v) with u = x / max(norm(x), eps) and
/// v = y / max(norm(y), eps).
static LogicalResult lowerCosineSimilarity(NodeLowering &n) {
  Tensor x = n.tensor("x1"), y = n.tensor("x2");
  double eps = n.real("eps");
  if (!n.failed() && x.rank() == 0 && y.rank() == 0)
    x = n.b.unsqueeze(x, 0); // a vector of one element
  Sizes sizes = n.b.broadcast({x, y});
  int64_t dim = n.dim("dim", sizes.size());
  if (n.failed() || sizes.empty() || !isa<FloatType>(n.resultDtype()))
    return n.fail("the norm of integers");
  Type acc = opMathType(n.resultDtype());
  auto unit = [&](Tensor t) {
    t = n.b.expand(t, sizes);
    return n.b.map({t, norm(n.b, t, {dim}, true, 2, acc)}, acc,
                   [&](Scalars &s, ValueRange v) {
                     return s.div(v[0], s.max(v[1], s.constant(eps)));
                   });
  };
  Tensor p = n.b.map({unit(x), unit(y)}, acc, [](Scalars &s, ValueRange v) {
    return s.mul(v[0], v[1]);
  });
  return n.result(n.b.sum(p, {dim}, false, acc));
}

/// Scales the slices along `dim` whose norm is greater than `maxnorm` down to
/// that norm.
static LogicalResult lowerRenorm(NodeLowering &n) {
  Tensor x = n.tensor("self");
  double p = n.real("p"), most = n.real("maxnorm");
  int64_t dim = n.dim("dim", x.rank());
  if (n.failed() || x.rank() < 2 || !isa<FloatType>(x.dtype))
    return n.fail("fewer than two dimensions");
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != dim)
      dims.push_back(i);
  Type acc = opMathType(x.dtype);
  Tensor size = norm(n.b, x, dims, true, p, acc);
  return n.pointwise(0, {x, size}, acc, [&](Scalars &s, ValueRange v) {
    Value m = s.constant(most);
    Value scale = s.div(m, s.add(v[1], s.constant(1e-7)));
    return s.mul(v[0], s.select(s.gt(v[1], m), scale, s.constant(1)));
  });
}

void registerNorms(Registry &r) {
  r.add("aten.linalg_vector_norm.default", lowerVectorNorm);
  r.add({"aten.linalg_matrix_norm.default", "aten.linalg_matrix_norm.str_ord"},
        lowerMatrixNorm);
  r.add({"aten.linalg_norm.default", "aten.linalg_norm.ord_str"}, lowerNorm);
  r.add({"aten.norm.Scalar", "aten.norm.ScalarOpt_dim",
         "aten.norm.ScalarOpt_dim_dtype", "aten.norm.ScalarOpt_dtype"},
        lowerOldNorm);
  r.add("aten.dist.default", lowerDist);
  r.add("aten.pairwise_distance.default", lowerPairwiseDistance);
  r.add({"aten.cdist.default", "aten._cdist_forward.default"}, lowerCDist);
  r.add({"aten.pdist.default", "aten._pdist_forward.default"}, lowerPDist);
  r.add("aten.cosine_similarity.default", lowerCosineSimilarity);
  r.add("aten.renorm.default", lowerRenorm);
}

} // namespace fx::lin

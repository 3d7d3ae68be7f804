//===- Products.cpp - products of tensors other than matmuls --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matrices.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

static Tensor multiply(Builder &b, const Tensor &x, const Tensor &y,
                       Type dtype) {
  return b.map({x, y}, dtype,
               [](Scalars &s, ValueRange v) { return s.mul(v[0], v[1]); });
}

/// Computes sum(x * y) over a dimension of the broadcast operands.
static LogicalResult lowerVecDot(NodeLowering &n) {
  Tensor x = n.tensor("x"), y = n.tensor("y");
  Sizes sizes = n.b.broadcast({x, y});
  int64_t dim = n.dim("dim", sizes.size());
  if (n.failed() || sizes.empty())
    return n.fail("0-d operands");
  Type acc = opMathType(n.resultDtype());
  return n.result(n.b.sum(multiply(n.b, x, y, acc), {dim}, false, acc));
}

static LogicalResult lowerVDot(NodeLowering &n) {
  Tensor x = n.tensor("self"), y = n.tensor("other");
  if (n.failed() || x.rank() != 1 || y.rank() != 1)
    return n.fail("an operand is no vector");
  Type acc = opMathType(n.resultDtype());
  return n.result(n.b.sum(multiply(n.b, x, y, acc), {0}, false, acc));
}

/// Contracts the dimensions `left` of `x` with the dimensions `right` of `y`.
/// The result has the other dimensions of `x`, then those of `y`.
static LogicalResult contract(NodeLowering &n, Tensor x, ArrayRef<int64_t> left,
                              Tensor y, ArrayRef<int64_t> right) {
  if (left.size() != right.size())
    return n.fail("different numbers of dimensions to contract");
  // A dimension of size 1 broadcasts: sum the other operand over its dimension.
  for (auto [l, r] : llvm::zip(left, right)) {
    bool oneLeft = x.sizes[l].getInteger() == 1,
         oneRight = y.sizes[r].getInteger() == 1;
    if (oneLeft && !oneRight)
      y = n.b.sum(y, {r}, true, opMathType(y.dtype));
    else if (oneRight && !oneLeft)
      x = n.b.sum(x, {l}, true, opMathType(x.dtype));
  }
  Access a{x, SmallVector<unsigned, 6>(x.rank())},
      c{y, SmallVector<unsigned, 6>(y.rank())};
  Sizes sizes;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (!llvm::is_contained(left, i)) {
      a.loops[i] = sizes.size();
      sizes.push_back(x.sizes[i]);
    }
  for (int64_t i = 0; i < y.rank(); ++i)
    if (!llvm::is_contained(right, i)) {
      c.loops[i] = sizes.size();
      sizes.push_back(y.sizes[i]);
    }
  unsigned loops = sizes.size();
  for (auto [l, r] : llvm::zip(left, right)) {
    if (x.sizes[l].isProvablyDifferent(y.sizes[r]))
      return n.fail("the contracted sizes differ");
    a.loops[l] = c.loops[r] = loops++;
  }
  if (left.empty())
    return n.fail("nothing to contract");
  return n.result(n.b.contract(a, c, sizes, loops, n.resultDtype()));
}

/// Contracts the last dimensions of both operands.
static LogicalResult lowerInner(NodeLowering &n) {
  Tensor x = n.tensor("self"), y = n.tensor("other");
  if (n.failed())
    return failure();
  if (x.rank() == 0 || y.rank() == 0)
    return n.result(multiply(n.b, x, y, n.resultDtype()));
  return contract(n, x, {x.rank() - 1}, y, {y.rank() - 1});
}

static LogicalResult lowerTensorDot(NodeLowering &n) {
  Tensor x = n.tensor("self"), y = n.tensor("other");
  SmallVector<int64_t> left = n.dims("dims_self", x.rank(), false),
                       right = n.dims("dims_other", y.rank(), false);
  if (n.failed())
    return failure();
  if (left.empty() && right.empty()) {
    Tensor a = x;
    for (int64_t i = 0; i < y.rank(); ++i)
      a = n.b.unsqueeze(a, a.rank());
    return n.result(multiply(n.b, a, y, n.resultDtype()));
  }
  return contract(n, x, left, y, right);
}

/// Computes the Kronecker product, in which each element of `self` is
/// multiplied by the whole of `other`.
static LogicalResult lowerKron(NodeLowering &n) {
  Tensor x = n.tensor("self"), y = n.tensor("other");
  if (n.failed() || !n.resultType())
    return n.fail("the result is no tensor");
  while (x.rank() < y.rank())
    x = n.b.unsqueeze(x, 0);
  while (y.rank() < x.rank())
    y = n.b.unsqueeze(y, 0);
  for (int64_t i = x.rank(); i > 0; --i) {
    x = n.b.unsqueeze(x, i);
    y = n.b.unsqueeze(y, i - 1);
  }
  return n.result(
      n.b.reshape(multiply(n.b, x, y, n.resultDtype()), n.resultSizes()));
}

/// Computes the cross product of vectors of three elements along a dimension.
static LogicalResult lowerCross(NodeLowering &n) {
  bool old = n.target() == "aten.cross.default";
  Tensor x = n.tensor("self"), y = n.tensor("other");
  Sizes sizes = n.b.broadcast({x, y});
  int64_t rank = sizes.size(), dim = -1;
  if (old && !n.has("dim")) {
    for (int64_t i = 0; i < rank && dim < 0; ++i)
      if (sizes[i].getInteger() == 3)
        dim = i;
  } else {
    dim = n.dim("dim", rank, -1);
  }
  if (n.failed() || dim < 0 || rank == 0 || sizes[dim].getInteger() != 3)
    return n.fail("no dimension of three elements");
  x = n.b.expand(x, sizes);
  y = n.b.expand(y, sizes);
  // Rotates the elements along `dim`: element i is element (i + by) % 3.
  auto turned = [&](const Tensor &t, int64_t by) {
    return n.b.read(
        t, {}, sizes, [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
          Scalars ix = s.indices();
          SmallVector<Value> place(i);
          Value at = ix.add(i[dim], ix.integer(by));
          Value three = ix.integer(3);
          place[dim] = s.select(ix.ge(at, three), ix.sub(at, three), at);
          return place;
        });
  };
  return n.pointwise(0,
                     {turned(x, 1), turned(y, 2), turned(x, 2), turned(y, 1)},
                     opMathType(n.resultDtype()), [](Scalars &s, ValueRange v) {
                       return s.sub(s.mul(v[0], v[1]), s.mul(v[2], v[3]));
                     });
}

/// Computes beta * self + alpha * sum over i of batch1[i] @ batch2[i].
static LogicalResult lowerAddbmm(NodeLowering &n) {
  Tensor self = n.tensor("self"), x = n.tensor("batch1"),
         y = n.tensor("batch2");
  Number beta = n.number("beta"), alpha = n.number("alpha");
  if (n.failed() || x.rank() != 3 || y.rank() != 3 ||
      x.sizes[0].isProvablyDifferent(y.sizes[0]) ||
      x.sizes[2].isProvablyDifferent(y.sizes[1]))
    return n.fail("the batches do not fit each other");
  Type dtype = n.resultDtype(), compute = opMathType(dtype);
  Tensor p = n.b.contract({x, {2, 0, 3}}, {y, {2, 3, 1}},
                          {x.sizes[1], y.sizes[2]}, 4, dtype);
  Hoisted b(n.b, beta, compute), a(n.b, alpha, compute);
  bool without = b.isConstant() && b.constant() == 0;
  return n.pointwise(0, {p, self}, compute, [&](Scalars &s, ValueRange v) {
    Value r = s.mul(a.in(s), v[0]);
    return without ? r : s.add(r, s.mul(b.in(s), v[1]));
  });
}

/// Computes y[b, k] = sum over i, j of x1[b, i] * weight[k, i, j] * x2[b, j].
static LogicalResult lowerBilinear(NodeLowering &n) {
  Tensor x = n.tensor("input1"), y = n.tensor("input2"), w = n.tensor("weight");
  std::optional<Tensor> bias = n.optionalTensor("bias");
  if (n.failed() || x.rank() < 1 || x.rank() != y.rank() || w.rank() != 3)
    return n.fail("the weight does not fit the inputs");
  Sizes outer(ArrayRef<ExprAttr>(x.sizes).drop_back());
  ExprAttr rows = n.b.product(outer);
  Tensor a = n.b.reshape(x, {rows, x.sizes.back()}),
         c = n.b.reshape(y, {rows, y.sizes.back()});
  Type dtype = n.resultDtype();
  Tensor t = n.b.contract({a, {0, 3}}, {w, {1, 3, 2}},
                          {rows, w.sizes[0], w.sizes[2]}, 4, dtype);
  Tensor r =
      n.b.contract({t, {0, 1, 2}}, {c, {0, 2}}, {rows, w.sizes[0]}, 3, dtype);
  if (bias)
    r = n.b.map({r, *bias}, dtype,
                [](Scalars &s, ValueRange v) { return s.add(v[0], v[1]); });
  return n.result(n.b.reshape(r, n.resultSizes()));
}

/// Lowers _trilinear, to which bilinear decomposes: the contraction of three
/// tensors over the dimensions `sumdim` of a common index space. Each tensor
/// has all dimensions of that space but `expand1` (`expand2`, `expand3`).
static LogicalResult lowerTrilinear(NodeLowering &n) {
  const ArgName names[] = {"i1", "i2", "i3"},
                expands[] = {"expand1", "expand2", "expand3"};
  SmallVector<Tensor> operands;
  SmallVector<SmallVector<unsigned>> has(3); // dimensions of each operand
  unsigned rank = 0;
  for (unsigned k = 0; k < 3; ++k)
    operands.push_back(n.tensor(names[k]));
  constexpr int64_t most = 64; // the rank is not known yet
  SmallVector<int64_t> sums = n.dims("sumdim", most, /*emptyIsAll=*/false);
  if (n.failed())
    return failure();
  SmallVector<ExprAttr> sizes;
  for (unsigned k = 0; k < 3; ++k) {
    SmallVector<int64_t> expand =
        n.dims(expands[k], most, /*emptyIsAll=*/false);
    rank = operands[k].rank() + expand.size();
    sizes.resize(std::max<size_t>(sizes.size(), rank));
    for (unsigned d = 0; d < rank; ++d) {
      if (llvm::is_contained(expand, d))
        continue;
      if (int64_t(has[k].size()) == operands[k].rank())
        return n.fail("the expanded dimensions do not fit the operands");
      ExprAttr size = operands[k].sizes[has[k].size()];
      if (sizes[d] && sizes[d] != size)
        return n.fail("operands that broadcast");
      sizes[d] = size;
      has[k].push_back(d);
    }
  }
  if (n.failed() || sizes.size() != rank ||
      llvm::is_contained(sizes, ExprAttr()))
    return n.fail("a dimension that no operand has");
  // Contracts two tensors whose dimensions are `xDims` and `yDims` of the
  // common space. Dimensions for which `isKept` is true are those of the result
  // and are appended to `kept`; the others are summed.
  auto isSummed = [&](unsigned d) { return llvm::is_contained(sums, d); };
  auto contract = [&](const Tensor &x, ArrayRef<unsigned> xDims,
                      const Tensor &y, ArrayRef<unsigned> yDims,
                      function_ref<bool(unsigned)> isKept,
                      SmallVector<unsigned> &kept) {
    SmallVector<unsigned> loop(rank, 0), rest;
    Sizes outer;
    for (unsigned d = 0; d < rank; ++d) {
      if (!llvm::is_contained(xDims, d) && !llvm::is_contained(yDims, d))
        continue;
      if (isKept(d)) {
        loop[d] = kept.size();
        kept.push_back(d);
        outer.push_back(sizes[d]);
      } else {
        rest.push_back(d);
      }
    }
    for (auto [i, d] : llvm::enumerate(rest))
      loop[d] = kept.size() + i;
    Access a{x, {}}, b{y, {}};
    for (unsigned d : xDims)
      a.loops.push_back(loop[d]);
    for (unsigned d : yDims)
      b.loops.push_back(loop[d]);
    return n.b.contract(a, b, outer, kept.size() + rest.size(),
                        n.resultDtype());
  };
  SmallVector<unsigned> dims, result;
  Tensor t = contract(
      operands[0], has[0], operands[1], has[1],
      [&](unsigned d) { return !isSummed(d) || llvm::is_contained(has[2], d); },
      dims);
  t = contract(
      t, dims, operands[2], has[2], [&](unsigned d) { return !isSummed(d); },
      result);
  return n.result(n.b.reshape(t, n.resultSizes()));
}

/// Multiplies matrices, or batches of them with equal batch dimensions.
static Tensor matmul(Builder &b, const Tensor &x, const Tensor &y, Type dtype) {
  unsigned k = x.rank();
  Access l{x, {}}, r{y, {}};
  for (unsigned i = 0; i + 2 < k; ++i) {
    l.loops.push_back(i);
    r.loops.push_back(i);
  }
  l.loops.append({k - 2, k});
  r.loops.append({k, k - 1});
  Sizes sizes(x.sizes);
  sizes.back() = y.sizes.back();
  return b.contract(l, r, sizes, k + 1, dtype);
}

/// Lowers a chain of matmuls from left to right. The first and the last operand
/// may be vectors.
static LogicalResult lowerMultiDot(NodeLowering &n) {
  SmallVector<Tensor> parts = n.tensors(n.oneOf({"tensors", "matrices"}));
  if (n.failed() || parts.size() < 2)
    return n.fail("fewer than two tensors");
  bool row = parts.front().rank() == 1, column = parts.back().rank() == 1;
  if (row)
    parts.front() = n.b.unsqueeze(parts.front(), 0);
  if (column)
    parts.back() = n.b.unsqueeze(parts.back(), 1);
  Tensor r = parts.front();
  for (const Tensor &t : ArrayRef<Tensor>(parts).drop_front()) {
    if (t.rank() != 2 || r.rank() != 2 ||
        r.sizes[1].isProvablyDifferent(t.sizes[0]))
      return n.fail("the matrices do not fit each other");
    r = matmul(n.b, r, t, n.resultDtype());
  }
  if (column)
    r = n.b.squeeze(r, 1);
  if (row)
    r = n.b.squeeze(r, 0);
  return n.result(r);
}

/// Lowers matrix_power by repeated squaring. Power 0 gives the identity; a
/// negative power is a power of the inverse.
static LogicalResult lowerMatrixPower(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t power = n.integer("n");
  if (n.failed() || x.rank() < 2 || (power < 0 && !isMatrices(n, x, true)))
    return n.fail("no matrix, or the inverse of integers");
  if (power < 0) {
    x = n.b.cast(inverse(n, x), x.dtype);
    power = -power;
  }
  if (power == 0) {
    Type dtype = x.dtype;
    return n.result(n.b.indexed({}, x.sizes, dtype, dtype,
                                [](Scalars &s, ValueRange, ArrayRef<Value> i) {
                                  Scalars ix = s.indices();
                                  Value on = ix.eq(i[i.size() - 2], i.back());
                                  return s.select(on, s.integer(1),
                                                  s.integer(0));
                                }));
  }
  std::optional<Tensor> r;
  for (Tensor square = x;; square = matmul(n.b, square, square, x.dtype)) {
    if (power & 1)
      r = r ? matmul(n.b, *r, square, x.dtype) : square;
    power >>= 1;
    if (power == 0)
      return n.result(*r);
  }
}

/// Lowers vander: the powers 1, x, x^2, ... along a new last dimension.
static LogicalResult lowerVander(NodeLowering &n) {
  Tensor x = n.tensor("x");
  // A 0-d tensor is a vector of one element.
  if (!n.failed() && x.rank() == 0)
    x = n.b.unsqueeze(x, 0);
  Sizes sizes(n.resultSizes());
  Type dtype = n.resultDtype();
  if (n.failed() || int64_t(sizes.size()) != x.rank() + 1 ||
      !isSupported(dtype))
    return n.fail("the result does not fit the operand");
  Builder &b = n.b;
  Tensor row = b.contiguous(b.cast(x, dtype));
  Variables v(b);
  unsigned y = v.addEmpty(sizes, dtype),
           power = v.add(Scalars(b.b, b.loc, dtype).integer(1));
  Value count = b.index(sizes.back());
  v.nest(x.sizes, [&](ArrayRef<Value> i) {
    v.set(power, Scalars(b.b, b.loc, dtype).integer(1));
    Value e = tensor::ExtractOp::create(b.b, b.loc, row.value, i);
    v.loop(b.index(0), count, [&](Value k) {
      SmallVector<Value> place(i);
      place.push_back(k);
      v.store(y, place, v.get(power));
      v.set(power, Scalars(b.b, b.loc, dtype).mul(v.get(power), e));
    });
  });
  return n.result(v.tensor(y, sizes, dtype));
}

void registerProducts(Registry &r) {
  r.add("aten.linalg_vecdot.default", lowerVecDot);
  r.add("aten.vdot.default", lowerVDot);
  r.add("aten.inner.default", lowerInner);
  r.add("aten.tensordot.default", lowerTensorDot);
  r.add("aten.kron.default", lowerKron);
  r.add({"aten.cross.default", "aten.linalg_cross.default"}, lowerCross);
  r.add("aten.addbmm.default", lowerAddbmm);
  r.add("aten.bilinear.default", lowerBilinear);
  r.add("aten._trilinear.default", lowerTrilinear);
  r.add({"aten.linalg_multi_dot.default", "aten.chain_matmul.default"},
        lowerMultiDot);
  r.add({"aten.linalg_matrix_power.default", "aten.matrix_power.default"},
        lowerMatrixPower);
  r.add("aten.linalg_vander.default", lowerVander);
}

} // namespace fx::lin

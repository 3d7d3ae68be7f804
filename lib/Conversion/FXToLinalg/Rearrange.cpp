//===- Rearrange.cpp - operators that move elements to known places -------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

//===----------------------------------------------------------------------===//
// Minimum ranks, stacks and splits
//===----------------------------------------------------------------------===//

/// Adds dimensions of size 1 up to `rank`, where atleast_1d, atleast_2d and
/// atleast_3d add them.
static Tensor atLeast(Builder &b, Tensor t, int64_t rank) {
  if (t.rank() == 0 && rank > 0)
    t = b.unsqueeze(t, 0);
  if (t.rank() == 1 && rank > 1)
    t = b.unsqueeze(t, 0);
  if (t.rank() == 2 && rank > 2)
    t = b.unsqueeze(t, 2);
  return t;
}

template <int64_t rank>
static LogicalResult lowerAtLeast(NodeLowering &n) {
  if (!n.arg("self").isList() && !n.arg("tensors").isList()) {
    Tensor x = n.tensor("self");
    return n.failed() ? failure() : n.result(atLeast(n.b, x, rank));
  }
  SmallVector<Tensor> parts = n.tensors("tensors");
  if (n.failed() || parts.size() != n.numResults())
    return n.fail("the number of results is not what the operator gives");
  for (auto [i, t] : llvm::enumerate(parts))
    if (failed(n.set(i, atLeast(n.b, t, rank))))
      return failure();
  return success();
}

/// Sets the result to the concatenation of `parts` along `dim`.
static LogicalResult join(NodeLowering &n, SmallVector<Tensor> parts,
                          int64_t dim) {
  ArrayRef<ExprAttr> sizes = n.resultSizes();
  ExprAttr total = n.b.expr(0);
  for (Tensor &t : parts) {
    if (t.rank() != int64_t(sizes.size()))
      return n.fail("the tensors differ in rank");
    for (int64_t i = 0; i < t.rank(); ++i)
      if (i != dim && t.sizes[i].isProvablyDifferent(sizes[i]))
        return n.fail("the tensors differ in a size");
    t = n.b.cast(t, n.resultDtype());
    total = total ? ExprAttr::add(n.context(), {total, t.sizes[dim]}) : total;
  }
  if (!total || total.isProvablyDifferent(sizes[dim]))
    return n.fail("the parts are not as long as the result");
  return n.result(n.b.concat(parts, dim, sizes));
}

/// Lowers vstack ('v'), hstack ('h'), dstack ('d') and column_stack ('c').
template <char kind>
static LogicalResult lowerStackAlong(NodeLowering &n) {
  SmallVector<Tensor> parts = n.tensors("tensors");
  if (n.failed() || !n.resultType())
    return n.fail("the result is no tensor");
  int64_t dim = kind == 'v' ? 0 : kind == 'd' ? 2 : 1;
  for (Tensor &t : parts) {
    if (kind == 'c' && t.rank() < 2)
      t = n.b.unsqueeze(atLeast(n.b, t, 1), 1);
    t = atLeast(n.b, t, kind == 'v' ? 2 : kind == 'd' ? 3 : 1);
  }
  if (kind == 'h' && parts.front().rank() == 1)
    dim = 0;
  return join(n, parts, dim);
}

/// Sets the results to parts of `x` along `dim`. If `at` is a list, the parts
/// after the first start at its indices; otherwise each part starts at the end
/// of the one before it. The result types have the lengths of the parts.
static LogicalResult split(NodeLowering &n, const Tensor &x, int64_t dim,
                           Argument at) {
  if (n.failed() || x.rank() <= dim)
    return n.fail("fewer dimensions than the operator takes");
  std::optional<int64_t> size = x.sizes[dim].getInteger();
  ExprAttr next = n.b.expr(0);
  for (unsigned i = 0; i < n.numResults(); ++i) {
    ArrayRef<ExprAttr> sizes = n.resultSizes(i);
    if (sizes.size() != size_t(x.rank()))
      return n.fail("the result's rank is not what the operator gives");
    ExprAttr start = next;
    if (at.isList() && i > 0) {
      if (at.getElements().size() + 1 != n.numResults())
        return n.fail("the number of results is not what the operator gives");
      start = n.asSize(at.getElements()[i - 1]);
      std::optional<int64_t> k = start.getInteger();
      if (n.failed() || !k || !size)
        return n.fail("an index that is not known");
      start = n.b.expr(std::clamp<int64_t>(*k < 0 ? *k + *size : *k, 0, *size));
    }
    next = ExprAttr::add(n.context(), {start, sizes[dim]});
    std::optional<int64_t> end = next ? next.getInteger() : std::nullopt;
    if (!next || (end && size && *end > *size))
      return n.fail("the parts are longer than the tensor");
    if (failed(n.set(i, n.b.slice(x, dim, start, sizes[dim], n.b.expr(1)))))
      return failure();
  }
  return success();
}

/// Lowers vsplit ('v'), hsplit ('h') and dsplit ('d').
template <char kind>
static LogicalResult lowerSplitAlong(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = kind == 'v' ? 0 : kind == 'd' ? 2 : x.rank() == 1 ? 0 : 1;
  return split(n, x, dim, n.arg("indices"));
}

//===----------------------------------------------------------------------===//
// Diagonals
//===----------------------------------------------------------------------===//

/// Returns the diagonal of the dimensions `first` and `second` of `x` as a new
/// last dimension: element k is at (k - min(offset, 0), k + max(offset, 0)).
static Tensor diagonal(Builder &b, const Tensor &x, int64_t offset,
                       int64_t first, int64_t second, ExprAttr length) {
  Sizes sizes;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != first && i != second)
      sizes.push_back(x.sizes[i]);
  sizes.push_back(length);
  return b.read(x, {}, sizes, [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
    Scalars ix = s.indices();
    SmallVector<Value> place(x.rank());
    place[first] = ix.add(i.back(), ix.integer(std::max<int64_t>(-offset, 0)));
    place[second] = ix.add(i.back(), ix.integer(std::max<int64_t>(offset, 0)));
    unsigned next = 0;
    for (Value &p : place)
      if (!p)
        p = i[next++];
    return place;
  });
}

/// Returns matrices in the dimensions `first` and `second` of the result with
/// the last dimension of `x` on a diagonal and 0 elsewhere.
static Tensor embedDiagonal(Builder &b, const Tensor &x, int64_t offset,
                            int64_t first, int64_t second,
                            ArrayRef<ExprAttr> sizes) {
  Value source = b.materialize(x);
  return b.indexed(
      {}, sizes, x.dtype, x.dtype,
      [&](Scalars &s, ValueRange, ArrayRef<Value> i) -> Value {
        Scalars ix = s.indices();
        Value row = i[first], column = i[second];
        Value on = ix.eq(ix.add(row, ix.integer(offset)), column);
        SmallVector<Value> place;
        for (auto [k, v] : llvm::enumerate(i))
          if (int64_t(k) != first && int64_t(k) != second)
            place.push_back(v);
        // Elements off the diagonal read element 0, which always exists.
        place.push_back(s.select(on, ix.min(row, column), ix.integer(0)));
        Value v = tensor::ExtractOp::create(s.b, s.loc, source, place);
        return s.select(on, v, s.integer(0));
      });
}

static Tensor zeros(NodeLowering &n) {
  Scalars s(n.b.b, n.b.loc, n.resultDtype());
  return Tensor(n.b.filled(n.resultSizes(), s.dtype, s.integer(0)),
                n.resultSizes(), s.dtype);
}

/// Lowers diagonal(self, offset, dim1, dim2) and linalg_diagonal, whose
/// defaults differ.
static LogicalResult lowerDiagonal(NodeLowering &n) {
  Tensor x = n.tensor(n.oneOf({"self", "A"}));
  int64_t offset = n.integer("offset");
  int64_t first = n.dim("dim1", x.rank());
  int64_t second = n.dim("dim2", x.rank());
  if (n.failed() || x.rank() < 2 || first == second ||
      int64_t(n.resultSizes().size()) != x.rank() - 1)
    return n.fail("fewer than two dimensions");
  return n.result(
      diagonal(n.b, x, offset, first, second, n.resultSizes().back()));
}

static LogicalResult lowerDiagEmbed(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t rank = x.rank() + 1;
  int64_t offset = n.integer("offset");
  int64_t first = n.dim("dim1", rank), second = n.dim("dim2", rank);
  if (n.failed() || x.rank() < 1 || first == second ||
      int64_t(n.resultSizes().size()) != rank)
    return n.fail("a 0-d tensor");
  if (isEmpty(x.sizes))
    return n.result(zeros(n));
  return n.result(
      embedDiagonal(n.b, x, offset, first, second, n.resultSizes()));
}

/// Lowers diag, which returns the diagonal of a matrix or the matrix with a
/// vector as its diagonal, and (`flat`) diagflat, which returns the matrix for
/// the flattened tensor.
template <bool flat>
static LogicalResult lowerDiag(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t offset = n.integer(n.oneOf({"offset", "diagonal"}));
  if (n.failed() || !n.resultType())
    return n.fail("the result is no tensor");
  if (flat)
    x = n.b.reshape(x, {n.b.product(x.sizes)});
  if (x.rank() == 2 && n.resultSizes().size() == 1)
    return n.result(diagonal(n.b, x, offset, 0, 1, n.resultSizes()[0]));
  if (x.rank() != 1 || n.resultSizes().size() != 2)
    return n.fail("neither a vector nor a matrix");
  if (isEmpty(x.sizes))
    return n.result(zeros(n));
  return n.result(embedDiagonal(n.b, x, offset, 0, 1, n.resultSizes()));
}

static LogicalResult lowerDiagonalScatter(NodeLowering &n) {
  Tensor x = n.tensor("self"), src = n.tensor("src");
  int64_t offset = n.integer("offset");
  int64_t first = n.dim("dim1", x.rank()), second = n.dim("dim2", x.rank());
  if (n.failed() || x.rank() < 2 || src.rank() != x.rank() - 1 ||
      first == second)
    return n.fail("the source does not fit the tensor");
  if (isEmpty(src.sizes))
    return n.result(x);
  Value source = n.b.materialize(n.b.cast(src, x.dtype));
  return n.result(n.b.indexed(
      {x}, x.sizes, x.dtype, x.dtype,
      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) -> Value {
        Scalars ix = s.indices();
        Value on = ix.eq(ix.add(i[first], ix.integer(offset)), i[second]);
        SmallVector<Value> place;
        for (auto [k, index] : llvm::enumerate(i))
          if (int64_t(k) != first && int64_t(k) != second)
            place.push_back(index);
        place.push_back(
            s.select(on, ix.min(i[first], i[second]), ix.integer(0)));
        return s.select(
            on, tensor::ExtractOp::create(s.b, s.loc, source, place), v[0]);
      }));
}

static LogicalResult lowerTrace(NodeLowering &n) {
  Tensor x = n.tensor("self");
  if (n.failed() || x.rank() != 2)
    return n.fail("no matrix");
  std::optional<int64_t> rows = x.sizes[0].getInteger(),
                         columns = x.sizes[1].getInteger();
  if (x.sizes[0] != x.sizes[1] && (!rows || !columns))
    return n.fail("the diagonal's length is not known");
  ExprAttr length =
      rows && columns ? n.b.expr(std::min(*rows, *columns)) : x.sizes[0];
  Tensor d = diagonal(n.b, x, 0, 0, 1, length);
  return n.result(n.b.sum(d, {0}, false, opMathType(n.resultDtype())));
}

//===----------------------------------------------------------------------===//
// Flips, rotations and shifts
//===----------------------------------------------------------------------===//

Tensor flip(Builder &b, const Tensor &x, ArrayRef<int64_t> dims) {
  SmallVector<Value> last(x.rank());
  Scalars outer(b.b, b.loc, b.b.getIndexType());
  for (int64_t d : dims)
    last[d] = outer.sub(b.index(x.sizes[d]), outer.integer(1));
  return b.read(x, {}, x.sizes, [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
    SmallVector<Value> place(i);
    for (int64_t d : dims)
      place[d] = s.indices().sub(last[d], i[d]);
    return place;
  });
}

template <int64_t dim>
static LogicalResult lowerFlipAlong(NodeLowering &n) {
  Tensor x = n.tensor("self");
  if (n.failed() || x.rank() <= dim)
    return n.fail("fewer dimensions than the operator takes");
  return n.result(flip(n.b, x, {dim}));
}

static LogicalResult lowerRot90(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t k = n.integer("k");
  SmallVector<int64_t> dims = {0, 1};
  if (n.has("dims"))
    dims = n.dims("dims", x.rank(), false);
  if (n.failed() || x.rank() < 2 || dims.size() != 2)
    return n.fail("fewer than two dimensions");
  k = ((k % 4) + 4) % 4;
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  std::swap(order[dims[0]], order[dims[1]]);
  if (k == 1)
    x = n.b.permute(flip(n.b, x, {dims[1]}), order);
  else if (k == 2)
    x = flip(n.b, x, dims);
  else if (k == 3)
    x = n.b.permute(flip(n.b, x, {dims[0]}), order);
  return n.result(x);
}

/// Lowers fftshift, which moves the first element of each dimension to the
/// middle, and (`back`) ifftshift, its inverse.
template <bool back>
static LogicalResult lowerFFTShift(NodeLowering &n) {
  Tensor x = n.tensor("self");
  SmallVector<int64_t> dims = n.dims("dim", x.rank());
  if (n.failed())
    return failure();
  SmallVector<Value> from, size;
  Scalars outer(n.b.b, n.b.loc, n.b.b.getIndexType());
  for (int64_t d : dims) {
    Value length = n.b.index(x.sizes[d]);
    // Element i is element (i + n - n / 2) % n or, if `back`, (i + n / 2) % n.
    Value half = outer.div(length, outer.integer(2));
    from.push_back(back ? half : outer.sub(length, half));
    size.push_back(length);
  }
  return n.result(
      n.b.read(x, {}, x.sizes, [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
        Scalars ix = s.indices();
        SmallVector<Value> place(i);
        for (auto [k, d] : llvm::enumerate(dims)) {
          Value at = ix.add(place[d], from[k]);
          place[d] = s.select(ix.ge(at, size[k]), ix.sub(at, size[k]), at);
        }
        return place;
      }));
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// Lowers sum_to_size: sums over the dimensions that a broadcast from `size` to
/// the sizes of `self` would add or expand.
static LogicalResult lowerSumToSize(NodeLowering &n) {
  Tensor x = n.tensor("self");
  if (n.failed() || !n.resultType())
    return n.fail("the result is no tensor");
  ArrayRef<ExprAttr> sizes = n.resultSizes();
  int64_t more = x.rank() - int64_t(sizes.size());
  if (more < 0)
    return n.fail("the size has more dimensions than the tensor");
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i < more ||
        (sizes[i - more].getInteger() == 1 && x.sizes[i].getInteger() != 1))
      dims.push_back(i);
  if (dims.empty())
    return n.result(x);
  Tensor y = n.b.sum(x, dims, true, opMathType(x.dtype));
  for (int64_t i = 0; i < more; ++i)
    y = n.b.squeeze(y, 0);
  return n.result(y);
}

static LogicalResult lowerBlockDiag(NodeLowering &n) {
  SmallVector<Tensor> parts = n.tensors("tensors");
  if (n.failed() || !n.resultType() || n.resultSizes().size() != 2)
    return n.fail("the result is no matrix");
  Value whole = zeros(n).value;
  ExprAttr row = n.b.expr(0), column = n.b.expr(0);
  for (Tensor &t : parts) {
    t = n.b.cast(atLeast(n.b, t, 2), n.resultDtype());
    if (t.rank() != 2)
      return n.fail("more than two dimensions");
    if (!isEmpty(t.sizes))
      whole = n.b.insert(n.b.materialize(t), whole, n.b.fold({row, column}),
                         n.b.fold(t.sizes),
                         {n.b.b.getIndexAttr(1), n.b.b.getIndexAttr(1)});
    row = ExprAttr::add(n.context(), {row, t.sizes[0]});
    column = ExprAttr::add(n.context(), {column, t.sizes[1]});
    if (!row || !column)
      return n.fail("a size overflows");
  }
  return n.result(Tensor(whole, n.resultSizes(), n.resultDtype()));
}

/// Lowers cartesian_prod: each row is a combination of elements of the vectors;
/// the last element varies fastest.
static LogicalResult lowerCartesianProduct(NodeLowering &n) {
  SmallVector<Tensor> parts = n.tensors("tensors");
  if (n.failed() || !n.resultType())
    return n.fail("the result is no tensor");
  if (parts.size() == 1)
    return n.result(parts.front());
  Sizes grid;
  for (const Tensor &t : parts) {
    if (t.rank() != 1)
      return n.fail("an argument is no vector");
    grid.push_back(t.sizes[0]);
  }
  SmallVector<Tensor> columns;
  for (auto [i, t] : llvm::enumerate(parts)) {
    for (size_t k = i + 1; k < parts.size(); ++k)
      t = n.b.unsqueeze(t, t.rank());
    Tensor column = n.b.reshape(n.b.expand(t, grid), {n.b.product(grid)});
    columns.push_back(n.b.unsqueeze(column, 1));
  }
  return join(n, columns, 1);
}

/// Lowers tril_indices and triu_indices: the row and column indices of the
/// elements of a triangle, as a constant.
template <bool lower>
static LogicalResult lowerTriangleIndices(NodeLowering &n) {
  int64_t rows = n.integer("row"), columns = n.integer("col"),
          offset = n.integer("offset");
  ArrayRef<ExprAttr> sizes = n.resultSizes();
  if (n.failed() || sizes.size() != 2)
    return n.fail("the result is no matrix");
  SmallVector<int64_t> row, column;
  if (rows * columns > (1 << 20))
    return n.fail("a large triangle");
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < columns; ++k)
      if (lower ? k <= i + offset : k >= i + offset) {
        row.push_back(i);
        column.push_back(k);
      }
  if (sizes[1].getInteger() != int64_t(row.size()))
    return n.fail("the result's size is not what the operator gives");
  if (row.empty())
    return n.result(zeros(n));
  row.append(column);
  return n.result(n.b.constant(row, sizes));
}

void registerRearrangements(Registry &r) {
  r.add({"aten.atleast_1d.default", "aten.atleast_1d.Sequence"},
        lowerAtLeast<1>);
  r.add({"aten.atleast_2d.default", "aten.atleast_2d.Sequence"},
        lowerAtLeast<2>);
  r.add({"aten.atleast_3d.default", "aten.atleast_3d.Sequence"},
        lowerAtLeast<3>);
  r.add({"aten.vstack.default", "aten.row_stack.default"},
        lowerStackAlong<'v'>);
  r.add("aten.hstack.default", lowerStackAlong<'h'>);
  r.add("aten.dstack.default", lowerStackAlong<'d'>);
  r.add("aten.column_stack.default", lowerStackAlong<'c'>);
  r.add({"aten.vsplit.int", "aten.vsplit.array"}, lowerSplitAlong<'v'>);
  r.add({"aten.hsplit.int", "aten.hsplit.array"}, lowerSplitAlong<'h'>);
  r.add({"aten.dsplit.int", "aten.dsplit.array"}, lowerSplitAlong<'d'>);
  r.addWithFloat8({"aten.diagonal.default", "aten.diagonal_copy.default",
                   "aten.linalg_diagonal.default"},
                  lowerDiagonal);
  r.add("aten.diag_embed.default", lowerDiagEmbed);
  r.add("aten.diag.default", lowerDiag<false>);
  r.add("aten.diagflat.default", lowerDiag<true>);
  r.add("aten.diagonal_scatter.default", lowerDiagonalScatter);
  r.add("aten.trace.default", lowerTrace);
  r.add("aten.flipud.default", lowerFlipAlong<0>);
  r.add("aten.fliplr.default", lowerFlipAlong<1>);
  r.add("aten.rot90.default", lowerRot90);
  r.add("aten.fft_fftshift.default", lowerFFTShift<false>);
  r.add("aten.fft_ifftshift.default", lowerFFTShift<true>);
  r.add("aten.sum_to_size.default", lowerSumToSize);
  r.add("aten.block_diag.default", lowerBlockDiag);
  r.add("aten.cartesian_prod.default", lowerCartesianProduct);
  r.add("aten.tril_indices.default", lowerTriangleIndices<true>);
  r.add("aten.triu_indices.default", lowerTriangleIndices<false>);
}

} // namespace fx::lin

//===- Sorting.cpp - sorting ----------------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Short rows are sorted by counting: the place of an element is the number of
// elements that come before it. This takes n^2 comparisons, but no branches,
// and consists of reductions only, which vectorize and fuse. RadixSort.cpp
// sorts other rows.
//
//===----------------------------------------------------------------------===//

#include "Sorting.h"
#include "GraphLowering.h"
#include "fx/Kernels/IR/KernelDialect.h"

using namespace mlir;

namespace fx::lin {

/// The longest row that is sorted by counting.
static constexpr int64_t mostCounted = 64;

/// Builds a comparison that is true if `x` comes before `y`. A NaN is greater
/// than any number.
static Value before(Scalars &s, Value x, Value y, bool descending) {
  Value less = descending ? s.gt(x, y) : s.lt(x, y);
  if (!s.isFloat())
    return less;
  Value nan = s.isNan(x), other = s.isNan(y);
  return s.logicalOr(less, descending ? s.logicalAnd(nan, s.logicalNot(other))
                                      : s.logicalAnd(other, s.logicalNot(nan)));
}

/// Computes `sortedOrder` by counting.
static Tensor countingOrder(Builder &b, const Tensor &x, bool descending) {
  int64_t rank = x.rank(), last = rank - 1;
  Type i64 = b.b.getI64Type(), i1 = b.b.getI1Type(), dtype = x.dtype;
  Sizes pairs(x.sizes);
  pairs.push_back(x.sizes[last]);
  // [..., i, j]: 1 if element j comes before element i, else 0.
  Tensor mine = b.unsqueeze(x, rank), other = b.unsqueeze(x, last);
  Tensor comes = b.indexed(
      {mine, other}, pairs, i64, Type(),
      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) {
        Scalars e(s.b, s.loc, dtype), ix = s.indices();
        Value first = before(e, v[1], v[0], descending);
        Value after = before(e, v[0], v[1], descending);
        Value equal = s.logicalNot(s.logicalOr(first, after));
        Value tie = s.logicalAnd(equal, ix.lt(i[rank], i[last]));
        return toI64(s, s.logicalOr(first, tie), i1);
      },
      i64);
  Tensor place = b.sum(comes, {rank}, false, i64);
  // [..., k, i]: i if the place of element i is k, else 0.
  Tensor chosen = b.indexed(
      {b.unsqueeze(place, last)}, pairs, i64, Type(),
      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) {
        Scalars si(s.b, s.loc, i64);
        return si.select(si.eq(v[0], si.fromIndex(i[last])),
                         si.fromIndex(i[rank]), si.integer(0));
      },
      i64);
  return b.sum(chosen, {rank}, false, i64);
}

/// Returns the first `k` elements of each row of `sortedOrder`.
static Tensor firstInOrder(Builder &b, const Tensor &x, bool descending,
                           ExprAttr k, bool rowKernels = false) {
  std::optional<int64_t> length = x.sizes.back().getInteger();
  if (!length || *length > mostCounted)
    return radixOrder(b, x, descending, k, rowKernels);
  Tensor order = countingOrder(b, x, descending);
  return k == x.sizes.back()
             ? order
             : b.slice(order, order.rank() - 1, b.expr(0), k, b.expr(1));
}

Tensor sortedOrder(Builder &b, const Tensor &x, bool descending) {
  return firstInOrder(b, x, descending, x.sizes.back());
}

/// Returns true if a kernel sorts rows like those of `x`.
static bool hasKernel(NodeLowering &n, const Tensor &x) {
  std::optional<int64_t> length = x.sizes.back().getInteger();
  return n.graph.kernels.rows && length &&
         *length <= kernel::SortOp::kMaxLength &&
         x.dtype.getIntOrFloatBitWidth() <= 32;
}

bool sortsDirectly(NodeLowering &n, const Tensor &x) {
  std::optional<int64_t> length = x.sizes.back().getInteger();
  return hasKernel(n, x) || (length && *length <= mostCounted);
}

/// Sorts the rows of `r.x` by a kernel.
static void sortByKernel(Builder &b, Sorted &r, bool descending, ExprAttr k) {
  const Tensor &x = r.x;
  Type i64 = b.b.getI64Type();
  Sizes rows{b.product(ArrayRef<ExprAttr>(x.sizes).drop_back()),
             x.sizes.back()};
  Sizes found{rows[0], k}, shape(x.sizes);
  shape.back() = k;
  bool isUnsigned = Scalars(b.b, b.loc, x.dtype).isUnsigned();
  auto sort = kernel::SortOp::create(
      b.b, b.loc, b.materialize(b.reshape(x, rows)), b.empty(found, x.dtype),
      b.empty(found, i64), descending, isUnsigned);
  r.values = b.reshape(Tensor(sort.getSorted(), found, x.dtype), shape);
  r.index = b.reshape(Tensor(sort.getIndices(), found, i64), shape);
}

FailureOr<Sorted> getRows(NodeLowering &n, Tensor x, int64_t dim) {
  Builder &b = n.b;
  if (n.failed())
    return failure();
  if (x.rank() == 0)
    x = b.unsqueeze(x, 0);
  if (llvm::any_of(x.sizes, [](ExprAttr e) { return e.getInteger() == 0; }))
    return n.fail("an empty tensor");
  Sorted r;
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != dim)
      order.push_back(i);
  order.push_back(dim);
  r.back.resize(x.rank());
  for (auto [i, d] : llvm::enumerate(order))
    r.back[d] = i;
  r.x = b.contiguous(b.permute(x, order));
  return r;
}

void sort(NodeLowering &n, Sorted &r, bool descending, ExprAttr k) {
  if (!k)
    k = r.x.sizes.back();
  bool isSome = k.getInteger().value_or(0) > 0;
  if (isSome && hasKernel(n, r.x))
    return sortByKernel(n.b, r, descending, k);
  r.index =
      firstInOrder(n.b, r.x, descending, k, isSome && n.graph.kernels.rows);
}

FailureOr<Sorted> sort(NodeLowering &n, Tensor x, int64_t dim, bool descending,
                       ExprAttr k) {
  FailureOr<Sorted> r = getRows(n, x, dim);
  if (succeeded(r))
    sort(n, *r, descending, k);
  return r;
}

Tensor sortedValues(Builder &b, const Sorted &r) {
  return r.values ? r.values : pick(b, r.x, r.index);
}

Tensor pick(Builder &b, const Tensor &x, const Tensor &at) {
  return b.read(
      x, {at}, at.sizes, [&](Scalars &s, ValueRange v, ArrayRef<Value> i) {
        SmallVector<Value> place(i);
        place.back() = Scalars(s.b, s.loc, s.b.getI64Type()).toIndex(v[0]);
        return place;
      });
}

Tensor restore(NodeLowering &n, const Sorted &r, Tensor t) {
  t = n.b.permute(t, r.back);
  return n.resultSizes().empty() ? n.b.squeeze(t, 0) : t;
}

template <bool indicesOnly>
static LogicalResult lowerSort(NodeLowering &n) {
  Tensor x = n.tensor("self");
  bool column = n.target() == "aten.msort.default";
  int64_t dim = column ? 0 : n.dim("dim", x.rank());
  bool descending = !column && n.boolean("descending");
  bool empty =
      llvm::any_of(x.sizes, [](ExprAttr e) { return e.getInteger() == 0; });
  if (empty && !n.failed()) {
    Tensor none(n.b.empty(x.sizes, n.b.b.getI64Type()), x.sizes,
                n.b.b.getI64Type());
    if (indicesOnly)
      return n.result(none);
    return failed(n.set(0, x)) || column ? failure(n.failed()) : n.set(1, none);
  }
  FailureOr<Sorted> r = sort(n, x, dim, descending);
  if (failed(r))
    return failure();
  if (indicesOnly)
    return n.result(restore(n, *r, r->index));
  if (failed(n.set(0, restore(n, *r, sortedValues(n.b, *r)))))
    return failure();
  return column ? success() : n.set(1, restore(n, *r, r->index));
}

static LogicalResult lowerTopK(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  bool largest = n.boolean("largest");
  if (n.failed() || !n.resultType())
    return n.fail("the result is no tensor");
  ExprAttr k = x.rank() ? n.resultSizes()[dim] : n.b.expr(1);
  FailureOr<Sorted> r = sort(n, x, dim, largest, k);
  if (failed(r) || failed(n.set(0, restore(n, *r, sortedValues(n.b, *r)))))
    return failure();
  return n.set(1, restore(n, *r, r->index));
}

void registerSorting(Registry &r) {
  r.add({"aten.sort.default", "aten.sort.stable", "aten.msort.default"},
        lowerSort<false>);
  r.add({"aten.argsort.default", "aten.argsort.stable"}, lowerSort<true>);
  r.add("aten.topk.default", lowerTopK);
  registerOrderStatistics(r);
  registerSearching(r);
}

} // namespace fx::lin

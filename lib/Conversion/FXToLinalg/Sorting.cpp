//===- Sorting.cpp - sorting, order statistics and searching --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Short rows are sorted by counting: the place of an element is the number of
// elements that come before it. That is n^2 comparisons without a branch, and
// nothing but reductions, which vectorize and fuse. Others are merged: in a
// pass over runs of length w, the place of an element is its place in its run
// plus the number of elements of the neighbouring run that come before it,
// found by bisection.
//
//===----------------------------------------------------------------------===//

#include "Node.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

/// The longest row that is sorted by counting, and searched one by one.
static constexpr int64_t mostCounted = 64, mostSearched = 4096;

static Value toI64(Scalars &s, Value v, Type from) {
  return s.cast(v, from, s.b.getI64Type());
}

namespace {
/// Rows along the last dimension, and the order of their elements.
struct Sorted {
  Tensor x;                  // the operand with the sorted dimension last
  Tensor index;              // which element comes where
  SmallVector<int64_t> back; // the permutation to the operand's dimensions
};
} // namespace

/// Whether `x` comes before `y`; a NaN is more than any number.
static Value before(Scalars &s, Value x, Value y, bool descending) {
  Value less = descending ? s.gt(x, y) : s.lt(x, y);
  if (!s.isFloat())
    return less;
  Value nan = s.isNan(x), other = s.isNan(y);
  return s.logicalOr(less, descending ? s.logicalAnd(nan, s.logicalNot(other))
                                      : s.logicalAnd(other, s.logicalNot(nan)));
}

/// The order of the rows' elements by counting.
static Tensor countingOrder(Builder &b, const Tensor &x, bool descending) {
  int64_t rank = x.rank(), last = rank - 1;
  Type i64 = b.b.getI64Type(), i1 = b.b.getI1Type(), dtype = x.dtype;
  Sizes pairs(x.sizes);
  pairs.push_back(x.sizes[last]);
  // [..., i, j]: whether j comes before i.
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
  // [..., k, i]: i where element i stands at k, else 0.
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

/// The order of the rows' elements by merging, of any length.
static Tensor mergingOrder(Builder &b, const Tensor &x, bool descending) {
  Type i64 = b.b.getI64Type(), dtype = x.dtype;
  Tensor start = b.indexed({}, x.sizes, i64, i64,
                           [](Scalars &s, ValueRange, ArrayRef<Value> i) {
                             return s.fromIndex(i.back());
                           });
  Scalars ix(b.b, b.loc, b.b.getIndexType()), si(b.b, b.loc, i64);
  Value zero = b.index(0), one = b.index(1), two = ix.integer(2);
  Value length = b.index(x.sizes.back());
  // As many passes as the last index has bits.
  Value end = si.fromIndex(ix.sub(ix.max(length, one), one));
  Value passes = si.toIndex(si.sub(
      si.integer(64), math::CountLeadingZerosOp::create(b.b, b.loc, end)));
  auto loop = scf::ForOp::create(b.b, b.loc, zero, passes, one,
                                 ValueRange{start.value, one});
  OpBuilder::InsertionGuard guard(b.b);
  b.b.setInsertionPointToStart(loop.getBody());
  Value steps = ix.add(loop.getInductionVar(), one);
  Value source = loop.getRegionIterArg(0), width = loop.getRegionIterArg(1);
  Value merged = loopNest(
      b, x.sizes, b.empty(x.sizes, i64),
      [&](ArrayRef<Value> i, Value carried) -> Value {
        auto element = [&](Value at) -> std::pair<Value, Value> {
          SmallVector<Value> place(i);
          place.back() = at;
          Value which = tensor::ExtractOp::create(b.b, b.loc, source, place);
          place.back() = si.toIndex(which);
          return {which, tensor::ExtractOp::create(b.b, b.loc, x.value, place)};
        };
        Scalars e(b.b, b.loc, dtype);
        auto [which, v] = element(i.back());
        Value run = ix.div(i.back(), width);
        Value right = ix.eq(ix.fmod(run, two), one);
        Value mine = ix.mul(run, width);
        Value first = ix.select(right, ix.sub(mine, width), mine);
        Value from =
            ix.min(ix.select(right, first, ix.add(mine, width)), length);
        Value to = ix.min(ix.add(from, width), length);
        auto search = scf::ForOp::create(b.b, b.loc, zero, steps, one,
                                         ValueRange{from, to});
        {
          OpBuilder::InsertionGuard inner(b.b);
          b.b.setInsertionPointToStart(search.getBody());
          Value low = search.getRegionIterArg(0),
                high = search.getRegionIterArg(1);
          Value active = ix.lt(low, high);
          Value middle = ix.div(ix.add(low, high), two);
          Value u = element(ix.min(middle, ix.sub(length, one))).second;
          // Of equal elements those of the left run come first.
          Value comes =
              e.select(right, e.logicalNot(before(e, v, u, descending)),
                       before(e, u, v, descending));
          Value up = e.logicalAnd(active, comes);
          Value down = e.logicalAnd(active, e.logicalNot(comes));
          scf::YieldOp::create(
              b.b, b.loc,
              ValueRange{ix.select(up, ix.add(middle, one), low),
                         ix.select(down, middle, high)});
        }
        SmallVector<Value> place(i);
        place.back() = ix.add(ix.add(first, ix.sub(i.back(), mine)),
                              ix.sub(search.getResult(0), from));
        return tensor::InsertOp::create(b.b, b.loc, which, carried, place);
      });
  scf::YieldOp::create(b.b, b.loc, ValueRange{merged, ix.mul(width, two)});
  return Tensor(loop.getResult(0), x.sizes, i64);
}

Tensor sortedOrder(Builder &b, const Tensor &x, bool descending) {
  std::optional<int64_t> length = x.sizes.back().getInteger();
  return length && *length <= mostCounted ? countingOrder(b, x, descending)
                                          : mergingOrder(b, x, descending);
}

/// Sorts along `dim`, stably. Fails, with the node's reason, where there is
/// nothing to sort.
static FailureOr<Sorted> sort(Node &n, Tensor x, int64_t dim, bool descending) {
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
  r.index = sortedOrder(b, r.x, descending);
  return r;
}

/// The elements at places of the rows; `at` has the shape of the rows.
static Tensor pick(Builder &b, const Tensor &x, const Tensor &at) {
  return b.read(
      x, {at}, at.sizes, [&](Scalars &s, ValueRange v, ArrayRef<Value> i) {
        SmallVector<Value> place(i);
        place.back() = Scalars(s.b, s.loc, s.b.getI64Type()).toIndex(v[0]);
        return place;
      });
}

static Tensor restore(Node &n, const Sorted &r, Tensor t) {
  t = n.b.permute(t, r.back);
  return n.resultSizes().empty() ? n.b.squeeze(t, 0) : t;
}

template <bool indicesOnly>
static LogicalResult lowerSort(Node &n) {
  Tensor x = n.tensor(0, "self");
  bool stable = n.target().ends_with(".stable");
  bool column = n.target() == "aten.msort.default";
  int64_t dim = column ? 0 : n.dim(stable ? 99 : 1, "dim", x.rank(), -1);
  bool descending = !column && n.boolean(stable ? 99 : 2, "descending", false);
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
  if (failed(n.set(0, restore(n, *r, pick(n.b, r->x, r->index)))))
    return failure();
  return column ? success() : n.set(1, restore(n, *r, r->index));
}

static LogicalResult lowerTopK(Node &n) {
  Tensor x = n.tensor(0, "self");
  int64_t dim = n.dim(2, "dim", x.rank(), -1);
  bool largest = n.boolean(3, "largest", true);
  if (n.failed() || !n.resultType())
    return n.fail("the result is no tensor");
  ExprAttr k = x.rank() ? n.resultSizes()[dim] : n.b.expr(1);
  FailureOr<Sorted> r = sort(n, x, dim, largest);
  if (failed(r))
    return failure();
  Tensor at =
      n.b.slice(r->index, r->index.rank() - 1, n.b.expr(0), k, n.b.expr(1));
  if (failed(n.set(0, restore(n, *r, pick(n.b, r->x, at)))))
    return failure();
  return n.set(1, restore(n, *r, at));
}

/// The element at one place of each row, counted as `at` says from the number
/// of elements that are no NaN.
static LogicalResult orderStatistic(Node &n, Tensor x, int64_t dim,
                                    bool keepDim,
                                    function_ref<Value(Scalars &, Value)> at) {
  FailureOr<Sorted> r = sort(n, x, dim, false);
  if (failed(r))
    return failure();
  Builder &b = n.b;
  Type i64 = b.b.getI64Type();
  int64_t last = r->x.rank() - 1;
  Tensor count = b.reduce(
      b.pointwise(
          {r->x}, r->x.sizes, i64, r->x.dtype,
          [&](Scalars &s, ValueRange v) {
            return toI64(s, s.eq(v[0], v[0]), s.b.getI1Type());
          },
          i64),
      {last}, true, i64, [](Scalars &s) { return s.integer(0); },
      [](Scalars &s, Value a, Value v) { return s.add(a, v); });
  Tensor place = b.pointwise({count}, count.sizes, i64, i64,
                             [&](Scalars &s, ValueRange v) {
                               Value p = at(s, v[0]);
                               return s.max(p, s.integer(0));
                             });
  Tensor index = pick(b, r->index, place);
  Tensor value = pick(b, r->x, index);
  auto finish = [&](Tensor t) {
    t = b.permute(t, r->back);
    return x.rank() == 0 || !keepDim ? b.squeeze(t, dim) : t;
  };
  if (failed(n.set(0, finish(value))))
    return failure();
  return n.numResults() == 2 ? n.set(1, finish(index)) : success();
}

/// The lower of two middle elements. The first NaN stands behind the numbers.
template <bool ignoreNan>
static LogicalResult lowerMedian(Node &n) {
  Tensor x = n.tensor(0, "self");
  bool all = n.target().ends_with(".default");
  int64_t dim = 0;
  bool keepDim = false;
  if (all) {
    x = n.b.reshape(x, {n.b.product(x.sizes)});
  } else {
    dim = n.dim(1, "dim", x.rank());
    keepDim = n.boolean(2, "keepdim", false);
  }
  if (n.failed())
    return failure();
  ExprAttr length = x.rank() ? x.sizes[dim] : n.b.expr(1);
  Value size =
      Scalars(n.b.b, n.b.loc, n.b.b.getI64Type()).fromIndex(n.b.index(length));
  return orderStatistic(
      n, x, dim, keepDim, [&](Scalars &s, Value count) -> Value {
        Value middle = s.div(s.sub(count, s.integer(1)), s.integer(2));
        if (ignoreNan)
          return middle;
        return s.select(s.eq(count, size), middle, count);
      });
}

static LogicalResult lowerKthValue(Node &n) {
  Tensor x = n.tensor(0, "self");
  int64_t k = n.integer(1, "k", 1);
  int64_t dim = n.dim(2, "dim", x.rank(), -1);
  bool keepDim = n.boolean(3, "keepdim", false);
  return orderStatistic(n, x, dim, keepDim,
                        [&](Scalars &s, Value) { return s.integer(k - 1); });
}

/// Between the two elements around q * (n - 1), as the interpolation says.
template <bool ignoreNan>
static LogicalResult lowerQuantile(Node &n) {
  Tensor x = n.tensor(0, "self");
  bool flat = !n.has(2, "dim");
  bool scalar = n.target().ends_with(".scalar");
  int64_t rank = x.rank();
  int64_t dim = flat ? 0 : n.dim(2, "dim", rank);
  bool keepDim = n.boolean(3, "keepdim", false);
  StringRef mode = n.string(4, "interpolation", "linear");
  Builder &b = n.b;
  Type dtype = x.dtype, i64 = b.b.getI64Type();
  std::optional<Tensor> q;
  Number number;
  if (scalar)
    number = n.number(1, "q");
  else
    q = n.tensor(1, "q");
  if (n.failed() || !isa<FloatType>(dtype) || (q && q->rank() > 1))
    return n.fail("integers");
  if (flat)
    x = b.reshape(x, {b.product(x.sizes)});
  FailureOr<Sorted> r = sort(n, x, dim, false);
  if (failed(r))
    return failure();
  int64_t last = r->x.rank() - 1;
  Tensor values = pick(b, r->x, r->index);
  Tensor count = b.sum(b.pointwise(
                           {r->x}, r->x.sizes, i64, dtype,
                           [&](Scalars &s, ValueRange v) {
                             return toI64(s, s.eq(v[0], v[0]), s.b.getI1Type());
                           },
                           i64),
                       {last}, true, i64);
  // The quantiles are a new last dimension, in place of the sorted one.
  Tensor which =
      q ? b.cast(*q, dtype) : b.fromElement(b.number(number, dtype), dtype);
  if (which.rank() == 0)
    which = b.unsqueeze(which, 0);
  Sizes sizes(r->x.sizes);
  sizes.back() = which.sizes[0];
  Value length = Scalars(b.b, b.loc, i64).fromIndex(b.index(r->x.sizes[last]));
  Value source = b.materialize(values);
  Tensor y = b.indexed(
      {which, count}, sizes, dtype, Type(),
      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) -> Value {
        Scalars f(s.b, s.loc, dtype), si(s.b, s.loc, i64);
        Value one = si.integer(1), end = si.sub(length, one);
        Value n = si.max(si.sub(v[1], one), si.integer(0));
        Value at = f.mul(v[0], f.cast(ignoreNan ? n : end, i64, dtype));
        if (!ignoreNan) // a row with a NaN gives one
          at = f.select(si.eq(v[1], length), at, f.cast(end, i64, dtype));
        if (mode == "lower")
          at = f.floor(at);
        else if (mode == "higher")
          at = f.ceil(at);
        else if (mode == "nearest")
          at = f.roundEven(at);
        auto read = [&](Value p) -> Value {
          SmallVector<Value> place(i);
          place.back() = f.toIndex(p);
          return tensor::ExtractOp::create(s.b, s.loc, source, place);
        };
        Value low = f.floor(at), below = read(low), above = read(f.ceil(at));
        Value weight = mode == "midpoint" ? f.constant(0.5) : f.sub(at, low);
        Value d = f.sub(above, below);
        Value near = f.add(below, f.mul(weight, d));
        Value far = f.sub(above, f.mul(d, f.sub(f.constant(1), weight)));
        Value r = f.select(f.lt(weight, f.constant(0.5)), near, far);
        // An infinite row, and a place that is a whole number.
        return f.select(f.eq(below, above), below, r);
      },
      dtype);
  // The quantiles go to the front; the reduced dimension is kept or not.
  SmallVector<int64_t> order = {last};
  for (int64_t i = 0; i < last; ++i)
    order.push_back(i);
  y = b.permute(y, order);
  if (keepDim) {
    if (flat)
      for (int64_t i = 0; i < rank; ++i)
        y = b.unsqueeze(y, 1);
    else if (rank > 0)
      y = b.unsqueeze(y, 1 + dim);
  }
  if (!q || q->rank() == 0)
    y = b.squeeze(y, 0);
  return n.result(y);
}

//===----------------------------------------------------------------------===//
// Searching
//===----------------------------------------------------------------------===//

/// How many of the sorted row's elements come before each value.
static LogicalResult search(Node &n, const Tensor &sorted, const Tensor &values,
                            bool right) {
  Builder &b = n.b;
  std::optional<int64_t> length =
      sorted.rank() ? sorted.sizes.back().getInteger() : std::nullopt;
  if (n.failed() || !length || *length > mostSearched ||
      (sorted.rank() > 1 && sorted.rank() != values.rank()))
    return n.fail("a row that is long, or of unknown length");
  Type i64 = b.b.getI64Type(), dtype = promote({sorted, values}, {});
  Tensor row = sorted;
  if (sorted.rank() > 1)
    row = b.unsqueeze(row, row.rank() - 1);
  Tensor value = b.unsqueeze(values, values.rank());
  Sizes sizes(values.sizes);
  sizes.push_back(sorted.sizes.back());
  Tensor before = b.pointwise(
      {row, value}, sizes, i64, dtype,
      [&](Scalars &s, ValueRange v) {
        Value stop = right ? s.gt(v[0], v[1]) : s.ge(v[0], v[1]);
        return toI64(s, s.logicalNot(stop), s.b.getI1Type());
      },
      i64);
  return n.result(b.sum(before, {values.rank()}, false, i64));
}

static LogicalResult lowerSearchSorted(Node &n) {
  Tensor sorted = n.tensor(0, "sorted_sequence");
  bool scalar = n.target().ends_with(".Scalar");
  bool right =
      n.boolean(99, "right", false) || n.string(99, "side", "left") == "right";
  if (n.failed())
    return failure();
  if (n.has(99, "sorter")) {
    Tensor order = n.tensor(99, "sorter");
    if (n.failed() || order.rank() != sorted.rank() || order.rank() == 0)
      return n.fail("the sorter does not fit the sequence");
    n.b.checkIndices(order, sorted.sizes.back(),
                     "aten.searchsorted: an index is out of range", false);
    sorted = pick(n.b, sorted, n.b.cast(order, n.b.b.getI64Type()));
  }
  if (!scalar)
    return search(n, sorted, n.tensor(1, "self"), right);
  Number v = n.number(1, "self");
  Type dtype = v.kind == Number::Kind::Float ? Type(n.b.b.getF32Type())
                                             : Type(n.b.b.getI64Type());
  return search(n, sorted, n.b.fromElement(n.b.number(v, dtype), dtype), right);
}

static LogicalResult lowerBucketize(Node &n) {
  bool right = n.boolean(99, "right", false);
  Tensor values = n.tensor(0, "self"), row = n.tensor(1, "boundaries");
  return search(n, row, values, right);
}

static LogicalResult lowerIsIn(Node &n) {
  Tensor x = n.tensor(0, "elements"), set = n.tensor(1, "test_elements");
  bool invert = n.boolean(99, "invert", false);
  if (n.failed())
    return failure();
  Builder &b = n.b;
  Type i1 = b.b.getI1Type();
  Tensor flat = b.reshape(set, {b.product(set.sizes)});
  Sizes sizes(x.sizes);
  sizes.push_back(flat.sizes[0]);
  Tensor same = b.pointwise(
      {b.unsqueeze(x, x.rank()), flat}, sizes, i1, promote({x, set}, {}),
      [](Scalars &s, ValueRange v) { return s.eq(v[0], v[1]); }, i1);
  Tensor any = b.reduce(
      same, {x.rank()}, false, i1, [](Scalars &s) { return s.boolean(false); },
      [](Scalars &s, Value a, Value v) { return s.logicalOr(a, v); });
  return n.pointwise(0, {any}, i1, [&](Scalars &s, ValueRange v) {
    return invert ? s.logicalNot(v[0]) : v[0];
  });
}

void registerSorting(Registry &r) {
  r.add({"aten.sort.default", "aten.sort.stable", "aten.msort.default"},
        lowerSort<false>);
  r.add({"aten.argsort.default", "aten.argsort.stable"}, lowerSort<true>);
  r.add("aten.topk.default", lowerTopK);
  r.add({"aten.median.default", "aten.median.dim"}, lowerMedian<false>);
  r.add({"aten.nanmedian.default", "aten.nanmedian.dim"}, lowerMedian<true>);
  r.add("aten.kthvalue.default", lowerKthValue);
  r.add({"aten.quantile.default", "aten.quantile.scalar"},
        lowerQuantile<false>);
  r.add({"aten.nanquantile.default", "aten.nanquantile.scalar"},
        lowerQuantile<true>);
  r.add({"aten.searchsorted.Tensor", "aten.searchsorted.Scalar"},
        lowerSearchSorted);
  r.add("aten.bucketize.Tensor", lowerBucketize);
  r.add("aten.isin.Tensor_Tensor", lowerIsIn);
}

} // namespace fx::lin

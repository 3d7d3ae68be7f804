//===- OrderStatistics.cpp - medians and quantiles ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sorting.h"
#include "Variables.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

/// Returns an i64 tensor: 0 for each element of `x` that is NaN, else 1.
static Tensor markNumbers(Builder &b, const Tensor &x) {
  Type i64 = b.b.getI64Type();
  return b.pointwise(
      {x}, x.sizes, i64, x.dtype,
      [&](Scalars &s, ValueRange v) {
        return toI64(s, s.eq(v[0], v[0]), s.b.getI1Type());
      },
      i64);
}

/// Sets the results to the value and the index of one element of each row along
/// `dim`. `at` gets the number of elements that are not NaN and returns the
/// element's position in the sorted row; NaNs come last. If `most` is given,
/// the position is less.
static LogicalResult orderStatistic(NodeLowering &n, Tensor x, int64_t dim,
                                    bool keepDim,
                                    function_ref<Value(Scalars &, Value)> at,
                                    ExprAttr most = {}) {
  FailureOr<Sorted> r = getRows(n, x, dim);
  if (failed(r))
    return failure();
  Builder &b = n.b;
  Type i64 = b.b.getI64Type();
  int64_t last = r->x.rank() - 1;
  Tensor count = b.reduce(
      markNumbers(b, r->x), {last}, true, i64,
      [](Scalars &s) { return s.integer(0); },
      [](Scalars &s, Value a, Value v) { return s.add(a, v); });
  Tensor place = b.pointwise({count}, count.sizes, i64, i64,
                             [&](Scalars &s, ValueRange v) {
                               Value p = at(s, v[0]);
                               return s.max(p, s.integer(0));
                             });
  Tensor index;
  if (sortsDirectly(n, r->x)) {
    sort(n, *r, /*descending=*/false, most);
    index = pick(b, r->index, place);
  } else {
    index = radixFind(b, r->x, place);
  }
  Tensor value = pick(b, r->x, index);
  auto finish = [&](Tensor t) {
    t = b.permute(t, r->back);
    return x.rank() == 0 || !keepDim ? b.squeeze(t, dim) : t;
  };
  if (failed(n.set(0, finish(value))))
    return failure();
  return n.numResults() == 2 ? n.set(1, finish(index)) : success();
}

/// Lowers median and nanmedian: the element in the middle, or the lower one of
/// two. The median of a row with NaNs is NaN: the element after the numbers.
template <bool ignoreNan>
static LogicalResult lowerMedian(NodeLowering &n) {
  Tensor x = n.tensor("self");
  bool all = n.target().ends_with(".default");
  int64_t dim = 0;
  bool keepDim = false;
  if (all) {
    x = n.b.reshape(x, {n.b.product(x.sizes)});
  } else {
    dim = n.dim("dim", x.rank());
    keepDim = n.boolean("keepdim", false);
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

static LogicalResult lowerKthValue(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t k = n.integer("k");
  int64_t dim = n.dim("dim", x.rank());
  bool keepDim = n.boolean("keepdim");
  if (n.failed())
    return failure();
  std::optional<int64_t> length =
      x.rank() ? x.sizes[dim].getInteger() : std::nullopt;
  return orderStatistic(
      n, x, dim, keepDim, [&](Scalars &s, Value) { return s.integer(k - 1); },
      k > 0 && length && k <= *length ? n.b.expr(k) : ExprAttr());
}

/// Lowers mode: the most frequent value (the smallest one of several) and the
/// index of its last occurrence. PyTorch's index is unspecified for long rows,
/// which it sorts with an unstable algorithm.
static LogicalResult lowerMode(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  bool keepDim = n.boolean("keepdim");
  FailureOr<Sorted> r = sort(n, x, dim, false);
  if (failed(r))
    return failure();
  Builder &b = n.b;
  Tensor values = b.contiguous(sortedValues(b, *r));
  int64_t last = values.rank() - 1;
  Sizes outer(ArrayRef<ExprAttr>(values.sizes).drop_back());
  Scalars ix(b.b, b.loc, b.b.getIndexType()), e(b.b, b.loc, values.dtype);
  Value zero = b.index(0), one = b.index(1),
        length = b.index(values.sizes[last]);
  // Find the end of the longest run of equal elements in each sorted row.
  Type index = b.b.getI64Type();
  Scalars si(b.b, b.loc, index);
  Variables v(b);
  unsigned best = v.addEmpty(outer, index), run = v.add(zero),
           longest = v.add(zero), place = v.add(zero);
  v.nest(outer, [&](ArrayRef<Value> i) {
    for (unsigned scalar : {run, longest, place})
      v.set(scalar, zero);
    v.loop(zero, length, [&](Value k) {
      auto element = [&](Value at) -> Value {
        SmallVector<Value> where(i);
        where.push_back(at);
        return tensor::ExtractOp::create(b.b, b.loc, values.value, where);
      };
      Value before = element(ix.max(ix.sub(k, one), zero));
      Value goes = e.logicalAnd(ix.gt(k, zero), e.eq(element(k), before));
      v.set(run, ix.add(ix.select(goes, v.get(run), zero), one));
      Value longer = ix.gt(v.get(run), v.get(longest));
      v.set(longest, ix.select(longer, v.get(run), v.get(longest)));
      v.set(place, ix.select(longer, k, v.get(place)));
    });
    v.store(best, i, si.fromIndex(v.get(place)));
  });
  Tensor at = b.unsqueeze(v.tensor(best, outer, index), last);
  Tensor where = pick(b, r->index, at);
  auto finish = [&](Tensor t) {
    t = b.permute(t, r->back);
    return x.rank() == 0 || !keepDim ? b.squeeze(t, dim) : t;
  };
  if (failed(n.set(0, finish(pick(b, r->x, where)))))
    return failure();
  return n.set(1, finish(where));
}

/// Returns the position of quantile `q` in a sorted row, q * (n - 1), as a
/// value of the float type of `f`. The row has `length` elements, of which
/// `count` are not NaN. n is `count` if `ignoreNan`, else `length`.
template <bool ignoreNan>
static Value quantilePlace(Scalars &f, Value q, Value count, Value length) {
  Type i64 = f.b.getI64Type();
  Scalars si(f.b, f.loc, i64);
  Value one = si.integer(1), end = si.sub(length, one);
  Value n = si.max(si.sub(count, one), si.integer(0));
  Value at = f.mul(q, f.cast(ignoreNan ? n : end, i64, f.dtype));
  if (!ignoreNan) // in a row with NaNs, the last element is one
    at = f.select(si.eq(count, length), at, f.cast(end, i64, f.dtype));
  return at;
}

/// Returns the value at position `at`, which may lie between two elements.
/// `mode` is PyTorch's interpolation. `read` returns the element at an integral
/// position.
static Value interpolate(Scalars &f, Value at, StringRef mode,
                         function_ref<Value(Value)> read) {
  if (mode == "lower")
    at = f.floor(at);
  else if (mode == "higher")
    at = f.ceil(at);
  else if (mode == "nearest")
    at = f.roundEven(at);
  Value low = f.floor(at), below = read(low), above = read(f.ceil(at));
  Value weight = mode == "midpoint" ? f.constant(0.5) : f.sub(at, low);
  Value d = f.sub(above, below);
  Value near = f.add(below, f.mul(weight, d));
  Value far = f.sub(above, f.mul(d, f.sub(f.constant(1), weight)));
  Value r = f.select(f.lt(weight, f.constant(0.5)), near, far);
  // The formula computes NaN for infinite elements. If both elements are equal,
  // as at an integral position, use the element itself.
  return f.select(f.eq(below, above), below, r);
}

/// Moves the last dimension of `t` to the front.
static Tensor moveLastToFront(Builder &b, const Tensor &t) {
  int64_t last = t.rank() - 1;
  SmallVector<int64_t> order = {last};
  for (int64_t i = 0; i < last; ++i)
    order.push_back(i);
  return b.permute(t, order);
}

/// Lowers quantile and nanquantile: interpolates between the two elements
/// around position q * (n - 1).
template <bool ignoreNan>
static LogicalResult lowerQuantile(NodeLowering &n) {
  Tensor x = n.tensor("self");
  bool flat = !n.has("dim");
  bool scalar = n.target().ends_with(".scalar");
  int64_t rank = x.rank();
  int64_t dim = flat ? 0 : n.dim("dim", rank);
  bool keepDim = n.boolean("keepdim");
  StringRef mode = n.string("interpolation");
  Builder &b = n.b;
  Type dtype = x.dtype, i64 = b.b.getI64Type();
  std::optional<Tensor> q;
  Number number;
  if (scalar)
    number = n.number("q");
  else
    q = n.tensor("q");
  if (n.failed() || !isa<FloatType>(dtype) || (q && q->rank() > 1))
    return n.fail("integers");
  if (flat)
    x = b.reshape(x, {b.product(x.sizes)});
  FailureOr<Sorted> r = sort(n, x, dim, false);
  if (failed(r))
    return failure();
  int64_t last = r->x.rank() - 1;
  Tensor values = sortedValues(b, *r);
  Tensor count = b.sum(markNumbers(b, r->x), {last}, true, i64);
  // The dimension of the quantiles replaces the sorted one, which is the last.
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
        Scalars f(s.b, s.loc, dtype);
        Value at = quantilePlace<ignoreNan>(f, v[0], v[1], length);
        auto read = [&](Value p) -> Value {
          SmallVector<Value> place(i);
          place.back() = f.toIndex(p);
          return tensor::ExtractOp::create(s.b, s.loc, source, place);
        };
        return interpolate(f, at, mode, read);
      },
      dtype);
  // Move the quantiles to the front and restore the reduced dimensions.
  y = moveLastToFront(b, y);
  int64_t numReduced = flat ? rank : std::min<int64_t>(rank, 1);
  if (keepDim)
    for (int64_t i = 0; i < numReduced; ++i)
      y = b.unsqueeze(y, 1 + dim);
  if (!q || q->rank() == 0)
    y = b.squeeze(y, 0);
  return n.result(y);
}

void registerOrderStatistics(Registry &r) {
  r.add({"aten.median.default", "aten.median.dim"}, lowerMedian<false>);
  r.add({"aten.nanmedian.default", "aten.nanmedian.dim"}, lowerMedian<true>);
  r.add("aten.kthvalue.default", lowerKthValue);
  r.add("aten.mode.default", lowerMode);
  r.add({"aten.quantile.default", "aten.quantile.scalar"},
        lowerQuantile<false>);
  r.add({"aten.nanquantile.default", "aten.nanquantile.scalar"},
        lowerQuantile<true>);
}

} // namespace fx::lin

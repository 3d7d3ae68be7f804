//===- Histograms.cpp - counts of elements by bins ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matrices.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

namespace {
/// A histogram of points. Row i of `x` has the coordinates of point i; `edges`
/// has the edges of the bins along each dimension.
struct Histogram {
  Tensor x; // [elements, dimensions], contiguous
  SmallVector<Tensor> edges;
  std::optional<Tensor> weight; // [elements]
  /// All bins have one width: a bin is computed, not searched.
  bool isLinear = false;
  bool isDensity = false;
};
} // namespace

/// Returns the bin of `e`: the index of the last edge that is at most `e`,
/// clamped to the bins. `low` and `high` are variables for the search.
static Value findBin(Variables &v, const Tensor &edges, Value e, bool isLinear,
                     unsigned low, unsigned high) {
  Builder &b = v.b;
  Scalars s(b.b, b.loc, edges.dtype), ix = indices(b);
  Value one = b.index(1), zero = b.index(0), count = b.index(edges.sizes[0]);
  Value last = ix.sub(ix.sub(count, one), one);
  auto edge = [&](Value i) -> Value {
    return tensor::ExtractOp::create(b.b, b.loc, edges.value, i);
  };
  if (isLinear) {
    Value left = edge(zero), right = edge(ix.add(last, one));
    Value bins = s.fromIndex(ix.sub(count, one));
    Value at = s.div(s.mul(s.sub(e, left), bins), s.sub(right, left));
    // Elements outside of the range and NaN are not counted: any bin will do.
    at = s.select(s.ge(at, s.constant(0)), at, s.constant(0));
    at = s.min(at, bins);
    return ix.min(s.toIndex(at), last);
  }
  v.set(low, zero);
  v.set(high, count);
  // The search takes as many steps as the number of edges has bits.
  Scalars si = integers(b);
  Value zeros =
      math::CountLeadingZerosOp::create(b.b, b.loc, si.fromIndex(count));
  v.loop(zero, si.toIndex(si.sub(si.integer(64), zeros)), [&](Value) {
    Value from = v.get(low), to = v.get(high);
    Value active = ix.lt(from, to);
    Value middle = ix.div(ix.add(from, to), ix.integer(2));
    Value isBelow = s.le(edge(ix.min(middle, ix.add(last, one))), e);
    v.set(low,
          ix.select(s.logicalAnd(active, isBelow), ix.add(middle, one), from));
    v.set(high,
          ix.select(s.logicalAnd(active, s.logicalNot(isBelow)), middle, to));
  });
  return ix.min(ix.max(ix.sub(v.get(low), one), zero), last);
}

/// Returns the counts or the sums of weights, of one dimension for each element
/// of `edges`; normalizes them to a density if `isDensity`.
static Tensor count(Builder &b, const Histogram &h) {
  Type dtype = h.x.dtype;
  Scalars s(b.b, b.loc, dtype), ix = indices(b);
  Sizes sizes;
  for (const Tensor &edges : h.edges)
    sizes.push_back(ExprAttr::add(b.context(), {edges.sizes[0], b.expr(-1)}));
  Sizes flat = {b.product(sizes)};
  Value zero = b.index(0);
  Variables v(b);
  unsigned y = v.addFilled(flat, dtype, s.constant(0)), low = v.add(zero),
           high = v.add(zero);
  v.loop(zero, b.index(h.x.sizes[0]), [&](Value i) {
    Value place = zero, isInside = s.boolean(true);
    for (auto [d, edges] : llvm::enumerate(h.edges)) {
      Value column = b.index(d);
      Value e = tensor::ExtractOp::create(b.b, b.loc, h.x.value,
                                          ValueRange{i, column});
      Value end = ix.sub(b.index(edges.sizes[0]), b.index(1));
      Value left = tensor::ExtractOp::create(b.b, b.loc, edges.value, zero),
            right = tensor::ExtractOp::create(b.b, b.loc, edges.value, end);
      isInside =
          s.logicalAnd(isInside, s.logicalAnd(s.ge(e, left), s.le(e, right)));
      Value bin = findBin(v, edges, e, h.isLinear, low, high);
      place = ix.add(ix.mul(place, end), bin);
    }
    Value w = s.constant(1);
    if (h.weight)
      w = tensor::ExtractOp::create(b.b, b.loc, h.weight->value, i);
    w = s.select(isInside, w, s.constant(0));
    v.store(y, {place}, s.add(v.load(y, {place}), w));
  });
  Tensor r = b.reshape(v.tensor(y, flat, dtype), sizes);
  if (!h.isDensity)
    return r;
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, r.rank()));
  auto divide = [&](const Tensor &by) {
    r = b.map({r, by}, dtype,
              [](Scalars &s, ValueRange v) { return s.div(v[0], v[1]); });
  };
  divide(b.sum(r, all, false, dtype));
  for (auto [d, edges] : llvm::enumerate(h.edges)) {
    ExprAttr one = b.expr(1);
    Tensor width = b.map(
        {b.slice(edges, 0, one, sizes[d], one),
         b.slice(edges, 0, b.expr(0), sizes[d], one)},
        dtype, [](Scalars &s, ValueRange v) { return s.sub(v[0], v[1]); });
    for (size_t i = d + 1; i < sizes.size(); ++i)
      width = b.unsqueeze(width, width.rank());
    divide(width);
  }
  return r;
}

/// Returns `bins` + 1 edges between two ends, computed as in linspace.
static Tensor getEdges(Builder &b, Value left, Value right, int64_t bins,
                       Type dtype) {
  Scalars outer(b.b, b.loc, dtype);
  Value step = outer.div(outer.sub(right, left), outer.constant(double(bins)));
  return b.contiguous(b.indexed(
      {}, {b.expr(bins + 1)}, dtype, dtype,
      [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
        Scalars ix = s.indices();
        Value back = s.fromIndex(ix.sub(ix.integer(bins), i[0]));
        Value first = s.add(left, s.mul(step, s.fromIndex(i[0])));
        Value second = s.sub(right, s.mul(step, back));
        return s.select(ix.lt(i[0], ix.integer((bins + 1) / 2)), first, second);
      }));
}

/// Returns the smallest and the largest element of `column`, or the given ends
/// where it is empty.
static std::pair<Value, Value> getEnds(NodeLowering &n, const Tensor &column,
                                       double emptyLeft, double emptyRight) {
  Builder &b = n.b;
  Scalars s(b.b, b.loc, column.dtype);
  auto extreme = [&](bool isMax) {
    return b.element(b.reduce(
        column, {0}, false, column.dtype,
        [&](Scalars &s) { return isMax ? s.lowest() : s.highest(); },
        [&](Scalars &s, Value a, Value x) {
          return isMax ? s.max(a, x) : s.min(a, x);
        }));
  };
  Value isEmpty = indices(b).eq(b.index(column.sizes[0]), b.index(0));
  Value left = s.select(isEmpty, s.constant(emptyLeft), extreme(false)),
        right = s.select(isEmpty, s.constant(emptyRight), extreme(true));
  return {left, right};
}

/// Moves ends that are equal apart, each by `by`. Emits an assertion that the
/// ends are finite.
static void spread(NodeLowering &n, Value &left, Value &right, Type dtype,
                   double by) {
  Scalars s(n.b.b, n.b.loc, dtype);
  Value isFinite = s.logicalAnd(s.lt(s.abs(left), s.highest()),
                                s.lt(s.abs(right), s.highest()));
  n.b.check(isFinite, n.target().str() + ": expected a range that is finite");
  Value isPoint = s.eq(left, right);
  left = s.select(isPoint, s.sub(left, s.constant(by)), left);
  right = s.select(isPoint, s.add(right, s.constant(by)), right);
}

static bool canCount(NodeLowering &n, const Tensor &x) {
  return !n.failed() && n.resultType() && (x.dtype.isF32() || x.dtype.isF64());
}

/// histc(self, bins, min, max): if min equals max, the range is that of the
/// elements.
static LogicalResult lowerHistC(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t bins = n.integer("bins");
  double low = n.real("min"), high = n.real("max");
  if (!canCount(n, x) || bins < 1 || low > high)
    return n.fail("no floats, or no bins");
  Builder &b = n.b;
  Histogram h;
  h.isLinear = true;
  h.x = b.contiguous(b.reshape(x, {b.product(x.sizes), b.expr(1)}));
  Scalars s(b.b, b.loc, x.dtype);
  Value left = s.constant(low), right = s.constant(high);
  if (low == high)
    std::tie(left, right) =
        getEnds(n, b.reshape(x, {b.product(x.sizes)}), low, high);
  spread(n, left, right, x.dtype, 1);
  h.edges = {getEdges(b, left, right, bins, x.dtype)};
  return n.result(count(b, h));
}

/// Sets the edges of `h`: bins[d] bins for column d, in the given range or, if
/// it is None, in that of the column.
static LogicalResult readEdges(NodeLowering &n, Histogram &h,
                               ArrayRef<int64_t> bins, Argument range) {
  Builder &b = n.b;
  Type dtype = h.x.dtype;
  if (!range.isNone() &&
      (!range.isList() || range.getElements().size() != 2 * bins.size()))
    return n.fail("the range does not fit the dimensions");
  for (auto [d, number] : llvm::enumerate(bins)) {
    if (number < 1)
      return n.fail("no bins");
    Value left, right;
    if (range.isNone()) {
      Tensor column = b.select(h.x, 1, OpFoldResult(b.b.getIndexAttr(d)));
      std::tie(left, right) = getEnds(n, column, 0, 1);
    } else {
      left = b.number(n.asNumber(range.getElements()[2 * d]), dtype);
      right = b.number(n.asNumber(range.getElements()[2 * d + 1]), dtype);
    }
    spread(n, left, right, dtype, 0.5);
    h.edges.push_back(getEdges(b, left, right, number, dtype));
  }
  return success();
}

/// histogram(self, bins, range, weight, density): of all elements;
/// histogramdd(self, bins, range, weight, density): of rows along the last
/// dimension, if `isMany`. `bins` is the numbers of bins, or their edges. The
/// results are the counts (if `hasCounts`) and the edges (if `hasEdges`).
template <bool isMany, bool hasCounts, bool hasEdges>
static LogicalResult lowerHistogram(NodeLowering &n) {
  Tensor x = n.tensor("self");
  Argument bins = n.arg("bins"), range = n.arg("range");
  Builder &b = n.b;
  Histogram h;
  std::optional<Tensor> weight = n.optionalTensor("weight");
  h.isDensity = n.boolean("density", false);
  if (!canCount(n, x) || (isMany && x.rank() < 2))
    return n.fail("no rows of floats");
  ExprAttr columns = isMany ? x.sizes.back() : b.expr(1);
  ArrayRef<ExprAttr> outer(x.sizes);
  ExprAttr rows = b.product(isMany ? outer.drop_back() : outer);
  if (!columns.isInteger() || *columns.getInteger() > 6)
    return n.fail("many dimensions, or an unknown number of them");
  size_t dims = *columns.getInteger();
  h.x = b.contiguous(b.reshape(x, {rows, columns}));
  if (weight)
    h.weight = b.contiguous(b.reshape(b.cast(*weight, x.dtype), {rows}));
  SmallVector<int64_t> numbers;
  for (const Argument &arg : bins.getElements()) {
    if (n.isTensor(arg)) {
      Tensor edges = n.asTensor(arg);
      if (n.failed() || edges.rank() != 1 || edges.sizes[0].getInteger() == 1)
        return n.fail("edges that are no vector");
      h.edges.push_back(b.contiguous(b.cast(edges, x.dtype)));
      continue;
    }
    ExprAttr size = n.asSize(arg);
    if (n.failed() || !size.isInteger())
      return n.fail("an unknown number of bins");
    numbers.push_back(*size.getInteger());
  }
  if (numbers.size() == 1 && isMany)
    numbers.resize(dims, numbers[0]);
  if (h.edges.empty() && failed(readEdges(n, h, numbers, range)))
    return failure();
  if (h.edges.size() != dims ||
      n.numResults() != (hasCounts ? 1 : 0) + (hasEdges ? dims : 0))
    return n.fail("the bins do not fit the dimensions");
  if (hasCounts && failed(n.set(0, count(b, h))))
    return failure();
  if (hasEdges)
    for (auto [i, edges] : llvm::enumerate(h.edges))
      if (failed(n.set(i + hasCounts, edges)))
        return failure();
  return success();
}

void registerHistograms(Registry &r) {
  r.add("aten.histc.default", lowerHistC);
  r.add({"aten.histogram.bin_ct", "aten.histogram.bins_tensor"},
        lowerHistogram<false, true, true>);
  r.add({"aten.histogramdd.default", "aten.histogramdd.int_bins",
         "aten.histogramdd.TensorList_bins"},
        lowerHistogram<true, true, true>);
  r.add("aten._histogramdd_bin_edges.default",
        lowerHistogram<true, false, true>);
  r.add({"aten._histogramdd_from_bin_cts.default",
         "aten._histogramdd_from_bin_tensors.default"},
        lowerHistogram<true, true, false>);
}

} // namespace fx::lin

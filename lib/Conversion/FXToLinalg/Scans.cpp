//===- Scans.cpp - operators that accumulate along a dimension ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace fx::lin {

SmallVector<Tensor> scan(Builder &b, ArrayRef<Tensor> operands, int64_t dim,
                         ExprAttr length, ArrayRef<Tensor> start,
                         unsigned numWhole, ScanFn step, bool reverse) {
  // A slice at an index of the last dimension has one element of each row. Move
  // that dimension to the front, so that each slice is contiguous.
  bool isLast =
      dim > 0 && llvm::all_of(operands, [&](const Tensor &t) {
        return dim + 1 == t.rank() &&
               llvm::any_of(ArrayRef<ExprAttr>(t.sizes).drop_back(),
                            [](ExprAttr e) { return e.getInteger() != 1; });
      });
  if (isLast) {
    SmallVector<int64_t> order{dim}, back;
    llvm::append_range(order, llvm::seq<int64_t>(0, dim));
    llvm::append_range(back, llvm::seq<int64_t>(1, dim + 1));
    back.push_back(0);
    SmallVector<Tensor> turned;
    for (const Tensor &t : operands)
      turned.push_back(b.permute(t, order));
    SmallVector<Tensor> results =
        scan(b, turned, 0, length, start, numWhole, step, reverse);
    for (unsigned i = 0; i < numWhole; ++i)
      results[i] = b.permute(results[i], back);
    return results;
  }
  SmallVector<Tensor> whole;
  for (const Tensor &t : operands)
    whole.push_back(b.contiguous(t));
  SmallVector<Sizes> parts;
  SmallVector<Value> init;
  for (unsigned i = 0; i < numWhole; ++i) {
    Sizes sizes(start[i].sizes);
    sizes.insert(sizes.begin() + dim, length);
    init.push_back(b.empty(sizes, start[i].dtype));
    parts.push_back(sizes);
  }
  for (const Tensor &t : start)
    init.push_back(b.materialize(t));
  Value bound = b.index(length), one = b.index(1);
  auto loop = scf::ForOp::create(b.b, b.loc, b.index(0), bound, one, init);
  OpBuilder::InsertionGuard guard(b.b);
  b.b.setInsertionPointToStart(loop.getBody());
  Scalars ix(b.b, b.loc, b.b.getIndexType());
  Value i = loop.getInductionVar();
  if (reverse)
    i = ix.sub(ix.sub(bound, one), i);
  SmallVector<Tensor> slices, carried;
  for (const Tensor &t : whole)
    slices.push_back(b.select(t, dim, i));
  for (auto [k, t] : llvm::enumerate(start))
    carried.emplace_back(loop.getRegionIterArg(numWhole + k), t.sizes, t.dtype);
  SmallVector<Tensor> next = step(i, slices, carried);
  SmallVector<Value> yielded;
  for (unsigned k = 0; k < numWhole; ++k) {
    Sizes part(parts[k]);
    part[dim] = b.expr(1);
    SmallVector<OpFoldResult> offsets(part.size(), b.b.getIndexAttr(0)),
        strides(part.size(), b.b.getIndexAttr(1));
    offsets[dim] = i;
    yielded.push_back(b.insert(b.materialize(b.unsqueeze(next[k], dim)),
                               loop.getRegionIterArg(k), offsets, b.fold(part),
                               strides));
  }
  for (const Tensor &t : next)
    yielded.push_back(b.materialize(t));
  scf::YieldOp::create(b.b, b.loc, yielded);
  SmallVector<Tensor> results;
  for (auto [k, v] : llvm::enumerate(loop.getResults()))
    if (k < numWhole)
      results.emplace_back(v, parts[k], start[k].dtype);
    else
      results.emplace_back(v, start[k - numWhole].sizes,
                           start[k - numWhole].dtype);
  return results;
}

using CombineFn = Value (*)(Scalars &, Value, Value);

/// Lowers cumsum, cumprod and logcumsumexp.
template <CombineFn combine, Value (*first)(Scalars &)>
static LogicalResult lowerScan(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  if (n.failed())
    return failure();
  Type acc = opMathType(n.resultDtype());
  if (x.rank() == 0 || isEmpty(x.sizes))
    return n.result(x);
  Builder &b = n.b;
  Sizes rest(x.sizes);
  rest.erase(rest.begin() + dim);
  Scalars s(b.b, b.loc, acc);
  Tensor start(b.filled(rest, acc, first(s)), rest, acc);
  return n.result(scan(b, {b.cast(x, acc)}, dim, x.sizes[dim], {start}, 1,
                       [&](Value, ArrayRef<Tensor> part,
                           ArrayRef<Tensor> sofar) -> SmallVector<Tensor> {
                         return {b.pointwise({sofar[0], part[0]}, rest, acc,
                                             acc, [](Scalars &s, ValueRange v) {
                                               return combine(s, v[0], v[1]);
                                             })};
                       })[0]);
}

/// Returns log(exp(a) + exp(v)), or v if a is -inf, the initial value.
static Value logAddExp(Scalars &s, Value a, Value v) {
  Value high = s.max(a, v), d = s.neg(s.abs(s.sub(a, v)));
  Value sum = s.add(high, s.log(s.add(s.constant(1), s.exp(d))));
  Value same = s.logicalAnd(s.eq(a, v), s.eq(s.abs(a), s.highest()));
  return s.select(s.logicalOr(same, s.eq(a, s.lowest())), v, sum);
}

/// Lowers cummax and cummin: the extreme up to each element, and the index of
/// its last occurrence. A NaN is more extreme than any number.
template <bool max>
static LogicalResult lowerCumulativeExtreme(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  if (n.failed() || n.numResults() != 2)
    return n.fail("two results");
  Builder &b = n.b;
  Type i64 = b.b.getI64Type();
  Scalars si(b.b, b.loc, i64), s(b.b, b.loc, x.dtype);
  if (x.rank() == 0 || isEmpty(x.sizes)) {
    if (failed(n.set(0, x)))
      return failure();
    return n.set(1,
                 Tensor(b.filled(x.sizes, i64, si.integer(0)), x.sizes, i64));
  }
  Sizes rest(x.sizes);
  rest.erase(rest.begin() + dim);
  Tensor value(b.filled(rest, x.dtype, max ? s.lowest() : s.highest()), rest,
               x.dtype);
  Tensor index(b.filled(rest, i64, si.integer(0)), rest, i64);
  auto better = [](Scalars &s, Value v, Value best) {
    Value r = max ? s.ge(v, best) : s.le(v, best);
    return s.isFloat() ? s.logicalOr(r, s.isNan(v)) : r;
  };
  // Only another NaN replaces a NaN.
  auto take = [&](Scalars &s, Value v, Value best) {
    Value r = better(s, v, best);
    if (!s.isFloat())
      return r;
    return s.logicalAnd(r,
                        s.logicalOr(s.isNan(v), s.logicalNot(s.isNan(best))));
  };
  SmallVector<Tensor> both =
      scan(b, {x}, dim, x.sizes[dim], {value, index}, 2,
           [&](Value i, ArrayRef<Tensor> part,
               ArrayRef<Tensor> sofar) -> SmallVector<Tensor> {
             Scalars outer(b.b, b.loc, i64);
             Value at = outer.fromIndex(i);
             Tensor v =
                 b.pointwise({part[0], sofar[0]}, rest, x.dtype, x.dtype,
                             [&](Scalars &s, ValueRange v) {
                               return s.select(take(s, v[0], v[1]), v[0], v[1]);
                             });
             Tensor where =
                 b.pointwise({part[0], sofar[0], sofar[1]}, rest, i64, Type(),
                             [&](Scalars &s, ValueRange v) {
                               Scalars e(s.b, s.loc, x.dtype);
                               return s.select(take(e, v[0], v[1]), at, v[2]);
                             });
             return {v, where};
           });
  if (failed(n.set(0, both[0])))
    return failure();
  return n.set(1, both[1]);
}

//===----------------------------------------------------------------------===//
// Integrals
//===----------------------------------------------------------------------===//

/// Returns the areas of the trapezoids between neighbors along `dim`: their
/// distance times the mean of their values. Returns std::nullopt if the
/// arguments do not fit.
static std::optional<Tensor> trapezoids(NodeLowering &n, const Tensor &y,
                                        int64_t dim) {
  Builder &b = n.b;
  ExprAttr less = ExprAttr::add(n.context(), {y.sizes[dim], b.expr(-1)});
  if (!less)
    return std::nullopt;
  auto ends = [&](const Tensor &t, int64_t d) {
    ExprAttr one = b.expr(1), zero = b.expr(0);
    return std::pair(b.slice(t, d, zero, less, one),
                     b.slice(t, d, one, less, one));
  };
  auto [left, right] = ends(y, dim);
  Type dtype = n.resultDtype();
  if (!n.target().ends_with(".x")) {
    Number dx = n.number("dx");
    if (n.failed())
      return std::nullopt;
    Hoisted h(b, dx, opMathType(dtype));
    return b.map({left, right}, dtype, [&](Scalars &s, ValueRange v) {
      return s.mul(s.mul(s.add(v[0], v[1]), h.in(s)), s.constant(0.5));
    });
  }
  Tensor x = n.tensor("x");
  if (n.failed() || x.rank() == 0)
    return std::nullopt;
  int64_t at = x.rank() == 1 ? 0 : dim - (y.rank() - x.rank());
  if (at < 0 || x.sizes[at].isProvablyDifferent(y.sizes[dim]))
    return std::nullopt;
  auto [from, to] = ends(x, at);
  if (x.rank() == 1)
    for (int64_t i = dim + 1; i < y.rank(); ++i) {
      from = b.unsqueeze(from, from.rank());
      to = b.unsqueeze(to, to.rank());
    }
  return b.map({left, right, from, to}, dtype, [](Scalars &s, ValueRange v) {
    return s.mul(s.mul(s.sub(v[3], v[2]), s.add(v[0], v[1])), s.constant(0.5));
  });
}

template <bool cumulative>
static LogicalResult lowerTrapezoid(NodeLowering &n) {
  Tensor y = n.tensor("y");
  int64_t dim = n.dim("dim", y.rank());
  Type dtype = n.resultDtype();
  if (n.failed() || y.rank() == 0 || !isa<FloatType>(dtype))
    return n.fail("a 0-d tensor, or integers");
  if (isEmpty(y.sizes) || isEmpty(n.resultSizes()))
    return n.fail("an empty tensor");
  std::optional<Tensor> areas = trapezoids(n, y, dim);
  if (!areas)
    return n.fail("the places do not fit the values");
  Builder &b = n.b;
  Type acc = opMathType(dtype);
  if (!cumulative)
    return n.result(b.sum(*areas, {dim}, false, acc));
  Sizes rest(areas->sizes);
  rest.erase(rest.begin() + dim);
  Scalars s(b.b, b.loc, acc);
  Tensor start(b.filled(rest, acc, s.constant(0)), rest, acc);
  return n.result(scan(b, {b.cast(*areas, acc)}, dim, areas->sizes[dim],
                       {start}, 1,
                       [&](Value, ArrayRef<Tensor> part,
                           ArrayRef<Tensor> sofar) -> SmallVector<Tensor> {
                         return {b.pointwise({sofar[0], part[0]}, rest, acc,
                                             acc, [](Scalars &s, ValueRange v) {
                                               return s.add(v[0], v[1]);
                                             })};
                       })[0]);
}

static Value add(Scalars &s, Value x, Value y) { return s.add(x, y); }
static Value mul(Scalars &s, Value x, Value y) { return s.mul(x, y); }
static Value zero(Scalars &s) { return s.integer(0); }
static Value one(Scalars &s) { return s.integer(1); }
static Value lowest(Scalars &s) { return s.lowest(); }

void registerScans(Registry &r) {
  r.add("aten.cumsum.default", lowerScan<add, zero>);
  r.add("aten.cumprod.default", lowerScan<mul, one>);
  r.add("aten.logcumsumexp.default", lowerScan<logAddExp, lowest>);
  r.add("aten.cummax.default", lowerCumulativeExtreme<true>);
  r.add("aten.cummin.default", lowerCumulativeExtreme<false>);
  r.add({"aten.trapezoid.x", "aten.trapezoid.dx", "aten.trapz.x",
         "aten.trapz.dx"},
        lowerTrapezoid<false>);
  r.add({"aten.cumulative_trapezoid.x", "aten.cumulative_trapezoid.dx"},
        lowerTrapezoid<true>);
}

} // namespace fx::lin

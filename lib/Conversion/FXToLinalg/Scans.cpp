//===- Scans.cpp - operators that accumulate along a dimension ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphLowering.h"
#include "NodeLowering.h"
#include "fx/Kernels/IR/KernelDialect.h"

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

namespace {
using CombineFn = Value (*)(Scalars &, Value, Value);

/// A sum, product or the like of the elements up to each one.
struct Accumulation {
  CombineFn combine;
  Value (*first)(Scalars &);
};
} // namespace

static Value add(Scalars &s, Value x, Value y) { return s.add(x, y); }
static Value mul(Scalars &s, Value x, Value y) { return s.mul(x, y); }
static Value zero(Scalars &s) { return s.integer(0); }
static Value one(Scalars &s) { return s.integer(1); }
static Value lowest(Scalars &s) { return s.lowest(); }

/// Creates a scan of `x` along `dim` that a kernel computes, with outputs of
/// `dtypes`. `body` gets the index, the element and the carried values, and
/// returns the elements of the outputs and the next carried values.
static SmallVector<Tensor> scanByKernel(
    Builder &b, const Tensor &x, int64_t dim, ArrayRef<Type> dtypes,
    ValueRange start,
    llvm::function_ref<SmallVector<Value>(Value, Value, ValueRange)> body) {
  ArrayRef<ExprAttr> sizes(x.sizes);
  Sizes shape{b.product(sizes.take_front(dim)), sizes[dim],
              b.product(sizes.drop_front(dim + 1))};
  Value input = b.materialize(b.reshape(x, shape));
  SmallVector<Value> outputs;
  for (Type dtype : dtypes)
    outputs.push_back(b.empty(shape, dtype));
  auto scan = kernel::ScanOp::create(b.b, b.loc, TypeRange(outputs), input,
                                     start, outputs);
  OpBuilder::InsertionGuard guard(b.b);
  SmallVector<Type> types{b.b.getIndexType(),
                          getElementTypeOrSelf(input.getType())};
  llvm::append_range(types, start.getTypes());
  Block *block = b.b.createBlock(&scan.getBody(), {}, types,
                                 SmallVector<Location>(types.size(), b.loc));
  ValueRange arguments = block->getArguments();
  kernel::YieldOp::create(
      b.b, b.loc, body(arguments[0], arguments[1], arguments.drop_front(2)));
  SmallVector<Tensor> results;
  b.b.setInsertionPointAfter(scan);
  for (auto [value, dtype] : llvm::zip(scan.getResults(), dtypes))
    results.push_back(b.reshape(Tensor(value, shape, dtype), x.sizes));
  return results;
}

/// Returns into how many parts a single row along `dim` is divided, whose
/// elements are summed up at the same time; 1 if there are other rows, or if
/// the row is short.
static int64_t countParts(const Tensor &x, int64_t dim) {
  constexpr int64_t least = 2048;
  for (auto [i, size] : llvm::enumerate(x.sizes))
    if (size.getInteger() != 1 && int64_t(i) != dim)
      return 1;
  int64_t length = x.sizes[dim].getInteger().value_or(0);
  for (int64_t parts = 8; parts > 2 && length >= least; --parts)
    if (length % parts == 0)
      return parts;
  return 1;
}

/// Accumulates the elements of `x`, which are not empty, along `dim`.
static Tensor accumulate(NodeLowering &n, const Tensor &x, int64_t dim,
                         Type dtype, const Accumulation &how) {
  Builder &b = n.b;
  Type acc = opMathType(dtype);
  if (!n.graph.kernels.rows) {
    Sizes rest(x.sizes);
    rest.erase(rest.begin() + dim);
    Scalars s(b.b, b.loc, acc);
    Tensor start(b.filled(rest, acc, how.first(s)), rest, acc);
    return scan(b, {b.cast(x, acc)}, dim, x.sizes[dim], {start}, 1,
                [&](Value, ArrayRef<Tensor> part,
                    ArrayRef<Tensor> sofar) -> SmallVector<Tensor> {
                  return {b.pointwise({sofar[0], part[0]}, rest, acc, acc,
                                      [&](Scalars &s, ValueRange v) {
                                        return how.combine(s, v[0], v[1]);
                                      })};
                })[0];
  }
  // As in PyTorch.
  if (dtype.isF32())
    acc = b.b.getF64Type();
  // The kernel converts integers to integers, for example of bool.
  bool converts = isa<IntegerType>(x.dtype) && isa<IntegerType>(dtype);
  Tensor from = converts ? x : b.cast(x, dtype);
  Scalars s(b.b, b.loc, acc);
  auto scanTo = [&](const Tensor &t, int64_t dim, Type to) {
    return scanByKernel(
        b, t, dim, {to}, how.first(s),
        [&](Value, Value element, ValueRange carried) -> SmallVector<Value> {
          Value v = s.cast(element, t.dtype, acc);
          Value next = how.combine(s, carried[0], v);
          return {s.cast(next, acc, to), next};
        })[0];
  };
  int64_t parts = how.combine == add ? countParts(x, dim) : 1;
  if (parts == 1)
    return scanTo(from, dim, dtype);
  // The sums within each part, and then those of all parts before it.
  ExprAttr number = b.expr(parts),
           each = b.expr(*x.sizes[dim].getInteger() / parts), one = b.expr(1);
  Tensor within = scanTo(b.reshape(from, {number, each}), 1, acc);
  Tensor last = b.slice(within, 1, b.expr(*each.getInteger() - 1), one, one);
  Tensor ends = scanTo(b.reshape(last, {number}), 0, acc);
  Tensor before = b.slice(ends, 0, b.expr(0), b.expr(parts - 1), one);
  before = b.pad(before, {one}, {b.expr(0)}, how.first(s));
  Tensor sums =
      b.pointwise({within, b.unsqueeze(before, 1)}, within.sizes, dtype, acc,
                  [](Scalars &s, ValueRange v) { return s.add(v[1], v[0]); });
  return b.reshape(sums, x.sizes);
}

/// Lowers a scan of one operand by `compute`, which gets the operand, the
/// dimension and the dtype of the result.
static LogicalResult
lowerScanBy(NodeLowering &n,
            llvm::function_ref<Tensor(const Tensor &, int64_t, Type)> compute) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  if (n.failed())
    return failure();
  if (x.rank() == 0 || isEmpty(x.sizes))
    return n.result(x);
  return n.result(compute(x, dim, n.resultDtype()));
}

/// Lowers cumsum and cumprod.
template <CombineFn combine, Value (*first)(Scalars &)>
static LogicalResult lowerScan(NodeLowering &n) {
  return lowerScanBy(n, [&](const Tensor &x, int64_t dim, Type dtype) {
    return accumulate(n, x, dim, dtype, {combine, first});
  });
}

/// Returns log(exp(a) + exp(v)), or v if a is -inf, the initial value.
static Value logAddExp(Scalars &s, Value a, Value v) {
  Value high = s.max(a, v), d = s.neg(s.abs(s.sub(a, v)));
  Value sum = s.add(high, s.unary<math::Log1pOp>(s.exp(d)));
  Value same = s.logicalAnd(s.eq(a, v), s.eq(s.abs(a), s.highest()));
  return s.select(s.logicalOr(same, s.eq(a, s.lowest())), v, sum);
}

/// Computes logcumsumexp. A kernel carries the maximum m so far and t, the sum
/// of exp(x - m) without the term of the maximum, so that errors do not add up
/// as in logarithms of sums. The result is m + log(1 + t). As in PyTorch, sums
/// of f32 are f64.
static Tensor logCumSumExp(NodeLowering &n, const Tensor &x, int64_t dim,
                           Type dtype) {
  Builder &b = n.b;
  if (!n.graph.kernels.rows)
    return accumulate(n, x, dim, dtype, {logAddExp, lowest});
  Type acc = opMathType(dtype);
  Type wide = dtype.isF32() ? Type(b.b.getF64Type()) : acc;
  Scalars s(b.b, b.loc, acc), w(b.b, b.loc, wide);
  return scanByKernel(
      b, b.cast(x, dtype), dim, {dtype}, {s.lowest(), w.constant(0)},
      [&](Value, Value element, ValueRange carried) -> SmallVector<Value> {
        Value v = s.cast(element, dtype, acc), max = carried[0];
        Value isGreater = s.gt(v, max), one = w.constant(1);
        // Equal infinities have a difference of 0.
        Value d =
            s.select(s.eq(v, max), s.constant(0), s.neg(s.abs(s.sub(v, max))));
        Value e = w.cast(s.exp(d), acc, wide);
        Value t = w.select(isGreater, w.mul(w.add(carried[1], one), e),
                           w.add(carried[1], e));
        max = s.max(max, v);
        Value log = s.unary<math::Log1pOp>(s.cast(t, wide, acc));
        return {s.cast(s.add(max, log), acc, dtype), max, t};
      })[0];
}

static LogicalResult lowerLogCumSumExp(NodeLowering &n) {
  return lowerScanBy(n, [&](const Tensor &x, int64_t dim, Type dtype) {
    return logCumSumExp(n, x, dim, dtype);
  });
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
  if (n.graph.kernels.rows) {
    // Vectors of 32-bit indices are faster.
    Type index = x.sizes[dim].isInteger() ? b.b.getI32Type() : i64;
    Scalars where(b.b, b.loc, index);
    SmallVector<Tensor> both = scanByKernel(
        b, x, dim, {x.dtype, i64},
        {max ? s.lowest() : s.highest(), where.integer(0)},
        [&](Value i, Value v, ValueRange best) -> SmallVector<Value> {
          Value isBetter = take(s, v, best[0]);
          Value value = s.select(isBetter, v, best[0]);
          Value at = where.select(isBetter, where.fromIndex(i), best[1]);
          return {value, at, value, at};
        });
    if (failed(n.set(0, both[0])))
      return failure();
    return n.set(1, both[1]);
  }
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
  return n.result(accumulate(n, *areas, dim, dtype, {add, zero}));
}

void registerScans(Registry &r) {
  r.add("aten.cumsum.default", lowerScan<add, zero>);
  r.add("aten.cumprod.default", lowerScan<mul, one>);
  r.add("aten.logcumsumexp.default", lowerLogCumSumExp);
  r.add("aten.cummax.default", lowerCumulativeExtreme<true>);
  r.add("aten.cummin.default", lowerCumulativeExtreme<false>);
  r.add({"aten.trapezoid.x", "aten.trapezoid.dx", "aten.trapz.x",
         "aten.trapz.dx"},
        lowerTrapezoid<false>);
  r.add({"aten.cumulative_trapezoid.x", "aten.cumulative_trapezoid.dx"},
        lowerTrapezoid<true>);
}

} // namespace fx::lin

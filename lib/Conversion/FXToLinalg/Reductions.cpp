//===- Reductions.cpp - reductions ----------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Node.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

namespace {
/// The tensor, the dimensions to reduce and whether they are kept.
struct Reduction {
  Reduction(Node &n, unsigned dimPosition = 1) : x(n.tensor(0, "self")) {
    dims = n.dims(dimPosition, "dim", x.rank());
    keepDim = n.boolean(dimPosition + 1, "keepdim", false);
  }
  Tensor x;
  SmallVector<int64_t> dims;
  bool keepDim;
};
} // namespace

static LogicalResult lowerSum(Node &n) {
  Reduction r(n);
  if (n.failed())
    return failure();
  return n.result(
      n.b.sum(r.x, r.dims, r.keepDim, opMathType(n.resultDtype())));
}

static LogicalResult lowerSumAll(Node &n) {
  Tensor x = n.tensor(0, "self");
  if (n.failed())
    return failure();
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  return n.result(n.b.sum(x, dims, false, opMathType(n.resultDtype())));
}

static LogicalResult lowerMean(Node &n) {
  Reduction r(n);
  if (n.failed() || !isa<FloatType>(n.resultDtype()))
    return n.fail("the mean of integers");
  return n.result(
      n.b.mean(r.x, r.dims, r.keepDim, opMathType(n.resultDtype())));
}

static LogicalResult lowerMeanAll(Node &n) {
  Tensor x = n.tensor(0, "self");
  if (n.failed() || !isa<FloatType>(n.resultDtype()))
    return n.fail("the mean of integers");
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  return n.result(n.b.mean(x, dims, false, opMathType(n.resultDtype())));
}

using InitFn = Value (*)(Scalars &);
using CombineFn = Value (*)(Scalars &, Value, Value);

/// A reduction in one type: the operand's, or bool.
template <InitFn init, CombineFn combine, bool toBool>
static LogicalResult lowerReduce(Node &n) {
  Reduction r(n);
  if (n.target().ends_with(".default") &&
      !n.target().starts_with("aten.amax") &&
      !n.target().starts_with("aten.amin")) {
    r.dims = llvm::to_vector(llvm::seq<int64_t>(0, r.x.rank()));
    r.keepDim = false;
  }
  if (n.failed())
    return failure();
  Type acc = toBool ? Type(n.b.b.getI1Type()) : r.x.dtype;
  return n.result(n.b.reduce(r.x, r.dims, r.keepDim, acc, init, combine));
}

static LogicalResult lowerProd(Node &n) {
  Tensor x = n.tensor(0, "self");
  bool all = n.target() == "aten.prod.default";
  SmallVector<int64_t> dims =
      all ? llvm::to_vector(llvm::seq<int64_t>(0, x.rank()))
          : n.dims(1, "dim", x.rank());
  bool keepDim = !all && n.boolean(2, "keepdim", false);
  if (n.failed())
    return failure();
  return n.result(n.b.reduce(
      x, dims, keepDim, opMathType(n.resultDtype()),
      [](Scalars &s) { return s.integer(1); },
      [](Scalars &s, Value a, Value v) { return s.mul(a, v); }));
}

/// The extreme value along a dimension and where it first stands; a NaN is
/// more extreme than any number.
static std::pair<Tensor, Tensor> extreme(Node &n, const Tensor &input,
                                         int64_t dim, bool keepDim, bool max) {
  Builder &b = n.b;
  Tensor t = input.dims[dim] < 0 ? b.contiguous(input) : input;
  Type i64 = b.b.getI64Type();
  unsigned rank = t.rank();
  Tensor value, index;
  value.dtype = t.dtype;
  index.dtype = i64;
  Sizes kept;
  SmallVector<AffineExpr> outExprs;
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators[dim] = utils::IteratorType::reduction;
  for (unsigned i = 0; i < rank; ++i) {
    bool reduced = i == dim;
    if (reduced && !keepDim)
      continue;
    value.sizes.push_back(reduced ? b.expr(1) : t.sizes[i]);
    value.dims.push_back(reduced ? -1 : int(kept.size()));
    if (reduced)
      continue;
    outExprs.push_back(b.b.getAffineDimExpr(i));
    kept.push_back(t.sizes[i]);
  }
  if (keepDim) {
    outExprs.clear();
    for (unsigned i = 0; i < rank; ++i)
      if (i != dim)
        outExprs.push_back(b.b.getAffineDimExpr(i));
  }
  index.sizes = value.sizes;
  index.dims = value.dims;
  Scalars outer(b.b, b.loc, t.dtype), outerIndex(b.b, b.loc, i64);
  Value values = b.filled(kept, t.dtype, max ? outer.lowest() : outer.highest());
  Value indices = b.filled(kept, i64, outerIndex.integer(0));
  SmallVector<unsigned> loops = llvm::to_vector(llvm::seq<unsigned>(0, rank));
  AffineMap out = AffineMap::get(rank, 0, outExprs, b.context());
  SmallVector<AffineMap> maps = {b.map(t, loops, rank), out, out};
  auto op = linalg::GenericOp::create(
      b.b, b.loc, TypeRange{values.getType(), indices.getType()}, t.value,
      ValueRange{values, indices}, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        Scalars s(nested, loc, t.dtype), si(nested, loc, i64);
        Value x = args[0], best = args[1], at = args[2];
        Value i = si.fromIndex(linalg::IndexOp::create(nested, loc, dim));
        Value better = max ? s.gt(x, best) : s.lt(x, best);
        if (s.isFloat()) {
          Value newNan = s.logicalAnd(s.isNan(x), s.logicalNot(s.isNan(best)));
          better = s.logicalOr(better, newNan);
        }
        linalg::YieldOp::create(nested, loc,
                                ValueRange{s.select(better, x, best),
                                           si.select(better, i, at)});
      });
  value.value = op.getResult(0);
  index.value = op.getResult(1);
  return {value, index};
}

/// max.dim, min.dim: values and indices.
template <bool max> static LogicalResult lowerExtremeDim(Node &n) {
  Tensor x = n.tensor(0, "self");
  int64_t dim = n.dim(1, "dim", x.rank());
  bool keepDim = n.boolean(2, "keepdim", false);
  if (n.failed() || n.numResults() != 2 || x.rank() == 0)
    return n.fail("a 0-d tensor");
  auto [value, index] = extreme(n, x, dim, keepDim, max);
  if (failed(n.set(0, value)))
    return failure();
  return n.set(1, index);
}

template <bool max> static LogicalResult lowerArgExtreme(Node &n) {
  Tensor x = n.tensor(0, "self");
  bool all = !n.has(1, "dim");
  bool keepDim = n.boolean(2, "keepdim", false);
  if (n.failed())
    return failure();
  int64_t dim = 0;
  if (all) {
    if (keepDim)
      return n.fail("keepdim of all dimensions");
    x = n.b.reshape(x, {n.b.product(x.sizes)});
  } else {
    dim = n.dim(1, "dim", x.rank());
  }
  if (n.failed() || x.rank() == 0)
    return n.fail("a 0-d tensor");
  return n.result(extreme(n, x, dim, keepDim, max).second);
}

//===----------------------------------------------------------------------===//
// Norms and variances
//===----------------------------------------------------------------------===//

/// Two passes: the mean, then the mean square distance from it. `correction`
/// is taken from the count.
static std::pair<Tensor, Tensor> variance(Node &n, const Reduction &r,
                                          const Number &correction, Type acc) {
  Builder &b = n.b;
  Tensor mean = b.mean(r.x, r.dims, true, acc);
  Tensor square =
      b.pointwise({r.x, mean}, r.x.sizes, acc, acc,
                  [](Scalars &s, ValueRange v) {
                    Value d = s.sub(v[0], v[1]);
                    return s.mul(d, d);
                  });
  Tensor total = b.sum(square, r.dims, r.keepDim, acc);
  Sizes reduced;
  for (int64_t d : r.dims)
    reduced.push_back(r.x.sizes[d]);
  Number count;
  count.expr = b.product(reduced);
  Hoisted size(b, count, acc), c(b, correction, acc);
  Tensor var = b.pointwise(
      {total}, total.sizes, acc, acc, [&](Scalars &s, ValueRange v) {
        Value zero = s.constant(0);
        return s.div(v[0], s.max(s.sub(size.in(s), c.in(s)), zero));
      });
  if (!r.keepDim) {
    SmallVector<int64_t> dims(r.dims);
    llvm::sort(dims);
    for (int64_t d : llvm::reverse(dims))
      mean = b.squeeze(mean, d);
  }
  return {var, mean};
}

/// var, std, var_mean, std_mean with `correction` or `unbiased`.
static LogicalResult lowerVar(Node &n) {
  StringRef name = n.target();
  bool correctionForm = name.ends_with(".correction");
  bool all = name.ends_with(".default");
  Reduction r(n, all ? 99 : 1);
  Number correction;
  correction.expr = n.b.expr(1);
  if (correctionForm) {
    correction = n.number(2, "correction", 1);
    r.keepDim = n.boolean(3, "keepdim", false);
  } else {
    bool unbiased = n.boolean(all ? 1 : 2, "unbiased", true);
    correction.expr = n.b.expr(unbiased);
    r.keepDim = !all && n.boolean(3, "keepdim", false);
  }
  if (n.failed() || !isa<FloatType>(n.resultDtype()))
    return n.fail("the variance of integers");
  Type acc = opMathType(n.resultDtype());
  auto [var, mean] = variance(n, r, correction, acc);
  if (name.starts_with("aten.std"))
    var = n.b.pointwise({var}, var.sizes, acc, acc,
                        [](Scalars &s, ValueRange v) { return s.sqrt(v[0]); });
  if (failed(n.set(0, var)))
    return failure();
  return n.numResults() == 2 ? n.set(1, mean) : success();
}

static LogicalResult lowerVectorNorm(Node &n) {
  Tensor x = n.tensor(0, "self");
  double order = n.real(1, "ord", 2);
  SmallVector<int64_t> dims = n.dims(2, "dim", x.rank());
  bool keepDim = n.boolean(3, "keepdim", false);
  if (n.failed() || !isa<FloatType>(n.resultDtype()) ||
      !isa<FloatType>(x.dtype))
    return n.fail("the norm of integers");
  Type acc = opMathType(n.resultDtype());
  bool infinite = std::isinf(order);
  Tensor r = n.b.reduce(
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
    return n.result(r);
  return n.result(n.b.pointwise(
      {r}, r.sizes, acc, acc, [&](Scalars &s, ValueRange v) {
        return order == 2 ? s.sqrt(v[0]) : s.powConstant(v[0], 1 / order);
      }));
}

/// log(sum(exp(x - max))) + max, where max is 0 if it is infinite.
static LogicalResult lowerLogSumExp(Node &n) {
  Reduction r(n);
  if (n.failed() || !isa<FloatType>(r.x.dtype))
    return n.fail("of integers");
  Type acc = opMathType(r.x.dtype);
  Builder &b = n.b;
  Tensor max = b.reduce(
      r.x, r.dims, true, acc, [](Scalars &s) { return s.lowest(); },
      [](Scalars &s, Value a, Value v) { return s.max(a, v); });
  max = b.pointwise({max}, max.sizes, acc, acc, [](Scalars &s, ValueRange v) {
    return s.select(s.eq(s.abs(v[0]), s.highest()), s.constant(0), v[0]);
  });
  Tensor e = b.pointwise({r.x, max}, r.x.sizes, acc, acc,
                         [](Scalars &s, ValueRange v) {
                           return s.exp(s.sub(v[0], v[1]));
                         });
  Tensor sum = b.sum(e, r.dims, true, acc);
  Tensor result = b.pointwise({sum, max}, sum.sizes, acc, acc,
                              [](Scalars &s, ValueRange v) {
                                return s.add(s.log(v[0]), v[1]);
                              });
  if (!r.keepDim) {
    llvm::sort(r.dims);
    for (int64_t d : llvm::reverse(r.dims))
      result = b.squeeze(result, d);
  }
  return n.result(result);
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// cumsum, cumprod: a loop along the dimension over slices of the others.
template <bool product> static LogicalResult lowerScan(Node &n) {
  Tensor x = n.tensor(0, "self");
  int64_t dim = n.dim(1, "dim", x.rank());
  if (n.failed())
    return failure();
  Type dtype = n.resultDtype(), acc = opMathType(dtype);
  if (x.rank() == 0)
    return n.result(x);
  Builder &b = n.b;
  Tensor t = b.contiguous(b.cast(x, acc));
  Sizes sliceSizes(t.sizes);
  sliceSizes[dim] = b.expr(1);
  Scalars s(b.b, b.loc, acc);
  Value whole = b.empty(t.sizes, acc);
  Sizes rest(t.sizes);
  rest.erase(rest.begin() + dim);
  Value start = b.filled(rest, acc, s.integer(product));
  auto loop = scf::ForOp::create(b.b, b.loc, b.index(0), b.index(t.sizes[dim]),
                                 b.index(1), ValueRange{whole, start});
  {
    OpBuilder::InsertionGuard guard(b.b);
    b.b.setInsertionPointToStart(loop.getBody());
    Value i = loop.getInductionVar();
    Tensor part = b.select(t, dim, i);
    Tensor sofar(loop.getRegionIterArg(1), rest, acc);
    Tensor next = b.pointwise({sofar, part}, rest, acc, acc,
                              [](Scalars &s, ValueRange v) {
                                return product ? s.mul(v[0], v[1])
                                               : s.add(v[0], v[1]);
                              });
    SmallVector<OpFoldResult> offsets(t.rank(), b.b.getIndexAttr(0)),
        strides(t.rank(), b.b.getIndexAttr(1));
    offsets[dim] = i;
    Value updated =
        b.insert(b.materialize(b.unsqueeze(next, dim)),
                 loop.getRegionIterArg(0), offsets, b.fold(sliceSizes), strides);
    scf::YieldOp::create(b.b, b.loc, ValueRange{updated, next.value});
  }
  return n.result(Tensor(loop.getResult(0), t.sizes, acc));
}

static Value lowestOf(Scalars &s) { return s.lowest(); }
static Value highestOf(Scalars &s) { return s.highest(); }
static Value falseOf(Scalars &s) { return s.boolean(false); }
static Value trueOf(Scalars &s) { return s.boolean(true); }
static Value maxOf(Scalars &s, Value a, Value v) { return s.max(a, v); }
static Value minOf(Scalars &s, Value a, Value v) { return s.min(a, v); }
static Value orOf(Scalars &s, Value a, Value v) { return s.logicalOr(a, v); }
static Value andOf(Scalars &s, Value a, Value v) { return s.logicalAnd(a, v); }

void registerReductions(Registry &r) {
  r.add("aten.sum.dim_IntList", lowerSum);
  r.add("aten.sum.default", lowerSumAll);
  r.add("aten.mean.dim", lowerMean);
  r.add("aten.mean.default", lowerMeanAll);
  r.add({"aten.amax.default", "aten.max.default"},
        lowerReduce<lowestOf, maxOf, false>);
  r.add({"aten.amin.default", "aten.min.default"},
        lowerReduce<highestOf, minOf, false>);
  r.add({"aten.any.default", "aten.any.dim", "aten.any.dims"},
        lowerReduce<falseOf, orOf, true>);
  r.add({"aten.all.default", "aten.all.dim", "aten.all.dims"},
        lowerReduce<trueOf, andOf, true>);
  r.add({"aten.prod.default", "aten.prod.dim_int"}, lowerProd);
  r.add("aten.max.dim", lowerExtremeDim<true>);
  r.add("aten.min.dim", lowerExtremeDim<false>);
  r.add("aten.argmax.default", lowerArgExtreme<true>);
  r.add("aten.argmin.default", lowerArgExtreme<false>);
  r.add({"aten.var.correction", "aten.var.dim", "aten.var.default",
         "aten.std.correction", "aten.std.dim", "aten.std.default",
         "aten.var_mean.correction", "aten.std_mean.correction"},
        lowerVar);
  r.add("aten.linalg_vector_norm.default", lowerVectorNorm);
  r.add("aten.logsumexp.default", lowerLogSumExp);
  r.add("aten.cumsum.default", lowerScan<false>);
  r.add("aten.cumprod.default", lowerScan<true>);
}

} // namespace fx::lin

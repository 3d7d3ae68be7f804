//===- Reductions.cpp - reductions ----------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

namespace {
/// The arguments of a reduction. An operator without the argument `dim` reduces
/// all dimensions.
struct Reduction {
  explicit Reduction(NodeLowering &n) : x(n.tensor("self")) {
    dims = n.dims("dim", x.rank());
    keepDim = n.boolean("keepdim", false);
  }
  Tensor x;
  SmallVector<int64_t> dims;
  bool keepDim;
};
} // namespace

static LogicalResult lowerSum(NodeLowering &n) {
  Reduction r(n);
  if (n.failed())
    return failure();
  return n.result(n.b.sum(r.x, r.dims, r.keepDim, opMathType(n.resultDtype())));
}

static LogicalResult lowerMean(NodeLowering &n) {
  Reduction r(n);
  if (n.failed() || !isa<FloatType>(n.resultDtype()))
    return n.fail("the mean of integers");
  return n.result(
      n.b.mean(r.x, r.dims, r.keepDim, opMathType(n.resultDtype())));
}

using InitFn = Value (*)(Scalars &);
using CombineFn = Value (*)(Scalars &, Value, Value);

/// Lowers a reduction in the operand's dtype or, if `toBool`, in bool.
template <InitFn init, CombineFn combine, bool toBool>
static LogicalResult lowerReduce(NodeLowering &n) {
  Reduction r(n);
  if (n.failed())
    return failure();
  Type acc = toBool ? Type(n.b.b.getI1Type()) : r.x.dtype;
  return n.result(n.b.reduce(r.x, r.dims, r.keepDim, acc, init, combine));
}

static LogicalResult lowerProd(NodeLowering &n) {
  Tensor x = n.tensor("self");
  SmallVector<int64_t> dims = n.dims("dim", x.rank());
  bool keepDim = n.boolean("keepdim", false);
  if (n.failed())
    return failure();
  return n.result(n.b.reduce(
      x, dims, keepDim, opMathType(n.resultDtype()),
      [](Scalars &s) { return s.integer(1); },
      [](Scalars &s, Value a, Value v) { return s.mul(a, v); }));
}

std::pair<Tensor, Tensor> extreme(Builder &b, const Tensor &input, int64_t dim,
                                  bool keepDim, bool max) {
  // Reduce to the value, then to the first index at which it occurs. Both are
  // reductions of single numbers, which vectorize; a reduction of pairs does
  // not. Both compare in the compute type: a value that is rounded to bf16 in
  // between (where subnormal numbers become 0) might equal no element.
  Tensor t = b.cast(input.dims[dim] < 0 ? b.contiguous(input) : input,
                    opMathType(input.dtype));
  Tensor value = b.reduce(
      t, dim, /*keepDim=*/true, t.dtype,
      [&](Scalars &s) { return max ? s.lowest() : s.highest(); },
      [&](Scalars &s, Value a, Value x) {
        return max ? s.max(a, x) : s.min(a, x);
      });
  Type i64 = b.b.getI64Type();
  unsigned rank = t.rank();
  Tensor index;
  index.dtype = i64;
  Sizes kept;
  SmallVector<AffineExpr> outExprs;
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators[dim] = utils::IteratorType::reduction;
  for (unsigned i = 0; i < rank; ++i) {
    if (i == dim) {
      index.sizes.push_back(b.expr(1));
      index.dims.push_back(-1);
      continue;
    }
    index.sizes.push_back(t.sizes[i]);
    index.dims.push_back(kept.size());
    outExprs.push_back(b.b.getAffineDimExpr(i));
    kept.push_back(t.sizes[i]);
  }
  Value none = b.filled(kept, i64, Scalars(b.b, b.loc, i64).highest());
  SmallVector<unsigned> loops = llvm::to_vector(llvm::seq<unsigned>(0, rank));
  SmallVector<AffineMap> maps = {
      b.map(t, loops, rank), b.map(value, loops, rank),
      AffineMap::get(rank, 0, outExprs, b.context())};
  index.value =
      linalg::GenericOp::create(
          b.b, b.loc, none.getType(), ValueRange{t.value, value.value}, none,
          maps, iterators,
          [&](OpBuilder &nested, Location loc, ValueRange args) {
            Scalars s(nested, loc, t.dtype), si(nested, loc, i64);
            Value x = args[0], best = args[1];
            Value here = s.eq(x, best);
            // If there is a NaN, it is the extreme value.
            if (s.isFloat())
              here = s.logicalOr(here, s.isNan(x));
            Value i = si.fromIndex(linalg::IndexOp::create(nested, loc, dim));
            Value at = si.select(here, i, si.highest());
            linalg::YieldOp::create(nested, loc, si.min(args[2], at));
          })
          .getResult(0);
  value = b.cast(value, input.dtype);
  if (!keepDim)
    for (Tensor *result : {&value, &index}) {
      result->sizes.erase(result->sizes.begin() + dim);
      result->dims.erase(result->dims.begin() + dim);
    }
  return {value, index};
}

/// Lowers max.dim and min.dim, whose results are values and indices.
template <bool max>
static LogicalResult lowerExtremeDim(NodeLowering &n) {
  Tensor x = n.tensor("self");
  int64_t dim = n.dim("dim", x.rank());
  bool keepDim = n.boolean("keepdim");
  if (n.failed() || n.numResults() != 2)
    return n.fail("two results");
  if (x.rank() == 0) {
    // Treat a 0-d tensor as a vector of one element.
    x = n.b.unsqueeze(x, 0);
    keepDim = false;
  }
  auto [value, index] = extreme(n.b, x, dim, keepDim, max);
  if (failed(n.set(0, value)))
    return failure();
  return n.set(1, index);
}

template <bool max>
static LogicalResult lowerArgExtreme(NodeLowering &n) {
  Tensor x = n.tensor("self");
  bool all = !n.has("dim");
  bool keepDim = n.boolean("keepdim");
  if (n.failed())
    return failure();
  int64_t dim = all ? 0 : n.dim("dim", x.rank()), rank = x.rank();
  if (n.failed())
    return failure();
  if (all || rank == 0) {
    Tensor flat = n.b.reshape(x, {n.b.product(x.sizes)});
    Tensor at = extreme(n.b, flat, 0, false, max).second;
    for (int64_t i = 0; keepDim && i < rank; ++i)
      at = n.b.unsqueeze(at, 0);
    return n.result(at);
  }
  return n.result(extreme(n.b, x, dim, keepDim, max).second);
}

//===----------------------------------------------------------------------===//
// Variances and other reductions
//===----------------------------------------------------------------------===//

/// Returns the variance and the mean. Computes the mean first, then the sum of
/// the squared differences divided by the number of elements minus
/// `correction`.
static std::pair<Tensor, Tensor> variance(NodeLowering &n, const Reduction &r,
                                          const Number &correction, Type acc) {
  Builder &b = n.b;
  Tensor mean = b.mean(r.x, r.dims, true, acc);
  Tensor square = b.pointwise({r.x, mean}, r.x.sizes, acc, acc,
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

/// Lowers var, std, var_mean and std_mean with `correction` or `unbiased`.
static LogicalResult lowerVar(NodeLowering &n) {
  StringRef name = n.target();
  bool correctionForm = name.ends_with(".correction");
  Reduction r(n);
  Number correction;
  correction.expr = n.b.expr(1);
  if (correctionForm) {
    correction = n.number("correction", 1);
  } else {
    correction.expr = n.b.expr(n.boolean("unbiased"));
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

/// Computes log(sum(exp(x - max))) + max, with 0 for an infinite max.
static LogicalResult lowerLogSumExp(NodeLowering &n) {
  Reduction r(n);
  if (n.failed() || !isa<FloatType>(n.resultDtype()))
    return n.fail("the result is no float");
  Type acc = opMathType(n.resultDtype());
  Builder &b = n.b;
  Tensor max = b.reduce(
      r.x, r.dims, true, acc, [](Scalars &s) { return s.lowest(); },
      [](Scalars &s, Value a, Value v) { return s.max(a, v); });
  max = b.pointwise({max}, max.sizes, acc, acc, [](Scalars &s, ValueRange v) {
    return s.select(s.eq(s.abs(v[0]), s.highest()), s.constant(0), v[0]);
  });
  Tensor e = b.pointwise(
      {r.x, max}, r.x.sizes, acc, acc,
      [](Scalars &s, ValueRange v) { return s.exp(s.sub(v[0], v[1])); });
  Tensor sum = b.sum(e, r.dims, true, acc);
  Tensor result = b.pointwise(
      {sum, max}, sum.sizes, acc, acc,
      [](Scalars &s, ValueRange v) { return s.add(s.log(v[0]), v[1]); });
  if (!r.keepDim) {
    llvm::sort(r.dims);
    for (int64_t d : llvm::reverse(r.dims))
      result = b.squeeze(result, d);
  }
  return n.result(result);
}

static Value lowestOf(Scalars &s) { return s.lowest(); }
static Value highestOf(Scalars &s) { return s.highest(); }
static Value falseOf(Scalars &s) { return s.boolean(false); }
static Value trueOf(Scalars &s) { return s.boolean(true); }
static Value maxOf(Scalars &s, Value a, Value v) { return s.max(a, v); }
static Value minOf(Scalars &s, Value a, Value v) { return s.min(a, v); }
static Value orOf(Scalars &s, Value a, Value v) { return s.logicalOr(a, v); }
static Value andOf(Scalars &s, Value a, Value v) { return s.logicalAnd(a, v); }

/// Lowers aminmax: minimum and maximum over one dimension or all.
static LogicalResult lowerAMinMax(NodeLowering &n) {
  Tensor x = n.tensor("self");
  SmallVector<int64_t> dims = n.dims("dim", x.rank());
  bool keepDim = n.boolean("keepdim");
  if (n.failed() || n.numResults() != 2)
    return n.fail("two results");
  if (failed(n.set(0, n.b.reduce(x, dims, keepDim, x.dtype, highestOf, minOf))))
    return failure();
  return n.set(1, n.b.reduce(x, dims, keepDim, x.dtype, lowestOf, maxOf));
}

static LogicalResult lowerCountNonzero(NodeLowering &n) {
  Tensor x = n.tensor("self");
  SmallVector<int64_t> dims = n.dims("dim", x.rank());
  if (n.failed())
    return failure();
  Type i1 = n.b.b.getI1Type();
  return n.result(n.b.sum(n.b.cast(x, i1), dims, false, n.resultDtype()));
}

/// Lowers nansum and nanmean, which ignore NaNs.
template <bool mean>
static LogicalResult lowerNanSum(NodeLowering &n) {
  Reduction r(n);
  if (n.failed() || (mean && !isa<FloatType>(r.x.dtype)))
    return n.fail("the mean of integers");
  Type acc = opMathType(n.resultDtype());
  auto add = [](Scalars &s, Value a, Value v) { return s.add(a, v); };
  auto zero = [](Scalars &s) { return s.integer(0); };
  Tensor total = n.b.reduce(r.x, r.dims, r.keepDim, acc, zero, add,
                            [](Scalars &s, Value v) {
                              return s.select(s.isNan(v), s.integer(0), v);
                            });
  if (!mean)
    return n.result(total);
  Tensor count = n.b.reduce(
      r.x, r.dims, r.keepDim, acc, zero, add, [](Scalars &s, Value v) {
        return s.select(s.isNan(v), s.integer(0), s.integer(1));
      });
  return n.pointwise(0, {total, count}, acc, [](Scalars &s, ValueRange v) {
    return s.div(v[0], v[1]);
  });
}

void registerReductions(Registry &r) {
  r.add("aten.aminmax.default", lowerAMinMax);
  r.add({"aten.count_nonzero.default", "aten.count_nonzero.dim_IntList"},
        lowerCountNonzero);
  r.add("aten.nansum.default", lowerNanSum<false>);
  r.add("aten.nanmean.default", lowerNanSum<true>);
  r.add({"aten.sum.dim_IntList", "aten.sum.default"}, lowerSum);
  r.add({"aten.mean.dim", "aten.mean.default"}, lowerMean);
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
         "aten.var_mean.correction", "aten.var_mean.dim",
         "aten.var_mean.default", "aten.std_mean.correction",
         "aten.std_mean.dim", "aten.std_mean.default"},
        lowerVar);
  r.add({"aten.logsumexp.default", "aten.special_logsumexp.default"},
        lowerLogSumExp);
}

} // namespace fx::lin

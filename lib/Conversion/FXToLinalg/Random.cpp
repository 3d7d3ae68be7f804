//===- Random.cpp - operators that draw random numbers --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each draw is one fx_kernel.random, in the order of the nodes. The results are
// those of PyTorch's CPU generator, so each lowering draws as many numbers, of
// the same dtypes, as PyTorch's CPU kernel does.
//
//===----------------------------------------------------------------------===//

#include "Random.h"
#include "NodeLowering.h"
#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;

namespace fx::lin {

//===----------------------------------------------------------------------===//
// Draws
//===----------------------------------------------------------------------===//

/// One draw: the distribution and its parameters.
namespace {
struct Draw {
  StringRef distribution;
  Value first, second;
};
} // namespace

/// Returns a tensor of `sizes` with drawn elements. Elements are drawn in the
/// order of memory; `order` lists the dimensions from the slowest to the
/// fastest.
static Tensor draw(Builder &b, const Draw &d, ArrayRef<ExprAttr> sizes,
                   Type dtype, ArrayRef<unsigned> order) {
  Sizes inMemory;
  for (unsigned dim : order)
    inMemory.push_back(sizes[dim]);
  Value init = b.empty(inMemory, dtype);
  Tensor t(kernel::RandomOp::create(b.b, b.loc, init.getType(), d.distribution,
                                    dtype, d.first, d.second, init)
               .getResult(),
           sizes, dtype);
  for (auto [i, dim] : llvm::enumerate(order))
    t.dims[dim] = i;
  return t;
}

static SmallVector<unsigned> rowMajor(unsigned rank) {
  return llvm::to_vector(llvm::seq<unsigned>(0, rank));
}

static Tensor draw(Builder &b, const Draw &d, ArrayRef<ExprAttr> sizes,
                   Type dtype) {
  return draw(b, d, sizes, dtype, rowMajor(sizes.size()));
}

static Value real(Builder &b, double value) {
  return arith::ConstantFloatOp::create(b.b, b.loc, b.b.getF64Type(),
                                        APFloat(value));
}
static Value integer(Builder &b, int64_t value) {
  return arith::ConstantIntOp::create(b.b, b.loc, value, 64);
}

/// Returns the dimensions in the order of the recorded strides, from the
/// slowest to the fastest; nullopt if the strides do not determine the order.
static std::optional<SmallVector<unsigned>> memoryOrder(FakeTensorType type) {
  SmallVector<unsigned> order = rowMajor(type.getRank());
  MetaAttr meta = type.getMeta();
  if (!meta || meta.getStrides().empty())
    return order;
  // The fastest dimension has stride 1. The stride of each other dimension is
  // the product of the sizes of all faster ones.
  ArrayRef<ExprAttr> strides = meta.getStrides(), sizes = type.getSizes();
  MLIRContext *ctx = type.getContext();
  SmallVector<unsigned> found, left = order;
  ExprAttr expected = ExprAttr::integer(ctx, 1);
  while (!left.empty()) {
    // A dimension of size 1 may have any stride and come anywhere.
    auto it = llvm::find_if(llvm::reverse(left), [&](unsigned dim) {
      return sizes[dim].getInteger() == 1 || strides[dim] == expected;
    });
    if (it == left.rend())
      break;
    unsigned dim = *it;
    found.push_back(dim);
    expected = ExprAttr::mul(ctx, {expected, sizes[dim]});
    left.erase(std::next(it).base());
  }
  if (left.empty()) {
    std::reverse(found.begin(), found.end());
    return found;
  }
  // The strides of a view that skips elements must be static to be compared.
  for (ExprAttr stride : strides)
    if (!stride.isInteger())
      return std::nullopt;
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return strides[a].getValue() > strides[b].getValue();
  });
  return order;
}

/// Returns true if no strides are recorded, which means row-major order.
static bool isContiguous(FakeTensorType type) {
  return !type.getMeta() || type.getMeta().getStrides().empty();
}

/// Draws the elements of result `i`, in `dtype` if it is given.
static FailureOr<Tensor> drawResult(NodeLowering &n, const Draw &d,
                                    unsigned i = 0, Type dtype = {}) {
  FakeTensorType type = n.resultType(i);
  if (n.failed() || !type) {
    (void)n.fail("the result is no tensor");
    return failure();
  }
  if (!isSupported(type.getDtype())) {
    (void)n.fail("the result's dtype has no native code");
    return failure();
  }
  std::optional<SmallVector<unsigned>> order = memoryOrder(type);
  if (!order) {
    (void)n.fail("the order of the result's elements in memory is not known");
    return failure();
  }
  return draw(n.b, d, type.getSizes(), dtype ? dtype : type.getDtype(), *order);
}

/// Sets result 0 to drawn elements.
static LogicalResult setDrawn(NodeLowering &n, const Draw &d) {
  FailureOr<Tensor> t = drawResult(n, d);
  return failed(t) ? failure() : n.result(*t);
}

/// Emits an assertion that `holds` returns true for all elements.
static void checkAll(Builder &b, const Tensor &t, StringRef message,
                     llvm::function_ref<Value(Scalars &, Value)> holds) {
  Type i1 = b.b.getI1Type();
  Tensor good = b.pointwise(
      {t}, t.sizes, i1, t.dtype,
      [&](Scalars &s, ValueRange v) { return holds(s, v[0]); }, i1);
  Tensor all = b.reduce(
      good, llvm::to_vector(llvm::seq<int64_t>(0, good.rank())), false, i1,
      [](Scalars &s) { return s.boolean(true); },
      [](Scalars &s, Value a, Value x) { return s.logicalAnd(a, x); });
  b.check(b.element(all), message);
}

//===----------------------------------------------------------------------===//
// Distributions
//===----------------------------------------------------------------------===//

/// Returns a number argument as an f64 value.
static Value realArgument(NodeLowering &n, ArgName name) {
  Number number = n.number(name);
  if (n.failed())
    return real(n.b, 0);
  return n.b.number(number, n.b.b.getF64Type());
}

/// Sets result 0 to normal numbers. For contiguous tensors, PyTorch draws them
/// in another way than for other strides.
static LogicalResult drawNormal(NodeLowering &n, Value mean, Value std) {
  FakeTensorType type = n.resultType();
  bool rows = type && isContiguous(type);
  return setDrawn(n, {rows ? "normal" : "strided_normal", mean, std});
}

static LogicalResult lowerRand(NodeLowering &n) {
  return setDrawn(n, {"uniform", real(n.b, 0), real(n.b, 1)});
}
static LogicalResult lowerRandn(NodeLowering &n) {
  return drawNormal(n, real(n.b, 0), real(n.b, 1));
}
static LogicalResult lowerUniform(NodeLowering &n) {
  Value from = realArgument(n, "from");
  return setDrawn(n, {"uniform", from, realArgument(n, "to")});
}

/// Lowers normal with a mean and a standard deviation that are numbers.
static LogicalResult lowerNormal(NodeLowering &n) {
  Value mean = realArgument(n, "mean");
  return drawNormal(n, mean, realArgument(n, "std"));
}

static LogicalResult lowerExponential(NodeLowering &n) {
  return setDrawn(n, {"exponential", realArgument(n, "lambd"), real(n.b, 0)});
}
static LogicalResult lowerGeometric(NodeLowering &n) {
  return setDrawn(n, {"geometric", realArgument(n, "p"), real(n.b, 0)});
}
static LogicalResult lowerCauchy(NodeLowering &n) {
  Value median = realArgument(n, "median");
  return setDrawn(n, {"cauchy", median, realArgument(n, "sigma")});
}
static LogicalResult lowerLogNormal(NodeLowering &n) {
  Value mean = realArgument(n, "mean");
  return setDrawn(n, {"log_normal", mean, realArgument(n, "std")});
}
static LogicalResult lowerBernoulliNumber(NodeLowering &n) {
  return setDrawn(n, {"bernoulli", realArgument(n, "p"), real(n.b, 0)});
}

/// Lowers bernoulli of a tensor of probabilities. They are compared with
/// uniform numbers in [0, 1), in f64 if they are f64, else in f32.
template <bool hasProbabilities>
static LogicalResult lowerBernoulli(NodeLowering &n) {
  Tensor p = hasProbabilities ? n.tensor("p") : n.tensor("self");
  if (n.failed() || !isa<FloatType>(p.dtype) ||
      !n.broadcasts(p, n.resultSizes()))
    return n.fail("the probabilities are no tensor of floats");
  Type dtype = p.dtype.isF64() ? p.dtype : Type(n.b.b.getF32Type());
  checkAll(n.b, p, "expected probabilities in [0, 1]", [](Scalars &s, Value v) {
    return s.logicalAnd(s.ge(v, s.constant(0)), s.le(v, s.constant(1)));
  });
  FailureOr<Tensor> u =
      drawResult(n, {"uniform", real(n.b, 0), real(n.b, 1)}, 0, dtype);
  if (failed(u))
    return failure();
  return n.pointwise(0, {*u, p}, dtype, [](Scalars &s, ValueRange v) {
    return s.select(s.lt(v[0], v[1]), s.constant(1), s.constant(0));
  });
}

/// Lowers normal(mean, std) if mean, std or both are tensors. Draws normal
/// numbers with mean 0 and a standard deviation of 1 (or `std`, if that is a
/// number), then multiplies by a tensor `std` and adds `mean`.
static LogicalResult lowerNormalTensor(NodeLowering &n) {
  bool hasMean = n.isTensor(n.arg("mean")), hasStd = n.isTensor(n.arg("std"));
  FakeTensorType type = n.resultType();
  if (!type || !isa<FloatType>(type.getDtype()))
    return n.fail("the result is no tensor of floats");
  Builder &b = n.b;
  Value scale = hasStd ? real(b, 1) : realArgument(n, "std");
  SmallVector<Tensor> operands;
  if (hasStd) {
    operands.push_back(n.tensor("std"));
    if (n.failed() || !isa<FloatType>(operands[0].dtype))
      return n.fail("the standard deviations are no floats");
    checkAll(b, operands[0], "expected standard deviations >= 0",
             [](Scalars &s, Value v) { return s.ge(v, s.constant(0)); });
  }
  for (const Tensor &t : operands)
    if (!n.broadcasts(t, type.getSizes()))
      return failure();
  Type dtype = type.getDtype();
  // PyTorch draws to a contiguous tensor, whatever the result's strides.
  Tensor x = draw(b, {"normal", real(b, 0), scale}, type.getSizes(), dtype);
  if (hasStd)
    x = b.map({x, operands[0]}, dtype,
              [](Scalars &s, ValueRange v) { return s.mul(v[0], v[1]); });
  if (hasMean) {
    Tensor mean = n.tensor("mean");
    if (n.failed() || !n.broadcasts(mean, type.getSizes()))
      return failure();
    return n.result(b.map({x, mean}, dtype, [](Scalars &s, ValueRange v) {
      return s.add(v[0], v[1]);
    }));
  }
  Number mean = n.number("mean");
  if (n.failed())
    return failure();
  Hoisted shift(b, mean, opMathType(dtype));
  return n.result(b.map({x}, dtype, [&](Scalars &s, ValueRange v) {
    return s.add(v[0], shift.in(s));
  }));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static Value integerArgument(NodeLowering &n, ArgName name) {
  Number number = n.number(name);
  if (n.failed())
    return integer(n.b, 0);
  return n.b.number(number, n.b.b.getI64Type());
}

/// Draws integers in [low, high). `low` is 0 if the operator has no such
/// argument.
static LogicalResult lowerIntegers(NodeLowering &n) {
  Value from = n.has("low") ? integerArgument(n, "low") : integer(n.b, 0);
  return setDrawn(n, {"integers", from, integerArgument(n, "high")});
}

/// Lowers random(self), random.to(self, to) and random.from(self, from, to).
static LogicalResult lowerRandom(NodeLowering &n) {
  Builder &b = n.b;
  if (n.target() == "aten.random.default")
    return setDrawn(n, {"any_integers", integer(b, 0), integer(b, 0)});
  if (n.target() == "aten.random.to")
    return setDrawn(n, {"integers", integer(b, 0), integerArgument(n, "to")});
  if (n.has("to")) {
    Value from = integerArgument(n, "from");
    return setDrawn(n, {"integers", from, integerArgument(n, "to")});
  }
  if (n.integer("from", 0) != std::numeric_limits<int64_t>::min())
    return n.fail("integers from a number on have no native code");
  return setDrawn(n, {"words", integer(b, 0), integer(b, 0)});
}

static LogicalResult lowerPermutation(NodeLowering &n) {
  if (n.resultSizes().size() != 1)
    return n.fail("the result is no vector");
  return setDrawn(n, {"permutation", integer(n.b, 0), integer(n.b, 0)});
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

Tensor drawMask(Builder &b, ArrayRef<ExprAttr> sizes, double keep) {
  return draw(b, {"bernoulli", real(b, keep), real(b, 0)}, sizes,
              b.b.getI1Type());
}

/// Returns 1 / keep where the mask is true and 0 elsewhere, in `dtype`.
static Tensor scaled(Builder &b, const Tensor &mask, double keep, Type dtype) {
  return b.pointwise(
      {mask}, mask.sizes, dtype, Type(),
      [&](Scalars &s, ValueRange v) {
        Scalars real(s.b, s.loc, opMathType(dtype));
        return real.select(v[0],
                           real.div(real.constant(1), real.constant(keep)),
                           real.constant(0));
      },
      opMathType(dtype));
}

static Tensor multiply(Builder &b, const Tensor &x, const Tensor &y) {
  return b.map({x, y}, x.dtype,
               [](Scalars &s, ValueRange v) { return s.mul(v[0], v[1]); });
}

Tensor dropOut(Builder &b, const Tensor &x, double p) {
  return multiply(b, x, scaled(b, drawMask(b, x.sizes, 1 - p), 1 - p, x.dtype));
}

/// Applies alpha dropout, in which dropped elements become -alpha. Scales and
/// shifts all elements such that mean and variance stay the same.
static Tensor dropAlpha(Builder &b, const Tensor &x, const Tensor &mask,
                        double p) {
  constexpr double alpha = 1.7580993408473766;
  double a = 1 / std::sqrt((alpha * alpha * p + 1) * (1 - p));
  Type dtype = x.dtype;
  auto choose = [&](double kept, double dropped) {
    return b.pointwise(
        {mask}, mask.sizes, dtype, Type(),
        [&](Scalars &s, ValueRange v) {
          Scalars real(s.b, s.loc, opMathType(dtype));
          return real.select(v[0], real.constant(kept), real.constant(dropped));
        },
        opMathType(dtype));
  };
  Tensor shift = choose(alpha * a * p, alpha * a * p - alpha * a);
  return b.map({multiply(b, x, choose(a, 0)), shift}, dtype,
               [](Scalars &s, ValueRange v) { return s.add(v[0], v[1]); });
}

/// Lowers dropout(input, p, train) and its variants. `feature`: one number is
/// drawn for each sample and channel. `alpha`: alpha dropout.
template <bool feature, bool alpha>
static LogicalResult lowerDropout(NodeLowering &n) {
  Tensor x = n.tensor("input");
  double p = n.real("p");
  bool train = n.boolean("train");
  if (n.failed() || !isSupported(n.resultDtype()))
    return n.fail("the result's dtype has no native code");
  if (!train || p == 0)
    return n.result(x);
  if (!isa<FloatType>(x.dtype) || !(p > 0 && p <= 1))
    return n.fail("expected floats and a probability in [0, 1]");
  Builder &b = n.b;
  if (p == 1)
    return n.pointwise(
        0, {x}, opMathType(x.dtype),
        [](Scalars &s, ValueRange v) { return s.mul(v[0], s.constant(0)); });
  Tensor mask;
  if (feature) {
    if (x.rank() < 2)
      return n.fail("features need two dimensions");
    Sizes sizes(x.sizes);
    for (int64_t i = 2; i < x.rank(); ++i)
      sizes[i] = b.expr(1);
    mask = b.expand(drawMask(b, sizes, 1 - p), x.sizes);
  } else {
    FailureOr<Tensor> drawn = drawResult(
        n, {"bernoulli", real(b, 1 - p), real(b, 0)}, 0, n.b.b.getI1Type());
    if (failed(drawn))
      return failure();
    mask = *drawn;
  }
  return n.result(alpha ? dropAlpha(b, x, mask, p)
                        : multiply(b, x, scaled(b, mask, 1 - p, x.dtype)));
}

/// Lowers native_dropout(input, p, train?), whose results are the output and
/// the mask.
static LogicalResult lowerNativeDropout(NodeLowering &n) {
  Tensor x = n.tensor("input");
  double p = n.real("p");
  bool train = n.boolean("train", true);
  if (n.failed() || !isa<FloatType>(x.dtype) || !(p >= 0 && p <= 1))
    return n.fail("expected floats and a probability in [0, 1]");
  Builder &b = n.b;
  Type i1 = b.b.getI1Type();
  if (!train) {
    Value yes = arith::ConstantIntOp::create(b.b, b.loc, 1, 1);
    Tensor ones = b.expand(b.fromElement(yes, i1), x.sizes);
    return failure(failed(n.set(0, x)) || failed(n.set(1, ones)));
  }
  FailureOr<Tensor> mask =
      drawResult(n, {"bernoulli", real(b, 1 - p), real(b, 0)}, 1, i1);
  if (failed(mask) || failed(n.set(1, *mask)))
    return failure();
  Tensor kept = b.cast(*mask, x.dtype);
  double scale = p == 1 ? 0 : 1 / (1 - p);
  kept = multiply(b, x, kept);
  return n.pointwise(
      0, {kept}, opMathType(x.dtype),
      [&](Scalars &s, ValueRange v) { return s.mul(v[0], s.constant(scale)); });
}

//===----------------------------------------------------------------------===//
// Multinomial
//===----------------------------------------------------------------------===//

/// Returns the category of each drawn number: how many of the cumulative
/// probabilities of its row are less than the number. `p` are the
/// probabilities, [rows, categories], and `u` uniform numbers, [rows, samples].
static Tensor countBelow(Builder &b, const Tensor &p, const Tensor &u) {
  Type dtype = opMathType(p.dtype), i64 = b.b.getI64Type();
  ExprAttr rows = p.sizes[0], categories = p.sizes[1], samples = u.sizes[1];
  Value zero = Scalars(b.b, b.loc, dtype).constant(0);
  Tensor start = b.fromElement(zero, dtype);
  start = b.contiguous(b.expand(start, {rows}));
  SmallVector<Tensor> sums = scan(
      b, {b.cast(p, dtype)}, 1, categories, {start}, 1,
      [&](Value, ArrayRef<Tensor> part,
          ArrayRef<Tensor> sum) -> SmallVector<Tensor> {
        return {b.map({part[0], sum[0]}, dtype, [](Scalars &s, ValueRange v) {
          return s.add(v[0], v[1]);
        })};
      });
  checkAll(b, sums[1], "expected probabilities with a positive sum",
           [](Scalars &s, Value v) { return s.gt(v, s.constant(0)); });
  Tensor parts =
      b.map({sums[0], b.unsqueeze(sums[1], 1)}, dtype,
            [](Scalars &s, ValueRange v) { return s.div(v[0], v[1]); });
  // The last cumulative probability is 1, above all numbers: leave it out.
  ExprAttr inner = ExprAttr::add(b.context(), {categories, b.expr(-1)});
  parts = b.slice(parts, 1, b.expr(0), inner, b.expr(1));
  Type f64 = b.b.getF64Type();
  Tensor below = b.pointwise(
      {b.cast(b.unsqueeze(parts, 1), f64), b.unsqueeze(u, 2)},
      {rows, samples, inner}, i64, f64,
      [&](Scalars &s, ValueRange v) {
        Scalars whole(s.b, s.loc, i64);
        return whole.select(s.lt(v[0], v[1]), whole.integer(1),
                            whole.integer(0));
      },
      i64);
  return b.sum(below, {2}, false, i64);
}

/// Lowers multinomial(self, num_samples, replacement). Without replacement, the
/// samples are the categories of the largest p / q, where q is drawn from the
/// exponential distribution.
static LogicalResult lowerMultinomial(NodeLowering &n) {
  Tensor p = n.tensor("self");
  int64_t samples = n.integer("num_samples");
  bool replace = n.boolean("replacement");
  if (n.failed() || !isa<FloatType>(p.dtype) || p.rank() < 1 || p.rank() > 2 ||
      samples < 1)
    return n.fail("the probabilities are no vector or matrix of floats");
  Builder &b = n.b;
  checkAll(b, p, "expected probabilities that are finite and >= 0",
           [](Scalars &s, Value v) {
             Value inf = s.constant(std::numeric_limits<double>::infinity());
             return s.logicalAnd(s.ge(v, s.constant(0)), s.lt(v, inf));
           });
  bool isVector = p.rank() == 1;
  if (isVector)
    p = b.unsqueeze(p, 0);
  Tensor result;
  if (replace) {
    Tensor u = draw(b, {"uniform", real(b, 0), real(b, 1)},
                    {p.sizes[0], b.expr(samples)}, b.b.getF64Type());
    result = countBelow(b, p, u);
  } else {
    if (p.dtype.isF16())
      return n.fail("PyTorch has no kernel for float16");
    checkAll(b, b.sum(p, {1}, false, p.dtype),
             "expected probabilities with a positive sum",
             [](Scalars &s, Value v) { return s.gt(v, s.constant(0)); });
    // q is drawn in the order of the elements of the probabilities in memory.
    FakeTensorType type =
        dyn_cast<FakeTensorType>(n.op->getOperand(0).getType());
    if (!type || !isContiguous(type))
      return n.fail("the probabilities are not contiguous");
    Tensor q =
        draw(b, {"exponential", real(b, 1), real(b, 0)}, p.sizes, p.dtype);
    q = b.contiguous(b.map({p, q}, p.dtype, [](Scalars &s, ValueRange v) {
      return s.div(v[0], v[1]);
    }));
    result = samples == 1 ? extreme(b, q, 1, true, true).second
                          : b.slice(sortedOrder(b, q, /*descending=*/true), 1,
                                    b.expr(0), b.expr(samples), b.expr(1));
  }
  return n.result(isVector ? b.squeeze(result, 0) : result);
}

void registerRandom(Registry &r) {
  r.add({"aten.rand.default", "aten.rand_like.default"}, lowerRand);
  r.add({"aten.randn.default", "aten.randn_like.default"}, lowerRandn);
  r.add("aten.uniform.default", lowerUniform);
  r.add("aten.normal_functional.default", lowerNormal);
  r.add("aten.normal.float_float", lowerNormal);
  r.add({"aten.normal.Tensor_float", "aten.normal.float_Tensor",
         "aten.normal.Tensor_Tensor"},
        lowerNormalTensor);
  r.add("aten.exponential.default", lowerExponential);
  r.add("aten.geometric.default", lowerGeometric);
  r.add("aten.cauchy.default", lowerCauchy);
  r.add("aten.log_normal.default", lowerLogNormal);
  r.add("aten.bernoulli.default", lowerBernoulli<false>);
  r.add("aten.bernoulli.Tensor", lowerBernoulli<true>);
  r.add("aten.bernoulli.p", lowerBernoulliNumber);
  r.add("aten.randint.default", lowerIntegers);
  r.add("aten.randint.low", lowerIntegers);
  r.add("aten.randint_like.default", lowerIntegers);
  r.add("aten.randint_like.low_dtype", lowerIntegers);
  r.add({"aten.random.default", "aten.random.from", "aten.random.to"},
        lowerRandom);
  r.add("aten.randperm.default", lowerPermutation);
  r.add("aten.dropout.default", lowerDropout<false, false>);
  r.add("aten.feature_dropout.default", lowerDropout<true, false>);
  r.add("aten.alpha_dropout.default", lowerDropout<false, true>);
  r.add("aten.feature_alpha_dropout.default", lowerDropout<true, true>);
  r.add("aten.native_dropout.default", lowerNativeDropout);
  r.add("aten.multinomial.default", lowerMultinomial);
}

} // namespace fx::lin

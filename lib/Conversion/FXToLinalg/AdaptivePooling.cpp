//===- AdaptivePooling.cpp - pooling to a given size, and back ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

namespace {
/// Adaptive pooling of `x` along its last `spatial` dimensions, which begin at
/// dimension `first`. Window i along such a dimension reaches from
/// floor(i * in / out) to ceil((i + 1) * in / out), exclusive. `longest` is the
/// length of the longest window along each of them, `out` the sizes of the
/// whole result.
struct Adaptive {
  Tensor x;
  int64_t spatial, first;
  SmallVector<int64_t> longest;
  Sizes out;

  /// Returns true if all windows have the same length and do not overlap.
  bool isEven() const {
    for (int64_t d = 0; d < spatial; ++d) {
      ExprAttr in = x.sizes[first + d], size = out[first + d];
      if (in != size && *in.getInteger() != longest[d] * *size.getInteger())
        return false;
    }
    return true;
  }
};
} // namespace

/// Reads the operand and computes the lengths of the windows. With `anyPlane`,
/// accepts a dimension of unknown size that one window covers; its `longest` is
/// kDynamic.
static LogicalResult readAdaptive(NodeLowering &n, unsigned spatial,
                                  Adaptive &a, bool anyPlane = false) {
  a.x = n.tensor("self");
  a.spatial = spatial;
  a.first = a.x.rank() - spatial;
  if (n.failed() || a.first < 0 || a.first > 2 ||
      n.resultSizes().size() != size_t(a.x.rank()))
    return n.fail("the input's rank is not what the operator takes");
  a.out.assign(n.resultSizes().begin(), n.resultSizes().end());
  for (unsigned i = 0; i < spatial; ++i) {
    ExprAttr in = a.x.sizes[a.first + i], out = a.out[a.first + i];
    std::optional<int64_t> k = in.getInteger(), m = out.getInteger();
    if (in == out) {
      a.longest.push_back(1);
      continue;
    }
    if (!k && m == 1 && anyPlane) {
      a.longest.push_back(ShapedType::kDynamic);
      continue;
    }
    if (!k || !m)
      return n.fail("windows whose sizes are not known");
    int64_t longest = 0;
    for (int64_t w = 0; w < *m; ++w)
      longest = std::max(longest, ((w + 1) * *k + *m - 1) / *m - w * *k / *m);
    a.longest.push_back(longest);
  }
  return success();
}

/// Returns the input with the dimensions of even windows split, [..., out,
/// taps, out, taps...].
static Tensor splitWindows(Builder &b, const Adaptive &a) {
  Sizes sizes(a.x.sizes);
  sizes.resize(a.first);
  for (int64_t d = 0; d < a.spatial; ++d) {
    sizes.push_back(a.out[a.first + d]);
    sizes.push_back(b.expr(a.longest[d]));
  }
  return b.reshape(a.x, sizes);
}

/// Returns the elements of all windows, [..., out..., taps...]. Taps beyond the
/// end of a window are `outside`.
static Tensor windows(Builder &b, const Adaptive &a, Type dtype,
                      function_ref<Value(Scalars &)> outside) {
  Sizes sizes(a.out);
  for (int64_t k : a.longest)
    sizes.push_back(b.expr(k));
  if (a.isEven()) {
    SmallVector<int64_t> order =
        llvm::to_vector(llvm::seq<int64_t>(0, a.first));
    for (int64_t taps : {0, 1})
      for (int64_t d = 0; d < a.spatial; ++d)
        order.push_back(a.first + 2 * d + taps);
    return b.cast(b.permute(splitWindows(b, a), order), dtype);
  }
  SmallVector<Value> in, out;
  for (int64_t i = 0; i < a.spatial; ++i) {
    in.push_back(b.index(a.x.sizes[a.first + i]));
    out.push_back(b.index(a.out[a.first + i]));
  }
  Value source = b.materialize(a.x);
  return b.indexed(
      {}, sizes, dtype, dtype,
      [&](Scalars &s, ValueRange, ArrayRef<Value> i) -> Value {
        Scalars ix = s.indices();
        Value one = ix.integer(1), inside = s.boolean(true);
        SmallVector<Value> place(i.take_front(a.first));
        for (int64_t d = 0; d < a.spatial; ++d) {
          Value at = i[a.first + d];
          Value start = ix.div(ix.mul(at, in[d]), out[d]);
          Value end = ix.div(
              ix.sub(ix.add(ix.mul(ix.add(at, one), in[d]), out[d]), one),
              out[d]);
          Value from = ix.add(start, i[a.x.rank() + d]);
          inside = ix.logicalAnd(inside, ix.lt(from, end));
          place.push_back(ix.min(from, ix.sub(in[d], one)));
        }
        Value v = tensor::ExtractOp::create(s.b, s.loc, source, place);
        return s.select(inside, s.cast(v, a.x.dtype, dtype), outside(s));
      });
}

template <unsigned spatial>
static LogicalResult lowerAdaptiveAvgPool(NodeLowering &n) {
  Adaptive a;
  if (failed(readAdaptive(n, spatial, a)))
    return failure();
  if (!isa<FloatType>(a.x.dtype))
    return n.fail("the average of integers");
  Builder &b = n.b;
  Type acc = opMathType(a.x.dtype);
  SmallVector<int64_t> dims, taps;
  bool toOne = true, same = true;
  int64_t count = 1;
  for (unsigned i = 0; i < spatial; ++i) {
    ExprAttr in = a.x.sizes[a.first + i], out = a.out[a.first + i];
    dims.push_back(a.first + i);
    taps.push_back(a.x.rank() + i);
    toOne &= out.getInteger() == 1;
    same &= in == out;
    count *= a.longest[i];
  }
  if (same)
    return n.result(a.x);
  if (toOne)
    return n.result(b.mean(a.x, dims, true, acc));
  if (a.isEven()) {
    // The outer dimensions first: neighbours of the last one are vectors.
    Tensor total = splitWindows(b, a);
    for (int64_t d = 0; d < a.spatial; ++d)
      total = b.sum(total, {a.first + d + 1}, false, acc);
    return n.pointwise(0, {total}, acc, [&](Scalars &s, ValueRange v) {
      return s.div(v[0], s.constant(double(count)));
    });
  }
  Tensor all = windows(b, a, acc, [](Scalars &s) { return s.constant(0); });
  Tensor total = b.sum(all, taps, false, acc);
  SmallVector<Value> in, out;
  for (int64_t d : dims) {
    in.push_back(b.index(a.x.sizes[d]));
    out.push_back(b.index(a.out[d]));
  }
  return n.result(b.indexed(
      {total}, a.out, a.x.dtype, acc,
      [&](Scalars &s, ValueRange v, ArrayRef<Value> i) {
        Scalars ix = s.indices();
        Value one = ix.integer(1), size = one;
        for (auto [k, d] : llvm::enumerate(dims)) {
          Value start = ix.div(ix.mul(i[d], in[k]), out[k]);
          Value end = ix.div(
              ix.sub(ix.add(ix.mul(ix.add(i[d], one), in[k]), out[k]), one),
              out[k]);
          size = ix.mul(size, ix.sub(end, start));
        }
        return s.div(v[0], s.fromIndex(size));
      }));
}

/// Sets the results to the largest element of each window and, if that result
/// is used, its flat index in the plane of the input. `getStart` returns the
/// index along spatial dimension `d` at which the window of output `i` begins.
static LogicalResult setMaxima(
    NodeLowering &n, const Adaptive &a, const Tensor &windows,
    function_ref<Value(Scalars &ix, ArrayRef<Value> i, int64_t d)> getStart) {
  Builder &b = n.b;
  int64_t taps = 1;
  for (int64_t k : a.longest)
    taps *= k;
  Sizes flat(a.out);
  flat.push_back(b.expr(taps));
  auto [value, tap] = extreme(b, b.reshape(b.contiguous(windows), flat),
                              a.x.rank(), false, true);
  if (failed(n.set(0, value)))
    return failure();
  if (n.numResults() < 2 || !n.isUsed(1))
    return success();
  SmallVector<Value> in;
  for (int64_t i = 0; i < a.spatial; ++i)
    in.push_back(b.index(a.x.sizes[a.first + i]));
  Type i64 = b.b.getI64Type();
  return n.set(1,
               b.indexed({tap}, a.out, i64, i64,
                         [&](Scalars &s, ValueRange v, ArrayRef<Value> i) {
                           Scalars ix = s.indices();
                           Value rest = s.toIndex(v[0]), at = ix.integer(0);
                           SmallVector<Value> offset(a.spatial);
                           for (int64_t d = a.spatial - 1; d >= 0; --d) {
                             Value k = ix.integer(a.longest[d]);
                             offset[d] = ix.fmod(rest, k);
                             rest = ix.div(rest, k);
                           }
                           for (int64_t d = 0; d < a.spatial; ++d)
                             at = ix.add(ix.mul(at, in[d]),
                                         ix.add(getStart(ix, i, d), offset[d]));
                           return s.fromIndex(at);
                         }));
}

/// Lowers adaptive max pooling: the largest element of each window, and its
/// flat index in the plane of the input.
template <unsigned spatial>
static LogicalResult lowerAdaptiveMaxPool(NodeLowering &n) {
  Adaptive a;
  if (failed(readAdaptive(n, spatial, a, /*anyPlane=*/true)))
    return failure();
  Builder &b = n.b;
  for (ExprAttr e : a.x.sizes)
    if (e.getInteger() == 0)
      return n.fail("an empty tensor");
  if (llvm::all_of(ArrayRef<ExprAttr>(a.out).take_back(spatial),
                   [](ExprAttr e) { return e.getInteger() == 1; })) {
    // The only window is the whole plane: reduce it without a copy.
    Sizes planes(a.out);
    planes.push_back(
        b.product(ArrayRef<ExprAttr>(a.x.sizes).take_back(spatial)));
    auto [value, at] =
        extreme(b, b.reshape(a.x, planes), a.x.rank(), false, true);
    if (failed(n.set(0, value)))
      return failure();
    return n.numResults() < 2 || !n.isUsed(1) ? success() : n.set(1, at);
  }
  if (llvm::any_of(a.longest, ShapedType::isDynamic))
    return n.fail("windows whose sizes are not known");
  SmallVector<Value> in, out;
  for (int64_t i = 0; i < a.spatial; ++i) {
    in.push_back(b.index(a.x.sizes[a.first + i]));
    out.push_back(b.index(a.out[a.first + i]));
  }
  return setMaxima(
      n, a, windows(b, a, a.x.dtype, [](Scalars &s) { return s.lowest(); }),
      [&](Scalars &ix, ArrayRef<Value> i, int64_t d) {
        return ix.div(ix.mul(i[a.first + d], in[d]), out[d]);
      });
}

/// Lowers fractional max pooling, whose windows of a fixed size k begin at
/// pseudorandom places (aten/src/ATen/native/FractionalMaxPooling.h). Along a
/// dimension, window `i` of `out` begins at int((i + u) * alpha) - int(u *
/// alpha), where u is the random number of the plane and the dimension, and
/// alpha = (in - k) / (out - 1). The last window ends with the input.
template <unsigned spatial>
static LogicalResult lowerFractionalMaxPool(NodeLowering &n) {
  Adaptive a;
  a.x = n.tensor("self");
  Tensor random = n.tensor("random_samples");
  SmallVector<int64_t> kernel = n.integers("kernel_size", spatial);
  a.spatial = spatial;
  a.first = a.x.rank() - spatial;
  if (n.failed() || a.first < 1 || a.first > 2 || random.rank() != 3 ||
      n.resultSizes().size() != size_t(a.x.rank()))
    return n.fail("the ranks are not what the operator takes");
  a.longest = kernel;
  a.out.assign(n.resultSizes().begin(), n.resultSizes().end());
  Builder &b = n.b;
  SmallVector<Value> in, out;
  for (int64_t i = 0; i < a.spatial; ++i) {
    in.push_back(b.index(a.x.sizes[a.first + i]));
    out.push_back(b.index(a.out[a.first + i]));
  }
  Value samples = b.materialize(random), source = b.materialize(a.x);
  auto getStart = [&](Scalars &ix, ArrayRef<Value> i, int64_t d) -> Value {
    Scalars f(ix.b, ix.loc, random.dtype);
    // The samples of two dimensions are in the order W, H; those of three in
    // the order T, H, W.
    int64_t column = spatial == 2 ? 1 - d : d;
    Value u = tensor::ExtractOp::create(
        ix.b, ix.loc, samples,
        ValueRange{a.first == 2 ? i[0] : ix.integer(0), i[a.first - 1],
                   ix.integer(column)});
    Value rest = ix.sub(in[d], ix.integer(kernel[d]));
    Value last = ix.sub(out[d], ix.integer(1)), at = i[a.first + d];
    Value alpha = f.div(f.fromIndex(rest), f.fromIndex(last));
    Value start = ix.sub(f.toIndex(f.mul(f.add(f.fromIndex(at), u), alpha)),
                         f.toIndex(f.mul(u, alpha)));
    return ix.select(ix.eq(at, last), rest, start);
  };
  Sizes sizes(a.out);
  for (int64_t k : kernel)
    sizes.push_back(b.expr(k));
  Tensor windows = b.indexed(
      {}, sizes, a.x.dtype, a.x.dtype,
      [&](Scalars &s, ValueRange, ArrayRef<Value> i) -> Value {
        Scalars ix = s.indices();
        SmallVector<Value> place(i.take_front(a.first));
        for (int64_t d = 0; d < a.spatial; ++d)
          place.push_back(ix.add(getStart(ix, i, d), i[a.x.rank() + d]));
        return tensor::ExtractOp::create(s.b, s.loc, source, place);
      });
  return setMaxima(n, a, windows, getStart);
}

/// Lowers max_unpool: writes each element to its flat index in a plane of
/// zeros.
static LogicalResult lowerMaxUnpool(NodeLowering &n) {
  Tensor x = n.tensor("self"), at = n.tensor("indices");
  ArrayRef<ExprAttr> sizes = n.resultSizes();
  unsigned spatial = n.target() == "aten.max_unpool3d.default" ? 3 : 2;
  if (n.failed() || x.rank() != at.rank() || sizes.size() != size_t(x.rank()) ||
      x.rank() < int64_t(spatial))
    return n.fail("the indices do not fit the tensor");
  Builder &b = n.b;
  int64_t outer = x.rank() - spatial;
  Sizes plane(sizes.take_back(spatial)), from(x.sizes), to(sizes);
  ExprAttr count = b.product(plane);
  b.checkIndices(at, count, n.target().str() + ": an index is out of range",
                 false);
  from.resize(outer);
  to.resize(outer);
  from.push_back(b.product(ArrayRef<ExprAttr>(x.sizes).take_back(spatial)));
  to.push_back(count);
  Tensor values = b.contiguous(b.reshape(x, from)),
         places = b.contiguous(b.reshape(at, from));
  Scalars s(b.b, b.loc, x.dtype);
  Value result = loopNest(
      b, from, b.filled(to, x.dtype, s.integer(0)),
      [&](ArrayRef<Value> i, Value carried) -> Value {
        SmallVector<Value> place(i);
        Value v = tensor::ExtractOp::create(b.b, b.loc, values.value, i);
        Value p = tensor::ExtractOp::create(b.b, b.loc, places.value, i);
        place.back() = Scalars(b.b, b.loc, at.dtype).toIndex(p);
        return tensor::InsertOp::create(b.b, b.loc, v, carried, place);
      });
  return n.result(b.reshape(Tensor(result, to, x.dtype), sizes));
}

void registerAdaptivePooling(Registry &r) {
  r.add("aten.adaptive_avg_pool1d.default", lowerAdaptiveAvgPool<1>);
  r.add(
      {"aten.adaptive_avg_pool2d.default", "aten._adaptive_avg_pool2d.default"},
      lowerAdaptiveAvgPool<2>);
  r.add(
      {"aten.adaptive_avg_pool3d.default", "aten._adaptive_avg_pool3d.default"},
      lowerAdaptiveAvgPool<3>);
  r.add("aten.adaptive_max_pool1d.default", lowerAdaptiveMaxPool<1>);
  r.add("aten.adaptive_max_pool2d.default", lowerAdaptiveMaxPool<2>);
  r.add("aten.adaptive_max_pool3d.default", lowerAdaptiveMaxPool<3>);
  r.add("aten.fractional_max_pool2d.default", lowerFractionalMaxPool<2>);
  r.add("aten.fractional_max_pool3d.default", lowerFractionalMaxPool<3>);
  r.add({"aten.max_unpool2d.default", "aten.max_unpool3d.default"},
        lowerMaxUnpool);
}

} // namespace fx::lin

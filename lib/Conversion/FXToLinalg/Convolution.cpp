//===- Convolution.cpp - convolutions -------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

namespace {
/// A convolution over the last `spatial` dimensions of [N, C, ...] with weights
/// [F, C / groups, ...]. Stride, dilation and padding (`low`, `high`) have one
/// element for each spatial dimension.
struct Conv {
  Tensor x, w;
  std::optional<Tensor> bias;
  unsigned spatial = 0;
  SmallVector<int64_t> stride, dilation, low, high, outputPadding;
  int64_t groups = 1;
};
} // namespace

static DenseIntElementsAttr vectorAttr(Builder &b, ArrayRef<int64_t> values) {
  return b.b.getI64TensorAttr(values);
}

/// Returns the size of the result along a spatial dimension of `size`, padding
/// included, for a kernel of size `k`.
static ExprAttr outputSize(Builder &b, ExprAttr size, int64_t k, int64_t stride,
                           int64_t dilation) {
  MLIRContext *ctx = b.context();
  ExprAttr span = ExprAttr::add(ctx, {size, b.expr(-dilation * (k - 1) - 1)});
  ExprAttr steps =
      span ? ExprAttr::call(ctx, "floordiv", {span, b.expr(stride)}) : span;
  ExprAttr out = steps ? ExprAttr::add(ctx, {steps, b.expr(1)}) : steps;
  return out ? out : b.expr(0);
}

/// Builds the convolution as one linalg.generic, for any rank and number of
/// groups. Its loops are n, [g,] f, o..., c, k...: batch, group, filter and
/// output position, then channel and kernel position, which are reduced.
static Tensor genericConv(Builder &b, const Conv &c, ArrayRef<ExprAttr> sizes,
                          Type acc) {
  Tensor x = b.contiguous(c.x), w = b.contiguous(c.w);
  bool grouped = c.groups > 1;
  unsigned rank = c.spatial + 2 + grouped, loops = rank + 1 + c.spatial;
  MLIRContext *ctx = b.context();
  auto d = [&](unsigned i) { return getAffineDimExpr(i, ctx); };
  Sizes out(sizes);
  if (grouped) {
    auto group = [&](ExprAttr size) {
      ExprAttr r = ExprAttr::call(ctx, "floordiv", {size, b.expr(c.groups)});
      return r ? r : b.expr(0);
    };
    // Make the groups a dimension of their own.
    x = b.split(x, 1, {b.expr(c.groups), group(x.sizes[1])});
    w = b.split(w, 0, {b.expr(c.groups), group(w.sizes[0])});
    out[1] = b.expr(c.groups);
    out.insert(out.begin() + 2, group(sizes[1]));
  }
  unsigned firstOut = 2 + grouped, channel = rank, firstTap = rank + 1;
  SmallVector<AffineExpr> xs = {d(0)}, ws, os;
  if (grouped) {
    xs.push_back(d(1));
    ws.push_back(d(1));
  }
  xs.push_back(d(channel));
  ws.push_back(d(1 + grouped));
  ws.push_back(d(channel));
  for (unsigned i = 0; i < c.spatial; ++i) {
    xs.push_back(d(firstOut + i) * c.stride[i] +
                 d(firstTap + i) * c.dilation[i]);
    ws.push_back(d(firstTap + i));
  }
  SmallVector<utils::IteratorType> iterators;
  for (unsigned i = 0; i < loops; ++i) {
    iterators.push_back(i < rank ? utils::IteratorType::parallel
                                 : utils::IteratorType::reduction);
    if (i < rank)
      os.push_back(d(i));
  }
  SmallVector<AffineMap> maps = {AffineMap::get(loops, 0, xs, ctx),
                                 AffineMap::get(loops, 0, ws, ctx),
                                 AffineMap::get(loops, 0, os, ctx)};
  Scalars outer(b.b, b.loc, acc);
  Value init = b.filled(out, acc, outer.integer(0));
  Value value =
      linalg::GenericOp::create(
          b.b, b.loc, TypeRange(init.getType()), ValueRange{x.value, w.value},
          ValueRange(init), maps, iterators,
          [&](OpBuilder &nested, Location loc, ValueRange v) {
            Scalars s(nested, loc, acc);
            Value p =
                s.mul(s.cast(v[0], x.dtype, acc), s.cast(v[1], w.dtype, acc));
            linalg::YieldOp::create(nested, loc, s.add(v[2], p));
          })
          .getResult(0);
  return b.reshape(Tensor(value, out, acc), sizes);
}

/// Computes the convolution of a padded input, without bias, in `acc`. Uses a
/// named op for 2-d convolutions of floats with one group or depthwise ones.
static Tensor convolve(Builder &b, const Conv &c, ArrayRef<ExprAttr> sizes,
                       Type acc) {
  bool named = c.spatial == 2 && isa<FloatType>(acc);
  bool depthwise = c.groups > 1 && c.w.sizes[1].getInteger() == 1 &&
                   c.x.sizes[1] == b.expr(c.groups) &&
                   c.w.sizes[0] == c.x.sizes[1];
  if (!named || (c.groups > 1 && !depthwise))
    return genericConv(b, c, sizes, acc);
  Scalars outer(b.b, b.loc, acc);
  Value init = b.filled(sizes, acc, outer.integer(0));
  Value x = b.materialize(c.x);
  DenseIntElementsAttr strides = vectorAttr(b, c.stride),
                       dilations = vectorAttr(b, c.dilation);
  Value value;
  if (depthwise) {
    Value w = b.materialize(b.squeeze(c.w, 1));
    value = linalg::DepthwiseConv2DNchwChwOp::create(
                b.b, b.loc, TypeRange(init.getType()), ValueRange{x, w},
                ValueRange(init), strides, dilations)
                ->getResult(0);
  } else {
    value =
        linalg::Conv2DNchwFchwOp::create(b.b, b.loc, TypeRange(init.getType()),
                                         ValueRange{x, b.materialize(c.w)},
                                         ValueRange(init), strides, dilations)
            ->getResult(0);
  }
  return Tensor(value, sizes, acc);
}

/// Adds the zeros of `low` and `high` to the input.
static void padInput(Builder &b, Conv &c) {
  Sizes low(c.spatial + 2, b.expr(0)), high(low);
  for (unsigned i = 0; i < c.spatial; ++i) {
    low[i + 2] = b.expr(c.low[i]);
    high[i + 2] = b.expr(c.high[i]);
  }
  Scalars s(b.b, b.loc, c.x.dtype);
  c.x = b.pad(c.x, low, high, s.integer(0));
}

/// Replaces `sizes`, with the dimension of the batch, by the expressions of the
/// result's type, unless they are provably different.
static LogicalResult takeResultSizes(NodeLowering &n,
                                     MutableArrayRef<ExprAttr> sizes,
                                     bool unbatched) {
  ArrayRef<ExprAttr> want = n.resultSizes();
  if (want.size() != sizes.size() - unbatched)
    return n.fail("the result's rank is not what the operator gives");
  for (auto [have, size] : llvm::zip(sizes.drop_front(unbatched), want)) {
    if (have.isProvablyDifferent(size))
      return n.fail("the result's sizes are not what the operator gives");
    have = size;
  }
  return success();
}

/// Adds the bias. Drops the batch dimension if `unbatched`.
static LogicalResult finish(NodeLowering &n, const Conv &c, Tensor y,
                            bool unbatched) {
  Builder &b = n.b;
  if (c.bias) {
    Tensor bias = *c.bias;
    for (unsigned i = 0; i < c.spatial; ++i)
      bias = b.unsqueeze(bias, bias.rank());
    if (!n.broadcasts(bias, y.sizes))
      return failure();
    Type dtype = y.dtype;
    y = b.pointwise({y, bias}, Sizes(y.sizes), dtype, opMathType(dtype),
                    [](Scalars &s, ValueRange v) { return s.add(v[0], v[1]); });
  }
  return n.result(unbatched ? b.squeeze(y, 0) : y);
}

/// Pads the input, convolves it and adds the bias.
static LogicalResult build(NodeLowering &n, Conv c, bool unbatched) {
  Builder &b = n.b;
  Type dtype = n.resultDtype();
  padInput(b, c);
  Sizes sizes = {c.x.sizes[0], c.w.sizes[0]};
  for (unsigned i = 0; i < c.spatial; ++i)
    sizes.push_back(outputSize(b, c.x.sizes[i + 2],
                               *c.w.sizes[i + 2].getInteger(), c.stride[i],
                               c.dilation[i]));
  if (failed(takeResultSizes(n, sizes, unbatched)))
    return failure();
  Tensor y = b.cast(convolve(b, c, sizes, opMathType(dtype)), dtype);
  return finish(n, c, y, unbatched);
}

/// Returns `size * factor + offset`; 0 if that overflows.
static ExprAttr scale(Builder &b, ExprAttr size, int64_t factor,
                      int64_t offset) {
  MLIRContext *ctx = b.context();
  ExprAttr product = ExprAttr::mul(ctx, {size, b.expr(factor)});
  ExprAttr sum =
      product ? ExprAttr::add(ctx, {product, b.expr(offset)}) : product;
  return sum ? sum : b.expr(0);
}

/// Lowers a transposed convolution with strides and without dilation. With
/// weights [F, C / groups, k...], element o s + p of the result, counted from
/// `low` elements in front of it, is the sum over t of x[o - t] w[t s + p]. So
/// the s phases p are filters of a convolution with stride 1 and ceil(k / s)
/// taps, whose results lie next to each other.
static LogicalResult buildPhases(NodeLowering &n, Conv c, bool unbatched) {
  Builder &b = n.b;
  Type dtype = n.resultDtype();
  unsigned d = c.spatial;
  Conv phases = c;
  phases.stride.assign(d, 1);
  Sizes whole = {c.x.sizes[0], c.w.sizes[0]}, none(d + 2, b.expr(0)),
        high(none), filters = {b.expr(c.groups)};
  SmallVector<int64_t> taps;
  for (unsigned i = 0; i < d; ++i) {
    int64_t k = *c.w.sizes[i + 2].getInteger(), s = c.stride[i],
            rest = c.outputPadding[i] - c.low[i];
    taps.push_back(llvm::divideCeil(std::max(k, k + rest), s));
    high[i + 2] = b.expr(taps[i] * s - k);
    phases.low[i] = phases.high[i] = taps[i] - 1;
    filters.push_back(b.expr(s));
    whole.push_back(scale(b, c.x.sizes[i + 2], s, k - s + rest - c.high[i]));
  }
  filters.push_back(b.expr(*c.w.sizes[0].getInteger() / c.groups));
  if (failed(takeResultSizes(n, whole, unbatched)))
    return failure();

  // [G F, C, t, s, t, s] becomes [G s s F, C, t, t], where neighbours are
  // filters of one phase.
  Scalars zero(b.b, b.loc, c.w.dtype);
  Tensor w = b.pad(c.w, none, high, zero.integer(0));
  for (unsigned i = d; i-- > 0;)
    w = b.split(w, i + 2, {b.expr(taps[i]), b.expr(c.stride[i])});
  w = b.split(w, 0, {filters.front(), filters.back()});
  SmallVector<int64_t> order = {0}, reversed;
  for (unsigned i = 0; i < d; ++i)
    order.push_back(2 * i + 4);
  order.append({1, 2});
  Sizes sizes = {b.product(filters), c.w.sizes[1]};
  for (unsigned i = 0; i < d; ++i) {
    order.push_back(2 * i + 3);
    sizes.push_back(b.expr(taps[i]));
    if (taps[i] > 1)
      reversed.push_back(i + 2);
  }
  phases.w = b.reshape(b.permute(w, order), sizes);
  if (!reversed.empty())
    phases.w = flip(b, b.contiguous(phases.w), reversed);

  padInput(b, phases);
  sizes = {c.x.sizes[0], phases.w.sizes[0]};
  for (unsigned i = 0; i < d; ++i)
    sizes.push_back(scale(b, c.x.sizes[i + 2], 1, taps[i] - 1));
  Tensor y = b.cast(convolve(b, phases, sizes, opMathType(dtype)), dtype);

  // [N, G s s F, o, o] becomes [N, G F, o s, o s].
  y = b.split(y, 1, filters);
  order = {0, 1, int64_t(d + 2)};
  Sizes merged = {c.x.sizes[0], c.w.sizes[0]};
  for (unsigned i = 0; i < d; ++i) {
    order.append({int64_t(i + d + 3), int64_t(i + 2)});
    merged.push_back(scale(b, sizes[i + 2], c.stride[i], 0));
  }
  y = b.reshape(b.permute(y, order), merged);
  for (unsigned i = 0; i < d; ++i)
    y = b.slice(y, i + 2, b.expr(c.low[i]), whole[i + 2], b.expr(1));
  return finish(n, c, y, unbatched);
}

/// Lowers a transposed convolution without strides, or with dilation, to a
/// convolution with stride 1: zeros are inserted between the elements of the
/// input, the kernel is reversed along the spatial dimensions, and the padding
/// is dilation * (k - 1) - padding.
static LogicalResult buildTransposed(NodeLowering &n, Conv c, bool unbatched) {
  Builder &b = n.b;
  // Weights [C, F / groups, k...] as [F, C / groups, k...].
  std::optional<int64_t> channels = c.w.sizes[0].getInteger();
  if (!channels || *channels % c.groups)
    return n.fail("the channels do not divide into the groups");
  Tensor w = b.split(c.w, 0, {b.expr(c.groups), b.expr(*channels / c.groups)});
  SmallVector<int64_t> order = {0, 2, 1}, spatialDims;
  for (unsigned i = 0; i < c.spatial; ++i) {
    order.push_back(i + 3);
    spatialDims.push_back(i + 2);
  }
  w = b.permute(w, order);
  Sizes merged = {b.product({w.sizes[0], w.sizes[1]})};
  merged.append(w.sizes.begin() + 2, w.sizes.end());
  c.w = b.reshape(w, merged);
  auto isOne = [](int64_t v) { return v == 1; };
  bool strided = !llvm::all_of(c.stride, isOne);
  if (strided && llvm::all_of(c.dilation, isOne))
    return buildPhases(n, c, unbatched);
  c.w = flip(b, b.contiguous(c.w), spatialDims);
  // Insert zeros between the elements of the input.
  if (strided) {
    Sizes spread(c.x.sizes);
    for (unsigned i = 0; i < c.spatial; ++i)
      spread[i + 2] = scale(b, c.x.sizes[i + 2], c.stride[i], 1 - c.stride[i]);
    Scalars s(b.b, b.loc, c.x.dtype);
    Value whole = b.filled(spread, c.x.dtype, s.integer(0));
    SmallVector<OpFoldResult> offsets(spread.size(), b.b.getIndexAttr(0)),
        strides(spread.size(), b.b.getIndexAttr(1));
    for (unsigned i = 0; i < c.spatial; ++i)
      strides[i + 2] = b.b.getIndexAttr(c.stride[i]);
    whole = b.insert(b.materialize(c.x), whole, offsets, b.fold(c.x.sizes),
                     strides);
    c.x = Tensor(whole, spread, c.x.dtype);
  }
  for (unsigned i = 0; i < c.spatial; ++i) {
    int64_t reach = c.dilation[i] * (*c.w.sizes[i + 2].getInteger() - 1);
    c.low[i] = reach - c.low[i];
    c.high[i] = reach - c.high[i] + c.outputPadding[i];
    c.stride[i] = 1;
  }
  return build(n, c, unbatched);
}

static LogicalResult lowerConvolution(NodeLowering &n, unsigned spatial,
                                      bool transposed, bool core) {
  Conv c;
  c.x = n.tensor("input");
  c.w = n.tensor("weight");
  c.bias = n.optionalTensor("bias");
  if (n.failed())
    return failure();
  if (core)
    spatial = c.w.rank() - 2;
  c.spatial = spatial;
  if (c.w.rank() != int64_t(spatial) + 2 || spatial < 1 || spatial > 3)
    return n.fail("the weight's rank is not what the operator takes");
  bool unbatched = c.x.rank() == int64_t(spatial) + 1;
  if (!unbatched && c.x.rank() != int64_t(spatial) + 2)
    return n.fail("the input's rank is not what the operator takes");
  if (unbatched)
    c.x = n.b.unsqueeze(c.x, 0);
  for (unsigned i = 0; i < c.w.rank(); ++i)
    if (!c.w.sizes[i].isInteger())
      return n.fail("the weight's sizes are symbolic");
  // Not all of the operators have each of these parameters.
  c.stride = n.integers("stride", spatial, 1);
  c.dilation = n.integers("dilation", spatial, 1);
  c.outputPadding = n.integers("output_padding", spatial, 0);
  c.groups = n.integer("groups", 1);
  transposed = n.boolean("transposed", transposed);
  Argument padding = n.arg("padding");
  bool word = isa_and_nonnull<StringAttr>(padding.tree);
  if (!word)
    c.low = n.integers("padding", spatial, 0);
  if (n.failed())
    return failure();
  for (int64_t v : llvm::concat<int64_t>(c.stride, c.dilation))
    if (v < 1)
      return n.fail("a stride or dilation below 1");
  c.high = c.low;
  if (word) {
    StringRef mode = n.string("padding", "");
    for (unsigned i = 0; i < spatial; ++i) {
      int64_t total = mode == "same"
                          ? c.dilation[i] * (*c.w.sizes[i + 2].getInteger() - 1)
                          : 0;
      c.low.push_back(total / 2);
      c.high.push_back(total - total / 2);
    }
  }
  ExprAttr inner = n.b.product({c.w.sizes[1], n.b.expr(c.groups)});
  if (c.groups < 1 ||
      (transposed ? c.w.sizes[0] : inner).isProvablyDifferent(c.x.sizes[1]) ||
      *c.w.sizes[0].getInteger() % c.groups)
    return n.fail("the channels of input and weight do not fit");
  if (c.bias && c.bias->rank() != 1)
    return n.fail("the bias is no vector");
  return transposed ? buildTransposed(n, c, unbatched) : build(n, c, unbatched);
}

template <unsigned spatial, bool transposed, bool core>
static LogicalResult lower(NodeLowering &n) {
  return lowerConvolution(n, spatial, transposed, core);
}

void registerConvolutions(Registry &r) {
  r.add({"aten.conv1d.default", "aten.conv1d.padding"}, lower<1, false, false>);
  r.add({"aten.conv2d.default", "aten.conv2d.padding"}, lower<2, false, false>);
  r.add({"aten.conv3d.default", "aten.conv3d.padding"}, lower<3, false, false>);
  r.add("aten.conv_transpose1d.default", lower<1, true, false>);
  r.add("aten.conv_transpose2d.input", lower<2, true, false>);
  r.add("aten.conv_transpose3d.input", lower<3, true, false>);
  r.add("aten.convolution.default", lower<0, false, true>);
}

} // namespace fx::lin

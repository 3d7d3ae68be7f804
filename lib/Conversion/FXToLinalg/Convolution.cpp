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

/// Pads the input, convolves it and adds the bias. Drops the batch dimension if
/// `unbatched`.
static LogicalResult build(NodeLowering &n, Conv c, bool unbatched) {
  Builder &b = n.b;
  Type dtype = n.resultDtype(), acc = opMathType(dtype);
  Sizes low(c.spatial + 2, b.expr(0)), high(low);
  for (unsigned i = 0; i < c.spatial; ++i) {
    low[i + 2] = b.expr(c.low[i]);
    high[i + 2] = b.expr(c.high[i]);
  }
  Scalars s(b.b, b.loc, c.x.dtype);
  c.x = b.pad(c.x, low, high, s.integer(0));
  Sizes sizes = {c.x.sizes[0], c.w.sizes[0]};
  for (unsigned i = 0; i < c.spatial; ++i)
    sizes.push_back(outputSize(b, c.x.sizes[i + 2],
                               *c.w.sizes[i + 2].getInteger(), c.stride[i],
                               c.dilation[i]));
  // Use the result type's expressions unless they are provably different.
  ArrayRef<ExprAttr> want = n.resultSizes();
  if (want.size() != sizes.size() - unbatched)
    return n.fail("the result's rank is not what the operator gives");
  for (auto [have, size] : llvm::zip(
           MutableArrayRef<ExprAttr>(sizes).drop_front(unbatched), want)) {
    if (have.isProvablyDifferent(size))
      return n.fail("the result's sizes are not what the operator gives");
    have = size;
  }
  Tensor y = b.cast(convolve(b, c, sizes, acc), dtype);
  if (c.bias) {
    Tensor bias = *c.bias;
    for (unsigned i = 0; i < c.spatial; ++i)
      bias = b.unsqueeze(bias, bias.rank());
    if (!n.broadcasts(bias, sizes))
      return failure();
    y = b.pointwise({y, bias}, sizes, dtype, acc,
                    [](Scalars &s, ValueRange v) { return s.add(v[0], v[1]); });
  }
  return n.result(unbatched ? b.squeeze(y, 0) : y);
}

/// Lowers a transposed convolution to a convolution with stride 1: zeros are
/// inserted between the elements of the input, the kernel is reversed along the
/// spatial dimensions, and the padding is dilation * (k - 1) - padding.
static LogicalResult buildTransposed(NodeLowering &n, Conv c, bool unbatched) {
  Builder &b = n.b;
  MLIRContext *ctx = b.context();
  // Weights [C, F / groups, k...] as [F, C / groups, k...].
  std::optional<int64_t> channels = c.w.sizes[0].getInteger();
  if (!channels || *channels % c.groups)
    return n.fail("the channels do not divide into the groups");
  Tensor w = b.split(c.w, 0, {b.expr(c.groups), b.expr(*channels / c.groups)});
  SmallVector<int64_t> order = {0, 2, 1};
  for (unsigned i = 0; i < c.spatial; ++i)
    order.push_back(i + 3);
  w = b.permute(w, order);
  Sizes merged = {b.product({w.sizes[0], w.sizes[1]})};
  merged.append(w.sizes.begin() + 2, w.sizes.end());
  w = b.reshape(w, merged);
  // Reverse the kernel.
  SmallVector<int64_t> taps;
  for (unsigned i = 0; i < c.spatial; ++i)
    taps.push_back(*w.sizes[i + 2].getInteger());
  Tensor plain = b.contiguous(w);
  c.w = b.indexed(
      {}, plain.sizes, plain.dtype, Type(),
      [&](Scalars &s, ValueRange, ArrayRef<Value> at) {
        SmallVector<Value> from(at);
        for (unsigned i = 0; i < c.spatial; ++i)
          from[i + 2] = arith::SubIOp::create(
              s.b, s.loc,
              arith::ConstantIndexOp::create(s.b, s.loc, taps[i] - 1),
              at[i + 2]);
        return tensor::ExtractOp::create(s.b, s.loc, plain.value, from);
      });
  // Insert zeros between the elements of the input.
  Sizes spread(c.x.sizes);
  bool strided = false;
  for (unsigned i = 0; i < c.spatial; ++i) {
    ExprAttr size = c.x.sizes[i + 2];
    ExprAttr gaps = ExprAttr::add(ctx, {size, b.expr(-1)});
    ExprAttr wide =
        gaps ? ExprAttr::mul(ctx, {gaps, b.expr(c.stride[i])}) : gaps;
    wide = wide ? ExprAttr::add(ctx, {wide, b.expr(1)}) : wide;
    spread[i + 2] = wide ? wide : b.expr(0);
    strided |= c.stride[i] != 1;
  }
  if (strided) {
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
    int64_t reach = c.dilation[i] * (taps[i] - 1);
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

//===- Padding.cpp - padding and sliding windows --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"
#include "Taps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

/// The element of the tensor that an element of the padding repeats.
enum class PadMode { Reflect, Replicate, Circular };

/// Pads `x` with its own elements: mirrored at the edges, the edges, or from
/// the other end. Negative amounts crop; circular padding repeats the cropped
/// tensor.
static LogicalResult padFromInside(NodeLowering &n, Tensor x, Sizes amounts,
                                   PadMode mode) {
  Builder &b = n.b;
  ArrayRef<ExprAttr> sizes = n.resultSizes();
  if (n.failed() || amounts.size() % 2 ||
      int64_t(amounts.size()) > 2 * x.rank() ||
      sizes.size() != size_t(x.rank()))
    return n.fail("the padding does not fit the tensor");
  for (ExprAttr size : sizes)
    if (size.getInteger() == 0)
      return n.result(Tensor(b.empty(sizes, x.dtype), sizes, x.dtype));
  if (mode == PadMode::Circular)
    for (size_t i = 0; i < amounts.size(); i += 2) {
      int64_t dim = x.rank() - 1 - int64_t(i / 2);
      int64_t crop[2];
      for (unsigned side = 0; side < 2; ++side) {
        ExprAttr &amount = amounts[i + side];
        int64_t known = amount.getInteger().value_or(0);
        crop[side] = std::max<int64_t>(-known, 0);
        if (crop[side])
          amount = b.expr(0);
      }
      if (!crop[0] && !crop[1])
        continue;
      ExprAttr left = ExprAttr::add(n.context(),
                                    {x.sizes[dim], b.expr(-crop[0] - crop[1])});
      if (!left)
        return n.fail("a size overflows");
      x = b.slice(x, dim, b.expr(crop[0]), left, b.expr(1));
    }
  SmallVector<Value> low(x.rank()), size(x.rank());
  for (size_t i = 0; i < amounts.size() / 2; ++i) {
    int64_t dim = x.rank() - 1 - int64_t(i);
    if (!b.symbols.canEvaluate(amounts[2 * i]))
      return n.fail("the padding is not known");
    low[dim] = b.index(amounts[2 * i]);
    size[dim] = b.index(x.sizes[dim]);
  }
  return n.result(
      b.read(x, {}, sizes, [&](Scalars &s, ValueRange, ArrayRef<Value> out) {
        Scalars ix = s.indices();
        Value zero = ix.integer(0), one = ix.integer(1);
        SmallVector<Value> place(out);
        for (auto [d, at] : llvm::enumerate(place)) {
          if (!low[d])
            continue;
          at = ix.sub(at, low[d]);
          Value last = ix.sub(size[d], one);
          switch (mode) {
          case PadMode::Replicate:
            at = ix.min(ix.max(at, zero), last);
            break;
          case PadMode::Reflect:
            at = ix.select(ix.lt(at, zero), ix.sub(zero, at), at);
            at = ix.select(ix.gt(at, last), ix.sub(ix.add(last, last), at), at);
            break;
          case PadMode::Circular:
            at = ix.select(ix.lt(at, zero), ix.add(at, size[d]), at);
            at = ix.select(ix.gt(at, last), ix.sub(at, size[d]), at);
            break;
          }
        }
        return place;
      }));
}

static LogicalResult padConstant(NodeLowering &n, const Tensor &x,
                                 ArrayRef<ExprAttr> amounts,
                                 const Number &value) {
  if (n.failed() || amounts.size() % 2 ||
      int64_t(amounts.size()) > 2 * x.rank())
    return n.fail("the padding does not fit the tensor");
  Sizes low(x.rank(), n.b.expr(0)), high(x.rank(), n.b.expr(0));
  for (size_t i = 0; i < amounts.size() / 2; ++i) {
    int64_t dim = x.rank() - 1 - int64_t(i);
    low[dim] = amounts[2 * i];
    high[dim] = amounts[2 * i + 1];
    if (!n.b.symbols.canEvaluate(low[dim]) ||
        !n.b.symbols.canEvaluate(high[dim]))
      return n.fail("the padding is not known");
    if (!ExprAttr::add(n.context(), {x.sizes[dim], low[dim], high[dim]}))
      return n.fail("a size overflows");
  }
  return n.result(n.b.pad(x, low, high, n.b.number(value, x.dtype)));
}

static LogicalResult lowerConstantPad(NodeLowering &n) {
  Tensor x = n.tensor("self");
  Sizes amounts = n.sizes("pad");
  return padConstant(n, x, amounts, n.number("value"));
}

static LogicalResult lowerPad(NodeLowering &n) {
  Tensor x = n.tensor("self");
  Sizes amounts = n.sizes("pad");
  StringRef mode = n.string("mode");
  if (mode == "constant")
    return padConstant(n, x, amounts, n.number("value", 0));
  return padFromInside(n, x, amounts,
                       mode == "reflect"     ? PadMode::Reflect
                       : mode == "replicate" ? PadMode::Replicate
                                             : PadMode::Circular);
}

template <PadMode mode>
static LogicalResult lowerPadFromInside(NodeLowering &n) {
  Tensor x = n.tensor("self");
  return padFromInside(n, x, n.sizes("padding"), mode);
}

//===----------------------------------------------------------------------===//
// Windows as columns
//===----------------------------------------------------------------------===//

namespace {
/// The windows of im2col and col2im, by dimension: height, width.
struct Windows {
  SmallVector<int64_t> kernel, dilation, padding, stride;
  explicit Windows(NodeLowering &n)
      : kernel(n.integers("kernel_size", 2)),
        dilation(n.integers("dilation", 2)), padding(n.integers("padding", 2)),
        stride(n.integers("stride", 2)) {}
  /// Returns the number of windows along dimension `i` of size `size`, or
  /// nullopt if the size is dynamic.
  std::optional<int64_t> count(unsigned i, ExprAttr size) const {
    std::optional<int64_t> s = size.getInteger();
    if (!s)
      return std::nullopt;
    return (*s + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) /
               stride[i] +
           1;
  }
  /// Returns true if the windows lie next to each other: they are views.
  bool areParts() const {
    for (unsigned d = 0; d < 2; ++d)
      if (kernel[d] != stride[d] || padding[d] ||
          (kernel[d] > 1 && dilation[d] != 1))
        return false;
    return true;
  }
};
} // namespace

/// Rearranges [n, c, h, w] to [n, c * kh * kw, windows].
static LogicalResult lowerIm2Col(NodeLowering &n) {
  Tensor x = n.tensor("self");
  Windows w(n);
  if (n.failed() || x.rank() < 3 || x.rank() > 4)
    return n.fail("the input is no image");
  Builder &b = n.b;
  if (x.rank() == 3)
    x = b.unsqueeze(x, 0);
  std::optional<int64_t> rows = w.count(0, x.sizes[2]),
                         columns = w.count(1, x.sizes[3]);
  if (!rows || !columns)
    return n.fail("the image's size is not known");
  ExprAttr zero = b.expr(0);
  if (w.areParts()) {
    int64_t counts[2] = {*rows, *columns};
    for (unsigned d = 2; d-- > 0;) {
      x = b.slice(x, 2 + d, zero, b.expr(counts[d] * w.kernel[d]), b.expr(1));
      x = b.split(x, 2 + d, {b.expr(counts[d]), b.expr(w.kernel[d])});
    }
    return n.result(
        b.reshape(b.permute(x, {0, 1, 3, 5, 2, 4}), n.resultSizes()));
  }
  Scalars s(b.b, b.loc, x.dtype);
  Sizes pad = {zero, zero, b.expr(w.padding[0]), b.expr(w.padding[1])};
  Tensor padded = b.pad(x, pad, pad, s.integer(0));
  Sizes sizes = {x.sizes[0],          x.sizes[1],    b.expr(w.kernel[0]),
                 b.expr(w.kernel[1]), b.expr(*rows), b.expr(*columns)};
  Tensor y = b.read(
      padded, {}, sizes,
      [&](Scalars &s, ValueRange, ArrayRef<Value> i) -> SmallVector<Value> {
        Scalars ix = s.indices();
        SmallVector<Value> place = {i[0], i[1]};
        for (unsigned d = 0; d < 2; ++d)
          place.push_back(ix.add(ix.mul(i[4 + d], ix.integer(w.stride[d])),
                                 ix.mul(i[2 + d], ix.integer(w.dilation[d]))));
        return place;
      });
  return n.result(b.reshape(y, n.resultSizes()));
}

/// Lowers col2im: adds up, for each element of the image, the elements of all
/// windows that im2col reads from it.
static LogicalResult lowerCol2Im(NodeLowering &n) {
  Tensor x = n.tensor("self");
  Sizes image = n.sizes("output_size");
  Windows w(n);
  if (n.failed() || x.rank() < 2 || x.rank() > 3 || image.size() != 2)
    return n.fail("the input is no matrix of windows");
  Builder &b = n.b;
  bool single = x.rank() == 2;
  if (single)
    x = b.unsqueeze(x, 0);
  std::optional<int64_t> rows = w.count(0, image[0]),
                         columns = w.count(1, image[1]),
                         channels = x.sizes[1].getInteger();
  int64_t taps = w.kernel[0] * w.kernel[1];
  if (!rows || !columns || !channels || taps < 1)
    return n.fail("the sizes of the image and its windows are not known");
  Sizes split = {x.sizes[0],          b.expr(*channels / taps),
                 b.expr(w.kernel[0]), b.expr(w.kernel[1]),
                 b.expr(*rows),       b.expr(*columns)};
  if (w.areParts() && image[0].getInteger() == *rows * w.kernel[0] &&
      image[1].getInteger() == *columns * w.kernel[1])
    return n.result(b.reshape(
        b.permute(b.reshape(x, split), {0, 1, 4, 2, 5, 3}), n.resultSizes()));
  Value source = b.materialize(b.reshape(x, split));
  Sizes sizes = {split[0], split[1], image[0], image[1]};
  Type acc = opMathType(x.dtype);
  int64_t count[2] = {*rows, *columns};
  Tensor y = b.indexed(
      {}, sizes, x.dtype, acc, [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
        Scalars ix = s.indices();
        Value zero = ix.integer(0);
        return foldTaps(
            s, w.kernel, s.integer(0),
            [&](ArrayRef<Value> tap, ValueRange sum) -> SmallVector<Value> {
              SmallVector<Value> place = {i[0], i[1], tap[0], tap[1]};
              Value inside = s.boolean(true);
              for (unsigned d = 0; d < 2; ++d) {
                Value back = ix.mul(tap[d], ix.integer(w.dilation[d]));
                Value from =
                    ix.sub(ix.add(i[2 + d], ix.integer(w.padding[d])), back);
                Value step = ix.integer(w.stride[d]);
                Value at = ix.div(from, step);
                Value fits = ix.eq(ix.fmod(from, step), zero);
                fits = ix.logicalAnd(fits, ix.ge(from, zero));
                fits = ix.logicalAnd(fits, ix.lt(at, ix.integer(count[d])));
                inside = ix.logicalAnd(inside, fits);
                place.push_back(ix.select(fits, at, zero));
              }
              Value v = tensor::ExtractOp::create(s.b, s.loc, source, place);
              v = s.cast(v, x.dtype, acc);
              return {s.add(sum[0], s.select(inside, v, s.integer(0)))};
            })[0];
      });
  return n.result(single ? b.squeeze(y, 0) : y);
}

void registerPadding(Registry &r) {
  r.addWithFloat8({"aten.constant_pad_nd.default"}, lowerConstantPad);
  r.addWithFloat8({"aten.pad.default"}, lowerPad);
  r.add({"aten.reflection_pad1d.default", "aten.reflection_pad2d.default",
         "aten.reflection_pad3d.default"},
        lowerPadFromInside<PadMode::Reflect>);
  r.add({"aten.replication_pad1d.default", "aten.replication_pad2d.default",
         "aten.replication_pad3d.default"},
        lowerPadFromInside<PadMode::Replicate>);
  r.add("aten.im2col.default", lowerIm2Col);
  r.add("aten.col2im.default", lowerCol2Im);
}

} // namespace fx::lin

//===- Resampling.cpp - upsampling and grid sampling ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;

namespace fx::lin {

namespace {
/// The parameters of an upsampling, by spatial dimension. The scale is the
/// number of input elements per output element, from the argument
/// `scale_factors` or else from the sizes, as in ATen.
struct Resample {
  SmallVector<Value> scale; // f32
  SmallVector<Value> size;  // of the input, index
};
} // namespace

static Value constantIndex(Scalars &s, int64_t v) {
  return arith::ConstantIndexOp::create(s.b, s.loc, v);
}

/// Checks the operand and computes the parameters. `align`: align_corners.
static LogicalResult readResample(NodeLowering &n, const Tensor &x,
                                  unsigned spatial, bool align, Resample &r) {
  if (n.failed() || x.rank() != int64_t(spatial) + 2 ||
      n.resultSizes().size() != size_t(x.rank()) || !isa<FloatType>(x.dtype))
    return n.fail("the input's rank or dtype is not what the operator takes");
  Argument factors = n.arg("scale_factors");
  Builder &b = n.b;
  Type f32 = b.b.getF32Type();
  Scalars s(b.b, b.loc, f32);
  for (unsigned i = 0; i < spatial; ++i) {
    ExprAttr in = x.sizes[i + 2], out = n.resultSizes()[i + 2];
    Number ni, no;
    ni.expr = in;
    no.expr = out;
    Value vi = b.number(ni, f32), vo = b.number(no, f32);
    Value scale;
    if (align) {
      Value one = s.constant(1);
      scale = s.select(s.gt(vo, one), s.div(s.sub(vi, one), s.sub(vo, one)),
                       s.constant(0));
    } else if (factors.isList() && i < factors.getElements().size()) {
      Number f = n.asNumber(factors.getElements()[i]);
      if (n.failed())
        return failure();
      scale = s.div(s.constant(1), b.number(f, f32));
    } else {
      scale = s.div(vi, vo);
    }
    r.scale.push_back(scale);
    r.size.push_back(b.index(in));
  }
  return success();
}

static Value toF32(Scalars &s, Value index) {
  Scalars f(s.b, s.loc, s.b.getF32Type());
  return f.fromIndex(index);
}
/// Truncates a float to an index; the floor for values that are not negative.
static Value floorIndex(Scalars &s, Value v) {
  Value i = arith::FPToSIOp::create(s.b, s.loc, s.b.getI64Type(), v);
  return arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), i);
}
static Value lastIndex(Scalars &s, Value size) {
  return arith::SubIOp::create(s.b, s.loc, size, constantIndex(s, 1));
}

/// Lowers nearest-neighbour upsampling: reads the input element at the start of
/// the output element or, if `exact`, at its center.
template <unsigned spatial, bool exact>
static LogicalResult lowerUpsampleNearest(NodeLowering &n) {
  Tensor x = n.tensor("input");
  Resample r;
  if (failed(readResample(n, x, spatial, false, r)))
    return failure();
  return n.result(n.b.read(
      x, {}, n.resultSizes(), [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
        SmallVector<Value> place(i);
        for (unsigned d = 0; d < spatial; ++d) {
          Scalars f(s.b, s.loc, s.b.getF32Type());
          Value at = toF32(s, i[d + 2]);
          if (exact)
            at = f.add(at, f.constant(0.5));
          Value from = floorIndex(s, f.mul(at, r.scale[d]));
          place[d + 2] =
              arith::MinSIOp::create(s.b, s.loc, from, lastIndex(s, r.size[d]));
        }
        return place;
      }));
}

/// Lowers linear upsampling: the weighted sum of the two nearest elements along
/// each dimension.
template <unsigned spatial>
static LogicalResult lowerUpsampleLinear(NodeLowering &n) {
  Tensor x = n.tensor("input");
  bool align = n.boolean("align_corners");
  Resample r;
  if (failed(readResample(n, x, spatial, align, r)))
    return failure();
  Value source = n.b.materialize(x);
  Type compute = opMathType(x.dtype), f32 = n.b.b.getF32Type();
  return n.result(n.b.indexed(
      {}, n.resultSizes(), x.dtype, compute,
      [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
        Scalars f(s.b, s.loc, f32);
        SmallVector<std::array<Value, 2>> places, weights;
        for (unsigned d = 0; d < spatial; ++d) {
          Value at = toF32(s, i[d + 2]);
          if (align)
            at = f.mul(at, r.scale[d]);
          else
            at = f.max(f.sub(f.mul(f.add(at, f.constant(0.5)), r.scale[d]),
                             f.constant(0.5)),
                       f.constant(0));
          Value last = lastIndex(s, r.size[d]);
          Value low =
              arith::MinSIOp::create(s.b, s.loc, floorIndex(s, at), last);
          Value high = arith::MinSIOp::create(
              s.b, s.loc,
              arith::AddIOp::create(s.b, s.loc, low, constantIndex(s, 1)),
              last);
          Value w = f.min(f.max(f.sub(at, toF32(s, low)), f.constant(0)),
                          f.constant(1));
          places.push_back({low, high});
          weights.push_back({s.cast(f.sub(f.constant(1), w), f32, compute),
                             s.cast(w, f32, compute)});
        }
        Value total;
        for (unsigned corner = 0; corner < (1u << spatial); ++corner) {
          SmallVector<Value> place(i);
          Value weight;
          for (unsigned d = 0; d < spatial; ++d) {
            unsigned side = corner >> (spatial - 1 - d) & 1;
            place[d + 2] = places[d][side];
            weight =
                weight ? s.mul(weight, weights[d][side]) : weights[d][side];
          }
          Value e = s.cast(tensor::ExtractOp::create(s.b, s.loc, source, place),
                           x.dtype, compute);
          Value term = s.mul(weight, e);
          total = total ? s.add(total, term) : term;
        }
        return total;
      }));
}

//===----------------------------------------------------------------------===//
// Cubic interpolation and grid sampling
//===----------------------------------------------------------------------===//

/// Returns the weights of the four neighbours of a point at distance `t` after
/// the second one (Keys' kernel with A = -0.75, as in ATen).
static SmallVector<Value> cubicWeights(Scalars &s, Value t) {
  constexpr double a = -0.75;
  auto c = [&](double v) { return s.constant(v); };
  // The kernel at distances up to 1, and from 1 to 2.
  auto near = [&](Value x) {
    return s.add(s.mul(s.mul(s.sub(s.mul(c(a + 2), x), c(a + 3)), x), x), c(1));
  };
  auto far = [&](Value x) {
    Value p = s.add(s.mul(s.sub(s.mul(c(a), x), c(5 * a)), x), c(8 * a));
    return s.sub(s.mul(p, x), c(4 * a));
  };
  Value rest = s.sub(c(1), t);
  return {far(s.add(t, c(1))), near(t), near(rest), far(s.add(rest, c(1)))};
}

static Value clampIndex(Scalars &s, Value at, Value size) {
  Scalars ix = s.indices();
  return ix.min(ix.max(at, ix.integer(0)), ix.sub(size, ix.integer(1)));
}

static LogicalResult lowerUpsampleBicubic(NodeLowering &n) {
  Tensor x = n.tensor("input");
  bool align = n.boolean("align_corners");
  Resample r;
  if (failed(readResample(n, x, 2, align, r)))
    return failure();
  Value source = n.b.materialize(x);
  Type compute = opMathType(x.dtype), f32 = n.b.b.getF32Type();
  return n.result(n.b.indexed(
      {}, n.resultSizes(), x.dtype, compute,
      [&](Scalars &s, ValueRange, ArrayRef<Value> i) {
        Scalars f(s.b, s.loc, f32), ix = s.indices();
        SmallVector<SmallVector<Value>> places(2), weights(2);
        for (unsigned d = 0; d < 2; ++d) {
          Value at = toF32(s, i[d + 2]);
          if (align)
            at = f.mul(at, r.scale[d]);
          else
            at = f.sub(f.mul(f.add(at, f.constant(0.5)), r.scale[d]),
                       f.constant(0.5));
          Value low = f.floor(at), start = floorIndex(s, low);
          for (Value w : cubicWeights(f, f.sub(at, low)))
            weights[d].push_back(s.cast(w, f32, compute));
          for (int64_t k = -1; k < 3; ++k)
            places[d].push_back(
                clampIndex(s, ix.add(start, ix.integer(k)), r.size[d]));
        }
        Value total = s.constant(0);
        for (unsigned row = 0; row < 4; ++row) {
          Value line = s.constant(0);
          for (unsigned column = 0; column < 4; ++column) {
            Value v = tensor::ExtractOp::create(
                s.b, s.loc, source,
                ValueRange{i[0], i[1], places[0][row], places[1][column]});
            line = s.add(
                line, s.mul(weights[1][column], s.cast(v, x.dtype, compute)));
          }
          total = s.add(total, s.mul(weights[0][row], line));
        }
        return total;
      }));
}

namespace {
/// The arguments of grid_sampler. `mode`: 0 linear, 1 nearest, 2 cubic.
/// `padding`, the values outside the image: 0 zeros, 1 the nearest edge,
/// 2 reflection. `align`: align_corners.
struct Grid {
  int64_t mode, padding;
  bool align;
};
} // namespace

/// Converts a coordinate in [-1, 1] to one in elements.
static Value unnormalize(Scalars &s, const Grid &g, Value at, Value size) {
  Value one = s.constant(1), half = s.constant(0.5);
  if (g.align)
    return s.mul(s.mul(s.add(at, one), half), s.sub(size, one));
  return s.mul(s.sub(s.mul(s.add(at, one), size), one), half);
}

/// Reflects a coordinate at the centers of the first and last element
/// (align_corners) or at their outer edges.
static Value mirror(Scalars &s, const Grid &g, Value at, Value size) {
  Value low = s.constant(g.align ? 0 : -0.5);
  Value span = g.align ? s.sub(size, s.constant(1)) : size;
  at = s.abs(s.sub(at, low));
  Value flips = s.floor(s.div(at, span));
  Value extra = s.sub(at, s.mul(flips, span));
  Value half = s.mul(flips, s.constant(0.5));
  Value even = s.eq(half, s.floor(half));
  Value r = s.select(even, s.add(extra, low), s.add(s.sub(span, extra), low));
  return s.select(s.le(span, s.constant(0)), s.constant(0), r);
}

/// Applies the padding mode: moves a coordinate into the image or, with zero
/// padding, returns it unchanged.
static Value intoImage(Scalars &s, const Grid &g, Value at, Value size) {
  if (g.padding == 0)
    return at;
  if (g.padding == 2)
    at = mirror(s, g, at, size);
  Value last = s.sub(size, s.constant(1));
  // A NaN becomes 0, as in ATen's clipping.
  at = s.select(s.isNan(at), s.constant(0), at);
  return s.min(s.max(at, s.constant(0)), last);
}

namespace {
/// The image that a grid samples.
struct Image {
  Value source;
  Type dtype;
  SmallVector<Value> size;   // of the spatial dimensions, index
  SmallVector<Value> length; // the same in the compute type
};
} // namespace

/// Returns the element at the integral coordinates `from`, or 0 outside of the
/// image. `i` are the result's indices, of which the first two are sample and
/// channel.
static Value readImage(Scalars &s, const Image &image, ArrayRef<Value> i,
                       ArrayRef<Value> from) {
  SmallVector<Value> place = {i[0], i[1]};
  Value inside = s.boolean(true);
  for (unsigned d = 0; d < from.size(); ++d) {
    Value c = from[d];
    inside = s.logicalAnd(
        inside, s.logicalAnd(s.ge(c, s.constant(0)), s.lt(c, image.length[d])));
    // A float that is out of range for the conversion is outside anyway.
    c = s.select(inside, c, s.constant(0));
    place.push_back(clampIndex(s, floorIndex(s, c), image.size[d]));
  }
  Value v = tensor::ExtractOp::create(s.b, s.loc, image.source, place);
  return s.select(inside, s.cast(v, image.dtype, s.dtype), s.constant(0));
}

/// Returns the coordinates in the image that the grid `places`, of `dtype`, has
/// for element `i` of the result. The grid stores them in reverse order: the
/// coordinate of the last dimension comes first.
static SmallVector<Value> gridCoordinates(Scalars &s, const Grid &g,
                                          Value places, Type dtype,
                                          ArrayRef<Value> i,
                                          ArrayRef<Value> length) {
  unsigned spatial = length.size();
  Scalars ix = s.indices();
  SmallVector<Value> at(spatial);
  for (unsigned d = 0; d < spatial; ++d) {
    SmallVector<Value> place = {i[0]};
    place.append(i.begin() + 2, i.end());
    place.push_back(ix.integer(spatial - 1 - d));
    Value v = tensor::ExtractOp::create(s.b, s.loc, places, place);
    at[d] = unnormalize(s, g, s.cast(v, dtype, s.dtype), length[d]);
    if (g.mode != 2)
      at[d] = intoImage(s, g, at[d], length[d]);
  }
  return at;
}

/// Returns the weighted sum of the four by four elements around `at`, which has
/// two coordinates.
static Value sampleCubic(Scalars &s, const Grid &g, ArrayRef<Value> at,
                         ArrayRef<Value> length,
                         function_ref<Value(ArrayRef<Value>)> read) {
  Value total = s.constant(0);
  SmallVector<SmallVector<Value>> weights;
  for (Value c : at)
    weights.push_back(cubicWeights(s, s.sub(c, s.floor(c))));
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column) {
      Value from[2] = {s.add(s.floor(at[0]), s.constant(row - 1)),
                       s.add(s.floor(at[1]), s.constant(column - 1))};
      for (unsigned d = 0; d < 2; ++d)
        from[d] = intoImage(s, g, from[d], length[d]);
      Value w = s.mul(weights[0][row], weights[1][column]);
      total = s.add(total, s.mul(w, read(from)));
    }
  return total;
}

/// Returns the weighted sum of the two elements around `at` along each
/// dimension.
static Value sampleLinear(Scalars &s, ArrayRef<Value> at,
                          function_ref<Value(ArrayRef<Value>)> read) {
  Value total = s.constant(0);
  for (unsigned corner = 0; corner < (1u << at.size()); ++corner) {
    SmallVector<Value> from;
    Value weight;
    for (unsigned d = 0; d < at.size(); ++d) {
      Value low = s.floor(at[d]), t = s.sub(at[d], low);
      bool high = corner >> d & 1;
      from.push_back(high ? s.add(low, s.constant(1)) : low);
      Value w = high ? t : s.sub(s.constant(1), t);
      weight = weight ? s.mul(weight, w) : w;
    }
    total = s.add(total, s.mul(weight, read(from)));
  }
  return total;
}

/// Lowers grid_sampler(input, grid, interpolation, padding, align). The last
/// dimension of the grid holds x, y and, in three dimensions, z.
template <unsigned spatial>
static LogicalResult sampleGrid(NodeLowering &n) {
  Tensor x = n.tensor("input"), grid = n.tensor("grid");
  Grid g{n.integer("interpolation_mode"), n.integer("padding_mode"),
         n.boolean("align_corners")};
  if (n.failed() || x.rank() != spatial + 2 || grid.rank() != spatial + 2 ||
      !isa<FloatType>(x.dtype) || (g.mode == 2 && spatial != 2))
    return n.fail("the grid does not fit the input");
  for (ExprAttr e : x.sizes)
    if (e.getInteger() == 0)
      return n.fail("an empty input");
  Builder &b = n.b;
  Type compute = opMathType(x.dtype);
  Image image;
  image.source = b.materialize(x);
  image.dtype = x.dtype;
  Value places = b.materialize(grid);
  Scalars outer(b.b, b.loc, compute);
  for (unsigned d = 0; d < spatial; ++d) {
    image.size.push_back(b.index(x.sizes[d + 2]));
    image.length.push_back(outer.fromIndex(image.size.back()));
  }
  return n.result(b.indexed(
      {}, n.resultSizes(), x.dtype, compute,
      [&](Scalars &s, ValueRange, ArrayRef<Value> i) -> Value {
        SmallVector<Value> at =
            gridCoordinates(s, g, places, grid.dtype, i, image.length);
        auto read = [&](ArrayRef<Value> from) -> Value {
          return readImage(s, image, i, from);
        };
        if (g.mode == 1) {
          for (Value &c : at)
            c = s.roundEven(c);
          return read(at);
        }
        if (g.mode == 2)
          return sampleCubic(s, g, at, image.length, read);
        return sampleLinear(s, at, read);
      }));
}

static LogicalResult lowerGridSampler(NodeLowering &n) {
  return n.tensor("input").rank() == 5 ? sampleGrid<3>(n) : sampleGrid<2>(n);
}

void registerResampling(Registry &r) {
  r.add("aten.upsample_nearest1d.vec", lowerUpsampleNearest<1, false>);
  r.add("aten.upsample_nearest2d.vec", lowerUpsampleNearest<2, false>);
  r.add("aten.upsample_nearest3d.vec", lowerUpsampleNearest<3, false>);
  r.add("aten._upsample_nearest_exact1d.vec", lowerUpsampleNearest<1, true>);
  r.add("aten._upsample_nearest_exact2d.vec", lowerUpsampleNearest<2, true>);
  r.add("aten._upsample_nearest_exact3d.vec", lowerUpsampleNearest<3, true>);
  r.add("aten.upsample_linear1d.vec", lowerUpsampleLinear<1>);
  r.add("aten.upsample_bilinear2d.vec", lowerUpsampleLinear<2>);
  r.add("aten.upsample_trilinear3d.vec", lowerUpsampleLinear<3>);
  r.add("aten.upsample_bicubic2d.vec", lowerUpsampleBicubic);
  r.add("aten.grid_sampler.default", lowerGridSampler);
  r.add("aten.grid_sampler_2d.default", sampleGrid<2>);
  r.add("aten.grid_sampler_3d.default", sampleGrid<3>);
}

} // namespace fx::lin

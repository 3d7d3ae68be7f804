//===- Antialias.cpp - upsampling with antialiasing -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Along each dimension, an element of the result is a weighted mean of the
// input's elements around it; the more the image shrinks, the more of them. The
// weights depend on the sizes only, so that each dimension is a matmul with a
// constant matrix (ATen/native/cpu/UpSampleKernel.cpp).
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace fx::lin {

/// The largest matrix of weights, in elements, that is made a constant.
static constexpr int64_t mostWeights = 1 << 22;

/// Returns 1 - |x| between -1 and 1, else 0.
static double triangle(double x) { return std::max(0.0, 1 - std::abs(x)); }

/// Returns Keys' cubic convolution kernel with A = -0.5.
static double cubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

/// Returns the weights as an [out, in] tensor. Each row has the weights of one
/// element of the result; their sum is 1.
static Tensor getWeights(Builder &b, int64_t in, int64_t out, double scale,
                         bool isCubic, Type dtype) {
  double widest = isCubic ? 2 : 1;
  double support = scale >= 1 ? widest * scale : widest,
         inverse = scale >= 1 ? 1 / scale : 1;
  SmallVector<double> weights(in * out, 0);
  for (int64_t i = 0; i < out; ++i) {
    double center = scale * (double(i) + 0.5), total = 0;
    int64_t first = std::max<int64_t>(int64_t(center - support + 0.5), 0),
            last = std::min<int64_t>(int64_t(center + support + 0.5), in);
    for (int64_t k = first; k < last; ++k) {
      double x = (double(k) - center + 0.5) * inverse;
      weights[i * in + k] = isCubic ? cubic(x) : triangle(x);
      total += weights[i * in + k];
    }
    for (int64_t k = first; k < last && total != 0; ++k)
      weights[i * in + k] /= total;
  }
  return b.constant(weights, {b.expr(out), b.expr(in)}, dtype);
}

/// _upsample_bilinear2d_aa and _upsample_bicubic2d_aa: (self, output_size,
/// align_corners, scales_h, scales_w) or (input, output_size, align_corners,
/// scale_factors).
template <bool isCubic>
static LogicalResult lowerAntialias(NodeLowering &n) {
  bool isVector = n.target().ends_with(".vec");
  Tensor x = n.tensor(n.oneOf({"input", "self"}));
  bool align = n.boolean("align_corners");
  if (n.failed() || x.rank() != 4 || n.resultSizes().size() != 4 ||
      !isa<FloatType>(x.dtype) || !isSupported(x.dtype))
    return n.fail("the input's rank or dtype is not what the operator takes");
  Builder &b = n.b;
  Type acc = opMathType(x.dtype);
  Tensor y = b.cast(x, acc);
  // Resize the width before the height, as ATen does.
  for (int64_t dim : {3, 2}) {
    std::optional<int64_t> in = x.sizes[dim].getInteger(),
                           out = n.resultSizes()[dim].getInteger();
    if (!in || !out || *in < 1 || *in * *out > mostWeights)
      return n.fail("a size that is not known, or large");
    double factor = 0;
    Argument factors = n.arg("scale_factors");
    if (!isVector)
      factor = n.real(dim == 2 ? ArgName("scales_h") : ArgName("scales_w"), 0);
    else if (factors.isList() && factors.getElements().size() == 2) {
      Number number = n.asNumber(factors.getElements()[dim - 2]);
      if (!number.expr || number.expr.getKind() != ExprKind::Real)
        return n.fail("a factor that is not known");
      factor = number.expr.getReal();
    }
    if (n.failed())
      return failure();
    double scale = double(*in) / double(*out);
    if (align)
      scale = *out > 1 ? double(*in - 1) / double(*out - 1) : 0;
    else if (factor > 0)
      scale = 1 / factor;
    if (*in == *out && scale == 1)
      continue;
    Tensor weights = getWeights(b, *in, *out, scale, isCubic, acc);
    Access left{y, {0, 1, 2, 3}}, right{weights, {unsigned(dim), 4}};
    left.loops[dim] = 4;
    Sizes sizes(y.sizes);
    sizes[dim] = b.expr(*out);
    y = b.contract(left, right, sizes, 5, acc);
  }
  return n.result(y);
}

void registerAntialias(Registry &r) {
  r.add({"aten._upsample_bilinear2d_aa.default",
         "aten._upsample_bilinear2d_aa.vec"},
        lowerAntialias<false>);
  r.add({"aten._upsample_bicubic2d_aa.default",
         "aten._upsample_bicubic2d_aa.vec"},
        lowerAntialias<true>);
}

} // namespace fx::lin

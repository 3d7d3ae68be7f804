//===- Sampling.cpp - grids and images ------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

#include "fx/Operators/aten/affine_grid_generator.h"
#include "fx/Operators/aten/expand.h"
#include "fx/Operators/aten/linspace.h"
#include "fx/Operators/aten/matmul.h"
#include "fx/Operators/aten/mul.h"
#include "fx/Operators/aten/ones.h"
#include "fx/Operators/aten/reshape.h"
#include "fx/Operators/aten/stack.h"
#include "fx/Operators/aten/transpose.h"
#include "fx/Operators/aten/upsample_bicubic2d.h"
#include "fx/Operators/aten/upsample_bilinear2d.h"
#include "fx/Operators/aten/upsample_linear1d.h"
#include "fx/Operators/aten/upsample_nearest1d.h"
#include "fx/Operators/aten/upsample_nearest2d.h"
#include "fx/Operators/aten/upsample_nearest3d.h"
#include "fx/Operators/aten/upsample_trilinear3d.h"
#include "fx/Operators/aten/view.h"

using namespace mlir;
using namespace fx;

namespace {

/// Multiplies the homogeneous coordinates (x, y, 1) or (x, y, z, 1), which
/// range from -1 to 1, by each matrix (ATen/native/AffineGridGenerator.cpp).
/// theta is [N, d, d+1], size is [N, C, image sizes], the result is [N, image
/// sizes, d].
LogicalResult decomposeAffineGrid(aten::AffineGridGenerator op, Decomposer &d,
                                  SmallVectorImpl<Value> &results) {
  std::optional<bool> alignCorners = op.align_corners().getBool();
  auto result =
      dyn_cast<FakeTensorType>(op.getOperation()->getResult(0).getType());
  Value theta = op.theta();
  if (!alignCorners || !result || d.rank(theta) != 3)
    return failure();
  SmallVector<ArgumentRef> sizes;
  int64_t dims = result.getRank() - 2;
  for (ExprAttr size : result.getSizes().slice(1, dims)) {
    if (!size.getInteger())
      return failure();
    sizes.push_back(*size.getInteger());
  }
  Type dtype = d.type(theta).getDtype();
  // The last dimension of the image is x.
  SmallVector<Value> places;
  for (int64_t k = dims - 1; k >= 0; --k) {
    int64_t size = *result.getSizes()[k + 1].getInteger();
    // -1 and 1 are the edges of the image, so the coordinates of pixels are
    // those of their centers. With align_corners, -1 and 1 are the centers of
    // the first and the last pixel.
    double end = size <= 1       ? 0
                 : *alignCorners ? 1
                                 : double(size - 1) / double(size);
    Value line = d.call<aten::Linspace>(-end, end, size, dtype);
    SmallVector<int64_t> shape(dims, 1);
    shape[k] = size;
    line = d.call<aten::View>(line, shape);
    places.push_back(d.call<aten::Expand>(line, sizes));
  }
  places.push_back(d.call<aten::Ones>(sizes, dtype));
  if (!places.back())
    return failure();
  Value base = d.call<aten::Stack>(places, -1);
  base = d.call<aten::Reshape>(base, ArrayRef<int64_t>{-1, dims + 1});
  Value turned = d.call<aten::TransposeInt>(theta, 1, 2);
  Value grid = d.call<aten::Matmul>(base, turned);
  SmallVector<ArgumentRef> shape = {d.size(theta, 0)};
  shape.append(sizes);
  shape.push_back(dims);
  results.push_back(d.call<aten::Reshape>(grid, shape));
  return success();
}

/// Replaces `From` by its `vec` overload `To`, which
/// torch.nn.functional.interpolate calls. Passes the scale factors if they are
/// given, else the output sizes.
template <class From, class To>
LogicalResult decomposeUpsample(const OperatorView &op, Decomposer &d,
                                SmallVectorImpl<Value> &results) {
  SmallVector<ArgumentRef> factors;
  bool isGiven = true;
  for (StringRef name : {"scales", "scales_d", "scales_h", "scales_w"}) {
    Argument factor = op.findArg(name);
    if (!factor.tree)
      continue;
    if (std::optional<double> number = factor.getFloat())
      factors.push_back(*number);
    else
      isGiven = false;
  }
  if (!isGiven && !factors.empty())
    return failure();
  ArgumentRef sizes = isGiven ? ArgumentRef(std::nullopt)
                              : ArgumentRef(op.getArg("output_size"));
  ArgumentRef scales =
      isGiven ? ArgumentRef(factors) : ArgumentRef(std::nullopt);
  Value self = op.getArg("self").getValue(), image;
  if constexpr (requires { &From::align_corners; })
    image = d.call<To>(self, sizes, op.getArg("align_corners"), scales);
  else
    image = d.call<To>(self, sizes, scales);
  if (!image || image.getType() != op.getOperation()->getResult(0).getType())
    return failure();
  results.push_back(image);
  return success();
}

} // namespace

void fx::registerSamplingDecompositions(HookTable<Decomposition> &hooks) {
  hooks.add<aten::AffineGridGenerator, decomposeAffineGrid>();
  hooks.add(
      decomposeUpsample<aten::UpsampleBicubic2d, aten::UpsampleBicubic2dVec>,
      {aten::UpsampleBicubic2d::target});
  hooks.add(
      decomposeUpsample<aten::UpsampleBilinear2d, aten::UpsampleBilinear2dVec>,
      {aten::UpsampleBilinear2d::target});
  hooks.add(
      decomposeUpsample<aten::UpsampleLinear1d, aten::UpsampleLinear1dVec>,
      {aten::UpsampleLinear1d::target});
  hooks.add(
      decomposeUpsample<aten::UpsampleNearest1d, aten::UpsampleNearest1dVec>,
      {aten::UpsampleNearest1d::target});
  hooks.add(
      decomposeUpsample<aten::UpsampleNearest2d, aten::UpsampleNearest2dVec>,
      {aten::UpsampleNearest2d::target});
  hooks.add(
      decomposeUpsample<aten::UpsampleNearest3d, aten::UpsampleNearest3dVec>,
      {aten::UpsampleNearest3d::target});
  hooks.add(decomposeUpsample<aten::UpsampleTrilinear3d,
                              aten::UpsampleTrilinear3dVec>,
            {aten::UpsampleTrilinear3d::target});
}

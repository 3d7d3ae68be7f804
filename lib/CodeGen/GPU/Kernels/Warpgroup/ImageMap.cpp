//===- ImageMap.cpp - images that the device copies by pixels -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImageMap.h"
#include "TensorMap.h"

#include "fx/CodeGen/Common/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;

namespace {
/// A loop times a factor.
struct Term {
  unsigned loop;
  int64_t factor;
};
} // namespace

/// Splits a sum into terms. Returns false if `expr` is anything else.
static bool split(AffineExpr expr, SmallVectorImpl<Term> &terms) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    terms.push_back({dim.getPosition(), 1});
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return split(binary.getLHS(), terms) && split(binary.getRHS(), terms);
  auto dim = dyn_cast<AffineDimExpr>(binary.getLHS());
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (binary.getKind() != AffineExprKind::Mul || !dim || !factor)
    return false;
  terms.push_back({dim.getPosition(), factor.getValue()});
  return true;
}

static std::optional<int64_t> getStaticSize(MatMulPlan &plan, unsigned loop) {
  int64_t size = plan.info.op.getStaticLoopRanges()[loop];
  return ShapedType::isDynamic(size) ? std::nullopt : std::optional(size);
}

/// Adds the spatial dimension that `expr` indexes, which has `size` elements in
/// memory and `low` zeros in front of them.
bool ImageMap::matchSpatial(MatMulPlan &plan, AffineExpr expr, int64_t low,
                            int64_t size) {
  SmallVector<Term> terms;
  if (ShapedType::isDynamic(size) || !split(expr, terms) || terms.size() > 2)
    return false;
  Spatial dim;
  bool hasPixel = false;
  for (const Term &term : terms) {
    std::optional<int64_t> count = getStaticSize(plan, term.loop);
    if (!count)
      return false;
    if (llvm::is_contained(plan.k, term.loop)) {
      if (dim.tap)
        return false;
      dim.tap = term.loop;
      dim.dilation = term.factor;
      dim.taps = *count;
      continue;
    }
    if (hasPixel || !llvm::is_contained(plan.m, term.loop))
      return false;
    hasPixel = true;
    dim.pixel = term.loop;
    dim.step = term.factor;
    dim.lower = -low;
    dim.upper = (*count - 1) * term.factor + 1 - low - size;
  }
  spatial.push_back(dim);
  return hasPixel;
}

/// The limits of cuTensorMapEncodeIm2col and of the instruction.
bool ImageMap::isInLimits() const {
  int64_t most = spatial.size() == 1 ? 1 << 15 : 1 << 7;
  for (const Spatial &dim : spatial)
    if (dim.step < 1 || dim.step > 8 || dim.dilation < 1 || dim.upper >= most ||
        dim.upper < -most || dim.lower < -most ||
        (dim.taps - 1) * dim.dilation >= 2 * most)
      return false;
  for (const Index &size : sizes)
    if (size.isStatic() &&
        (size.constant < 1 || size.constant > int64_t(1) << 32))
      return false;
  for (const codegen::Stride &stride : ArrayRef(strides).drop_front())
    if (stride.constant <= 0 ||
        stride.constant % (boxColumns / (kBoxBytes / kChunkBytes)) ||
        stride.constant >= int64_t(1) << 39)
      return false;
  // Fewer channels leave more than half of a piece of K empty.
  return channels() >= boxColumns / 2;
}

int64_t ImageMap::countPieces() const {
  int64_t count = piecesOfTap();
  for (const Spatial &dim : spatial)
    count *= dim.taps;
  return count;
}

/// Returns true if `loops`, without those of one iteration, are `expected`.
static bool areLoops(MatMulPlan &plan, ArrayRef<unsigned> loops,
                     ArrayRef<unsigned> expected) {
  auto isLong = [&](unsigned loop) { return getStaticSize(plan, loop) != 1; };
  return llvm::equal(llvm::make_filter_range(loops, isLong),
                     llvm::make_filter_range(expected, isLong));
}

std::optional<ImageMap> ImageMap::match(MatMulPlan &plan) {
  Value images = plan.stored(/*isLhs=*/true);
  const codegen::Buffer *buffer = plan.code.buffer(images);
  AffineMap map = plan.info.lhsMap();
  auto type = cast<RankedTensorType>(images.getType());
  unsigned rank = map.getNumResults();
  if (!buffer || rank < 3 || rank > 4 || plan.k.empty() ||
      !llvm::all_of(plan.batchSizes,
                    [](const Index &size) { return size == Index::of(1); }))
    return std::nullopt;
  auto channel = dyn_cast<AffineDimExpr>(map.getResult(rank - 1));
  if (!channel || channel.getPosition() != plan.k.back() ||
      type.isDynamicDim(rank - 1))
    return std::nullopt;
  for (const codegen::Stride &stride : buffer->strides)
    if (stride.value)
      return std::nullopt;
  ImageMap result;
  result.boxColumns = getBoxColumns(type.getElementType());
  auto add = [&](unsigned d) {
    result.sizes.push_back(plan.code.size(images, d));
    result.strides.push_back(buffer->strides[d]);
  };
  add(rank - 1);
  // The first dimension is that of images, unless a window moves along it.
  auto first = dyn_cast<AffineDimExpr>(map.getResult(0));
  bool hasImages = first && llvm::is_contained(plan.m, first.getPosition());
  for (unsigned d = rank - 1; d-- > unsigned(hasImages);) {
    if (!result.matchSpatial(plan, map.getResult(d),
                             plan.paddingOf(/*isLhs=*/true, d).first,
                             type.getDimSize(d)))
      return std::nullopt;
    add(d);
  }
  if (hasImages) {
    if (plan.paddingOf(/*isLhs=*/true, 0) != std::pair<int64_t, int64_t>())
      return std::nullopt;
    result.image = first.getPosition();
    add(0);
  } else {
    int64_t last =
        result.sizes.back().constant * result.strides.back().constant;
    result.sizes.push_back(Index::of(1));
    result.strides.push_back({last, Value()});
  }
  if (result.spatial.empty() || result.spatial.size() > 2)
    return std::nullopt;
  SmallVector<unsigned> pixels, terms;
  if (result.image)
    pixels.push_back(*result.image);
  for (const Spatial &dim : llvm::reverse(result.spatial)) {
    pixels.push_back(dim.pixel);
    if (dim.tap)
      terms.push_back(*dim.tap);
  }
  terms.push_back(channel.getPosition());
  if (!areLoops(plan, plan.m, pixels) || !areLoops(plan, plan.k, terms) ||
      !result.strides.front().isStatic(1) || !result.isInLimits())
    return std::nullopt;
  return result;
}

Value ImageMap::make(MatMulPlan &plan, int64_t slot, Value address,
                     int64_t pixels) const {
  codegen::KernelCode &code = plan.code;
  SmallVector<Value> args =
      beginMap(plan, slot, plan.info.lhs(), address, pixels, sizes, strides);
  auto number = [&](int64_t c) -> Value {
    return arith::ConstantIntOp::create(code.b, code.loc, code.b.getI64Type(),
                                        c);
  };
  bool isFlat = spatial.size() == 1;
  auto add = [&](int64_t first, int64_t second) {
    args.append({number(first), number(second)});
  };
  const Spatial &inner = spatial.front(), &outer = spatial.back();
  add(inner.lower, isFlat ? 0 : outer.lower);
  add(inner.upper, isFlat ? 0 : outer.upper);
  add(inner.step, isFlat ? 1 : outer.step);
  return makeMap(code, "fx_rt_gpu_image_map", args);
}

ImageMap::Pixel ImageMap::placeRow(MatMulPlan &plan, Int32 &i,
                                   const Index &row) const {
  auto at = [&](unsigned loop) {
    return i.from(plan.code.materialize(plan.at[loop]));
  };
  plan.place(plan.m, plan.mSizes, row);
  Pixel pixel;
  for (const Spatial &dim : spatial)
    pixel.push_back(i.add(i.mul(at(dim.pixel), dim.step), dim.lower));
  pixel.push_back(image ? at(*image) : i.of(0));
  return pixel;
}

ImageMap::Piece ImageMap::placePiece(Int32 &i, Value number) const {
  Piece piece;
  piece.tap = i.div(number, piecesOfTap());
  piece.channel = i.mul(i.rem(number, piecesOfTap()), boxColumns);
  Value rest = piece.tap;
  for (const Spatial &dim : spatial) {
    Value offset = i.mul(i.rem(rest, dim.taps), dim.dilation);
    piece.offsets.push_back(
        arith::TruncIOp::create(i.b, i.loc, i.b.getI16Type(), offset));
    rest = i.div(rest, dim.taps);
  }
  return piece;
}

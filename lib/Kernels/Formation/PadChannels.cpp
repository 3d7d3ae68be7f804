//===- PadChannels.cpp - whole chunks of channels for convolutions --------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels for tensor cores copy 16 bytes at a time. The three channels of a
// color image are no 16 bytes, so its convolution would copy single elements.
// vdpbf16ps of CPUs multiplies pairs of channels, and three channels would be
// converted to f32.
// The image is copied in any case where the convolution has padding, so that
// copy gets channels of zeros, and so does the weight. For GPUs, the columns of
// the window and the channels become one dimension if that needs fewer zeros.
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/Analysis.h"
#include "fx/Kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace fx::kernel {
#define GEN_PASS_DEF_PADCHANNELSPASS
#include "fx/Kernels/Passes.h.inc"
} // namespace fx::kernel

using namespace mlir;
using namespace fx::kernel;

/// The largest ratio of the channels with and without zeros.
static constexpr int64_t kMostRatio = 3;

/// Returns the dimension of a tensor that `loop` alone indexes, if any.
static std::optional<unsigned> findDim(AffineMap map, unsigned loop) {
  for (auto [d, expr] : llvm::enumerate(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && dim.getPosition() == loop)
      return d;
  return std::nullopt;
}

/// Returns `source` with `low` and `high` zeros, and more zeros at the ends, so
/// that the result, which has the sizes of `type` otherwise, gets `shape`.
static Value pad(OpBuilder &b, Location loc, Value source,
                 ArrayRef<OpFoldResult> low, ArrayRef<OpFoldResult> high,
                 RankedTensorType type, ArrayRef<int64_t> shape) {
  SmallVector<OpFoldResult> more(high);
  for (auto [d, size] : llvm::enumerate(shape))
    if (size != type.getDimSize(d))
      more[d] = b.getIndexAttr(*getConstantIntValue(high[d]) + size -
                               type.getDimSize(d));
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(b, loc, type.clone(shape), source, low, more,
                               zero);
}

/// Returns `shape` with another size of dimension `dim`.
static SmallVector<int64_t> resized(ArrayRef<int64_t> shape, unsigned dim,
                                    int64_t size) {
  SmallVector<int64_t> result(shape);
  result[dim] = size;
  return result;
}

static Value padWeight(OpBuilder &b, Location loc, Value weight, unsigned dim,
                       int64_t size) {
  auto type = cast<RankedTensorType>(weight.getType());
  if (type.getDimSize(dim) == size)
    return weight;
  SmallVector<OpFoldResult> none(type.getRank(), b.getIndexAttr(0));
  return pad(b, loc, weight, none, none, type,
             resized(type.getShape(), dim, size));
}

/// Returns the number of channels of a chunk.
static int64_t getChunk(Contraction &c, bool pairs) {
  if (pairs)
    return cast<RankedTensorType>(c.lhs().getType()).getElementType().isBF16()
               ? 2
               : 1;
  return c.kind == OperandKind::Half ? 8 : 4;
}

namespace {
/// A convolution whose image is copied with padding.
struct PaddedImage {
  tensor::PadOp copy;
  RankedTensorType type;
  /// The loop of the channels, the dimension of the weight that it indexes, and
  /// its size.
  unsigned loop, weightDim;
  int64_t channels;
};
} // namespace

static std::optional<PaddedImage> matchImage(Contraction &c) {
  PaddedImage image;
  image.copy = c.lhs().getDefiningOp<tensor::PadOp>();
  image.type = cast<RankedTensorType>(c.lhs().getType());
  auto weight = cast<RankedTensorType>(c.rhs().getType());
  AffineMap map = c.lhsMap();
  auto channel = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!image.copy || !image.copy->hasOneUse() || c.groupSize || !channel ||
      (c.kind != OperandKind::Half && c.kind != OperandKind::F32) ||
      !llvm::is_contained(c.k, channel.getPosition()) || c.k.size() < 2 ||
      map.isProjectedPermutation())
    return std::nullopt;
  Value padding = image.copy.getConstantPaddingValue();
  std::optional<unsigned> dim = findDim(c.rhsMap(), channel.getPosition());
  image.channels = image.type.getShape().back();
  if (!padding || !matchPattern(padding, m_AnyZeroFloat()) || !dim ||
      ShapedType::isDynamic(image.channels) || image.channels < 1 ||
      ShapedType::isDynamic(weight.getDimSize(*dim)) ||
      !getConstantIntValue(image.copy.getMixedHighPad().back()))
    return std::nullopt;
  image.loop = channel.getPosition();
  image.weightDim = *dim;
  return image;
}

/// Adds zeros to both operands if the left one is a copy with padding.
static bool padChannels(Contraction c, bool pairs) {
  std::optional<PaddedImage> image = matchImage(c);
  if (!image)
    return false;
  int64_t padded = llvm::alignTo(image->channels, getChunk(c, pairs));
  if (padded == image->channels || padded > kMostRatio * image->channels)
    return false;
  tensor::PadOp copy = image->copy;
  OpBuilder b(copy);
  Value larger =
      pad(b, copy.getLoc(), copy.getSource(), copy.getMixedLowPad(),
          copy.getMixedHighPad(), image->type,
          resized(image->type.getShape(), image->type.getRank() - 1, padded));
  b.setInsertionPoint(c.op);
  c.op->setOperand(c.a, larger);
  c.op->setOperand(
      c.b, padWeight(b, c.op.getLoc(), c.rhs(), image->weightDim, padded));
  copy.erase();
  return true;
}

namespace {
/// The columns of a window: `loop` is added to `stride` times another loop.
struct Columns {
  unsigned loop, outer;
  int64_t stride;
};
} // namespace

/// Matches a sum of a loop of K and a multiple of one of M.
static std::optional<Columns> matchColumns(const Contraction &c,
                                           AffineExpr expr) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return std::nullopt;
  for (auto [x, y] : {std::pair(sum.getLHS(), sum.getRHS()),
                      std::pair(sum.getRHS(), sum.getLHS())}) {
    auto loop = dyn_cast<AffineDimExpr>(y);
    int64_t stride = 1;
    if (auto product = dyn_cast<AffineBinaryOpExpr>(x)) {
      auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
      if (product.getKind() != AffineExprKind::Mul || !factor)
        continue;
      stride = factor.getValue();
      x = product.getLHS();
    }
    auto outer = dyn_cast<AffineDimExpr>(x);
    if (loop && outer && stride > 0 &&
        llvm::is_contained(c.k, loop.getPosition()) &&
        llvm::is_contained(c.m, outer.getPosition()))
      return Columns{loop.getPosition(), outer.getPosition(), stride};
  }
  return std::nullopt;
}

/// Merges the columns of the window with the channels, which lie next to each
/// other in memory: a row of the window is one run of elements. Then fewer
/// zeros make whole chunks: 7 columns of 4 channels are 32 elements, and the
/// stride of 2 columns is a chunk, while channels alone would need 7 times 8.
static bool mergeColumns(Contraction c) {
  std::optional<PaddedImage> image = matchImage(c);
  AffineMap lhs = c.lhsMap(), rhs = c.rhsMap();
  unsigned last = lhs.getNumResults() - 1;
  if (!image || c.kind != OperandKind::Half || last < 1)
    return false;
  std::optional<Columns> columns = matchColumns(c, lhs.getResult(last - 1));
  std::optional<unsigned> dim =
      columns ? findDim(rhs, columns->loop) : std::nullopt;
  tensor::PadOp copy = image->copy;
  SmallVector<int64_t> ranges = c.op.getStaticLoopRanges();
  if (!dim || *dim + 1 != image->weightDim ||
      ShapedType::isDynamic(ranges[columns->loop]) ||
      ShapedType::isDynamic(ranges[columns->outer]) ||
      ShapedType::isDynamic(image->type.getDimSize(last - 1)) ||
      !getConstantIntValue(copy.getMixedHighPad()[last - 1]))
    return false;
  int64_t chunk = getChunk(c, /*pairs=*/false), padded = image->channels;
  while (padded * columns->stride % chunk)
    ++padded;
  int64_t run = llvm::alignTo(ranges[columns->loop] * padded, chunk),
          whole = llvm::alignTo(image->channels, chunk);
  if (run >= ranges[columns->loop] * whole ||
      padded > kMostRatio * image->channels)
    return false;
  // The last row of the window may extend beyond the image.
  int64_t step = columns->stride * padded,
          width = std::max<int64_t>(
              image->type.getDimSize(last - 1),
              llvm::divideCeil((ranges[columns->outer] - 1) * step + run,
                               padded));

  OpBuilder b(copy);
  auto collapse = [&](Location loc, Value v, unsigned first) -> Value {
    int64_t rank = cast<RankedTensorType>(v.getType()).getRank();
    SmallVector<ReassociationIndices> groups;
    for (int64_t d = 0; d < rank; ++d)
      if (d == int64_t(first) + 1)
        groups.back().push_back(d);
      else
        groups.push_back({d});
    return tensor::CollapseShapeOp::create(b, loc, v, groups);
  };
  SmallVector<int64_t> shape = resized(image->type.getShape(), last - 1, width);
  shape[last] = padded;
  Value flat =
      collapse(copy.getLoc(),
               pad(b, copy.getLoc(), copy.getSource(), copy.getMixedLowPad(),
                   copy.getMixedHighPad(), image->type, shape),
               last - 1);
  b.setInsertionPoint(c.op);
  Location loc = c.op.getLoc();
  Value weight = padWeight(b, loc, c.rhs(), image->weightDim, padded);
  weight = padWeight(b, loc, collapse(loc, weight, *dim), *dim, run);

  // The loop of the channels is over the run, and that of the columns is gone.
  MLIRContext *ctx = b.getContext();
  unsigned numLoops = c.op.getNumLoops();
  SmallVector<AffineExpr> loops;
  for (unsigned d = 0; d < numLoops; ++d)
    loops.push_back(getAffineDimExpr(d - (d > columns->loop), ctx));
  auto rename = [&](AffineMap map, SmallVector<AffineExpr> results) {
    for (AffineExpr &expr : results)
      expr = expr.replaceDims(loops);
    return AffineMap::get(numLoops - 1, 0, results, ctx);
  };
  SmallVector<AffineMap> maps = c.op.getIndexingMapsArray();
  SmallVector<AffineExpr> left(lhs.getResults().drop_back(2)),
      right(rhs.getResults());
  left.push_back(getAffineDimExpr(columns->outer, ctx) * step +
                 getAffineDimExpr(image->loop, ctx));
  right.erase(right.begin() + *dim);
  SmallVector<Value> inputs(c.op.getInputs());
  inputs[c.a] = flat;
  inputs[c.b] = weight;
  AffineMap result = c.resultMap();
  maps = {rename(lhs, left), rename(rhs, right),
          rename(result, SmallVector<AffineExpr>(result.getResults()))};
  if (c.a == 1)
    std::swap(maps[0], maps[1]);
  SmallVector<utils::IteratorType> iterators = c.op.getIteratorTypesArray();
  iterators.erase(iterators.begin() + columns->loop);
  auto merged = linalg::GenericOp::create(b, loc, c.op.getResultTypes(), inputs,
                                          c.op.getOutputs(), maps, iterators);
  merged->setDiscardableAttrs(c.op->getDiscardableAttrDictionary());
  merged.getRegion().takeBody(c.op.getRegion());
  c.op.replaceAllUsesWith(merged.getResults());
  c.op.erase();
  copy.erase();
  return true;
}

namespace {
struct PadChannels : fx::kernel::impl::PadChannelsPassBase<PadChannels> {
  using Base::Base;
  void runOnOperation() override {
    TargetInfo target =
        pairs ? TargetInfo() : TargetInfo::getGPU(MatrixUnit::MMA);
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops)
      if (auto match = matchContraction(op, target))
        numPadded +=
            (!pairs && mergeColumns(*match)) || padChannels(*match, pairs);
  }
};
} // namespace

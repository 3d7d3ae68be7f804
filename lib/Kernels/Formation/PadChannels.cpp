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
// copy gets channels of zeros, and so does the weight.
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

/// Returns `source` with `low` and `high` zeros, and more zeros at the end of
/// dimension `dim`, which has `size` elements then.
static Value pad(OpBuilder &b, Location loc, Value source,
                 ArrayRef<OpFoldResult> low, ArrayRef<OpFoldResult> high,
                 RankedTensorType type, unsigned dim, int64_t size) {
  SmallVector<OpFoldResult> more(high);
  more[dim] = b.getIndexAttr(*getConstantIntValue(high[dim]) + size -
                             type.getDimSize(dim));
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(b, loc, type.clone(shape), source, low, more,
                               zero);
}

/// Returns the number of channels of a chunk.
static int64_t getChunk(Contraction &c, bool pairs) {
  if (pairs)
    return cast<RankedTensorType>(c.lhs().getType()).getElementType().isBF16()
               ? 2
               : 1;
  return c.kind == OperandKind::Half ? 8 : 4;
}

/// Adds zeros to both operands if the left one is a copy with padding.
static bool padChannels(Contraction c, bool pairs) {
  auto copy = c.lhs().getDefiningOp<tensor::PadOp>();
  auto type = cast<RankedTensorType>(c.lhs().getType());
  auto weight = cast<RankedTensorType>(c.rhs().getType());
  AffineMap map = c.lhsMap();
  auto channel = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!copy || !copy->hasOneUse() || c.groupSize || !channel ||
      (c.kind != OperandKind::Half && c.kind != OperandKind::F32) ||
      !llvm::is_contained(c.k, channel.getPosition()) || c.k.size() < 2 ||
      map.isProjectedPermutation())
    return false;
  Value padding = copy.getConstantPaddingValue();
  unsigned last = map.getNumResults() - 1;
  std::optional<unsigned> dim = findDim(c.rhsMap(), channel.getPosition());
  int64_t size = type.getDimSize(last);
  int64_t padded =
      llvm::alignTo(std::max<int64_t>(size, 1), getChunk(c, pairs));
  if (!padding || !matchPattern(padding, m_AnyZeroFloat()) || !dim ||
      ShapedType::isDynamic(size) ||
      ShapedType::isDynamic(weight.getDimSize(*dim)) ||
      !getConstantIntValue(copy.getMixedHighPad()[last]) || padded == size ||
      padded > kMostRatio * size)
    return false;
  OpBuilder b(copy);
  Value image = pad(b, copy.getLoc(), copy.getSource(), copy.getMixedLowPad(),
                    copy.getMixedHighPad(), type, last, padded);
  b.setInsertionPoint(c.op);
  SmallVector<OpFoldResult> none(weight.getRank(), b.getIndexAttr(0));
  Value filters =
      pad(b, c.op.getLoc(), c.rhs(), none, none, weight, *dim, padded);
  c.op->setOperand(c.a, image);
  c.op->setOperand(c.b, filters);
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
        numPadded += padChannels(*match, pairs);
  }
};
} // namespace

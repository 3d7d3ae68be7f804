//===- SliceShapes.cpp - reshapes outside of slices -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceShapes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace {
/// The offsets, sizes and strides of a slice.
struct Slice {
  SmallVector<OpFoldResult> offsets, sizes, strides;
};
} // namespace

/// Returns the slice with each group of dimensions merged to one; none unless
/// the slice has all elements of the groups of several dimensions, whose sizes
/// in the whole tensor, `shape`, are static.
static std::optional<Slice> merge(const Slice &slice, ArrayRef<int64_t> shape,
                                  ArrayRef<ReassociationIndices> groups,
                                  Builder b) {
  // A tensor of rank 0 has no dimensions for the offsets.
  if (groups.empty())
    return std::nullopt;
  Slice merged;
  for (const ReassociationIndices &group : groups) {
    if (group.size() == 1) {
      int64_t dim = group.front();
      merged.offsets.push_back(slice.offsets[dim]);
      merged.sizes.push_back(slice.sizes[dim]);
      merged.strides.push_back(slice.strides[dim]);
      continue;
    }
    int64_t count = 1;
    for (int64_t dim : group) {
      if (ShapedType::isDynamic(shape[dim]) ||
          !isConstantIntValue(slice.offsets[dim], 0) ||
          !isConstantIntValue(slice.sizes[dim], shape[dim]) ||
          !isConstantIntValue(slice.strides[dim], 1))
        return std::nullopt;
      count *= shape[dim];
    }
    merged.offsets.push_back(b.getIndexAttr(0));
    merged.sizes.push_back(b.getIndexAttr(count));
    merged.strides.push_back(b.getIndexAttr(1));
  }
  return merged;
}

namespace {
/// Merges dimensions of the tensor instead of those of the slice.
struct CollapseOfSlice : OpRewritePattern<tensor::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op,
                                PatternRewriter &rewriter) const override {
    auto slice = op.getSrc().getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice ||
        slice.getSourceType().getRank() != slice.getResultType().getRank())
      return failure();
    SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
    std::optional<Slice> merged =
        merge({slice.getMixedOffsets(), slice.getMixedSizes(),
               slice.getMixedStrides()},
              slice.getSourceType().getShape(), groups, rewriter);
    if (!merged)
      return failure();
    Value whole = tensor::CollapseShapeOp::create(rewriter, op.getLoc(),
                                                  slice.getSource(), groups);
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, op.getResultType(), whole, merged->offsets, merged->sizes,
        merged->strides);
    return success();
  }
};

/// Splits dimensions of the tensor into which a slice is inserted instead of
/// those of the slice.
struct InsertOfExpanded : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto expand = op.getSource().getDefiningOp<tensor::ExpandShapeOp>();
    RankedTensorType type = op.getDestType();
    if (!expand || op.getSourceType().getRank() != type.getRank() ||
        !type.hasStaticShape())
      return failure();
    SmallVector<ReassociationIndices> groups = expand.getReassociationIndices();
    std::optional<Slice> merged =
        merge({op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides()},
              type.getShape(), groups, rewriter);
    if (!merged)
      return failure();
    Value whole = tensor::CollapseShapeOp::create(rewriter, op.getLoc(),
                                                  op.getDest(), groups);
    Value inserted = tensor::InsertSliceOp::create(
        rewriter, op.getLoc(), expand.getSrc(), whole, merged->offsets,
        merged->sizes, merged->strides);
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(op, type, inserted,
                                                       groups);
    return success();
  }
};
} // namespace

void fx::kernel::populateSliceShapePatterns(RewritePatternSet &patterns) {
  patterns.add<CollapseOfSlice, InsertOfExpanded>(patterns.getContext());
}

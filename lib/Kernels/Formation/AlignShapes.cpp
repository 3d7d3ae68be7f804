//===- AlignShapes.cpp - one shape from op to op --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceShapes.h"

#include "fx/Kernels/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SmallBitVector.h"

namespace fx::kernel {
#define GEN_PASS_DEF_ALIGNSHAPESPASS
#include "fx/Kernels/Passes.h.inc"
} // namespace fx::kernel

using namespace mlir;

/// Returns the operand of a reshape that adds or drops unit dimensions only;
/// null if `op` is none.
static Value getWithUnits(Operation *op) {
  if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return {};
  auto sizes = [](Value v) {
    return llvm::filter_to_vector(
        cast<RankedTensorType>(v.getType()).getShape(),
        [](int64_t size) { return size != 1; });
  };
  Value source = op->getOperand(0);
  return sizes(source) == sizes(op->getResult(0)) ? source : Value();
}

/// Returns true if pointwise ops compute `value` from the result of a
/// convolution, whose loops cannot be expanded. They become a part of its
/// kernel if they keep its shape.
static bool followsConvolution(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (Value source = getWithUnits(def)) {
      value = source;
      continue;
    }
    auto op = dyn_cast<linalg::LinalgOp>(def);
    if (!op)
      return false;
    if (op.getNumReductionLoops())
      return llvm::any_of(op.getIndexingMapsArray(), [](AffineMap map) {
        return !map.isProjectedPermutation();
      });
    Value whole;
    for (OpOperand *input : op.getDpsInputOperands())
      if (!whole && op.getMatchingIndexingMap(input).isPermutation())
        whole = input->get();
    if (!whole)
      return false;
    value = whole;
  }
  return false;
}

/// The least columns of a matmul that fill a vector.
static constexpr int64_t kLeastColumns = 16;
/// The most ops that are looked at from one reshape.
static constexpr unsigned kMostOps = 64;

/// Returns true if the dimensions `dims` of `type` are several, of which the
/// last one is shorter than a vector.
static bool areFewColumns(RankedTensorType type, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> sizes;
  for (int64_t dim : dims)
    if (type.getDimSize(dim) != 1)
      sizes.push_back(type.getDimSize(dim));
  return sizes.size() > 1 && !ShapedType::isDynamic(sizes.back()) &&
         sizes.back() < kLeastColumns;
}

/// Returns true if the last dimension becomes several, of which the last one is
/// shorter than a vector. If these are groups of channels, the matmuls in front
/// of them would compute so few columns at a time.
static bool splitsColumns(tensor::ExpandShapeOp op) {
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  return !groups.empty() && areFewColumns(op.getResultType(), groups.back());
}

/// Returns true if dimension `dim` of `operand` is the one of the columns of a
/// matmul, or pointwise ops compute an operand of a matmul of which this is so.
static bool walksColumns(OpOperand &operand, unsigned dim, unsigned depth = 0) {
  auto op = dyn_cast<linalg::LinalgOp>(operand.getOwner());
  if (!op || op->getNumResults() != 1 || depth > 4 || !op.isDpsInput(&operand))
    return false;
  AffineExpr loop = op.getMatchingIndexingMap(&operand).getResult(dim);
  AffineMap result = op.getIndexingMapsArray().back();
  if (op.getNumReductionLoops())
    return op.getNumDpsInputs() > 1 && result.getNumResults() &&
           result.getResults().back() == loop;
  for (auto [d, expr] : llvm::enumerate(result.getResults()))
    if (expr == loop)
      return llvm::any_of(op->getResult(0).getUses(), [&](OpOperand &use) {
        return walksColumns(use, d, depth + 1);
      });
  return false;
}

/// Returns true if the owner of `fused`, with the dimensions that `fused` has
/// before it is collapsed, would split the columns of a matmul so. Scales that
/// hold for several rows, and packed zero points, have such dimensions.
static bool splitsColumns(OpOperand *fused) {
  auto collapse = fused->get().getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse)
    return false;
  for (auto [d, dims] : llvm::enumerate(collapse.getReassociationIndices()))
    if (areFewColumns(collapse.getSrcType(), dims) && walksColumns(*fused, d))
      return true;
  return false;
}

/// Returns true if pointwise ops compute `value` from the result of a matmul.
static bool followsMatMul(Value value) {
  SmallVector<Value> open{value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty() && seen.size() < kMostOps) {
    Operation *def = open.pop_back_val().getDefiningOp();
    if (!def || !seen.insert(def).second)
      continue;
    if (Value source = getWithUnits(def)) {
      open.push_back(source);
      continue;
    }
    auto op = dyn_cast<linalg::LinalgOp>(def);
    if (!op)
      continue;
    if (op.getNumReductionLoops()) {
      if (op.getNumDpsInputs() > 1)
        return true;
      continue;
    }
    for (OpOperand *input : op.getDpsInputOperands())
      if (op.getMatchingIndexingMap(input).isPermutation())
        open.push_back(input->get());
  }
  return false;
}

/// Returns true if the reshape that defines or reads `fused` adds and drops no
/// unit dimensions. Otherwise the patterns would drop and add them forever.
static bool splitsDimensions(OpOperand *fused) {
  auto isProper = [](Operation *op) {
    if (!isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      return true;
    auto units = [](Type type) {
      return llvm::count(cast<RankedTensorType>(type).getShape(), 1);
    };
    return units(op->getOperand(0).getType()) ==
           units(op->getResult(0).getType());
  };
  // An index along a reduction loop would become a sum over several loops.
  auto generic = dyn_cast<linalg::GenericOp>(fused->getOwner());
  if (generic && generic.hasIndexSemantics() && generic.getNumReductionLoops())
    return false;
  if (splitsColumns(fused))
    return false;
  auto expand = dyn_cast<tensor::ExpandShapeOp>(fused->getOwner());
  if (expand && (followsConvolution(fused->get()) ||
                 (splitsColumns(expand) && followsMatMul(fused->get()))))
    return false;
  return isProper(fused->get().getDefiningOp()) && isProper(fused->getOwner());
}

/// Returns the loops, or dimensions of a pad, that may be dropped if their size
/// is 1. Without a unit loop h, `h * 2 + kh` becomes `kh`, which must then walk
/// the whole dimension. This is not so for a window that is smaller than its
/// image.
static SmallVector<unsigned> getDroppable(Operation *op) {
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return llvm::to_vector(
        llvm::seq<unsigned>(0, pad.getSourceType().getRank()));
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic)
    return {};
  SmallVector<int64_t> ranges = generic.getStaticLoopRanges();
  llvm::SmallBitVector kept(ranges.size());
  for (OpOperand &operand : generic->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = generic.getMatchingIndexingMap(&operand);
    for (auto [d, expr] : llvm::enumerate(map.getResults())) {
      if (isa<AffineDimExpr, AffineConstantExpr>(expr))
        continue;
      SmallVector<unsigned> units;
      SmallVector<AffineExpr> rest;
      for (unsigned loop = 0; loop < ranges.size(); ++loop) {
        bool isUnit = ranges[loop] == 1;
        if (isUnit && expr.isFunctionOfDim(loop))
          units.push_back(loop);
        rest.push_back(isUnit ? getAffineConstantExpr(0, op->getContext())
                              : getAffineDimExpr(loop, op->getContext()));
      }
      auto dim = dyn_cast<AffineDimExpr>(expr.replaceDims(rest));
      bool isWhole = !dim || ranges[dim.getPosition()] == type.getDimSize(d);
      if (!isWhole)
        for (unsigned loop : units)
          kept.set(loop);
    }
  }
  SmallVector<unsigned> loops;
  for (unsigned loop = 0; loop < ranges.size(); ++loop)
    if (!kept[loop])
      loops.push_back(loop);
  return loops;
}

/// Makes generics of transposes that have unit dimensions, which the patterns
/// drop from generics only.
static void generalizeTransposes(Operation *root) {
  IRRewriter rewriter(root->getContext());
  SmallVector<linalg::TransposeOp> transposes;
  root->walk([&](linalg::TransposeOp op) {
    if (llvm::is_contained(op.getInput().getType().getShape(), 1))
      transposes.push_back(op);
  });
  for (linalg::TransposeOp op : transposes) {
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
}

namespace {
struct AlignShapes : fx::kernel::impl::AlignShapesPassBase<AlignShapes> {
  using Base::Base;

  static void addCleanup(RewritePatternSet &patterns) {
    MLIRContext *context = patterns.getContext();
    linalg::FillOp::getCanonicalizationPatterns(patterns, context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
    tensor::DimOp::getCanonicalizationPatterns(patterns, context);
    tensor::CastOp::getCanonicalizationPatterns(patterns, context);
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    fx::kernel::populateSliceShapePatterns(patterns);
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  }

  void runOnOperation() override {
    // Limit the rewrites, in case the patterns undo each other.
    GreedyRewriteConfig config;
    config.setMaxIterations(10);
    config.setMaxNumRewrites(100000);
    generalizeTransposes(getOperation());
    {
      RewritePatternSet patterns(&getContext());
      linalg::ControlDropUnitDims control;
      control.controlFn = getDroppable;
      linalg::populateFoldUnitExtentDimsPatterns(patterns, control);
      addCleanup(patterns);
      (void)applyPatternsGreedily(getOperation(), std::move(patterns), config);
    }
    {
      RewritePatternSet patterns(&getContext());
      linalg::populateFoldReshapeOpsByExpansionPatterns(patterns,
                                                        splitsDimensions);
      addCleanup(patterns);
      (void)applyPatternsGreedily(getOperation(), std::move(patterns), config);
    }
  }
};
} // namespace

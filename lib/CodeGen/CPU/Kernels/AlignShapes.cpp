//===- AlignShapes.cpp - one shape from op to op ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/KernelPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUALIGNSHAPES
#include "fx/CodeGen/CPU/KernelPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;

/// True if the reshape that `fused` is made or read by splits dimensions
/// without adding unit ones: those would be dropped and added for ever.
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
  return isProper(fused->get().getDefiningOp()) && isProper(fused->getOwner());
}

namespace {
struct AlignShapes : fx::cpu::impl::FXCPUAlignShapesBase<AlignShapes> {
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
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  }

  void runOnOperation() override {
    // Not to a fixed point if the patterns should feed each other.
    GreedyRewriteConfig config;
    config.setMaxIterations(10);
    config.setMaxNumRewrites(100000);
    {
      RewritePatternSet patterns(&getContext());
      linalg::ControlDropUnitDims control;
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

//===- LowerVectors.cpp - vectors of one dimension ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorTransforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPULOWERVECTORS
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;

namespace {
struct LowerVectors : fx::cpu::impl::FXCPULowerVectorsBase<LowerVectors> {
  using Base::Base;

  void runOnOperation() override {
    if (!isNeeded())
      return;
    if (lowerTransfers) {
      apply([](RewritePatternSet &p) {
        vector::populateVectorTransferLoweringPatterns(p,
                                                       /*maxTransferRank=*/1);
      });
      apply([](RewritePatternSet &p) {
        vector::populateVectorShapeCastLoweringPatterns(p);
      });
      return;
    }
    apply([](RewritePatternSet &p) {
      vector::populateVectorContractLoweringPatterns(
          p, vector::VectorContractLowering::OuterProduct);
    });
    apply([](RewritePatternSet &p) {
      vector::populateVectorOuterProductLoweringPatterns(p);
      vector::populateVectorMultiReductionLoweringPatterns(
          p, vector::VectorMultiReductionLowering::InnerReduction);
    });
    apply([](RewritePatternSet &p) {
      vector::populateVectorTransposeLoweringPatterns(
          p, vector::VectorTransposeLowering::Shuffle16x16);
      vector::populateVectorBroadcastLoweringPatterns(p);
      vector::populateVectorTransferPermutationMapLoweringPatterns(p);
    });
  }

  /// Returns true if the module has an op that the patterns may lower. Emitted
  /// kernels use one-dimensional vectors and have none.
  bool isNeeded() {
    return getOperation()
        .walk([&](Operation *op) {
          bool hit =
              isa<vector::TransferReadOp, vector::TransferWriteOp,
                  vector::ContractionOp, vector::MultiDimReductionOp,
                  vector::OuterProductOp, vector::TransposeOp,
                  vector::ShapeCastOp>(op) ||
              (isa<vector::BroadcastOp>(op) &&
               cast<VectorType>(op->getResult(0).getType()).getRank() > 1);
          return hit ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  void apply(function_ref<void(RewritePatternSet &)> populate) {
    RewritePatternSet patterns(&getContext());
    populate(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

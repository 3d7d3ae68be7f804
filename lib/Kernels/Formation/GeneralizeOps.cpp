//===- GeneralizeOps.cpp - generics of named linalg ops -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/Analysis.h"
#include "fx/Kernels/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"

namespace fx::kernel {
#define GEN_PASS_DEF_GENERALIZEOPSPASS
#include "fx/Kernels/Passes.h.inc"
} // namespace fx::kernel

using namespace mlir;

/// Replaces `affine.apply` in the body of `op` by arithmetic, the only code of
/// bodies that kernels have. A body gets such ops where reshapes are folded
/// into its indices.
static void expandApplies(linalg::GenericOp op) {
  IRRewriter rewriter(op.getContext());
  for (auto apply :
       llvm::to_vector(op.getBody()->getOps<affine::AffineApplyOp>())) {
    rewriter.setInsertionPoint(apply);
    auto values =
        affine::expandAffineMap(rewriter, apply.getLoc(), apply.getAffineMap(),
                                llvm::to_vector(apply.getOperands()));
    if (values)
      rewriter.replaceOp(apply, *values);
  }
}

namespace {
struct GeneralizeOps : fx::kernel::impl::GeneralizeOpsPassBase<GeneralizeOps> {
  void runOnOperation() override {
    fx::kernel::generalizeNamedOps(getOperation());
    getOperation().walk(expandApplies);
  }
};
} // namespace

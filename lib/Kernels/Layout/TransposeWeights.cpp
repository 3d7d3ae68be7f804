//===- TransposeWeights.cpp - weights of f32 along the terms --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/Analysis.h"
#include "fx/Kernels/Passes.h"
#include "fx/Kernels/StateAnalysis.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fx::kernel {
#define GEN_PASS_DEF_TRANSPOSEWEIGHTSPASS
#include "fx/Kernels/Passes.h.inc"
} // namespace fx::kernel

using namespace mlir;
using namespace fx::kernel;

/// The rows of a tile of `wgmma`; fewer ones are multiplied by other kernels.
static constexpr int64_t kLeastRows = 128;

/// Returns the dimensions of the right operand in the order in which those
/// along K are the last ones, in the order of the left operand, or none if they
/// have this order, or if the contraction has no kernel that needs it.
static std::optional<SmallVector<int64_t>> matchOrder(Contraction &c) {
  std::optional<int64_t> rows = countPoints(c.op, c.m);
  AffineMap left = c.lhsMap(), right = c.rhsMap();
  if (c.kind != OperandKind::F32 || c.groupSize ||
      (rows && *rows < kLeastRows) || !right.isProjectedPermutation() ||
      (!c.batch.empty() && !left.isProjectedPermutation()))
    return std::nullopt;
  // The place among the terms, from 1 on, or 0.
  auto getTerm = [&](int64_t dim) -> unsigned {
    unsigned loop = right.getDimPosition(dim), place = 0;
    if (!llvm::is_contained(c.k, loop))
      return 0;
    while (!left.getResult(place).isFunctionOfDim(loop))
      ++place;
    return place + 1;
  };
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, right.getNumResults()));
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::pair(getTerm(a), a) < std::pair(getTerm(b), b);
  });
  if (llvm::is_sorted(order))
    return std::nullopt;
  return order;
}

/// Transposes the right operand, which @prepare does when the model is
/// compiled.
static void transpose(Contraction &c, ArrayRef<int64_t> order) {
  OpBuilder b(c.op);
  Location loc = c.op.getLoc();
  Value weight = c.rhs();
  auto type = cast<RankedTensorType>(weight.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, weight);
  SmallVector<OpFoldResult> permuted;
  SmallVector<AffineExpr> results;
  AffineMap map = c.rhsMap();
  for (int64_t dim : order) {
    permuted.push_back(sizes[dim]);
    results.push_back(map.getResult(dim));
  }
  Value empty =
      tensor::EmptyOp::create(b, loc, permuted, type.getElementType());
  auto named = linalg::TransposeOp::create(b, loc, weight, empty, order);
  IRRewriter rewriter(b);
  rewriter.setInsertionPoint(named);
  linalg::GenericOp generic = *linalg::generalizeNamedOp(rewriter, named);
  c.op->setOperand(c.b, generic->getResult(0));
  SmallVector<AffineMap> maps = c.op.getIndexingMapsArray();
  maps[c.b] = AffineMap::get(map.getNumDims(), 0, results, b.getContext());
  c.op.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
}

namespace {
struct TransposeWeights
    : fx::kernel::impl::TransposeWeightsPassBase<TransposeWeights> {
  using Base::Base;
  void runOnOperation() override {
    TargetInfo target = TargetInfo::getGPU(MatrixUnit::WGMMA);
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal() || func->hasAttr(kKernelAttr))
        continue;
      SmallVector<linalg::GenericOp> ops;
      func.walk([&](linalg::GenericOp op) { ops.push_back(op); });
      StateAnalysis states(func);
      for (linalg::GenericOp op : ops) {
        auto match = matchContraction(op, target);
        if (!match || !states.isStateOnly(match->rhs()))
          continue;
        if (auto order = matchOrder(*match)) {
          transpose(*match, *order);
          ++numTransposed;
        }
      }
    }
  }
};
} // namespace

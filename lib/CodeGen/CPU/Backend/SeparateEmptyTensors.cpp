//===- SeparateEmptyTensors.cpp - one empty tensor for each use -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUSEPARATEEMPTYTENSORS
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;

/// Returns the size of the dimension that dimensions `group` of `from` collapse
/// to.
static Value getSize(OpBuilder &b, Location loc, Value from,
                     ArrayRef<int64_t> group) {
  auto type = cast<RankedTensorType>(from.getType());
  Value size = arith::ConstantIndexOp::create(b, loc, 1);
  for (int64_t d : group) {
    if (type.getDimSize(d) == 0)
      return arith::ConstantIndexOp::create(b, loc, 0);
    Value factor = tensor::DimOp::create(b, loc, from, d);
    size = arith::MulIOp::create(b, loc, size, factor);
  }
  return size;
}

/// Replaces collapses of tensors with a size of 0 by empty tensors. Collapsing
/// sizes 0 and ? gives a dynamic size for a tensor but size 0 for a memref, so
/// that the bufferized op would not verify.
static void replaceEmptyViews(ModuleOp module) {
  module.walk([](tensor::CollapseShapeOp op) {
    RankedTensorType type = op.getResultType();
    if (type.hasStaticShape() ||
        !llvm::is_contained(op.getSrcType().getShape(), 0))
      return;
    OpBuilder b(op);
    SmallVector<Value> sizes;
    for (auto [d, group] : llvm::enumerate(op.getReassociationIndices()))
      if (type.isDynamicDim(d))
        sizes.push_back(getSize(b, op.getLoc(), op.getSrc(), group));
    auto empty = tensor::EmptyOp::create(b, op.getLoc(), type, sizes);
    op.replaceAllUsesWith(empty.getResult());
    op.erase();
  });
}

namespace {
struct SeparateEmptyTensors
    : fx::cpu::impl::FXCPUSeparateEmptyTensorsBase<SeparateEmptyTensors> {
  void runOnOperation() override {
    replaceEmptyViews(getOperation());
    SmallVector<tensor::EmptyOp> empties;
    getOperation()->walk(
        [&](tensor::EmptyOp empty) { empties.push_back(empty); });
    for (tensor::EmptyOp empty : empties) {
      for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
        OpBuilder b(use.getOwner());
        if (isa<LoopLikeOpInterface>(use.getOwner()))
          use.set(bufferization::AllocTensorOp::create(
              b, empty.getLoc(), empty.getType(), empty.getDynamicSizes()));
        else
          use.set(b.clone(*empty)->getResult(0));
      }
      empty.erase();
    }
  }
};
} // namespace

//===- ExpandDynamicShapes.cpp - expansions to several dynamic sizes ------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUEXPANDDYNAMICSHAPES
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;

/// Returns true if a group of result dimensions has more than one dynamic size.
static bool hasDynamicGroup(memref::ExpandShapeOp op) {
  for (const ReassociationIndices &group : op.getReassociationIndices())
    if (llvm::count_if(group, [&](int64_t dim) {
          return op.getResultType().isDynamicDim(dim);
        }) > 1)
      return true;
  return false;
}

/// Replaces `op` by a memref.reinterpret_cast with computed strides.
static void lower(memref::ExpandShapeOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto source = memref::ExtractStridedMetadataOp::create(b, loc, op.getSrc());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  auto [known, offset] = op.getResultType().getStridesAndOffset();
  SmallVector<OpFoldResult> strides(sizes.size());
  for (auto [from, group] : llvm::enumerate(op.getReassociationIndices())) {
    Value stride = source.getStrides()[from];
    for (auto [i, dim] : llvm::enumerate(llvm::reverse(group))) {
      if (i > 0)
        stride = arith::MulIOp::create(
            b, loc, stride,
            getValueOrCreateConstantIndexOp(b, loc, sizes[dim + 1]));
      // The verifier requires static strides of the type as attributes.
      strides[dim] = ShapedType::isDynamic(known[dim])
                         ? OpFoldResult(stride)
                         : OpFoldResult(b.getIndexAttr(known[dim]));
    }
  }
  OpFoldResult start = ShapedType::isDynamic(offset)
                           ? OpFoldResult(source.getOffset())
                           : OpFoldResult(b.getIndexAttr(offset));
  Value result = memref::ReinterpretCastOp::create(b, loc, op.getResultType(),
                                                   source.getBaseBuffer(),
                                                   start, sizes, strides);
  op.replaceAllUsesWith(result);
  op.erase();
}

namespace {
struct ExpandDynamicShapes
    : fx::cpu::impl::FXCPUExpandDynamicShapesBase<ExpandDynamicShapes> {
  void runOnOperation() override {
    SmallVector<memref::ExpandShapeOp> work;
    getOperation().walk([&](memref::ExpandShapeOp op) {
      if (hasDynamicGroup(op))
        work.push_back(op);
    });
    for (memref::ExpandShapeOp op : work)
      lower(op);
  }
};
} // namespace

//===- RoundAttention.cpp - attention's second matmul in half types -------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/GPU/Passes.h"

#include "fx/Kernels/Attention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace fx::gpu {
#define GEN_PASS_DEF_FXGPUROUNDATTENTION
#include "fx/CodeGen/GPU/Passes.h.inc"
} // namespace fx::gpu

using namespace mlir;
using fx::kernel::kAttentionAttr;

static Type getElement(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

/// Returns the number of the f32 input if `op` is a contraction of an attention
/// that multiplies an f32 input by one of bf16 or f16.
static std::optional<unsigned> findWideInput(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0 || op.getInputs().size() != 2 ||
      !op->hasAttr(kAttentionAttr))
    return std::nullopt;
  for (unsigned wide : {0u, 1u}) {
    BlockArgument x = op.getBody()->getArgument(wide),
                  y = op.getBody()->getArgument(1 - wide);
    if (!x.getType().isF32() || !(y.getType().isBF16() || y.getType().isF16()))
      continue;
    auto product =
        x.hasOneUse() ? dyn_cast<arith::MulFOp>(*x.user_begin()) : nullptr;
    if (!product)
      continue;
    Value other = product.getLhs() == x ? product.getRhs() : product.getLhs();
    auto extended = other.getDefiningOp<arith::ExtFOp>();
    if (extended && extended.getIn() == y)
      return wide;
  }
  return std::nullopt;
}

/// Emits an op that rounds `tensor` to `element` and belongs to the attention
/// of `user`.
static Value round(OpBuilder &b, linalg::GenericOp user, Value tensor,
                   Type element) {
  Location loc = user.getLoc();
  auto type = cast<RankedTensorType>(tensor.getType());
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, tensor), element);
  AffineMap id = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      b, loc, empty.getType(), tensor, empty, ArrayRef{id, id}, loops,
      [&](OpBuilder &body, Location at, ValueRange args) {
        Value rounded = arith::TruncFOp::create(body, at, element, args[0]);
        linalg::YieldOp::create(body, at, rounded);
      });
  op->setAttr(kAttentionAttr, user->getAttr(kAttentionAttr));
  return op.getResult(0);
}

namespace {
struct RoundAttention : fx::gpu::impl::FXGPURoundAttentionBase<RoundAttention> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<std::pair<linalg::GenericOp, unsigned>> found;
    getOperation().walk([&](linalg::GenericOp op) {
      if (auto wide = findWideInput(op))
        found.push_back({op, *wide});
    });
    for (auto [op, wide] : found)
      rewrite(op, wide);
    numRounded += found.size();
  }

  void rewrite(linalg::GenericOp op, unsigned wide) {
    OpBuilder b(op);
    Value probabilities = op.getInputs()[wide];
    Type element = getElement(op.getInputs()[1 - wide]);
    op.getInputsMutable()[wide].set(round(b, op, probabilities, element));
    // Extend the rounded number to f32 in the body.
    Block *body = op.getBody();
    BlockArgument x = body->getArgument(wide);
    x.setType(element);
    b.setInsertionPointToStart(body);
    auto wider = arith::ExtFOp::create(b, op.getLoc(), b.getF32Type(), x);
    x.replaceAllUsesExcept(wider, wider);
  }
};
} // namespace

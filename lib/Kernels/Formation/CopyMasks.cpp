//===- CopyMasks.cpp - a mask for each attention --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/KeyBounds.h"
#include "fx/Kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

namespace fx::kernel {
#define GEN_PASS_DEF_COPYMASKSPASS
#include "fx/Kernels/Passes.h.inc"
} // namespace fx::kernel

using namespace mlir;
using namespace fx::kernel;

/// The largest cost of a mask that is computed once for each score.
static constexpr int64_t kMostCost = 16;

/// What a division of integers costs besides: there is none of vectors.
static constexpr int64_t kDivisionCost = 10;

using Ops = llvm::SetVector<Operation *>;

/// Returns the number of divisions of integers by other numbers than powers of
/// two.
static int64_t countDivisions(linalg::GenericOp op) {
  return llvm::count_if(*op.getBody(), [](Operation &inner) {
    APInt divisor;
    return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
               arith::FloorDivSIOp, arith::CeilDivSIOp>(inner) &&
           !(matchPattern(inner.getOperand(1), m_ConstantInt(&divisor)) &&
             divisor.isPowerOf2());
  });
}

/// Adds the pointwise ops of `block` that compute `v` to `ops`, users first.
/// Their cost is added to `cost`.
static void addProducers(Value v, Block *block, Ops &ops, int64_t &cost) {
  auto op = v.getDefiningOp<linalg::GenericOp>();
  if (!op || op->getBlock() != block || !isPointwise(op) ||
      op->getNumResults() != 1 || cost > kMostCost || !ops.insert(op))
    return;
  cost += bodyCost(op) + countDivisions(op) * kDivisionCost;
  for (Value input : op.getInputs())
    addProducers(input, block, ops, cost);
}

/// Returns the ops that compute the masks of an attention, and are not a part
/// of it.
static Ops findMasks(const Attention &attention, int64_t &cost) {
  Ops masks(attention.ops.begin(), attention.ops.end());
  for (Operation *op : attention.ops)
    if (isPointwise(op))
      for (Value input : cast<linalg::GenericOp>(op).getInputs())
        addProducers(input, op->getBlock(), masks, cost);
  for (Operation *op : attention.ops)
    masks.remove(op);
  return masks;
}

/// Gives each use of an op without inputs, such as the numbers 0, 1, 2, ... of
/// `arange`, in the attention and its masks a copy. The numbers of rows and of
/// keys are often one tensor, which is no part of a kernel that walks it in two
/// directions.
static void separateUses(const Attention &attention, Ops &ops) {
  Ops all(attention.ops.begin(), attention.ops.end());
  all.insert(ops.begin(), ops.end());
  for (Operation *op : ops.takeVector()) {
    if (cast<linalg::GenericOp>(op).getNumDpsInputs() || op->hasOneUse()) {
      ops.insert(op);
      continue;
    }
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getUses())
      if (all.contains(use.getOwner()))
        uses.push_back(&use);
    for (OpOperand *use : uses) {
      OpBuilder b(op->getContext());
      b.setInsertionPointAfter(op);
      Operation *copy = b.clone(*op);
      use->set(copy->getResult(0));
      ops.insert(copy);
    }
    if (op->use_empty())
      op->erase();
  }
}

namespace {
struct CopyMasks : fx::kernel::impl::CopyMasksPassBase<CopyMasks> {
  using Base::Base;

  void runOnOperation() override {
    auto match = [&](linalg::GenericOp op) {
      std::optional<Attention> attention =
          gpu ? matchAttention(op) : matchAnyAttention(op);
      if (attention && !gpu && !isFasterAsOne(*attention))
        attention.reset();
      return attention;
    };
    SmallVector<linalg::GenericOp> found;
    getOperation().walk([&](linalg::GenericOp op) {
      if (match(op))
        found.push_back(op);
    });
    for (linalg::GenericOp op : found)
      if (std::optional<Attention> attention = match(op))
        copyMasks(*attention);
  }

  void copyMasks(Attention &attention) {
    int64_t rows = 1, cost = 0;
    for (unsigned loop : attention.values.m) {
      int64_t range = attention.values.op.getStaticLoopRanges()[loop];
      rows = ShapedType::isDynamic(range) || rows < 0 ? -1 : rows * range;
    }
    if (rows >= 0 && rows < minRows)
      return;
    Ops masks = findMasks(attention, cost);
    if (cost <= kMostCost)
      separateUses(attention, masks);
    Ops all(attention.ops.begin(), attention.ops.end());
    all.insert(masks.begin(), masks.end());
    auto isOutside = [&](Operation *user) { return !all.contains(user); };
    if (cost > kMostCost || llvm::none_of(masks, [&](Operation *op) {
          return llvm::any_of(op->getUsers(), isOutside);
        }))
      return;
    std::optional<LoopLabels> labels = attention.label(masks.getArrayRef());
    if (!labels)
      return;
    KeyBounds bounds = matchKeyBounds(attention, *labels);
    // On CPUs, blocks of keys that no row sees are skipped without bounds.
    auto isUseful = [&](const KeyBound &bound) {
      return gpu || bound.dependsOnRows;
    };
    if (llvm::none_of(bounds.first, isUseful) &&
        llvm::none_of(bounds.last, isUseful))
      return;
    // Producers are defined before their users in the block.
    SmallVector<Operation *> order = masks.takeVector();
    llvm::sort(order, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    IRMapping mapping;
    for (Operation *op : order) {
      OpBuilder b(op->getContext());
      b.setInsertionPointAfter(op);
      mapping.map(op->getResult(0), b.clone(*op, mapping)->getResult(0));
    }
    for (Operation *op : attention.ops)
      for (OpOperand &operand : op->getOpOperands())
        if (Value copy = mapping.lookupOrNull(operand.get()))
          operand.set(copy);
    for (Operation *op : llvm::reverse(order))
      if (op->use_empty())
        op->erase();
    ++numCopied;
  }
};
} // namespace

//===- StartFallbacks.cpp - ATen beside compiled code ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/IR/FXDialect.h"
#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUSTARTFALLBACKS
#include "fx/CodeGen/CPU/KernelPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx;
using namespace fx::cpu;
using namespace fx::kernel;

using Ops = llvm::SmallPtrSet<Operation *, 16>;

/// Returns true for ops with effects, which keep their order. A start is not
/// one of them: it has no results, and its operands are not written before its
/// `fx.eager` op.
static bool isFixed(Operation *op) {
  return !isa<StartEagerOp>(op) && !isMemoryEffectFree(op);
}

/// Returns true for a wait for a collective that has been started: its operand
/// is the number of the collective.
static bool isWait(EagerOp op) {
  return op->getNumOperands() == 1 && op->getOperand(0).getType().isInteger() &&
         op.getTarget() == "_c10d_functional.wait_tensor.default";
}

/// Calls `fn` for the ops of `block` whose results `op` uses, in regions too.
static void walkNeeds(Operation *op, Block *block,
                      function_ref<void(Operation *)> fn) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *definition = operand.getDefiningOp())
        if (definition->getBlock() == block && definition != op)
          fn(definition);
  });
}

/// Moves the ops from `first` to `start` that `start` does not depend on behind
/// `start`.
static void hoist(Operation *start, Operation *first) {
  Block *block = start->getBlock();
  Ops needed{start};
  bool needsFixed = false;
  SmallVector<Operation *> rest;
  for (Operation *op = start;; op = op->getPrevNode()) {
    if (needed.contains(op) || (needsFixed && isFixed(op))) {
      needsFixed |= isFixed(op);
      walkNeeds(op, block, [&](Operation *need) { needed.insert(need); });
    } else {
      rest.push_back(op);
    }
    if (op == first)
      break;
  }
  for (Operation *op : rest)
    op->moveAfter(start);
}

/// Moves `op`, and the ops that depend on it, to the end of the block.
static void sink(Operation *op) {
  Block *block = op->getBlock();
  Ops late{op};
  bool hasFixed = false;
  SmallVector<Operation *> order{op};
  for (Operation *next = op->getNextNode();
       next && !next->hasTrait<OpTrait::IsTerminator>();
       next = next->getNextNode()) {
    bool isLate = hasFixed && isFixed(next);
    walkNeeds(next, block,
              [&](Operation *need) { isLate |= late.contains(need); });
    if (!isLate)
      continue;
    hasFixed |= isFixed(next);
    late.insert(next);
    order.push_back(next);
  }
  for (Operation *next : order)
    next->moveBefore(block->getTerminator());
}

namespace {
struct StartFallbacks : fx::cpu::impl::FXCPUStartFallbacksBase<StartFallbacks> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main || main.isExternal())
      return;
    Block &block = main.front();
    SmallVector<EagerOp> starting, awaiting;
    for (EagerOp op : block.getOps<EagerOp>()) {
      bool isAsync = op->hasAttr("fx.async") && op->hasAttr("fx.pure");
      if (isAsync || op->hasAttr("fx.collective"))
        starting.push_back(op);
      if (isAsync || isWait(op))
        awaiting.push_back(op);
    }
    Operation *first = &block.front();
    OpBuilder b(&getContext());
    int64_t slot = 0;
    for (EagerOp op : starting) {
      // A collective starts itself.
      Operation *start = op;
      if (!op->hasAttr("fx.collective")) {
        b.setInsertionPoint(op);
        op->setAttr("fx.slot", b.getI64IntegerAttr(slot));
        start = StartEagerOp::create(b, op.getLoc(), slot++, op->getOperands());
        if (first == op)
          first = start;
      }
      hoist(start, first);
      first = start->getNextNode();
      ++numStarted;
    }
    for (EagerOp op : awaiting)
      sink(op);
  }
};
} // namespace

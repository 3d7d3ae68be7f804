//===- FoldKeys.cpp - attention that reads a cache as it is ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/Kernels/Attention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUFOLDKEYS
#include "fx/CodeGen/CPU/KernelPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::kernel;
using namespace fx::cpu;

namespace {
/// The tensor from which an operand is copied, extended to f32 or not.
struct Source {
  Value tensor;
  /// The indices of `tensor` in the dimensions of the operand; null: there are
  /// views in between.
  AffineMap map;
  /// The views of the copy, the last first.
  SmallVector<Operation *> views;

  Type element() const { return getElementTypeOrSelf(tensor.getType()); }
  bool isBroadcast() const {
    return map && map.getNumResults() != map.getNumDims();
  }
  /// Creates the views of `tensor` in front of `op`.
  Value replay(Operation *op) const;
};
} // namespace

/// Returns true if the dimensions of `map`'s results ascend.
static bool isInOrder(AffineMap map) {
  return llvm::is_sorted(map.getResults(), [](AffineExpr x, AffineExpr y) {
    return cast<AffineDimExpr>(x).getPosition() <
           cast<AffineDimExpr>(y).getPosition();
  });
}

/// Returns true if `op` copies the elements of a tensor, which may repeat, or
/// extends them to f32.
static bool isCopy(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op->getNumResults() != 1 ||
      op.getNumReductionLoops() ||
      !isa<RankedTensorType>(op.getInputs()[0].getType()))
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Value v = op.getBody()->getTerminator()->getOperand(0);
  if (auto extend = v.getDefiningOp<arith::ExtFOp>();
      extend && v.getType().isF32())
    v = extend.getIn();
  return maps[0].isProjectedPermutation() && isInOrder(maps[0]) &&
         maps[1].isIdentity() && v == op.getBody()->getArgument(0);
}

/// Finds the source of `v`.
static std::optional<Source> findSource(Value v) {
  Source s;
  Operation *def = v.getDefiningOp();
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                         tensor::CastOp>(def)) {
    s.views.push_back(def);
    def = def->getOperand(0).getDefiningOp();
  }
  auto copy = dyn_cast_or_null<linalg::GenericOp>(def);
  if (!copy || !isCopy(copy))
    return std::nullopt;
  AffineMap map = copy.getIndexingMapsArray()[0];
  s.tensor = copy.getInputs()[0];
  if (s.views.empty())
    s.map = map;
  else if (!map.isIdentity())
    return std::nullopt;
  return s;
}

Value Source::replay(Operation *op) const {
  OpBuilder b(op);
  Value v = tensor;
  for (Operation *view : llvm::reverse(views)) {
    IRMapping mapping;
    mapping.map(view->getOperand(0), v);
    Operation *clone = b.clone(*view, mapping);
    auto type = cast<RankedTensorType>(view->getResult(0).getType());
    clone->getResult(0).setType(
        RankedTensorType::get(type.getShape(), element()));
    v = clone->getResult(0);
  }
  return v;
}

/// Lets the right operand of the contraction be the source.
static void readSource(Contraction &c, const Source &s) {
  c.op->setOperand(c.b, s.replay(c.op));
  if (s.map) {
    SmallVector<AffineMap> maps = c.op.getIndexingMapsArray();
    maps[c.b] = s.map.compose(maps[c.b]);
    c.op.setIndexingMapsAttr(OpBuilder(c.op).getAffineMapArrayAttr(maps));
  }
  BlockArgument x = c.op.getBody()->getArgument(c.b);
  Type wide = x.getType();
  if (s.element() == wide)
    return;
  x.setType(s.element());
  auto b = OpBuilder::atBlockBegin(c.op.getBody());
  auto extend = arith::ExtFOp::create(b, c.op.getLoc(), wide, x);
  x.replaceAllUsesExcept(extend, extend);
}

namespace {
struct FoldKeys : fx::cpu::impl::FXCPUFoldKeysBase<FoldKeys> {
  using Base::Base;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal() || func->hasAttr(kKernelAttr))
        continue;
      SmallVector<Attention, 0> found;
      func.walk([&](linalg::GenericOp op) {
        if (auto match = matchAnyAttention(op))
          found.push_back(std::move(*match));
      });
      for (Attention &attention : found) {
        // The kernel needs keys and values of one dtype, and loops that are
        // batches of both or of none.
        auto keys = findSource(attention.scores.rhs()),
             values = findSource(attention.values.rhs());
        if (!keys || !values || keys->element() != values->element() ||
            keys->isBroadcast() != values->isBroadcast())
          continue;
        readSource(attention.scores, *keys);
        readSource(attention.values, *values);
      }
    }
  }
};
} // namespace

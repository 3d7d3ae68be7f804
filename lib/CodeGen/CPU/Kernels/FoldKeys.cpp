//===- FoldKeys.cpp - attention that reads a cache as it is ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/Kernels/Attention.h"
#include "fx/Kernels/LoopLabels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallSet.h"

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
  /// The indices of `tensor` in the dimensions of the operand.
  AffineMap map;
  /// The views of the copy, the last first. If there are any, `map` is an
  /// identity.
  SmallVector<Operation *> views;
  linalg::GenericOp copy;

  Type element() const { return getElementTypeOrSelf(tensor.getType()); }
  /// Creates the views of `tensor` in front of `op`.
  Value replay(Operation *op) const;
  /// Erases the views and the copy if nobody reads them.
  void eraseDead() const;
};
} // namespace

/// Returns true if the dimensions of `map`'s results ascend.
static bool isInOrder(AffineMap map) {
  return llvm::is_sorted(map.getResults(), [](AffineExpr x, AffineExpr y) {
    return cast<AffineDimExpr>(x).getPosition() <
           cast<AffineDimExpr>(y).getPosition();
  });
}

/// Returns true if `op` copies the elements of a tensor, which may repeat.
static bool isCopy(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op->getNumResults() != 1 ||
      op.getNumReductionLoops() ||
      !isa<RankedTensorType>(op.getInputs()[0].getType()))
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return maps[0].isProjectedPermutation() && isInOrder(maps[0]) &&
         maps[1].isIdentity() &&
         op.getBody()->getTerminator()->getOperand(0) ==
             op.getBody()->getArgument(0);
}

/// Finds the source of `v`. Without `f16`, an extension from f16 is no copy.
static std::optional<Source> findSource(Value v, bool f16) {
  Source s;
  Operation *def = v.getDefiningOp();
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                         tensor::CastOp>(def)) {
    s.views.push_back(def);
    def = def->getOperand(0).getDefiningOp();
  }
  s.copy = dyn_cast_or_null<linalg::GenericOp>(def);
  if (!s.copy || s.copy->getNumResults() != 1 ||
      (!getExtension(s.copy->getResult(0)) && !isCopy(s.copy)))
    return std::nullopt;
  s.map = s.copy.getIndexingMapsArray()[0];
  s.tensor = s.copy.getInputs()[0];
  bool extendsF16 =
      s.element().isF16() && getElementTypeOrSelf(v.getType()).isF32();
  if ((!s.views.empty() && !s.map.isIdentity()) || (extendsF16 && !f16))
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

void Source::eraseDead() const {
  for (Operation *view : views)
    if (view->use_empty())
      view->erase();
  if (copy->use_empty())
    copy->erase();
}

/// Returns the labels of the loops of `c` over which the copy repeats elements
/// of the right operand; nullopt if one of them is no batch.
static std::optional<llvm::SmallSet<int, 2>>
findRepeated(Contraction &c, const Source &s, const LoopLabels &labels) {
  llvm::SmallSet<int, 2> repeated;
  ArrayRef<int> loops = labels.ofLoops(c.op);
  for (unsigned d = 0; d < s.map.getNumDims(); ++d) {
    if (s.map.isFunctionOfDim(d))
      continue;
    AffineExpr index = c.rhsMap().getResult(d);
    auto loop = dyn_cast<AffineDimExpr>(index);
    if (!loop || !llvm::is_contained(c.batch, loop.getPosition()))
      return std::nullopt;
    repeated.insert(loops[loop.getPosition()]);
  }
  return repeated;
}

/// Lets the right operand of the contraction be the source.
static void readSource(Contraction &c, const Source &s) {
  c.op->setOperand(c.b, s.replay(c.op));
  if (s.views.empty()) {
    SmallVector<AffineMap> maps = c.op.getIndexingMapsArray();
    maps[c.b] = s.map.compose(maps[c.b]);
    c.op.setIndexingMapsAttr(OpBuilder(c.op).getAffineMapArrayAttr(maps));
  }
  s.eraseDead();
  BlockArgument x = c.op.getBody()->getArgument(c.b);
  Type wide = x.getType();
  if (s.element() == wide)
    return;
  x.setType(s.element());
  auto b = OpBuilder::atBlockBegin(c.op.getBody());
  auto extend = arith::ExtFOp::create(b, c.op.getLoc(), wide, x);
  x.replaceAllUsesExcept(extend, extend);
}

/// Lets both matmuls read what their keys and values are copied from. Returns
/// false if there is no copy, or if the kernel could not do without it: keys
/// and values need one dtype, and loops that are batches of both.
static bool foldCopies(Attention &attention, bool f16) {
  Contraction &scores = attention.scores, &values = attention.values;
  auto keySource = findSource(scores.rhs(), f16),
       valueSource = findSource(values.rhs(), f16);
  auto labels = attention.label();
  if (!keySource || !valueSource || !labels ||
      keySource->element() != valueSource->element())
    return false;
  auto ofKeys = findRepeated(scores, *keySource, *labels),
       ofValues = findRepeated(values, *valueSource, *labels);
  if (!ofKeys || !ofValues || *ofKeys != *ofValues)
    return false;
  readSource(scores, *keySource);
  readSource(values, *valueSource);
  return true;
}

namespace {
struct FoldKeys : fx::cpu::impl::FXCPUFoldKeysBase<FoldKeys> {
  using Base::Base;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal() || func->hasAttr(kKernelAttr))
        continue;
      SmallVector<linalg::GenericOp> found;
      func.walk([&](linalg::GenericOp op) {
        if (matchAnyAttention(op))
          found.push_back(op);
      });
      for (linalg::GenericOp op : found)
        while (auto attention = matchAnyAttention(op))
          if (!foldCopies(*attention, f16))
            break;
    }
  }
};
} // namespace

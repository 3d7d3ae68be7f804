//===- LoopLabels.cpp - loops through the ops of a group ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/LoopLabels.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fx::kernel;

void LoopLabels::setRoot(linalg::LinalgOp root, ArrayRef<int> labels) {
  loops[root].assign(labels.begin(), labels.end());
}

ArrayRef<int> LoopLabels::ofLoops(Operation *op) const {
  auto it = loops.find(op);
  return it == loops.end() ? ArrayRef<int>() : ArrayRef<int>(it->second);
}

ArrayRef<int> LoopLabels::ofTensor(Value value) const {
  auto it = tensors.find(value);
  return it == tensors.end() ? ArrayRef<int>() : ArrayRef<int>(it->second);
}

bool LoopLabels::isComplete(Operation *op) const {
  // An op on scalars has no loops.
  auto it = loops.find(op);
  return it != loops.end() && !llvm::is_contained(it->second, kUnknown);
}

bool LoopLabels::propagate(linalg::LinalgOp op, bool &changed) {
  auto &mine = loops[op];
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (mine.empty())
    for (int64_t range : ranges)
      mine.push_back(range == 1 ? kUnit : kUnknown);
  auto meet = [&](int &x, int &y) {
    if (x == y || x == kUnit || y == kUnit)
      return true;
    if (x != kUnknown && y != kUnknown)
      return false;
    (x == kUnknown ? x : y) = x == kUnknown ? y : x;
    changed = true;
    return true;
  };
  auto visit = [&](Value tensor, AffineMap map) {
    auto type = cast<RankedTensorType>(tensor.getType());
    auto &dims = tensors[tensor];
    if (dims.empty())
      for (int64_t size : type.getShape())
        dims.push_back(size == 1 ? kUnit : kUnknown);
    for (auto [d, expr] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (!meet(dims[d], mine[dim.getPosition()]))
          return false;
    return true;
  };
  for (OpOperand &operand : op->getOpOperands()) {
    Operation *def = operand.get().getDefiningOp();
    if (!isa<RankedTensorType>(operand.get().getType()) ||
        isa_and_nonnull<linalg::FillOp, tensor::EmptyOp, arith::ConstantOp>(
            def))
      continue;
    if ((def && loops.count(def)) || (shareInputs && op.isDpsInput(&operand)))
      if (!visit(operand.get(), op.getMatchingIndexingMap(&operand)))
        return false;
  }
  for (OpResult result : op->getResults())
    if (!visit(result, op.getIndexingMapMatchingResult(result)))
      return false;
  return true;
}

bool LoopLabels::propagate(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    if (isa<linalg::GenericOp>(op) && !loops.count(op))
      loops[op] = {};
  bool changed = true;
  while (changed) {
    changed = false;
    for (Operation *op : ops)
      if (auto generic = dyn_cast<linalg::GenericOp>(op))
        if (!propagate(cast<linalg::LinalgOp>(op), changed))
          return false;
  }
  return true;
}

bool LoopLabels::label(linalg::LinalgOp root, ArrayRef<int> labels,
                       ArrayRef<Operation *> ops) {
  setRoot(root, labels);
  return propagate(ops) && llvm::all_of(ops, [&](Operation *op) {
           return !isa<linalg::GenericOp>(op) || isComplete(op);
         });
}

bool fx::kernel::canMergeLabels(ArrayRef<Operation *> ops,
                                const LoopLabels &labels, int first,
                                int second) {
  for (Operation *op : ops) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic)
      continue;
    ArrayRef<int> loops = labels.ofLoops(op);
    for (auto index : generic.getBody()->getOps<linalg::IndexOp>())
      if (loops[index.getDim()] == first || loops[index.getDim()] == second)
        return false;
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type)
        continue;
      AffineMap map = generic.getMatchingIndexingMap(&operand);
      int at = -1, count = 0;
      for (auto [d, expr] : llvm::enumerate(map.getResults())) {
        bool touches = false;
        for (unsigned l = 0; l < loops.size(); ++l)
          touches |= expr.isFunctionOfDim(l) &&
                     (loops[l] == first || loops[l] == second);
        if (!touches)
          continue;
        auto dim = dyn_cast<AffineDimExpr>(expr);
        if (!dim)
          return false;
        ++count;
        if (loops[dim.getPosition()] == first)
          at = d;
        else if (at < 0 || static_cast<int>(d) != at + 1)
          return false;
      }
      // The dimensions of a view or a pad are not those of its memory.
      if (count &&
          isa_and_nonnull<tensor::ExtractSliceOp, tensor::PadOp,
                          tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
              operand.get().getDefiningOp()))
        return false;
      if (count != 0 && count != 2)
        return false;
    }
  }
  return true;
}

//===- FoldGathers.cpp - keys that are read through a table ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/Attention.h"
#include "fx/Kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace fx::kernel {
#define GEN_PASS_DEF_FOLDGATHERSPASS
#include "fx/Kernels/Passes.h.inc"
} // namespace fx::kernel

using namespace mlir;
using namespace fx::kernel;

/// Returns the op if it chooses elements of a tensor by indices, and its loops
/// are the dimensions of its result; null otherwise. `op` may be null. Columns
/// may be chosen, too: those of scales are a single one.
static linalg::GenericOp asGather(Operation *op) {
  auto gather = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!gather || gather->getNumResults() != 1 || !isPointwise(gather) ||
      !gather.getIndexingMapMatchingResult(gather->getResult(0)).isIdentity())
    return {};
  if (!gather.getBody()->getArguments().back().use_empty())
    return {};
  Value element = gather.getBody()->getTerminator()->getOperand(0);
  return element.getDefiningOp<tensor::ExtractOp>() ? gather
                                                    : linalg::GenericOp();
}

/// Returns true if `op` copies the elements of its only input, whose dimensions
/// may be permuted.
static bool isCopy(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      !isa<linalg::GenericOp, linalg::TransposeOp>(*op) ||
      op.getNumReductionLoops())
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Block *body = op.getBlock();
  return maps[0].isPermutation() && maps[1].isIdentity() &&
         body->getTerminator()->getOperand(0) == body->getArgument(0);
}

/// Computes the coordinates of a tensor of shape `sizes` from those of a view
/// in which dimensions are collapsed.
static SmallVector<Value> expand(OpBuilder &b, Location loc,
                                 ArrayRef<int64_t> sizes,
                                 ArrayRef<ReassociationIndices> groups) {
  SmallVector<Value> result(sizes.size());
  for (auto [d, dims] : llvm::enumerate(groups)) {
    Value rest = linalg::IndexOp::create(b, loc, d);
    for (int64_t dim : llvm::reverse(ArrayRef(dims).drop_front())) {
      Value size = arith::ConstantIndexOp::create(b, loc, sizes[dim]);
      result[dim] = arith::RemUIOp::create(b, loc, rest, size);
      rest = arith::DivUIOp::create(b, loc, rest, size);
    }
    result[dims[0]] = rest;
  }
  return result;
}

/// Returns true if a gather can have the shape of the result of `collapse`,
/// whose operand it defines: it keeps its columns, and only the first of the
/// dimensions that become one may have a dynamic size.
static bool mayCollapse(tensor::CollapseShapeOp collapse) {
  ArrayRef<int64_t> sizes = collapse.getSrcType().getShape();
  SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
  auto fits = [&](const ReassociationIndices &dims) {
    bool areColumns = &dims == &groups.back();
    return llvm::all_of(ArrayRef(dims).drop_front(), [&](int64_t dim) {
      return areColumns ? sizes[dim] == 1 : sizes[dim] > 0;
    });
  };
  return !groups.empty() && llvm::all_of(groups, fits);
}

/// Replaces `user`, which reads the result of gather `op` alone, by a gather to
/// `init`. `coordinates` returns those of the result of `op` in its body.
static void
replaceUser(linalg::GenericOp op, Operation *user, Value init,
            llvm::function_ref<SmallVector<Value>(OpBuilder &)> coordinates) {
  OpBuilder b(user);
  int64_t rank = cast<RankedTensorType>(init.getType()).getRank();
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto emitBody = [&](OpBuilder &body, Location loc, ValueRange) {
    SmallVector<Value> at = coordinates(body);
    IRMapping mapping;
    for (OpOperand *input : op.getDpsInputOperands()) {
      SmallVector<Value> where;
      for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults())
        where.push_back(at[cast<AffineDimExpr>(expr).getPosition()]);
      Value element = tensor::ExtractOp::create(body, loc, input->get(), where);
      mapping.map(op.getMatchingBlockArgument(input), element);
    }
    for (Operation &inner : *op.getBody())
      if (auto index = dyn_cast<linalg::IndexOp>(inner))
        mapping.map(index.getResult(), at[index.getDim()]);
      else
        body.clone(inner, mapping);
  };
  auto result = linalg::GenericOp::create(
      b, op.getLoc(), init.getType(), ValueRange{}, init,
      b.getMultiDimIdentityMap(rank), loops, emitBody);
  user->replaceAllUsesWith(result);
  user->erase();
  op.erase();
}

/// Returns true if the inputs of the gather are indexed by loops.
static bool hasPlainInputs(linalg::GenericOp op) {
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return isa<RankedTensorType>(input->get().getType()) &&
           op.getMatchingIndexingMap(input).isProjectedPermutation();
  });
}

/// Lets the gather before `user` compute the result of `user`: a copy, as of a
/// transposed view, or a view that merges pages with the positions in them.
/// `user` may be null. Returns false if it is neither.
static bool foldUser(Operation *user) {
  if (!isa_and_nonnull<tensor::CollapseShapeOp, linalg::LinalgOp>(user))
    return false;
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(user);
  auto copy = dyn_cast<linalg::LinalgOp>(user);
  if (collapse ? !mayCollapse(collapse) : !isCopy(copy))
    return false;
  Value source = user->getOperand(0);
  linalg::GenericOp gather = asGather(source.getDefiningOp());
  if (!gather || !source.hasOneUse() || !hasPlainInputs(gather))
    return false;
  Location loc = user->getLoc();
  if (copy) {
    AffineMap map = copy.getIndexingMapsArray()[0];
    replaceUser(gather, user, copy.getDpsInits()[0], [&](OpBuilder &b) {
      return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
        unsigned loop = cast<AffineDimExpr>(expr).getPosition();
        return Value(linalg::IndexOp::create(b, loc, loop));
      });
    });
    return true;
  }
  SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
  OpBuilder b(user);
  Value init = tensor::CollapseShapeOp::create(b, loc, collapse.getResultType(),
                                               gather.getDpsInits()[0], groups);
  replaceUser(gather, user, init, [&](OpBuilder &b) {
    return expand(b, loc, collapse.getSrcType().getShape(), groups);
  });
  return true;
}

/// Folds what is between gathers and the attention that reads `v`. Pointwise
/// ops may expand what is gathered, such as integers with scales.
static unsigned foldInto(Value v) {
  unsigned count = 0;
  Operation *def = v.getDefiningOp();
  if (isa_and_nonnull<tensor::CollapseShapeOp>(def))
    count += foldUser(def->getOperand(0).getDefiningOp());
  if (foldUser(def))
    return count + 1;
  if (auto op = dyn_cast_or_null<linalg::GenericOp>(def);
      op && isPointwise(op) && v.hasOneUse() && !asGather(op))
    for (Value input : op.getInputs())
      count += foldInto(input);
  return count;
}

namespace {
struct FoldGathers : fx::kernel::impl::FoldGathersPassBase<FoldGathers> {
  using Base::Base;

  void runOnOperation() override {
    // Unit dimensions are not dropped yet, so the matmuls of some attentions
    // are known only by their origin.
    llvm::SetVector<linalg::GenericOp> matmuls;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->hasAttr(kAttentionAttr) && op.getNumReductionLoops())
        matmuls.insert(op);
      if (std::optional<Attention> attention = matchAnyAttention(op)) {
        matmuls.insert(attention->scores.op);
        matmuls.insert(attention->values.op);
      }
    });
    for (linalg::GenericOp op : matmuls)
      for (Value input : op.getInputs())
        numFolded += foldInto(input);
  }
};
} // namespace

//===- PermuteTensor.cpp - tensor ops on permuted tensors -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Permuter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fx::kernel;

bool Permuter::visitPad(tensor::PadOp op, std::optional<Order> forced) {
  Block &body = op.getRegion().front();
  for (BlockArgument arg : body.getArguments())
    if (!arg.use_empty())
      return false;
  Order order = forced ? *forced : held(op.getSource()).order;
  Value source = get(op.getSource(), order);
  auto type = RankedTensorType::get(
      permute<int64_t>(op.getResultType().getShape(), order),
      op.getResultType().getElementType());
  auto pad = tensor::PadOp::create(
      b, op.getLoc(), type, source,
      permute<OpFoldResult>(op.getMixedLowPad(), order),
      permute<OpFoldResult>(op.getMixedHighPad(), order), op.getNofold());
  b.cloneRegionBefore(op.getRegion(), pad.getRegion(), pad.getRegion().end());
  hold(op.getResult(), pad.getResult(), order);
  return true;
}

/// Returns `order` without the dimensions that a slice drops, renumbered.
static Order keptOrder(ArrayRef<int64_t> order,
                       const llvm::SmallBitVector &dropped) {
  Order result;
  for (int64_t d : order) {
    if (dropped.test(d))
      continue;
    int64_t kept = d;
    for (int64_t before = 0; before < d; ++before)
      kept -= dropped.test(before);
    result.push_back(kept);
  }
  return result;
}

bool Permuter::visitExtractSlice(tensor::ExtractSliceOp op) {
  Permuted source = held(op.getSource());
  Order order = keptOrder(source.order, op.getDroppedDims());
  auto type = RankedTensorType::get(
      permute<int64_t>(op.getResultType().getShape(), order),
      op.getResultType().getElementType());
  Value slice = tensor::ExtractSliceOp::create(
      b, op.getLoc(), type, source.value,
      permute<OpFoldResult>(op.getMixedOffsets(), source.order),
      permute<OpFoldResult>(op.getMixedSizes(), source.order),
      permute<OpFoldResult>(op.getMixedStrides(), source.order));
  hold(op.getResult(), slice, order);
  return true;
}

/// Returns true if `v` is an empty or filled tensor that slices are inserted
/// in, so that it can be created in another order.
static bool isAssembled(Value v) {
  while (auto insert = v.getDefiningOp<tensor::InsertSliceOp>()) {
    if (!v.hasOneUse() ||
        insert.getSourceType().getRank() != insert.getDestType().getRank())
      return false;
    v = insert.getDest();
  }
  return isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(v.getDefiningOp());
}

bool Permuter::visitInsertSlice(tensor::InsertSliceOp op,
                                std::optional<Order> forced) {
  if (op.getSourceType().getRank() != op.getDestType().getRank())
    return false;
  // The destination determines the order, unless it is being assembled in the
  // original order: then the source does.
  Value dest = op.getDest();
  bool followsSource = !isPermuted(dest) && isAssembled(dest);
  if (forced && !followsSource)
    return false;
  Order order = forced          ? *forced
                : followsSource ? held(op.getSource()).order
                                : held(dest).order;
  Value slice = tensor::InsertSliceOp::create(
      b, op.getLoc(), get(op.getSource(), order), get(dest, order),
      permute<OpFoldResult>(op.getMixedOffsets(), order),
      permute<OpFoldResult>(op.getMixedSizes(), order),
      permute<OpFoldResult>(op.getMixedStrides(), order));
  hold(op.getResult(), slice, order);
  return true;
}

bool Permuter::visitConcat(tensor::ConcatOp op) {
  Order order;
  for (Value input : op.getInputs())
    if (isPermuted(input)) {
      order = held(input).order;
      break;
    }
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(get(input, order));
  auto type = RankedTensorType::get(
      permute<int64_t>(op.getResultType().getShape(), order),
      op.getResultType().getElementType());
  Value result = tensor::ConcatOp::create(b, op.getLoc(), type,
                                          inverse(order)[op.getDim()], inputs);
  hold(op.getResult(), result, order);
  return true;
}

bool Permuter::visitCollapse(tensor::CollapseShapeOp op) {
  Permuted source = held(op.getSrc());
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  if (groups.empty())
    return false;
  auto type = op.getSrcType();
  SmallVector<int64_t> groupOf(type.getRank());
  for (auto [g, dims] : llvm::enumerate(groups))
    for (int64_t d : dims)
      groupOf[d] = g;

  // Place each group where its first dimension of a size other than 1 is.
  Order where = inverse(source.order), order;
  SmallVector<int64_t> at;
  for (ReassociationIndices &dims : groups) {
    int64_t first = where[dims.front()];
    bool found = false;
    for (int64_t d : dims)
      if (type.getDimSize(d) != 1) {
        first = found ? std::min(first, where[d]) : where[d];
        found = true;
      }
    at.push_back(first);
  }
  order = identityOrder(groups.size());
  llvm::stable_sort(order, [&](int64_t x, int64_t y) { return at[x] < at[y]; });
  Order wanted;
  for (int64_t g : order)
    llvm::append_range(wanted, groups[g]);

  // Keep the source's order if each group is a run there, and only unit
  // dimensions of a group are out of order.
  bool asItLies = true;
  SmallVector<int64_t> runs;
  SmallVector<int64_t> last(groups.size(), -1);
  for (int64_t d : source.order) {
    int64_t g = groupOf[d];
    if (runs.empty() || runs.back() != g) {
      asItLies &= !llvm::is_contained(runs, g);
      runs.push_back(g);
    }
    if (type.getDimSize(d) != 1) {
      asItLies &= last[g] < d;
      last[g] = d;
    }
  }
  if (asItLies) {
    wanted = source.order;
    order.assign(runs.begin(), runs.end());
  }
  Value value = get(op.getSrc(), wanted);
  SmallVector<ReassociationIndices> newGroups;
  int64_t next = 0;
  for (int64_t g : order) {
    newGroups.emplace_back();
    for (size_t i = 0; i < groups[g].size(); ++i)
      newGroups.back().push_back(next++);
  }
  auto resultType = RankedTensorType::get(
      permute<int64_t>(op.getResultType().getShape(), order),
      type.getElementType());
  Value result = tensor::CollapseShapeOp::create(b, op.getLoc(), resultType,
                                                 value, newGroups);
  hold(op.getResult(), result, order);
  return true;
}

bool Permuter::visitExpand(tensor::ExpandShapeOp op) {
  Permuted source = held(op.getSrc());
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  Order order;
  SmallVector<ReassociationIndices> newGroups;
  for (int64_t d : source.order) {
    newGroups.emplace_back();
    for (int64_t part : groups[d]) {
      newGroups.back().push_back(order.size());
      order.push_back(part);
    }
  }
  SmallVector<OpFoldResult> sizes =
      getMixedValues(op.getStaticOutputShape(), op.getOutputShape(), b);
  auto type = RankedTensorType::get(
      permute<int64_t>(op.getResultType().getShape(), order),
      op.getResultType().getElementType());
  Value result = tensor::ExpandShapeOp::create(
      b, op.getLoc(), type, source.value, newGroups,
      permute<OpFoldResult>(sizes, order));
  hold(op.getResult(), result, order);
  return true;
}

bool Permuter::visitCast(tensor::CastOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type)
    return false;
  Permuted source = held(op.getSource());
  Value cast = tensor::CastOp::create(
      b, op.getLoc(),
      RankedTensorType::get(permute<int64_t>(type.getShape(), source.order),
                            type.getElementType()),
      source.value);
  hold(op.getResult(), cast, source.order);
  return true;
}

bool Permuter::visitDim(tensor::DimOp op) {
  std::optional<int64_t> dim = op.getConstantIndex();
  Permuted source = held(op.getSource());
  if (!dim || *dim < 0 || *dim >= static_cast<int64_t>(source.order.size()))
    return false;
  Value size = tensor::DimOp::create(b, op.getLoc(), source.value,
                                     inverse(source.order)[*dim]);
  op.getResult().replaceAllUsesWith(size);
  return true;
}

bool Permuter::visitExtract(tensor::ExtractOp op) {
  Permuted source = held(op.getTensor());
  SmallVector<Value> at =
      permute<Value>(SmallVector<Value>(op.getIndices()), source.order);
  Value element = tensor::ExtractOp::create(b, op.getLoc(), source.value, at);
  op.getResult().replaceAllUsesWith(element);
  return true;
}

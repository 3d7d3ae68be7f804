//===- StridedViews.cpp - parts of tensors in memory ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/StridedViews.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fx::kernel;

/// The alignment of vectors and of chunks.
static constexpr int64_t kAlignment = 16;

static RankedTensorType getType(Value v) {
  return cast<RankedTensorType>(v.getType());
}

/// Returns the whole tensor as a view of itself.
static StridedView getWhole(Value value) {
  StridedView view;
  view.source = value;
  ArrayRef<int64_t> shape = getType(value).getShape();
  view.strides.resize(shape.size(), 1);
  for (int64_t d = shape.size() - 2; d >= 0; --d)
    view.strides[d] = view.strides[d + 1] * shape[d + 1];
  return view;
}

/// Returns the view that `value` is, or the whole tensor.
static std::optional<StridedView> resolve(Value value);

static std::optional<StridedView> resolve(tensor::ExtractSliceOp op) {
  std::optional<StridedView> view = resolve(op.getSource());
  if (!view || !op.getDroppedDims().none())
    return std::nullopt;
  for (int64_t d = 0; d < op.getSourceType().getRank(); ++d) {
    if (op.isDynamicOffset(d) || op.isDynamicStride(d) ||
        op.getStaticStride(d) != 1)
      return std::nullopt;
    view->offset += op.getStaticOffset(d) * view->strides[d];
  }
  return view;
}

static std::optional<StridedView> resolve(tensor::ExpandShapeOp op) {
  std::optional<StridedView> view = resolve(op.getSrc());
  if (!view)
    return std::nullopt;
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  SmallVector<int64_t, 6> strides(shape.size());
  for (auto [from, group] : llvm::enumerate(op.getReassociationIndices())) {
    int64_t stride = view->strides[from];
    for (int64_t d : llvm::reverse(group)) {
      strides[d] = stride;
      stride *= shape[d];
    }
  }
  view->strides = strides;
  return view;
}

static std::optional<StridedView> resolve(tensor::CollapseShapeOp op) {
  std::optional<StridedView> view = resolve(op.getSrc());
  if (!view)
    return std::nullopt;
  ArrayRef<int64_t> shape = op.getSrcType().getShape();
  SmallVector<int64_t, 6> strides;
  for (ReassociationIndices group : op.getReassociationIndices()) {
    // Dimensions of one element may have any stride.
    std::optional<int64_t> innermost, outer;
    for (int64_t d : llvm::reverse(group)) {
      if (shape[d] == 1)
        continue;
      if (outer && view->strides[d] != *outer)
        return std::nullopt;
      innermost = innermost.value_or(view->strides[d]);
      outer = view->strides[d] * shape[d];
    }
    strides.push_back(innermost.value_or(1));
  }
  view->strides = strides;
  return view;
}

static std::optional<StridedView> resolve(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  Operation *def = value.getDefiningOp();
  if (!def)
    return getWhole(value);
  return llvm::TypeSwitch<Operation *, std::optional<StridedView>>(def)
      .Case<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
            tensor::CollapseShapeOp>([](auto op) { return resolve(op); })
      .Default([&](Operation *) { return getWhole(value); });
}

std::optional<StridedView> fx::kernel::getStridedView(Value value) {
  std::optional<StridedView> view = resolve(value);
  return view && view->source != value ? view : std::nullopt;
}

bool StridedView::isAligned() const {
  Type element = getType(source).getElementType();
  return element.isIntOrFloat() &&
         offset * element.getIntOrFloatBitWidth() % (8 * kAlignment) == 0;
}

bool fx::kernel::isReadInPlace(Value value) {
  std::optional<StridedView> view = getStridedView(value);
  if (!view || !view->isAligned() || getType(value).getNumElements() == 0)
    return false;
  StridedView whole = getWhole(value);
  int64_t bits = getType(value).getElementTypeBitWidth();
  bool hasGaps = false;
  for (auto [size, mine, its] :
       llvm::zip(getType(value).getShape(), view->strides, whole.strides)) {
    if (size == 1)
      continue;
    hasGaps |= mine != its;
    // Vectors and boxes of the other dimensions would not be aligned.
    if (mine != 1 && mine * bits % (8 * kAlignment))
      return false;
  }
  return hasGaps;
}

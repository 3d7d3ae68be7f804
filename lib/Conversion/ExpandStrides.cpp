//===- ExpandStrides.cpp - strided inserts as linalg ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandStrides.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

/// Returns true if the insert keeps the rank and has a stride other than 1.
static bool hasSteps(tensor::InsertSliceOp op) {
  return op.getSourceType().getRank() == op.getDestType().getRank() &&
         llvm::any_of(op.getMixedStrides(), [](OpFoldResult stride) {
           return !isConstantIntValue(stride, 1);
         });
}

namespace {
/// The element of the source that is inserted at an element of the destination.
struct Place {
  SmallVector<Value> indices; // in the source, clamped to its bounds
  Value exists;               // i1, false if the insert keeps the destination
};
} // namespace

/// Emits the index computations in the body of a `linalg.generic` over the
/// destination.
static Place getPlace(OpBuilder &b, Location loc, tensor::InsertSliceOp op) {
  Place place;
  auto constant = [&](int64_t n) -> Value {
    return arith::ConstantIndexOp::create(b, loc, n);
  };
  auto require = [&](Value condition) {
    place.exists =
        place.exists
            ? Value(arith::AndIOp::create(b, loc, place.exists, condition))
            : condition;
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                            sizes = op.getMixedSizes(),
                            strides = op.getMixedStrides();
  for (int64_t d = 0; d < op.getDestType().getRank(); ++d) {
    Value at = linalg::IndexOp::create(b, loc, d);
    bool isWhole = isConstantIntValue(offsets[d], 0) &&
                   isConstantIntValue(strides[d], 1) &&
                   !op.getDestType().isDynamicDim(d) &&
                   isConstantIntValue(sizes[d], op.getDestType().getDimSize(d));
    if (isWhole) {
      place.indices.push_back(at);
      continue;
    }
    auto value = [&](OpFoldResult ofr) {
      return getValueOrCreateConstantIndexOp(b, loc, ofr);
    };
    Value stride = value(strides[d]), size = value(sizes[d]),
          zero = constant(0);
    Value from = arith::SubIOp::create(b, loc, at, value(offsets[d]));
    Value index = arith::DivSIOp::create(b, loc, from, stride);
    Value rest = arith::RemSIOp::create(b, loc, from, stride);
    require(compare(arith::CmpIPredicate::sge, from, zero));
    require(compare(arith::CmpIPredicate::eq, rest, zero));
    require(compare(arith::CmpIPredicate::slt, index, size));
    Value last = arith::SubIOp::create(b, loc, size, constant(1));
    index = arith::MinSIOp::create(b, loc, index, last);
    place.indices.push_back(arith::MaxSIOp::create(b, loc, index, zero));
  }
  return place;
}

static void expand(tensor::InsertSliceOp op) {
  OpBuilder b(op);
  int64_t rank = op.getDestType().getRank();
  SmallVector<AffineMap> maps = {b.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, op.getLoc(), op.getDestType(), ValueRange(), op.getDest(), maps, loops,
      [&](OpBuilder &body, Location loc, ValueRange args) {
        Place place = getPlace(body, loc, op);
        Value element =
            tensor::ExtractOp::create(body, loc, op.getSource(), place.indices);
        linalg::YieldOp::create(body, loc,
                                arith::SelectOp::create(body, loc, place.exists,
                                                        element, args.front())
                                    .getResult());
      });
  op.getResult().replaceAllUsesWith(generic.getResult(0));
  op.erase();
}

void fx::expandStridedInserts(Operation *root) {
  SmallVector<tensor::InsertSliceOp> ops;
  root->walk([&](tensor::InsertSliceOp op) {
    if (hasSteps(op))
      ops.push_back(op);
  });
  for (tensor::InsertSliceOp op : ops)
    expand(op);
}

//===- Permuter.cpp - tensors in another order of dimensions --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Permuter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fx::kernel;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Permuted Permuter::held(Value v) {
  auto it = values.find(v);
  if (it != values.end())
    return it->second;
  auto type = dyn_cast<RankedTensorType>(v.getType());
  return {v, identityOrder(type ? type.getRank() : 0)};
}

bool Permuter::anyPermuted(ValueRange range) {
  return llvm::any_of(range, [&](Value v) { return isPermuted(v); });
}

void Permuter::hold(Value v, Value value, ArrayRef<int64_t> order) {
  if (isIdentity(order))
    v.replaceAllUsesWith(value);
  else
    values[v] = {value, Order(order)};
}

Value Permuter::moveUnits(Value v, ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(v.getType());
  SmallVector<int64_t> before, after; // dimensions of other sizes than 1
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.getDimSize(d) != 1)
      before.push_back(d);
  for (int64_t d : permutation)
    if (type.getDimSize(d) != 1)
      after.push_back(d);
  if (before != after)
    return Value();
  auto groupsOf = [&](auto isUnit) {
    SmallVector<ReassociationIndices> groups(before.size());
    int group = -1;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      if (!isUnit(d))
        ++group;
      if (!groups.empty())
        groups[std::max(group, 0)].push_back(d);
    }
    return groups;
  };
  Location loc = v.getLoc();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, v);
  Value core = v;
  if (static_cast<int64_t>(before.size()) != type.getRank())
    core = tensor::CollapseShapeOp::create(b, loc, v, groupsOf([&](int64_t d) {
                                             return type.getDimSize(d) == 1;
                                           }));
  else
    return v; // nothing moves
  SmallVector<int64_t> shape = permute<int64_t>(type.getShape(), permutation);
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), core,
      groupsOf([&](int64_t d) { return shape[d] == 1; }),
      permute<OpFoldResult>(sizes, permutation));
}

Value Permuter::transpose(Value v, ArrayRef<int64_t> permutation) {
  if (isIdentity(permutation))
    return v;
  auto type = cast<RankedTensorType>(v.getType());
  Value &known = made[{v, b.getDenseI64ArrayAttr(permutation)}];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(v);
  if (Value reshaped = moveUnits(v, permutation))
    return known = reshaped;
  Location loc = v.getLoc();
  ElementsAttr splat;
  SmallVector<int64_t> shape = permute<int64_t>(type.getShape(), permutation);
  if (matchPattern(v, m_Constant(&splat)) && splat.isSplat())
    return known = arith::ConstantOp::create(
               b, loc,
               cast<DenseElementsAttr>(splat).resizeSplat(
                   RankedTensorType::get(shape, type.getElementType())));
  Value init = tensor::EmptyOp::create(
      b, loc,
      permute<OpFoldResult>(tensor::getMixedSizes(b, loc, v), permutation),
      type.getElementType());
  ++numTransposes;
  return known = linalg::TransposeOp::create(b, loc, v, init, permutation)
                     ->getResult(0);
}

/// Rewrites the op that defines `v` to compute it in `order`, if that costs
/// nothing. Returns null otherwise.
Value Permuter::pull(Value v, ArrayRef<int64_t> order) {
  Operation *def = v.getDefiningOp();
  if (!def)
    return Value();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(def);
  if (auto empty = dyn_cast<tensor::EmptyOp>(def))
    return tensor::EmptyOp::create(
        b, def->getLoc(), permute<OpFoldResult>(empty.getMixedSizes(), order),
        empty.getType().getElementType());
  if (auto fill = dyn_cast<linalg::FillOp>(def);
      fill && fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>()) {
    Value init = get(fill.getOutputs()[0], order);
    return linalg::FillOp::create(b, def->getLoc(), fill.getInputs(), init)
        .getResult(0);
  }
  if (!v.hasOneUse() || isPermuted(v))
    return Value();
  bool done = false;
  if (auto pad = dyn_cast<tensor::PadOp>(def))
    done = visitPad(pad, Order(order));
  else if (auto insert = dyn_cast<tensor::InsertSliceOp>(def))
    done = visitInsertSlice(insert, Order(order));
  else if (auto generic = dyn_cast<linalg::GenericOp>(def);
           generic && generic->getNumResults() == 1 &&
           generic.getNumReductionLoops() == 0)
    done = visitLinalg(cast<linalg::LinalgOp>(def), Order(order));
  if (!done)
    return Value();
  replaced.insert(def);
  return values.at(v).value;
}

Value Permuter::get(Value v, ArrayRef<int64_t> order) {
  Permuted now = held(v);
  if (now.order == order)
    return now.value;
  if (Value pulled = pull(v, order))
    return pulled;
  // Transpose from the order in which `v` is held to `order`.
  Order where = inverse(now.order), permutation;
  for (int64_t d : order)
    permutation.push_back(where[d]);
  return transpose(now.value, permutation);
}

Value Permuter::getOriginal(Value v) {
  Permuted now = held(v);
  return transpose(now.value, inverse(now.order));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void Permuter::visitOther(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isPermuted(operand.get()))
      operand.set(getOriginal(operand.get()));
  for (Region &region : op->getRegions())
    run(region);
}

void Permuter::visit(Operation *op) {
  b.setInsertionPoint(op);
  bool any = anyPermuted(op->getOperands());
  // A body may capture permuted tensors. Let tensor.extract read the tensors
  // that hold them.
  if (isa<linalg::LinalgOp, tensor::PadOp>(op))
    for (Region &region : op->getRegions())
      region.walk([&](Operation *inner) {
        if (auto extract = dyn_cast<tensor::ExtractOp>(inner);
            extract && isPermuted(extract.getTensor())) {
          Permuted source = held(extract.getTensor());
          SmallVector<Value> indices(extract.getIndices());
          extract.getTensorMutable().assign(source.value);
          extract.getIndicesMutable().assign(
              permute<Value>(indices, source.order));
        }
        for (OpOperand &operand : inner->getOpOperands())
          if (isPermuted(operand.get()))
            operand.set(getOriginal(operand.get()));
      });
  bool done = false;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    done = linalgOp.hasPureTensorSemantics() && visitConvolution(linalgOp);
    if (!done && any && linalgOp.hasPureTensorSemantics()) {
      if (auto transposeOp = dyn_cast<linalg::TransposeOp>(op))
        done = visitTranspose(transposeOp);
      else
        done = visitLinalg(linalgOp);
    }
  } else if (any) {
    done =
        llvm::TypeSwitch<Operation *, bool>(op)
            .Case([&](tensor::PadOp o) { return visitPad(o); })
            .Case(
                [&](tensor::ExtractSliceOp o) { return visitExtractSlice(o); })
            .Case([&](tensor::InsertSliceOp o) { return visitInsertSlice(o); })
            .Case([&](tensor::ConcatOp o) { return visitConcat(o); })
            .Case([&](tensor::CollapseShapeOp o) { return visitCollapse(o); })
            .Case([&](tensor::ExpandShapeOp o) { return visitExpand(o); })
            .Case([&](tensor::CastOp o) { return visitCast(o); })
            .Case([&](tensor::DimOp o) { return visitDim(o); })
            .Case([&](tensor::ExtractOp o) { return visitExtract(o); })
            .Default([](Operation *) { return false; });
  }
  if (done)
    replaced.insert(op);
  else
    visitOther(op);
}

void Permuter::run(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op);
}

void Permuter::finish(Operation *root) {
  if (replaced.empty())
    return;
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops)) {
    bool isMade = isa<tensor::EmptyOp, linalg::FillOp, tensor::DimOp>(op);
    if ((replaced.contains(op) || isMade) && op->use_empty() &&
        isMemoryEffectFree(op))
      op->erase();
  }
}

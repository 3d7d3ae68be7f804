//===- AdaptToNEON.cpp - what NEON lacks, and what it has -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NEON has no masked loads and stores: LLVM tests each lane of the mask. Most
// vectors are whole even where the last one is not.
//
// NEON has instructions for maxima and minima that propagate NaN, unlike x86,
// for which upstream's lowering of arith.maximumf compares and selects.
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

/// Returns whether the lanes of `mask` are all set, as a value in front of `b`.
/// Null if that is never so, or not known.
static Value isWhole(OpBuilder &b, Location loc, Value mask) {
  auto create = mask.getDefiningOp<vector::CreateMaskOp>();
  if (!create || create.getType().getRank() != 1)
    return Value();
  Value count = create.getOperand(0);
  int64_t lanes = create.getType().getDimSize(0);
  std::optional<int64_t> known = getConstantIntValue(count);
  if (known && *known < lanes)
    return Value();
  Value all = arith::ConstantIndexOp::create(b, loc, lanes);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, count, all);
}

static void splitLoad(vector::MaskedLoadOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value whole = isWhole(b, loc, op.getMask());
  if (!whole)
    return;
  auto branch = scf::IfOp::create(b, loc, op.getType(), whole, true);
  op.replaceAllUsesWith(branch.getResult(0));
  b.setInsertionPointToStart(branch.thenBlock());
  Value loaded = vector::LoadOp::create(b, loc, op.getVectorType(),
                                        op.getBase(), op.getIndices());
  scf::YieldOp::create(b, loc, loaded);
  b.setInsertionPointToStart(branch.elseBlock());
  auto yield = scf::YieldOp::create(b, loc, op.getResult());
  op->moveBefore(yield);
}

static void splitStore(vector::MaskedStoreOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value whole = isWhole(b, loc, op.getMask());
  if (!whole)
    return;
  auto branch = scf::IfOp::create(b, loc, whole, /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  vector::StoreOp::create(b, loc, op.getValueToStore(), op.getBase(),
                          op.getIndices());
  op->moveBefore(branch.elseBlock()->getTerminator());
}

template <typename Op, typename Intrinsic>
static void useIntrinsic(func::FuncOp kernel) {
  kernel.walk([](Op op) {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return;
    OpBuilder b(op);
    Value result = Intrinsic::create(b, op.getLoc(), op.getType(), op.getLhs(),
                                     op.getRhs());
    op.replaceAllUsesWith(result);
    op.erase();
  });
}

void fx::cpu::adaptToNEON(func::FuncOp kernel) {
  useIntrinsic<arith::MaximumFOp, LLVM::MaximumOp>(kernel);
  useIntrinsic<arith::MinimumFOp, LLVM::MinimumOp>(kernel);
  SmallVector<vector::MaskedLoadOp> loads;
  SmallVector<vector::MaskedStoreOp> stores;
  kernel.walk([&](vector::MaskedLoadOp op) { loads.push_back(op); });
  kernel.walk([&](vector::MaskedStoreOp op) { stores.push_back(op); });
  llvm::for_each(loads, splitLoad);
  llvm::for_each(stores, splitStore);
}

//===- Remainders.cpp - remainders of vectors of f32 ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With magnitudes a and b of f32, and q = trunc(a / b) below 2^29, the product
// q b has at most 29 + 24 bits, so it and a - q b are exact in f64. The
// quotient may be rounded up to an integer, and q be too large by one. If a
// quotient of the vector is larger, b is infinite or a value is NaN, fmodf
// computes all.
//
//===----------------------------------------------------------------------===//

#include "Remainders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <limits>

using namespace mlir;

/// The quotients below this one have exact products.
static constexpr double kMostQuotient = 0x1p29;

static void expand(arith::RemFOp op) {
  auto type = cast<VectorType>(op.getType());
  ImplicitLocOpBuilder b(op.getLoc(), op);
  VectorType wide = type.clone(b.getF64Type());
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(wide, b.getF64FloatAttr(value)));
  };
  auto compare = [&](arith::CmpFPredicate how, Value x, Value y) -> Value {
    return arith::CmpFOp::create(b, how, x, y);
  };
  auto widen = [&](Value x) -> Value {
    return math::AbsFOp::create(b, arith::ExtFOp::create(b, wide, x));
  };
  using P = arith::CmpFPredicate;
  Value x = widen(op.getLhs()), y = widen(op.getRhs());
  Value most = arith::MulFOp::create(b, y, number(kMostQuotient));
  Value isExact = arith::AndIOp::create(
      b, compare(P::OLT, x, most),
      compare(P::OLT, y, number(std::numeric_limits<double>::infinity())));
  Value areExact =
      vector::ReductionOp::create(b, vector::CombiningKind::AND, isExact);
  auto branch =
      scf::IfOp::create(b, TypeRange(type), areExact, /*withElseRegion=*/true);

  b.setInsertionPointToStart(branch.thenBlock());
  Value q = math::TruncOp::create(b, arith::DivFOp::create(b, x, y));
  Value r = arith::SubFOp::create(b, x, arith::MulFOp::create(b, q, y));
  r = arith::SelectOp::create(b, compare(P::OLT, r, number(0)),
                              arith::AddFOp::create(b, r, y), r);
  r = arith::TruncFOp::create(b, type, r);
  scf::YieldOp::create(b, Value(math::CopySignOp::create(b, r, op.getLhs())));

  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(
      b, Value(arith::RemFOp::create(b, op.getLhs(), op.getRhs())));
  op.replaceAllUsesWith(branch.getResult(0));
  op.erase();
}

void fx::cpu::expandRemainders(Operation *root) {
  SmallVector<arith::RemFOp> ops;
  root->walk([&](arith::RemFOp op) {
    auto type = dyn_cast<VectorType>(op.getType());
    if (type && type.getRank() == 1 && !type.isScalable() &&
        type.getElementType().isF32())
      ops.push_back(op);
  });
  for (arith::RemFOp op : ops)
    expand(op);
}

//===- ExpandMath.cpp - functions of math in kernels -===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "fx/CodeGen/CPU/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <limits>

using namespace mlir;

/// c[0] + x * (c[1] + x * ...).
static Value polynomial(ImplicitLocOpBuilder &b, Value x, ArrayRef<double> c) {
  auto number = [&](double v) -> Value {
    return arith::ConstantOp::create(b, b.getF64FloatAttr(v));
  };
  Value sum = number(c.back());
  for (double next : llvm::reverse(c.drop_back()))
    sum = math::FmaOp::create(b, sum, x, number(next));
  return sum;
}

/// In f64: x is reduced by multiples of pi/2, whose 159 bits are subtracted in
/// three parts, to at most pi/4; there the series of Taylor are exact to 1e-13.
static Value sineOrCosine(ImplicitLocOpBuilder &b, Value x, bool isCosine) {
  Type f64 = b.getF64Type(), i64 = b.getI64Type();
  auto number = [&](double v) -> Value {
    return arith::ConstantOp::create(b, b.getF64FloatAttr(v));
  };
  auto integer = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(v));
  };
  Value wide = arith::ExtFOp::create(b, f64, x);
  Value inRange =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT,
                            math::AbsFOp::create(b, wide), number(0x1p52));
  wide = arith::SelectOp::create(b, inRange, wide, number(0));
  Value k = math::RoundEvenOp::create(
      b, arith::MulFOp::create(b, wide, number(0x1.45f306dc9c883p-1)));
  Value minus = arith::NegFOp::create(b, k);
  Value r = wide;
  for (double part :
       {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110})
    r = math::FmaOp::create(b, minus, number(part), r);
  Value r2 = arith::MulFOp::create(b, r, r);
  double sines[8], cosines[8], factorial = 1;
  for (int i = 0; i < 8; ++i) {
    factorial *= i ? 2 * i : 1;
    cosines[i] = (i % 2 ? -1 : 1) / factorial;
    factorial *= 2 * i + 1;
    sines[i] = (i % 2 ? -1 : 1) / factorial;
  }
  Value sine = arith::MulFOp::create(b, r, polynomial(b, r2, sines));
  Value cosine = polynomial(b, r2, cosines);
  Value quarter = arith::FPToSIOp::create(b, i64, k);
  if (isCosine)
    quarter = arith::AddIOp::create(b, quarter, integer(1));
  auto hasBit = [&](int64_t bit) -> Value {
    return arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne,
        arith::AndIOp::create(b, quarter, integer(bit)), integer(0));
  };
  Value y = arith::SelectOp::create(b, hasBit(1), cosine, sine);
  y = arith::SelectOp::create(b, hasBit(2), Value(arith::NegFOp::create(b, y)),
                              y);
  y = arith::SelectOp::create(b, inRange, y,
                              number(std::numeric_limits<double>::quiet_NaN()));
  return arith::TruncFOp::create(b, b.getF32Type(), y);
}

LogicalResult fx::cuda::expandMath(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<math::SinOp, math::CosOp>(op) &&
        op->getResult(0).getType().isFloat() &&
        !op->getResult(0).getType().isF64())
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Type type = op->getResult(0).getType();
    Value x = op->getOperand(0);
    if (!type.isF32())
      x = arith::ExtFOp::create(b, b.getF32Type(), x);
    Value y = sineOrCosine(b, x, isa<math::CosOp>(op));
    if (!type.isF32())
      y = arith::TruncFOp::create(b, type, y);
    op->getResult(0).replaceAllUsesWith(y);
    op->erase();
  }
  return cpu::approximateMath(root);
}

//===- SignedContractions.cpp - matmuls of signed bytes -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CPUs and tensor cores multiply an unsigned by a signed byte. For signed bytes
// q,
//
//   sum q p = sum (q + 128) p - 128 sum p,
//
// where the last sum depends on the weights only.
//
//===----------------------------------------------------------------------===//

#include "Dequantized.h"

#include "fx/Kernels/ConvertElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fx::kernel;

/// Returns true if `op` sums the products of two sign-extended bytes in i32,
/// from zero.
static bool isSignedProduct(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op->getNumResults() != 1 || op.getNumReductionLoops() == 0)
    return false;
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  if (!fill || !matchPattern(fill.getInputs()[0], m_Zero()))
    return false;
  Block *body = op.getBody();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddIOp>();
  if (!add || !add.getType().isInteger(32))
    return false;
  Value out = body->getArgument(2);
  Value product = add.getLhs() == out   ? add.getRhs()
                  : add.getRhs() == out ? add.getLhs()
                                        : Value();
  auto mul = product ? product.getDefiningOp<arith::MulIOp>() : nullptr;
  auto isByte = [&](Value v, unsigned argument) {
    auto extend = v.getDefiningOp<arith::ExtSIOp>();
    return extend && extend.getIn() == body->getArgument(argument) &&
           extend.getIn().getType().isInteger(8);
  };
  return mul && isByte(mul.getLhs(), 0) && isByte(mul.getRhs(), 1);
}

/// Creates a copy of `op` that reads its left operand as unsigned bytes.
static linalg::GenericOp makeUnsigned(OpBuilder &b, linalg::GenericOp op) {
  auto copy = cast<linalg::GenericOp>(b.clone(*op));
  Block *body = copy.getBody();
  auto extend = cast<arith::ExtSIOp>(*body->getArgument(0).user_begin());
  OpBuilder nested(extend);
  Value wide = arith::ExtUIOp::create(nested, extend.getLoc(), extend.getType(),
                                      extend.getIn());
  extend.replaceAllUsesWith(wide);
  extend.erase();
  return copy;
}

bool fx::kernel::rewriteSigned(linalg::GenericOp op, const ByteLayout &layout,
                               bool isState) {
  if (!isSignedProduct(op))
    return false;
  OpBuilder b(op);
  Location loc = op.getLoc();
  // A trial, whose loops tell whether the operands fit.
  linalg::GenericOp trial = makeUnsigned(b, op);
  std::optional<Contraction> c = matchContraction(trial);
  std::optional<Quads> quads = c ? matchQuads(*c) : std::nullopt;
  if (!quads || c->a != 0 || !c->batch.empty()) {
    trial.erase();
    return false;
  }
  // Sums of all terms of both operands cost as much as the products of one row.
  bool isRow = countPoints(trial, c->m) == 1;
  if (isRow && !isState &&
      c->rhsMap().getResults().back() == b.getAffineDimExpr(quads->loop)) {
    trial.erase();
    return false;
  }
  auto replaceBy = [&](Value y) {
    op->getResult(0).replaceAllUsesWith(y);
    trial.erase();
    op.erase();
    return true;
  };
  if (layout.isSigned) {
    Value q = layOutLeft(b, loc, op.getInputs()[0], *quads, layout);
    RightBytes p = layOutRight(b, loc, *c, op.getInputs()[1], *quads, layout);
    if (q != op.getInputs()[0] || p.values != op.getInputs()[1])
      return replaceBy(multiplyBytes(b, loc, *c, q, p, layout));
    trial.erase();
    return false;
  }
  Type i8 = b.getI8Type(), i32 = b.getI32Type();
  Value q = mapElements(
      b, loc, op.getInputs()[0], i8,
      [&](OpBuilder &nested, Location at, Value v) {
        Value flip = arith::ConstantOp::create(nested, at,
                                               nested.getI8IntegerAttr(-128));
        return arith::XOrIOp::create(nested, at, v, flip).getResult();
      });
  q = layOutLeft(b, loc, q, *quads, layout);
  RightBytes p = layOutRight(b, loc, *c, op.getInputs()[1], *quads, layout);
  Value sum = multiplyBytes(b, loc, *c, q, p, layout);
  TermSums total = sumTerms(b, loc, *c, p.values, p.map, /*isUnsigned=*/false);
  unsigned rank = c->resultMap().getNumResults();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, op.getDpsInits()[0]), i32);
  Value y =
      linalg::GenericOp::create(
          b, loc, TypeRange(empty.getType()), ValueRange{sum, total.values},
          ValueRange(empty),
          ArrayRef<AffineMap>{identity, columnsMap(*c, total.loops), identity},
          SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
          [&](OpBuilder &nested, Location at, ValueRange v) {
            Value offset = arith::ConstantOp::create(
                nested, at, nested.getI32IntegerAttr(128));
            Value off = arith::MulIOp::create(nested, at, v[1], offset);
            linalg::YieldOp::create(
                nested, at,
                arith::SubIOp::create(nested, at, v[0], off).getResult());
          })
          .getResult(0);
  return replaceBy(y);
}

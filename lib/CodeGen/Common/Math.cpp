//===- Math.cpp - code for mathematical functions -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>
#include <limits>

using namespace mlir;

static bool isAccurate(StringRef op) {
  return llvm::is_contained({"math.exp", "math.exp2", "math.expm1", "math.log",
                             "math.log2", "math.log1p", "math.tanh",
                             "math.erf"},
                            op);
}

/// Scales a subnormal operand of the logarithm `op`, since the polynomials
/// treat subnormals as the smallest normal number. Uses
/// log(x) = log(x * 2^23) - log(2^23).
static void scaleSubnormals(Operation *op) {
  Type type = op->getResult(0).getType();
  if (!getElementTypeOrSelf(type).isF32())
    return;
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto constant = [&](float value) -> Value {
    FloatAttr attr = b.getF32FloatAttr(value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      return arith::ConstantOp::create(b, DenseElementsAttr::get(shaped, attr));
    return arith::ConstantOp::create(b, attr);
  };
  Value x = op->getOperand(0);
  Value isSmall = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x,
                                        constant(0x1p-126f));
  Value scaled = arith::MulFOp::create(b, x, constant(0x1p23f));
  op->setOperand(0, arith::SelectOp::create(b, isSmall, scaled, x));
  b.setInsertionPointAfter(op);
  float shift = isa<math::Log2Op>(op) ? 23.0f : float(23 * M_LN2);
  Value y = op->getResult(0);
  auto shifted = arith::SubFOp::create(b, y, constant(shift));
  auto result = arith::SelectOp::create(b, isSmall, shifted, y);
  y.replaceUsesWithIf(result, [&](OpOperand &use) {
    return use.getOwner() != shifted && use.getOwner() != result;
  });
}

LogicalResult fx::codegen::approximateMath(Operation *root,
                                           const MathOptions &options) {
  root->walk([](Operation *op) {
    if (isa<math::LogOp, math::Log2Op>(op))
      scaleSubnormals(op);
  });
  RewritePatternSet patterns(root->getContext());
  populateMathF32ExpansionPatterns(patterns, isAccurate);
  populateMathPolynomialApproximationPatterns(patterns, isAccurate);
  populateErfApproximation(patterns);
  populateExpApproximation(patterns, options);
  populateExp2Approximation(patterns, options);
  return applyPatternsGreedily(root, std::move(patterns));
}

/// Returns `y`, the expansion of the vector op `op`, if no angle is too large
/// for the expansion, or else the result of `op` itself.
static Value keepLargeAngles(OpBuilder &b, Operation *op, Value y) {
  Location loc = op->getLoc();
  Value x = op->getOperand(0);
  auto type = cast<VectorType>(x.getType());
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(type,
                               b.getFloatAttr(type.getElementType(), value)));
  };
  Value size = math::AbsFOp::create(b, loc, x);
  auto is = [&](arith::CmpFPredicate predicate, double bound) -> Value {
    return arith::CmpFOp::create(b, loc, predicate, size, constant(bound));
  };
  Value isLarge = arith::AndIOp::create(
      b, loc, is(arith::CmpFPredicate::OGE, fx::codegen::kLargestAngle),
      is(arith::CmpFPredicate::OLT, std::numeric_limits<double>::infinity()));
  if (type.getRank() != 1)
    isLarge = vector::ShapeCastOp::create(
        b, loc, VectorType::get(type.getNumElements(), b.getI1Type()), isLarge);
  Value any =
      vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, isLarge);
  auto branch = scf::IfOp::create(b, loc, type, any, /*withElseRegion=*/true);
  OpBuilder large = branch.getThenBodyBuilder(b.getListener());
  scf::YieldOp::create(large, loc, large.clone(*op)->getResult(0));
  OpBuilder other = branch.getElseBodyBuilder(b.getListener());
  scf::YieldOp::create(other, loc, y);
  return branch.getResult(0);
}

void fx::codegen::expandVectorsInDouble(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (!hasDoubleForm(op))
      return;
    auto type = dyn_cast<VectorType>(op->getResult(0).getType());
    if (type && !type.isScalable() && !type.getElementType().isF64())
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    OpBuilder b(op);
    Value y = computeInDouble(b, op);
    if (isa<math::SinOp, math::CosOp, math::TanOp>(op) &&
        !getElementTypeOrSelf(y).isF16())
      y = keepLargeAngles(b, op, y);
    op->getResult(0).replaceAllUsesWith(y);
    op->erase();
  }
}

void fx::codegen::unrollLibmVectors(Operation *root) {
  root->walk([](Operation *op) {
    if (!isa<math::AcoshOp, math::AsinhOp, math::AtanhOp, math::CbrtOp,
             math::ErfOp, math::ErfcOp, math::ExpM1Op, math::Log1pOp>(op))
      return;
    auto type = dyn_cast<VectorType>(op->getResult(0).getType());
    if (!type || type.isScalable())
      return;
    OpBuilder b(op);
    Location loc = op->getLoc();
    Value result = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    SmallVector<int64_t> strides = computeStrides(type.getShape());
    for (int64_t i = 0, n = type.getNumElements(); i < n; ++i) {
      SmallVector<int64_t> position = delinearize(i, strides);
      Value x = vector::ExtractOp::create(b, loc, op->getOperand(0), position);
      Operation *scalar = b.create(loc, op->getName().getIdentifier(), x,
                                   type.getElementType(), op->getAttrs());
      result = vector::InsertOp::create(b, loc, scalar->getResult(0), result,
                                        position);
    }
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  });
}

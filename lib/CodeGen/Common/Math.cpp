//===- Math.cpp - code for mathematical functions -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/Math.h"
#include "ApproximateExp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>

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
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    bool hasPattern =
        isa<math::ExpOp>(op) && canScale(op->getResult(0).getType(), options);
    if (options.hasFma ? hasFloatForm(op) && !hasPattern
                       : isa<math::LogOp, math::Log2Op>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (!options.hasFma) {
      scaleSubnormals(op);
      continue;
    }
    OpBuilder b(op);
    op->getResult(0).replaceAllUsesWith(computeInFloat(b, op));
    op->erase();
  }
  RewritePatternSet patterns(root->getContext());
  auto isExpanded = [&](StringRef op) {
    return isAccurate(op) && !(options.hasExp2 && op == "math.exp2");
  };
  populateMathF32ExpansionPatterns(patterns, isExpanded);
  populateMathPolynomialApproximationPatterns(patterns, isExpanded);
  populateErfApproximation(patterns);
  populateExpApproximation(patterns, options);
  if (!options.hasExp2)
    populateExp2Approximation(patterns, options);
  return applyPatternsGreedily(root, std::move(patterns));
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

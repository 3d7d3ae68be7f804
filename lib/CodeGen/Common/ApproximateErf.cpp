//===- ApproximateErf.cpp - the error function in arithmetic --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace {
/// Builds approximations of erf for f32 scalars or vectors.
struct Erf {
  ImplicitLocOpBuilder b;
  Type type;

  Value constant(float value) {
    return createScalarOrSplatConstant(b, b.getLoc(), type,
                                       llvm::APFloat(value));
  }
  Value isAbove(Value x, float limit) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x,
                                 constant(limit));
  }
  /// Returns the lesser of x and `limit`, or NaN.
  Value atMost(Value x, float limit) {
    return arith::SelectOp::create(b, isAbove(x, limit), constant(limit), x);
  }
  Value clamp(Value x, float limit) {
    x = atMost(x, limit);
    Value isBelow = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x,
                                          constant(-limit));
    return arith::SelectOp::create(b, isBelow, constant(-limit), x);
  }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value polynomial(Value t, ArrayRef<float> c) {
    Value sum = constant(c.back());
    for (float term : llvm::reverse(c.drop_back()))
      sum = fma(sum, t, constant(term));
    return sum;
  }

  /// Returns x P(x^2) / Q(x^2) for |x| < 4; beyond, erf(x) rounds to 1. P and Q
  /// were fitted to a relative error of at most 2.5e-8; with the rounding of
  /// their evaluation the error is 6 units in the last place. The code has half
  /// the instructions of upstream's, which selects among polynomials for parts
  /// of the range.
  Value quotient(Value x) {
    x = clamp(x, 4.0f);
    Value t = arith::MulFOp::create(b, x, x);
    Value p =
        polynomial(t, {1.128379140e+00f, 1.935392279e-01f, 5.310096017e-02f,
                       3.883087506e-03f, 2.845590429e-04f, 1.986814440e-06f});
    Value q =
        polynomial(t, {1.0f, 5.048522330e-01f, 1.153475737e-01f,
                       1.520674211e-02f, 1.185506698e-03f, 3.742014534e-05f});
    p = arith::MulFOp::create(b, x, p);
    // GPUs have an instruction with an error of 2 units in the last place for
    // such a q; the exact division takes ten, and a branch for rare operands.
    auto isApproximate = arith::FastMathFlagsAttr::get(
        b.getContext(), arith::FastMathFlags::afn);
    // Rounding may leave the range of erf.
    return clamp(arith::DivFOp::create(b, p, q, isApproximate), 1.0f);
  }

  /// Returns erf(x) with an error of 1.4 units in the last place: x + x P(x^2)
  /// below 0.75, and 1 - 2^(-a Q(a)) for a = |x| beyond. P and Q were fitted
  /// to errors of 0.03 and 0.06 units. Beyond 4 erf(x) rounds to 1.
  Value accurate(Value x) {
    Value a = atMost(math::AbsFOp::create(b, x), 4.0f);
    Value p =
        polynomial(arith::MulFOp::create(b, a, a),
                   {1.283791661e-01f, -3.761262000e-01f, 1.128339320e-01f,
                    -2.683543414e-02f, 5.115981679e-03f, -6.761095719e-04f});
    Value q =
        polynomial(a, {1.628129601e+00f, 9.170536995e-01f, 1.519855559e-01f,
                       -3.310380876e-02f, 4.663474392e-03f, -3.117968154e-04f});
    Value exponent = arith::MulFOp::create(b, arith::NegFOp::create(b, a), q);
    Value rest = math::Exp2Op::create(b, exponent);
    Value far = math::CopySignOp::create(
        b, arith::SubFOp::create(b, constant(1.0f), rest), x);
    Value isNear =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, a, constant(0.75f));
    return arith::SelectOp::create(b, isNear, fma(x, p, x), far);
  }
};

/// GELU adds 1, for which the faster form is accurate enough.
struct ApproximateErf : OpRewritePattern<math::ErfOp> {
  ApproximateErf(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "expected f32");
    bool isIncremented = llvm::all_of(op->getUsers(), [](Operation *user) {
      return isa<arith::AddFOp>(user) &&
             (matchPattern(user->getOperand(0), m_OneFloat()) ||
              matchPattern(user->getOperand(1), m_OneFloat()));
    });
    Erf erf{ImplicitLocOpBuilder(op.getLoc(), rewriter), type};
    rewriter.replaceOp(op, isIncremented ? erf.quotient(op.getOperand())
                                         : erf.accurate(op.getOperand()));
    return success();
  }
};
} // namespace

void fx::codegen::populateErfApproximation(RewritePatternSet &patterns) {
  patterns.add<ApproximateErf>(patterns.getContext());
}

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
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace {
/// Approximates erf(x) by x P(x^2) / Q(x^2) for |x| < 4; beyond, it rounds to
/// 1. P and Q were fitted to a relative error of at most 2.5e-8; with the
/// rounding of their evaluation the error is 6 units in the last place. The
/// code has half the instructions of upstream's, which selects among
/// polynomials for parts of the range. GELU depends on it.
struct ApproximateErf : OpRewritePattern<math::ErfOp> {
  ApproximateErf(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &b) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return b.notifyMatchFailure(op, "expected f32");
    Location loc = op.getLoc();
    auto constant = [&](float value) {
      return createScalarOrSplatConstant(b, loc, type, llvm::APFloat(value));
    };
    // NaN stays NaN, since both comparisons are ordered.
    auto clamp = [&](Value x, float limit) -> Value {
      for (auto [predicate, bound] :
           {std::pair(arith::CmpFPredicate::OGT, constant(limit)),
            std::pair(arith::CmpFPredicate::OLT, constant(-limit))}) {
        Value isOutside = arith::CmpFOp::create(b, loc, predicate, x, bound);
        x = arith::SelectOp::create(b, loc, isOutside, bound, x);
      }
      return x;
    };
    auto polynomial = [&](Value t, ArrayRef<float> c) {
      Value sum = constant(c.back());
      for (float term : llvm::reverse(c.drop_back()))
        sum = math::FmaOp::create(b, loc, sum, t, constant(term));
      return sum;
    };
    Value x = clamp(op.getOperand(), 4.0f);
    Value t = arith::MulFOp::create(b, loc, x, x);
    Value p =
        polynomial(t, {1.128379140e+00f, 1.935392279e-01f, 5.310096017e-02f,
                       3.883087506e-03f, 2.845590429e-04f, 1.986814440e-06f});
    Value q =
        polynomial(t, {1.0f, 5.048522330e-01f, 1.153475737e-01f,
                       1.520674211e-02f, 1.185506698e-03f, 3.742014534e-05f});
    p = arith::MulFOp::create(b, loc, x, p);
    // GPUs have an instruction with an error of 2 units in the last place for
    // such a q; the exact division takes ten, and a branch for rare
    // operands.
    auto isApproximate = arith::FastMathFlagsAttr::get(
        b.getContext(), arith::FastMathFlags::afn);
    Value quotient = arith::DivFOp::create(b, loc, p, q, isApproximate);
    // Rounding may leave the range of erf.
    b.replaceOp(op, clamp(quotient, 1.0f));
    return success();
  }
};
} // namespace

void fx::codegen::populateErfApproximation(RewritePatternSet &patterns) {
  patterns.add<ApproximateErf>(patterns.getContext());
}

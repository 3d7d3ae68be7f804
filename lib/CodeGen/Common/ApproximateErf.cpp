//===- ApproximateErf.cpp - the error function in arithmetic --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Floats.h"
#include "fx/CodeGen/Common/Math.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace fx::codegen;

/// Returns x P(x^2) / Q(x^2) for |x| < 4; beyond, erf(x) rounds to 1. P and Q
/// were fitted to a relative error of at most 2.5e-8; with the rounding of
/// their evaluation the error is 6 units in the last place. The code has half
/// the instructions of upstream's, which selects among polynomials for parts of
/// the range.
static Value computeQuotient(Floats f, Value x) {
  auto clamp = [&](Value v, float limit) {
    return f.max(f.min(v, limit), -limit);
  };
  x = clamp(x, 4.0f);
  Value t = f.mul(x, x);
  Value p =
      f.polynomial(t, {1.128379140e+00f, 1.935392279e-01f, 5.310096017e-02f,
                       3.883087506e-03f, 2.845590429e-04f, 1.986814440e-06f});
  Value q =
      f.polynomial(t, {1.0f, 5.048522330e-01f, 1.153475737e-01f,
                       1.520674211e-02f, 1.185506698e-03f, 3.742014534e-05f});
  // GPUs have an instruction with an error of 2 units in the last place for
  // such a q; the exact division takes ten, and a branch for rare operands.
  auto isApproximate = arith::FastMathFlagsAttr::get(f.b.getContext(),
                                                     arith::FastMathFlags::afn);
  // Rounding may leave the range of erf.
  return clamp(arith::DivFOp::create(f.b, f.mul(x, p), q, isApproximate), 1.0f);
}

/// Returns erf(x) with an error of 1.4 units in the last place: x + x P(x^2)
/// below 0.75, and 1 - 2^(-a Q(a)) for a = |x| beyond. P and Q were fitted to
/// errors of 0.03 and 0.06 units. Beyond 4, erf(x) rounds to 1.
static Value computeAccurately(Floats f, Value x) {
  Value a = f.min(f.abs(x), 4.0f);
  Value p = f.polynomial(f.mul(a, a), {1.283791661e-01f, -3.761262000e-01f,
                                       1.128339320e-01f, -2.683543414e-02f,
                                       5.115981679e-03f, -6.761095719e-04f});
  Value q =
      f.polynomial(a, {1.628129601e+00f, 9.170536995e-01f, 1.519855559e-01f,
                       -3.310380876e-02f, 4.663474392e-03f, -3.117968154e-04f});
  Value rest = f.make<math::Exp2Op>(f.mul(f.neg(a), q));
  return f.select(f.isLess(a, f.number(0.75f)), f.fma(x, p, x),
                  f.withSign(f.sub(f.number(1.0f), rest), x));
}

namespace {
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
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op,
                       (isIncremented ? computeQuotient : computeAccurately)(
                           Floats{b, type}, op.getOperand()));
    return success();
  }
};
} // namespace

void fx::codegen::populateErfApproximation(RewritePatternSet &patterns) {
  patterns.add<ApproximateErf>(patterns.getContext());
}

//===- ApproximateExp2.cpp - powers of two in arithmetic ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApproximateExp.h"
#include "Floats.h"
#include "fx/CodeGen/Common/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace fx::codegen;

namespace {
/// Approximates 2^x by 2^n P(x - n), where n is x rounded to an integer. P was
/// fitted to a relative error of at most 2.1e-9 on [-0.5, 0.5]; it is exact at
/// 0, so that integers have exact results. Its largest terms are added with
/// their rounding error: the error of the result is below 0.8 units in the last
/// place. 2^n is the product of two numbers, so that large results become
/// infinite and small ones subnormal.
struct ApproximateExp2 : OpRewritePattern<math::Exp2Op> {
  MathOptions options;
  ApproximateExp2(MLIRContext *context, const MathOptions &options)
      : OpRewritePattern(context), options(options) {}

  LogicalResult matchAndRewrite(math::Exp2Op op,
                                PatternRewriter &b) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return b.notifyMatchFailure(op, "expected f32");
    Location loc = op.getLoc();
    Type integers = b.getI32Type();
    if (auto shaped = dyn_cast<ShapedType>(type))
      integers = shaped.clone(integers);
    auto real = [&](float v) {
      return createScalarOrSplatConstant(b, loc, type, llvm::APFloat(v));
    };
    auto integer = [&](int64_t v) {
      return createScalarOrSplatConstant(b, loc, integers, v);
    };
    // Beyond these bounds the result is infinite or zero. NaN stays NaN.
    ImplicitLocOpBuilder builder(loc, b);
    Floats f{builder, type};
    Value x = f.min(f.max(op.getOperand(), -152), 129);
    Value n = math::RoundEvenOp::create(b, loc, x);
    Value t = arith::SubFOp::create(b, loc, x, n);
    static constexpr float terms[] = {1.534620242e-04f, 1.339911134e-03f,
                                      9.618461132e-03f, 5.550331995e-02f,
                                      2.402264774e-01f, 5.647202954e-03f};
    Value q = real(terms[0]);
    for (float term : llvm::drop_begin(terms))
      q = math::FmaOp::create(b, loc, q, t, real(term));
    // The first two terms, 1 + 0.6875 t, as a sum and its rounding error.
    Value one = real(1.0f), first = real(0.6875f);
    Value sum = math::FmaOp::create(b, loc, t, first, one);
    Value lost = math::FmaOp::create(b, loc, t, first,
                                     arith::SubFOp::create(b, loc, one, sum));
    Value p = arith::AddFOp::create(b, loc, sum,
                                    math::FmaOp::create(b, loc, t, q, lost));
    if (canScale(type, options)) {
      b.replaceOp(op, scaleByPowerOfTwo(b, loc, p, n));
      return success();
    }
    // The conversion of NaN to an integer is undefined.
    Value isNan =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, n, n);
    n = arith::SelectOp::create(b, loc, isNan, real(0.0f), n);
    Value whole = arith::FPToSIOp::create(b, loc, integers, n);
    Value half = arith::ShRSIOp::create(b, loc, whole, integer(1));
    Value rest = arith::SubIOp::create(b, loc, whole, half);
    for (Value part : {half, rest}) {
      Value bits = arith::AddIOp::create(b, loc, part, integer(127));
      bits = arith::ShLIOp::create(b, loc, bits, integer(23));
      Value power = arith::BitcastOp::create(b, loc, type, bits);
      p = arith::MulFOp::create(b, loc, p, power);
    }
    b.replaceOp(op, p);
    return success();
  }
};
} // namespace

void fx::codegen::populateExp2Approximation(RewritePatternSet &patterns,
                                            const MathOptions &options) {
  patterns.add<ApproximateExp2>(patterns.getContext(), options);
}

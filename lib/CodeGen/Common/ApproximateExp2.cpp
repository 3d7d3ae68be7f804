//===- ApproximateExp2.cpp - powers of two in arithmetic ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace {
/// Approximates 2^x by 2^n P(x - n), where n is x rounded to an integer. P was
/// fitted to a relative error of at most 1.6e-8 on [-0.5, 0.5]; it is exact at
/// 0, so powers of integers are exact. The error is below 1 unit in the last
/// place. 2^n is the product of two numbers, so that subnormal results are
/// rounded once and large ones become infinite.
struct ApproximateExp2 : OpRewritePattern<math::Exp2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Exp2Op op,
                                PatternRewriter &b) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return b.notifyMatchFailure(op, "expected f32");
    Location loc = op.getLoc();
    Type integers = b.getI32Type();
    if (auto shaped = dyn_cast<ShapedType>(type))
      integers = shaped.clone(integers);
    auto constant = [&](Type of, Attribute value) -> Value {
      auto attr = cast<TypedAttr>(value);
      if (auto shaped = dyn_cast<ShapedType>(of))
        attr = DenseElementsAttr::get(shaped, value);
      return arith::ConstantOp::create(b, loc, attr);
    };
    auto real = [&](float v) { return constant(type, b.getF32FloatAttr(v)); };
    auto integer = [&](int v) {
      return constant(integers, b.getI32IntegerAttr(v));
    };
    auto select = [&](arith::CmpFPredicate predicate, Value x, Value y,
                      Value then, Value other) -> Value {
      Value is = arith::CmpFOp::create(b, loc, predicate, x, y);
      return arith::SelectOp::create(b, loc, is, then, other);
    };
    // Beyond these bounds the result is infinite or zero. NaN stays NaN.
    Value x = op.getOperand(), low = real(-152.0f), high = real(129.0f);
    x = select(arith::CmpFPredicate::OLT, x, low, low, x);
    x = select(arith::CmpFPredicate::OGT, x, high, high, x);
    Value number = select(arith::CmpFPredicate::UNO, x, x, real(0.0f), x);
    Value n = math::RoundEvenOp::create(b, loc, number);
    Value t = arith::SubFOp::create(b, loc, x, n);
    static constexpr float terms[] = {1.534581243e-04f,
                                      1.339993090e-03f,
                                      9.618489072e-03f,
                                      5.550328642e-02f,
                                      2.402264625e-01f,
                                      6.931471825e-01f,
                                      1.0f};
    Value p = real(terms[0]);
    for (float term : llvm::drop_begin(terms))
      p = math::FmaOp::create(b, loc, p, t, real(term));
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

void fx::codegen::populateExp2Approximation(RewritePatternSet &patterns) {
  patterns.add<ApproximateExp2>(patterns.getContext());
}

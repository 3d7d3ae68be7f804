//===- ApproximateExp.cpp - the exponential in arithmetic -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApproximateExp.h"
#include "Floats.h"
#include "fx/CodeGen/Common/Math.h"
#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace fx::codegen;

bool fx::codegen::canScale(Type type, const MathOptions &options) {
  auto vector = dyn_cast<VectorType>(type);
  return options.hasScale && vector && vector.getRank() == 1 &&
         vector.getDimSize(0) == 16 && vector.getElementType().isF32();
}

Value fx::codegen::scaleByPowerOfTwo(OpBuilder &b, Location loc, Value x,
                                     Value n) {
  auto integer = [&](unsigned bits, int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(b.getIntegerType(bits), value));
  };
  // All lanes, and the current rounding mode.
  Value operands[] = {x, n, x, integer(16, -1), integer(32, 4)};
  return LLVM::CallIntrinsicOp::create(
             b, loc, x.getType(),
             b.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512"), operands)
      .getResult(0);
}

namespace {
/// Approximates e^x by 2^n (1 + t + t^2 Q(t)), where n is x / log(2) rounded to
/// an integer and t is x - n log(2). Matches vectors for
/// which an instruction multiplies by 2^n; for others see Floats::exp.
struct ApproximateExp : OpRewritePattern<math::ExpOp> {
  MathOptions options;
  ApproximateExp(MLIRContext *context, const MathOptions &options)
      : OpRewritePattern(context, /*benefit=*/2), options(options) {}

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &b) const override {
    Type type = op.getType();
    if (!canScale(type, options))
      return b.notifyMatchFailure(op, "expected vector<16xf32> on AVX-512");
    ImplicitLocOpBuilder builder(op.getLoc(), b);
    Floats f{builder, type};
    // Beyond these bounds the result is infinite or zero. NaN stays NaN.
    Value x = f.max(op.getOperand(), -104);
    if (!op->hasAttr(fx::kernel::kNonpositiveAttr))
      x = f.min(x, 89);
    Value n = f.make<math::RoundEvenOp>(f.mul(x, f.number(0x1.715476p+0f)));
    // log(2) as a sum of two numbers.
    Value t = f.fma(n, f.number(-0.693147182f), x);
    t = f.fma(n, f.number(1.90465430e-09f), t);
    Value y = f.polynomial(t, Floats::kShortExp);
    b.replaceOp(op, scaleByPowerOfTwo(b, op.getLoc(), y, n));
    return success();
  }
};
} // namespace

void fx::codegen::populateExpApproximation(RewritePatternSet &patterns,
                                           const MathOptions &options) {
  patterns.add<ApproximateExp>(patterns.getContext(), options);
}

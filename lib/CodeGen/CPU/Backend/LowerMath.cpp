//===- LowerMath.cpp - polynomials for math functions ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Remainders.h"

#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/Common/Buffers.h"
#include "fx/CodeGen/Common/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPULOWERMATH
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::codegen;

/// Replaces expm1 and log1p of f64 by calls of libm. Upstream lowers them to
/// exp(x) - 1 and log(1 + x), which lose all digits near 0.
static void callLibm(Operation *root) {
  root->walk([](Operation *op) {
    if (!isa<math::ExpM1Op, math::Log1pOp>(op) ||
        !op->getResult(0).getType().isF64())
      return;
    OpBuilder b(op);
    FunctionType type =
        b.getFunctionType(op->getOperandTypes(), op->getResultTypes());
    StringRef name = isa<math::ExpM1Op>(op) ? "expm1" : "log1p";
    auto callee = cast<func::FuncOp>(getOrDeclare(b, name, type, false));
    auto call =
        func::CallOp::create(b, op->getLoc(), callee, op->getOperand(0));
    op->getResult(0).replaceAllUsesWith(call.getResult(0));
    op->erase();
  });
}

/// Compares bf16 values as f32. LLVM 22 cannot select comparisons of bf16
/// vectors with AVX512-BF16, and folds comparisons of extended operands to
/// them. The operands are therefore widened by integer operations.
static void compareAsF32(Operation *root) {
  root->walk([](arith::CmpFOp op) {
    Type type = op.getLhs().getType();
    if (!getElementTypeOrSelf(type).isBF16())
      return;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    auto of = [&](Type element) {
      auto vector = dyn_cast<VectorType>(type);
      return vector ? Type(vector.clone(element)) : element;
    };
    Type wide = of(b.getI32Type());
    TypedAttr half = b.getI32IntegerAttr(16);
    if (auto vector = dyn_cast<VectorType>(wide))
      half = DenseElementsAttr::get(vector, half);
    auto widen = [&](Value x) -> Value {
      x = arith::BitcastOp::create(b, of(b.getI16Type()), x);
      x = arith::ExtUIOp::create(b, wide, x);
      x = arith::ShLIOp::create(b, x, arith::ConstantOp::create(b, half));
      return arith::BitcastOp::create(b, of(b.getF32Type()), x);
    };
    op.getLhsMutable().assign(widen(op.getLhs()));
    op.getRhsMutable().assign(widen(op.getRhs()));
  });
}

/// Rounds f16 and bf16 to integers as f32. LLVM folds the conversions around
/// these functions, and then computes each element of a vector alone.
static void roundAsF32(Operation *root) {
  root->walk([](Operation *op) {
    if (!isa<math::CeilOp, math::FloorOp, math::RoundOp, math::RoundEvenOp,
             math::TruncOp>(op))
      return;
    Value x = op->getOperand(0);
    Type type = x.getType();
    auto vector = dyn_cast<VectorType>(type);
    if (!x.getDefiningOp<arith::ExtFOp>() ||
        !getElementTypeOrSelf(type).isF32() || !vector || vector.getRank() != 1)
      return;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    op->setOperand(
        0, LLVM::CallIntrinsicOp::create(
               b, type, b.getStringAttr("llvm.arithmetic.fence"), ValueRange(x))
               .getResults());
  });
}

/// Expands maxima and minima of f32 and f64 to the comparison of x86's
/// instruction, which returns its second operand if one is NaN: the result is
/// NaN if `x`, this operand, is. One instruction if the other one is a
/// constant, and else three; upstream's expansion takes two and four. As in
/// PyTorch's kernels, max(-0.0, constant 0.0) is -0.0.
static void expandExtrema(Operation *root) {
  root->walk([](Operation *op) {
    if (!isa<arith::MaximumFOp, arith::MinimumFOp>(op))
      return;
    Type element = getElementTypeOrSelf(op->getResult(0));
    if (!element.isF32() && !element.isF64())
      return;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Value y = op->getOperand(0), x = op->getOperand(1);
    auto isNumber = [](Value v) {
      FloatAttr number;
      DenseElementsAttr numbers;
      if (matchPattern(v, m_Constant(&numbers)))
        return numbers.isSplat() && !numbers.getSplatValue<APFloat>().isNaN();
      return matchPattern(v, m_Constant(&number)) && !number.getValue().isNaN();
    };
    if (isNumber(x))
      std::swap(x, y);
    auto order = isa<arith::MaximumFOp>(op) ? arith::CmpFPredicate::OGT
                                            : arith::CmpFPredicate::OLT;
    Value chooses = arith::CmpFOp::create(b, order, y, x);
    Value result = arith::SelectOp::create(b, chooses, y, x);
    if (!isNumber(y)) {
      Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, y, y);
      result = arith::SelectOp::create(b, isNaN, y, result);
    }
    op->replaceAllUsesWith(ValueRange{result});
    op->erase();
  });
}

namespace {
struct LowerMath : fx::cpu::impl::FXCPULowerMathBase<LowerMath> {
  void runOnOperation() override {
    if (failed(approximateMath(getOperation())))
      return signalPassFailure();
    expandVectorsInDouble(getOperation());
    unrollLibmVectors(getOperation());
    callLibm(getOperation());
    expandExtrema(getOperation());
    fx::cpu::expandRemainders(getOperation());
    compareAsF32(getOperation());
    roundAsF32(getOperation());
  }
};
} // namespace

//===- Math.cpp - what SPIR-V has no exact instructions for ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SPIR-V's Fma may round twice, and drivers do. The range reduction of sines
// and exponentials, which subtracts multiples of a constant in parts, would
// lose all digits. Fma of float64 is therefore computed from the rounded
// product and sum and their errors: the error of the product after Dekker ("A
// floating-point technique for extending the available precision", 1971), that
// of the sum after Knuth (The Art of Computer Programming, volume 2, 4.2.2,
// theorem B).
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fx::spirv {
#define GEN_PASS_DEF_FXGPUSPIRVMATH
#include "Passes.h.inc"
} // namespace fx::spirv

using namespace mlir;

namespace {
/// Emits fma of float64 with error-free transformations.
struct Exact {
  ImplicitLocOpBuilder &b;
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }

  /// Returns the upper and the lower half of the digits of `x`.
  std::pair<Value, Value> split(Value x) {
    Value factor = arith::ConstantOp::create(b, b.getF64FloatAttr(0x1p27 + 1));
    Value large = mul(x, factor), high = sub(large, sub(large, x));
    return {high, sub(x, high)};
  }
  /// Returns the rounding error of `product`: x * y - product.
  Value getProductError(Value x, Value y, Value product) {
    auto [xh, xl] = split(x);
    auto [yh, yl] = split(y);
    Value error = sub(mul(xh, yh), product);
    error = add(add(error, mul(xh, yl)), mul(xl, yh));
    return add(error, mul(xl, yl));
  }
  /// Returns the rounding error of `sum`: x + y - sum.
  Value getSumError(Value x, Value y, Value sum) {
    Value ofY = sub(sum, x), ofX = sub(sum, ofY);
    return add(sub(x, ofX), sub(y, ofY));
  }
  Value fma(Value x, Value y, Value z) {
    Value product = mul(x, y), sum = add(product, z);
    return add(
        sum, add(getSumError(product, z, sum), getProductError(x, y, product)));
  }
};
} // namespace

/// Rounds `x` to an integer by adding and subtracting 2^52: the sum has no
/// digits after the point, and ties go to even. (Mesa 22.3 rounds 709.5 to 709
/// with the instruction.)
static Value roundEven(ImplicitLocOpBuilder &b, Value x) {
  Value large = arith::ConstantOp::create(b, b.getF64FloatAttr(0x1p52));
  Value size = math::AbsFOp::create(b, x);
  Value whole =
      arith::SubFOp::create(b, arith::AddFOp::create(b, size, large), large);
  Value isSmall =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, size, large);
  return arith::SelectOp::create(b, isSmall,
                                 math::CopySignOp::create(b, whole, x), x);
}

/// Rounds `x` toward zero. Upstream has no conversion of `math.trunc`.
static Value truncate(ImplicitLocOpBuilder &b, Value x) {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(x.getType()));
  Value isBelow = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, zero);
  return arith::SelectOp::create(b, isBelow, math::CeilOp::create(b, x),
                                 math::FloorOp::create(b, x));
}

/// Returns x - x / y * y. Upstream's conversion takes the absolute value of
/// the smallest integer for positive.
static Value getRemainder(ImplicitLocOpBuilder &b, Value x, Value y) {
  Value quotient = arith::DivSIOp::create(b, x, y);
  return arith::SubIOp::create(b, x, arith::MulIOp::create(b, quotient, y));
}

namespace {
struct SPIRVMath : fx::spirv::impl::FXGPUSPIRVMathBase<SPIRVMath> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (Value value = expand(op)) {
        op->getResult(0).replaceAllUsesWith(value);
        op->erase();
      }
  }

  /// Returns the value that replaces the result of `op`, or null if `op` stays.
  static Value expand(Operation *op) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    if (auto fma = dyn_cast<math::FmaOp>(op))
      return fma.getType().isF64() &&
                     !bitEnumContainsAll(fma.getFastmath(),
                                         arith::FastMathFlags::contract)
                 ? Exact{b}.fma(fma.getA(), fma.getB(), fma.getC())
                 : Value();
    if (auto round = dyn_cast<math::RoundEvenOp>(op))
      return round.getType().isF64() ? roundEven(b, round.getOperand())
                                     : Value();
    if (auto trunc = dyn_cast<math::TruncOp>(op))
      return truncate(b, trunc.getOperand());
    if (auto rem = dyn_cast<arith::RemSIOp>(op))
      return getRemainder(b, rem.getLhs(), rem.getRhs());
    return {};
  }
};
} // namespace

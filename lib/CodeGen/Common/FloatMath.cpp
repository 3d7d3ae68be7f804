//===- FloatMath.cpp - functions of math in f32 -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Floats.h"
#include "fx/CodeGen/Common/Math.h"
#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fx::codegen;

Type Floats::shaped(Type element) const {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

Value Floats::constant(TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(type))
    element = DenseElementsAttr::get(vector.clone(element.getType()), element);
  return arith::ConstantOp::create(b, element);
}

Value Floats::isAny(Value condition) {
  auto vector = dyn_cast<VectorType>(condition.getType());
  if (!vector)
    return condition;
  if (vector.getRank() != 1)
    condition = vector::ShapeCastOp::create(
        b, VectorType::get(vector.getNumElements(), b.getI1Type()), condition);
  return vector::ReductionOp::create(b, vector::CombiningKind::OR, condition);
}

Value Floats::expand(Operation *op, Value x, Value y) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::SinOp) { return sineOrCosine(x, /*isCosine=*/false); })
      .Case([&](math::CosOp) { return sineOrCosine(x, /*isCosine=*/true); })
      .Case([&](math::TanOp) { return tan(x); })
      .Case([&](math::AsinOp) { return asin(x); })
      .Case([&](math::AcosOp) { return acos(x); })
      .Case([&](math::AtanOp) { return atan(x); })
      .Case([&](math::Atan2Op) { return atan2(x, y); })
      .Case([&](math::LogOp) { return log(x); })
      .Case([&](math::Log2Op) { return log2(x); })
      .Case([&](math::Log10Op) { return log10(x); })
      .Case([&](math::Log1pOp) { return log1p(x); })
      .Case([&](math::AsinhOp) { return asinh(x); })
      .Case([&](math::AcoshOp) { return acosh(x); })
      .Case([&](math::AtanhOp) { return atanh(x); })
      .Case([&](math::ExpOp) {
        return op->hasAttr(fx::kernel::kNonpositiveAttr) ? expOfNonpositive(x)
                                                         : exp(x);
      })
      .Case([&](math::ExpM1Op) { return expm1(x); })
      .Case([&](math::SinhOp) { return sinhOrCosh(x, /*isCosh=*/false); })
      .Case([&](math::CoshOp) { return sinhOrCosh(x, /*isCosh=*/true); })
      .Case([&](math::TanhOp) { return tanh(x); })
      .Case([&](math::ErfcOp) { return erfc(x); })
      .Case([&](math::PowFOp) { return pow(x, y); });
}

bool fx::codegen::hasFloatForm(Operation *op) {
  if (!isa<math::SinOp, math::CosOp, math::TanOp, math::AsinOp, math::AcosOp,
           math::AtanOp, math::Atan2Op, math::LogOp, math::Log2Op,
           math::Log10Op, math::Log1pOp, math::AsinhOp, math::AcoshOp,
           math::AtanhOp, math::ExpOp, math::ExpM1Op, math::SinhOp,
           math::CoshOp, math::TanhOp, math::ErfcOp, math::PowFOp>(op))
    return false;
  Type type = op->getResult(0).getType();
  auto vector = dyn_cast<VectorType>(type);
  if (!isa<FloatType>(type) && !(vector && !vector.isScalable()))
    return false;
  Type element = getElementTypeOrSelf(type);
  return element.isF32() || element.isF16() || element.isBF16();
}

Value fx::codegen::computeInFloat(OpBuilder &builder, Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), builder);
  Type type = op->getResult(0).getType(), single = b.getF32Type();
  bool isExact = getElementTypeOrSelf(type).isF32();
  if (auto vector = dyn_cast<VectorType>(type))
    single = vector.clone(single);
  SmallVector<Value> given(op->getOperands());
  if (!isExact)
    for (Value &v : given)
      v = arith::ExtFOp::create(b, single, v);
  Value y = Floats{b, single}.expand(op, given[0], given.back());
  return isExact ? y : arith::TruncFOp::create(b, type, y);
}

//===- FloatReduction.cpp - angles less multiples of a quarter turn -----===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Floats.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fx::codegen;

/// From this magnitude on, angles are reduced in f64.
static constexpr float kLargestFloatAngle = 1600;
/// From this magnitude on, angles are reduced by the digits of 2/pi. Up to
/// 2^50, multiples of pi/2 would be integers in f64, but rounded so coarsely
/// that the rest could be much larger than pi/4.
static constexpr float kLargestDoubleAngle = 0x1p44f;

/// Subtracts pi/2, in three parts, by the method of Cody and Waite (Software
/// Manual for the Elementary Functions, 1980). For |x| < 2^10 pi/2, the first
/// two differences lose only `lost`, which is computed exactly: the second part
/// has 14 bits, so that its product with the multiple has 24. Needs x >= 0: the
/// signs of zeros are lost.
Floats::Angle Floats::reduceAngle(Value x) {
  Value k;
  Value sum = round(x, 0x1.45f306p-1f, k);
  Value r = fma(k, number(-0x1.921fb4p+0f), x);
  Value second = number(-0x1.444p-24f);
  Value rest = fma(k, second, r);
  Value lost = fma(k, second, sub(r, rest));
  return {{rest, fma(k, number(-0x1.68c234p-39f), lost)}, bits(sum)};
}

namespace {
/// Creates computations on f64 numbers or vectors of f64.
struct Wide {
  ImplicitLocOpBuilder &b;
  /// f64, or a vector of it.
  Type type;

  /// An angle less `quarters` times pi/2, where `quarters` is an integer.
  struct Angle {
    Value rest, quarters;
  };

  Value number(double v) {
    TypedAttr attr = b.getF64FloatAttr(v);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, attr);
    return arith::ConstantOp::create(b, attr);
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value round(Value x) { return math::RoundEvenOp::create(b, x); }

  Angle subtractQuarters(Value x);
  Angle multiplyByDigits(Value x);
};
} // namespace

/// Subtracts pi/2 in three parts, which have 159 bits.
Wide::Angle Wide::subtractQuarters(Value x) {
  Value k = round(mul(x, number(0x1.45f306dc9c883p-1))), r = x;
  for (double part :
       {-0x1.921fb54442d18p+0, -0x1.1a62633145c07p-54, 0x1.f1976b7ed8fbcp-110})
    r = fma(k, number(part), r);
  return {r, k};
}

/// Multiplies by 2/pi modulo 4, by the method of M. Payne and R. Hanek (ACM
/// SIGNUM Newsletter 18, 1983). The products of an f32 and 29 digits of 2/pi
/// are exact in f64, and so are their remainders. Their sum keeps its rounding
/// errors. The digits suffice for all f32: they end 60 bits behind the binary
/// point of the largest product.
Wide::Angle Wide::multiplyByDigits(Value x) {
  static constexpr double digits[] = {
      0x1.45f306dp-1,   0x1.9391054p-30, 0x1.4fe13abp-59, 0x1.d1f534dp-88,
      0x1.b81b6c5p-117, 0x1.5993c4p-148, 0x1.c820ff2p-175};
  Value sum = number(0), lost = number(0);
  for (double digit : digits) {
    Value product = mul(x, number(digit));
    Value fours = round(mul(product, number(0.25)));
    product = fma(fours, number(-4), product);
    Value next = add(sum, product);
    Value added = sub(next, sum);
    Value error = add(sub(sum, sub(next, added)), sub(product, added));
    sum = next;
    lost = add(lost, error);
  }
  Value k = round(sum);
  return {mul(add(sub(sum, k), lost), number(0x1.921fb54442d18p+0)), k};
}

/// Most vectors have no large angle: the branches are rarely taken.
Floats::Angle Floats::reduceAnyAngle(Value size) {
  Angle near = reduceAngle(size);
  Value isLarge = isLess(number(kLargestFloatAngle), size);
  Type bitType = near.quarters.getType();
  auto branch = scf::IfOp::create(b, TypeRange{type, type, bitType},
                                  isAny(isLarge), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(
      b, ValueRange{near.rest.high, near.rest.low, near.quarters});

  b.setInsertionPointToStart(branch.thenBlock());
  Wide wide{b, shaped(b.getF64Type())};
  Value x = arith::ExtFOp::create(b, wide.type, size);
  Value isHuge = isLess(number(kLargestDoubleAngle), size);
  auto inner = scf::IfOp::create(b, TypeRange{wide.type, wide.type},
                                 isAny(isHuge), /*withElseRegion=*/true);
  Wide::Angle most;
  {
    OpBuilder::InsertionGuard innerGuard(b);
    b.setInsertionPointToStart(inner.elseBlock());
    most = wide.subtractQuarters(x);
    scf::YieldOp::create(b, ValueRange{most.rest, most.quarters});
    b.setInsertionPointToStart(inner.thenBlock());
    most = wide.subtractQuarters(x);
    Wide::Angle all = wide.multiplyByDigits(x);
    scf::YieldOp::create(
        b, ValueRange{select(isHuge, all.rest, most.rest),
                      select(isHuge, all.quarters, most.quarters)});
  }
  Value rest = inner.getResult(0), quarters = inner.getResult(1);
  Value high = arith::TruncFOp::create(b, type, rest);
  Value low = wide.sub(rest, arith::ExtFOp::create(b, wide.type, high));
  low = arith::TruncFOp::create(b, type, low);
  // This sum has the integer in its low bits.
  quarters = wide.add(quarters, wide.number(0x1.8p52));
  quarters = arith::BitcastOp::create(b, shaped(b.getI64Type()), quarters);
  quarters = arith::TruncIOp::create(b, bitType, quarters);
  scf::YieldOp::create(b, ValueRange{select(isLarge, high, near.rest.high),
                                     select(isLarge, low, near.rest.low),
                                     select(isLarge, quarters, near.quarters)});
  Value results[] = {branch.getResult(0), branch.getResult(1),
                     branch.getResult(2)};
  return {{results[0], results[1]}, results[2]};
}

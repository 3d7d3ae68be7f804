//===- Scalars.cpp - scalar operations with PyTorch's semantics -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include "Values.h"

#include "fx/Operators/TypePromotion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace fx::lin {

Type opMathType(Type dtype) { return getComputeDtype(dtype); }

bool Scalars::isFloat() const { return isa<FloatType>(dtype); }
bool Scalars::isBool() const { return dtype.isInteger(1); }
bool Scalars::isUnsigned() const {
  return isBool() || dtype.isUnsignedInteger();
}

Value Scalars::constant(double v) {
  if (isFloat())
    return arith::ConstantOp::create(
        b, loc, b.getFloatAttr(mlir::cast<FloatType>(dtype), v));
  // A bool is true for each `v` that is not 0, such as 0.5.
  return integer(isBool() ? v != 0 : int64_t(v));
}
Value Scalars::integer(int64_t v) {
  if (isFloat())
    return constant(double(v));
  if (isa<IndexType>(dtype))
    return arith::ConstantIndexOp::create(b, loc, v);
  Type type = signless(dtype);
  if (isBool())
    v = v != 0;
  APInt bits(64, uint64_t(v));
  return arith::ConstantOp::create(
      b, loc, IntegerAttr::get(type, bits.trunc(type.getIntOrFloatBitWidth())));
}
Value Scalars::boolean(bool v) {
  return arith::ConstantOp::create(b, loc, b.getBoolAttr(v));
}

static Value extreme(Scalars &s, bool high) {
  if (auto f = dyn_cast<FloatType>(s.dtype))
    return arith::ConstantOp::create(
        s.b, s.loc,
        FloatAttr::get(f, APFloat::getInf(f.getFloatSemantics(), !high)));
  Type type = signless(s.dtype);
  unsigned width = type.getIntOrFloatBitWidth();
  APInt v = s.isUnsigned()
                ? (high ? APInt::getMaxValue(width) : APInt::getMinValue(width))
                : (high ? APInt::getSignedMaxValue(width)
                        : APInt::getSignedMinValue(width));
  return arith::ConstantOp::create(s.b, s.loc, IntegerAttr::get(type, v));
}
Value Scalars::lowest() { return extreme(*this, false); }
Value Scalars::highest() { return extreme(*this, true); }

Value Scalars::add(Value x, Value y) {
  if (isFloat())
    return arith::AddFOp::create(b, loc, x, y);
  if (isBool())
    return arith::OrIOp::create(b, loc, x, y);
  return arith::AddIOp::create(b, loc, x, y);
}
Value Scalars::sub(Value x, Value y) {
  if (isFloat())
    return arith::SubFOp::create(b, loc, x, y);
  return arith::SubIOp::create(b, loc, x, y);
}
Value Scalars::mul(Value x, Value y) {
  if (isFloat())
    return arith::MulFOp::create(b, loc, x, y);
  if (isBool())
    return arith::AndIOp::create(b, loc, x, y);
  return arith::MulIOp::create(b, loc, x, y);
}

/// Returns an integer divisor for which no CPU traps: 1 if `y` is 0 or -1, else
/// `y`. (The lowest integer divided by -1 overflows.) If `y` can be -1, sets
/// `isMinusOne` to an i1 that is true if it is. The lowerings of the division
/// operators check for 0. Divisors of type index are not changed.
static Value safeDivisor(Scalars &s, Value y, Value &isMinusOne) {
  APInt known;
  bool isKnown = matchPattern(y, m_ConstantInt(&known));
  if (isa<IndexType>(s.dtype) ||
      (isKnown && !known.isZero() && (s.isUnsigned() || !known.isAllOnes())))
    return y;
  Value unsafe = s.eq(y, s.integer(0)), one = s.integer(1);
  if (!s.isUnsigned()) {
    isMinusOne = s.eq(y, s.integer(-1));
    unsafe = s.logicalOr(unsafe, isMinusOne);
  }
  return s.select(unsafe, one, y);
}
/// Divides integers with `Op`; the quotient is -x where y is -1.
template <typename Op>
static Value divideIntegers(Scalars &s, Value x, Value y) {
  Value isMinusOne;
  y = safeDivisor(s, y, isMinusOne);
  Value q = Op::create(s.b, s.loc, x, y);
  return isMinusOne ? s.select(isMinusOne, s.neg(x), q) : q;
}

Value Scalars::div(Value x, Value y) {
  if (isFloat())
    return arith::DivFOp::create(b, loc, x, y);
  if (isUnsigned())
    return divideIntegers<arith::DivUIOp>(*this, x, y);
  return divideIntegers<arith::DivSIOp>(*this, x, y);
}
Value Scalars::divByShared(Value x, Value y) {
  return arith::DivFOp::create(b, loc, x, y, arith::FastMathFlags::arcp);
}
Value Scalars::floorDiv(Value x, Value y) {
  if (isFloat()) {
    // Like c10::div_floor_floating, which is exact where x / y rounds to an
    // integer.
    Value q = div(x, y);
    Value mod = fmod(x, y), zero = constant(0);
    Value d = div(sub(x, mod), y);
    Value off = logicalAnd(ne(mod, zero), ne(lt(y, zero), lt(mod, zero)));
    d = select(off, sub(d, constant(1)), d);
    Value f = floor(d);
    f = select(gt(sub(d, f), constant(0.5)), add(f, constant(1)), f);
    f = select(ne(d, zero), f, arith::MulFOp::create(b, loc, zero, q));
    return select(eq(y, zero), q, f);
  }
  if (isUnsigned())
    return div(x, y);
  return divideIntegers<arith::FloorDivSIOp>(*this, x, y);
}
Value Scalars::fmod(Value x, Value y) {
  if (isFloat())
    return arith::RemFOp::create(b, loc, x, y);
  // The remainder of a division by -1 is 0, like that of a division by 1.
  Value isMinusOne;
  y = safeDivisor(*this, y, isMinusOne);
  if (isUnsigned())
    return arith::RemUIOp::create(b, loc, x, y);
  return arith::RemSIOp::create(b, loc, x, y);
}
Value Scalars::remainder(Value x, Value y) {
  Value r = fmod(x, y);
  if (isUnsigned())
    return r;
  Value zero = integer(0);
  Value wrong = logicalAnd(ne(r, zero), ne(lt(r, zero), lt(y, zero)));
  return select(wrong, add(r, y), r);
}
static Value isShift(Scalars &s, Value y, unsigned most) {
  return s.logicalAnd(s.ge(y, s.integer(0)), s.le(y, s.integer(most)));
}
Value Scalars::shiftLeft(Value x, Value y) {
  Value zero = integer(0);
  Value inside = isShift(*this, y, x.getType().getIntOrFloatBitWidth() - 1);
  y = select(inside, y, zero);
  return select(inside, arith::ShLIOp::create(b, loc, x, y), zero);
}
Value Scalars::shiftRight(Value x, Value y) {
  unsigned most = x.getType().getIntOrFloatBitWidth() - 1;
  Value inside = isShift(*this, y, most);
  if (isUnsigned()) {
    Value zero = integer(0);
    y = select(inside, y, zero);
    return select(inside, arith::ShRUIOp::create(b, loc, x, y), zero);
  }
  y = select(inside, y, integer(most));
  return arith::ShRSIOp::create(b, loc, x, y);
}
Value Scalars::max(Value x, Value y) {
  if (isFloat())
    return arith::MaximumFOp::create(b, loc, x, y);
  if (isUnsigned())
    return arith::MaxUIOp::create(b, loc, x, y);
  return arith::MaxSIOp::create(b, loc, x, y);
}
Value Scalars::min(Value x, Value y) {
  if (isFloat())
    return arith::MinimumFOp::create(b, loc, x, y);
  if (isUnsigned())
    return arith::MinUIOp::create(b, loc, x, y);
  return arith::MinSIOp::create(b, loc, x, y);
}
Value Scalars::neg(Value x) {
  if (isFloat())
    return arith::NegFOp::create(b, loc, x);
  return sub(integer(0), x);
}
Value Scalars::abs(Value x) {
  if (isFloat())
    return math::AbsFOp::create(b, loc, x);
  return isUnsigned() ? x : math::AbsIOp::create(b, loc, x).getResult();
}
Value Scalars::pow(Value x, Value y) {
  if (isFloat())
    return math::PowFOp::create(b, loc, x, y);
  // Square and multiply over the exponent's bits. math.ipowi is not used: its
  // lowering adds functions to the module.
  Value zero = integer(0), one = integer(1);
  auto index = [&](int64_t v) -> Value {
    return arith::ConstantIndexOp::create(b, loc, v);
  };
  unsigned width = x.getType().getIntOrFloatBitWidth();
  auto loop = scf::ForOp::create(b, loc, index(0), index(width), index(1),
                                 ValueRange{one, x, y});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value r = loop.getRegionIterArg(0), base = loop.getRegionIterArg(1),
          e = loop.getRegionIterArg(2);
    Value odd = ne(logicalAnd(e, one), zero);
    scf::YieldOp::create(
        b, loc,
        ValueRange{select(odd, mul(r, base), r), mul(base, base),
                   arith::ShRUIOp::create(b, loc, e, one).getResult()});
  }
  Value result = loop.getResult(0);
  if (isUnsigned())
    return result;
  // If the exponent is negative, the power of 1 is 1, that of -1 is 1 or -1,
  // and that of other numbers is 0.
  Value minusOne = integer(-1);
  Value sign = select(ne(logicalAnd(y, one), zero), minusOne, one);
  Value negative = select(eq(x, one), one, select(eq(x, minusOne), sign, zero));
  return select(lt(y, zero), negative, result);
}
Value Scalars::powConstant(Value x, double e) {
  if (isFloat()) {
    if (e == 0.5)
      return sqrt(x);
    if (e == -0.5)
      return rsqrt(x);
    if (e == -1)
      return div(constant(1), x);
    if (e == -2)
      return div(constant(1), mul(x, x));
  }
  if (e == 0)
    return integer(1);
  if (e == std::floor(e) && e >= 1 && e <= 4) {
    if (e == 4) {
      Value square = mul(x, x);
      return mul(square, square);
    }
    Value r = x;
    for (int i = 1; i < int(e); ++i)
      r = mul(r, x);
    return r;
  }
  return pow(x, constant(e));
}

static Value compare(Scalars &s, Value x, Value y, arith::CmpFPredicate f,
                     arith::CmpIPredicate sint, arith::CmpIPredicate uint) {
  if (isa<FloatType>(x.getType()))
    return arith::CmpFOp::create(s.b, s.loc, f, x, y);
  return arith::CmpIOp::create(s.b, s.loc, s.isUnsigned() ? uint : sint, x, y);
}
using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;
Value Scalars::eq(Value x, Value y) {
  return compare(*this, x, y, F::OEQ, I::eq, I::eq);
}
Value Scalars::ne(Value x, Value y) {
  return compare(*this, x, y, F::UNE, I::ne, I::ne);
}
Value Scalars::lt(Value x, Value y) {
  return compare(*this, x, y, F::OLT, I::slt, I::ult);
}
Value Scalars::le(Value x, Value y) {
  return compare(*this, x, y, F::OLE, I::sle, I::ule);
}
Value Scalars::gt(Value x, Value y) {
  return compare(*this, x, y, F::OGT, I::sgt, I::ugt);
}
Value Scalars::ge(Value x, Value y) {
  return compare(*this, x, y, F::OGE, I::sge, I::uge);
}
Value Scalars::isNan(Value x) {
  if (!isa<FloatType>(x.getType()))
    return boolean(false);
  return arith::CmpFOp::create(b, loc, F::UNO, x, x);
}
Value Scalars::logicalAnd(Value x, Value y) {
  return arith::AndIOp::create(b, loc, x, y);
}
Value Scalars::logicalOr(Value x, Value y) {
  return arith::OrIOp::create(b, loc, x, y);
}
Value Scalars::logicalXor(Value x, Value y) {
  return arith::XOrIOp::create(b, loc, x, y);
}
Value Scalars::logicalNot(Value x) {
  return arith::XOrIOp::create(
      b, loc, x,
      arith::ConstantOp::create(b, loc, IntegerAttr::get(x.getType(), -1)));
}
Value Scalars::select(Value c, Value x, Value y) {
  return arith::SelectOp::create(b, loc, c, x, y);
}

Value Scalars::exp(Value x) { return unary<math::ExpOp>(x); }
Value Scalars::log(Value x) { return unary<math::LogOp>(x); }
Value Scalars::sqrt(Value x) { return unary<math::SqrtOp>(x); }
Value Scalars::rsqrt(Value x) {
  // math.rsqrt is not used: its fast form is less accurate than PyTorch's
  // 1 / sqrt(x).
  return div(constant(1), sqrt(x));
}
Value Scalars::tanh(Value x) { return unary<math::TanhOp>(x); }
Value Scalars::erf(Value x) { return unary<math::ErfOp>(x); }
Value Scalars::sigmoid(Value x) {
  return div(constant(1), add(constant(1), exp(neg(x))));
}
Value Scalars::softplus(Value x) {
  // max(x, 0) + log1p(exp(-|x|)): no overflow for large x.
  return add(max(x, constant(0)), unary<math::Log1pOp>(exp(neg(abs(x)))));
}
Value Scalars::floor(Value x) {
  return isFloat() ? unary<math::FloorOp>(x) : x;
}
Value Scalars::ceil(Value x) { return isFloat() ? unary<math::CeilOp>(x) : x; }
Value Scalars::trunc(Value x) {
  return isFloat() ? unary<math::TruncOp>(x) : x;
}
Value Scalars::roundEven(Value x) {
  return isFloat() ? unary<math::RoundEvenOp>(x) : x;
}

Value Scalars::cast(Value v, Type from, Type to) {
  if (from == to)
    return v;
  // PyTorch converts eight-bit floats to and from f32 only.
  Type f32 = b.getF32Type();
  if (isFloat8(from))
    return cast(arith::ExtFOp::create(b, loc, f32, v), f32, to);
  if (isFloat8(to)) {
    v = cast(v, from, f32);
    // A number that is too large becomes the largest one, not NaN.
    if (isa<Float8E4M3FNType>(to))
      for (auto [order, limit] :
           {std::pair{F::OGT, 448.0f}, {F::OLT, -448.0f}}) {
        Value most =
            arith::ConstantOp::create(b, loc, b.getF32FloatAttr(limit));
        Value is = arith::CmpFOp::create(b, loc, order, v, most);
        v = arith::SelectOp::create(b, loc, is, most, v);
      }
    return arith::TruncFOp::create(b, loc, to, v);
  }
  Type target = signless(to);
  auto toFloat = dyn_cast<FloatType>(to);
  if (auto fromFloat = dyn_cast<FloatType>(from)) {
    if (toFloat) {
      unsigned a = fromFloat.getWidth(), c = toFloat.getWidth();
      if (a < c)
        return arith::ExtFOp::create(b, loc, target, v);
      if (a > c)
        return arith::TruncFOp::create(b, loc, target, v);
      // f16 and bf16: neither type represents all values of the other.
      v = arith::ExtFOp::create(b, loc, b.getF32Type(), v);
      return arith::TruncFOp::create(b, loc, target, v);
    }
    if (to.isInteger(1))
      return arith::CmpFOp::create(
          b, loc, F::UNE, v,
          arith::ConstantOp::create(b, loc, b.getFloatAttr(fromFloat, 0)));
    // Convert to a wide integer and truncate: a value that does not fit wraps,
    // as in PyTorch. For such a value, a direct conversion to the narrow type
    // is undefined.
    unsigned width = target.getIntOrFloatBitWidth();
    Type wide = b.getIntegerType(width < 32 ? 32 : 64);
    if (width == 32 && !to.isUnsignedInteger())
      wide = b.getI32Type();
    v = arith::FPToSIOp::create(b, loc, wide, v);
    return wide == target
               ? v
               : arith::TruncIOp::create(b, loc, target, v).getResult();
  }
  bool isUnsignedFrom = from.isInteger(1) || from.isUnsignedInteger();
  if (toFloat)
    return isUnsignedFrom
               ? arith::UIToFPOp::create(b, loc, target, v).getResult()
               : arith::SIToFPOp::create(b, loc, target, v).getResult();
  unsigned a = v.getType().getIntOrFloatBitWidth(),
           c = target.getIntOrFloatBitWidth();
  if (c == 1)
    return arith::CmpIOp::create(
        b, loc, I::ne, v,
        arith::ConstantOp::create(b, loc, IntegerAttr::get(v.getType(), 0)));
  if (a < c)
    return isUnsignedFrom
               ? arith::ExtUIOp::create(b, loc, target, v).getResult()
               : arith::ExtSIOp::create(b, loc, target, v).getResult();
  if (a > c)
    return arith::TruncIOp::create(b, loc, target, v);
  return v;
}

Value Scalars::fromIndex(Value v) {
  Type i64 = b.getI64Type();
  v = arith::IndexCastOp::create(b, loc, i64, v);
  return cast(v, i64, dtype);
}

Value Scalars::toIndex(Value v) {
  v = cast(v, dtype, b.getI64Type());
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), v);
}

} // namespace fx::lin

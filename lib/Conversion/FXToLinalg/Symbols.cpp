//===- Symbols.cpp - symbolic sizes as index values -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace fx::lin {

void Symbols::bind(StringRef name, Value value, bool atEntry) {
  values[name] = {value, atEntry && entry};
}

namespace {
/// The types of a call's operands and of its result: 'i' integer, 'f' real, 'b'
/// truth value; 'w' stands for the operands of `where`: 'b', 'i' and 'i'.
struct CallKind {
  char operands = 0, result = 0;
};
} // namespace

/// Returns the types of calls of function `name`; zeros if it is not supported.
static CallKind callKind(StringRef name) {
  return llvm::StringSwitch<CallKind>(name)
      .Cases({"floordiv", "ceildiv", "mod", "max", "min"}, {'i', 'i'})
      .Cases({"div", "pow", "abs", "lshift", "rshift"}, {'i', 'i'})
      .Cases({"eq", "ne", "lt", "le", "gt", "ge"}, {'i', 'b'})
      .Cases({"and", "or", "not"}, {'b', 'b'})
      .Case("where", {'w', 'i'})
      .Cases({"to_float", "float_truediv", "int_truediv"}, {'f', 'f'})
      .Cases({"float_pow", "sqrt"}, {'f', 'f'})
      .Cases({"to_int", "trunc", "floor", "ceil", "round"}, {'f', 'i'})
      .Default({});
}

bool Symbols::canEvaluate(ExprAttr expr) const {
  switch (expr.getKind()) {
  case ExprKind::Integer:
  case ExprKind::Real:
    return true;
  case ExprKind::Symbol:
    return values.count(expr.getName().getValue());
  case ExprKind::Add:
  case ExprKind::Mul:
    break;
  case ExprKind::Call: {
    CallKind kind = callKind(expr.getName().getValue());
    if (!kind.result)
      return false;
    // A power is lowered to a chain of multiplications: its exponent must be a
    // small constant.
    if (expr.getName() == "pow") {
      std::optional<int64_t> n = expr.getOperands()[1].getInteger();
      if (!n || *n < 1 || *n > 16)
        return false;
    }
    // Python refuses a negative count, and its integers have room for a large
    // one, so the count must be a small constant.
    if (expr.getName() == "lshift" || expr.getName() == "rshift") {
      std::optional<int64_t> n = expr.getOperands()[1].getInteger();
      if (!n || *n < 0 || *n > 62)
        return false;
    }
    break;
  }
  }
  return llvm::all_of(expr.getOperands(),
                      [&](ExprAttr e) { return canEvaluate(e); });
}

Value Symbols::integer(OpBuilder &b, Location loc, ExprAttr expr) {
  return evaluate(b, loc, expr, 'i');
}
Value Symbols::boolean(OpBuilder &b, Location loc, ExprAttr expr) {
  return evaluate(b, loc, expr, 'b');
}
Value Symbols::real(OpBuilder &b, Location loc, ExprAttr expr) {
  return evaluate(b, loc, expr, 'f');
}

OpFoldResult Symbols::fold(OpBuilder &b, Location loc, ExprAttr expr) {
  if (std::optional<int64_t> n = expr.getInteger())
    return b.getIndexAttr(*n);
  return integer(b, loc, expr);
}

void Symbols::forget(function_ref<bool(Operation *)> gone) {
  SmallVector<std::pair<Attribute, unsigned>> dead;
  for (auto &[key, value] : cache)
    if (Operation *op = value.getDefiningOp(); op && gone(op))
      dead.push_back(key);
  for (auto &key : dead)
    cache.erase(key);
  SmallVector<std::string> unbound;
  for (auto &entry : values)
    if (Operation *op = entry.getValue().value.getDefiningOp(); op && gone(op))
      unbound.push_back(entry.getKey().str());
  for (const std::string &name : unbound)
    values.erase(name);
}

Value Symbols::evaluate(OpBuilder &b, Location loc, ExprAttr expr, char type) {
  auto key = std::make_pair(Attribute(expr), unsigned(type));
  // A value that is built in a loop or a branch is not visible outside of it.
  if (Value known = cache.lookup(key))
    if (known.getParentRegion()->isAncestor(b.getInsertionBlock()->getParent()))
      return known;
  bool atEntry = entry != nullptr;
  expr.walkSymbols(
      [&](StringRef name) { atEntry &= values.lookup(name).atEntry; });
  Value result;
  if (atEntry) {
    OpBuilder::InsertionGuard guard(b);
    if (*lastAtEntry)
      b.setInsertionPointAfter(*lastAtEntry);
    else
      b.setInsertionPointToStart(entry);
    result = build(b, loc, expr, type);
    if (b.getInsertionPoint() != b.getBlock()->begin())
      *lastAtEntry = &*std::prev(b.getInsertionPoint());
  } else {
    result = build(b, loc, expr, type);
  }
  // Do not cache constants: they are cheap, later passes fold them, and a
  // cached constant may be far from its users.
  if (!expr.isInteger())
    cache[key] = result;
  return result;
}

static Value castIndex(OpBuilder &b, Location loc, Type type, Value v) {
  return arith::IndexCastOp::create(b, loc, type, v);
}

/// Converts a value of type `have` to type `type` (letters as in `CallKind`).
static Value convertNumber(OpBuilder &b, Location loc, Value v, char have,
                           char type) {
  Type index = b.getIndexType(), i64 = b.getI64Type(), f64 = b.getF64Type();
  if (have == type)
    return v;
  if (have == 'i' && type == 'f')
    return arith::SIToFPOp::create(b, loc, f64, castIndex(b, loc, i64, v));
  if (have == 'i' && type == 'b')
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, v,
                                 arith::ConstantIndexOp::create(b, loc, 0));
  if (have == 'b' && type == 'i')
    return arith::IndexCastUIOp::create(b, loc, index, v);
  if (have == 'b' && type == 'f')
    return arith::UIToFPOp::create(b, loc, f64, v);
  if (have == 'f' && type == 'i')
    return castIndex(b, loc, index, arith::FPToSIOp::create(b, loc, i64, v));
  return arith::CmpFOp::create(
      b, loc, arith::CmpFPredicate::UNE, v,
      arith::ConstantOp::create(b, loc, b.getF64FloatAttr(0)));
}

static Value buildInteger(OpBuilder &b, Location loc, int64_t value,
                          char type) {
  if (type == 'f')
    return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
  if (type == 'b')
    return arith::ConstantOp::create(b, loc, b.getBoolAttr(value != 0));
  return arith::ConstantIndexOp::create(b, loc, value);
}

/// Combines all values with a chain of binary operations.
template <typename OpTy>
static Value buildChain(OpBuilder &b, Location loc, ArrayRef<Value> values) {
  Value result = values.front();
  for (Value value : values.drop_front())
    result = OpTy::create(b, loc, result, value);
  return result;
}

/// Returns the predicate of the relation `name`; std::nullopt if `name` is
/// another function.
static std::optional<arith::CmpIPredicate> getRelation(StringRef name) {
  using P = arith::CmpIPredicate;
  return llvm::StringSwitch<std::optional<P>>(name)
      .Case("eq", P::eq)
      .Case("ne", P::ne)
      .Case("lt", P::slt)
      .Case("le", P::sle)
      .Case("gt", P::sgt)
      .Case("ge", P::sge)
      .Default(std::nullopt);
}

/// Returns the product of `exponent` factors `base`.
static Value buildPower(OpBuilder &b, Location loc, Value base,
                        int64_t exponent) {
  Value result = base;
  for (int64_t i = 1; i < exponent; ++i)
    result = arith::MulIOp::create(b, loc, result, base);
  return result;
}

/// Builds the call `expr` of a function of integers or truth values; `v` has
/// the values of its operands. Returns null if it is a function of reals.
static Value callOnIntegers(OpBuilder &b, Location loc, ExprAttr expr,
                            ArrayRef<Value> v) {
  StringRef name = expr.getName();
  if (std::optional<arith::CmpIPredicate> relation = getRelation(name))
    return arith::CmpIOp::create(b, loc, *relation, v[0], v[1]);
  if (name == "floordiv" || name == "div")
    return arith::FloorDivSIOp::create(b, loc, v[0], v[1]);
  if (name == "ceildiv")
    return arith::CeilDivSIOp::create(b, loc, v[0], v[1]);
  if (name == "mod") { // Python's: the result has the sign of the divisor
    Value quotient = arith::FloorDivSIOp::create(b, loc, v[0], v[1]);
    return arith::SubIOp::create(b, loc, v[0],
                                 arith::MulIOp::create(b, loc, quotient, v[1]));
  }
  if (name == "max")
    return buildChain<arith::MaxSIOp>(b, loc, v);
  if (name == "min")
    return buildChain<arith::MinSIOp>(b, loc, v);
  if (name == "and")
    return buildChain<arith::AndIOp>(b, loc, v);
  if (name == "or")
    return buildChain<arith::OrIOp>(b, loc, v);
  if (name == "not")
    return arith::XOrIOp::create(
        b, loc, v[0], arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
  if (name == "pow")
    return buildPower(b, loc, v[0], *expr.getOperands()[1].getInteger());
  if (name == "abs") {
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    return arith::MaxSIOp::create(b, loc, v[0],
                                  arith::SubIOp::create(b, loc, zero, v[0]));
  }
  if (name == "lshift")
    return arith::ShLIOp::create(b, loc, v[0], v[1]);
  if (name == "rshift")
    return arith::ShRSIOp::create(b, loc, v[0], v[1]);
  if (name == "where")
    return arith::SelectOp::create(b, loc, v[0], v[1], v[2]);
  return {};
}

/// Builds a call of the function `name` of reals with operands `v`. The result
/// is an f64, or an index if the function rounds.
static Value callOnReals(OpBuilder &b, Location loc, StringRef name,
                         ArrayRef<Value> v) {
  if (name == "to_float")
    return v[0];
  if (name == "float_truediv" || name == "int_truediv")
    return arith::DivFOp::create(b, loc, v[0], v[1]);
  if (name == "float_pow")
    return math::PowFOp::create(b, loc, v[0], v[1]);
  if (name == "sqrt")
    return math::SqrtOp::create(b, loc, v[0]);
  // to_int, trunc, floor, ceil, round
  Value x = v[0];
  if (name == "floor")
    x = math::FloorOp::create(b, loc, x);
  else if (name == "ceil")
    x = math::CeilOp::create(b, loc, x);
  else if (name == "round")
    x = math::RoundEvenOp::create(b, loc, x);
  return castIndex(b, loc, b.getIndexType(),
                   arith::FPToSIOp::create(b, loc, b.getI64Type(), x));
}

Value Symbols::buildSum(OpBuilder &b, Location loc, ExprAttr expr, char type) {
  bool add = expr.getKind() == ExprKind::Add;
  char t = type == 'f' ? 'f' : 'i';
  Value result;
  for (ExprAttr operand : expr.getOperands()) {
    Value v = evaluate(b, loc, operand, t);
    if (!result)
      result = v;
    else if (t == 'f')
      result = add ? arith::AddFOp::create(b, loc, result, v).getResult()
                   : arith::MulFOp::create(b, loc, result, v).getResult();
    else
      result = add ? arith::AddIOp::create(b, loc, result, v).getResult()
                   : arith::MulIOp::create(b, loc, result, v).getResult();
  }
  return convertNumber(b, loc, result, t, type);
}

Value Symbols::buildCall(OpBuilder &b, Location loc, ExprAttr expr, char type) {
  StringRef name = expr.getName();
  CallKind kind = callKind(name);
  SmallVector<Value> v;
  for (auto [i, operand] : llvm::enumerate(expr.getOperands()))
    v.push_back(
        evaluate(b, loc, operand,
                 kind.operands == 'w' ? (i == 0 ? 'b' : 'i') : kind.operands));
  Value result = callOnIntegers(b, loc, expr, v);
  if (!result)
    result = callOnReals(b, loc, name, v);
  return convertNumber(b, loc, result, kind.result, type);
}

Value Symbols::build(OpBuilder &b, Location loc, ExprAttr expr, char type) {
  switch (expr.getKind()) {
  case ExprKind::Integer:
    return buildInteger(b, loc, expr.getValue(), type);
  case ExprKind::Real:
    return convertNumber(
        b, loc,
        arith::ConstantOp::create(b, loc, b.getF64FloatAttr(expr.getReal())),
        'f', type);
  case ExprKind::Symbol: {
    Value v = values.lookup(expr.getName().getValue()).value;
    char have = isa<FloatType>(v.getType())        ? 'f'
                : v.getType().isSignlessInteger(1) ? 'b'
                                                   : 'i';
    return convertNumber(b, loc, v, have, type);
  }
  case ExprKind::Add:
  case ExprKind::Mul:
    return buildSum(b, loc, expr, type);
  case ExprKind::Call:
    break;
  }
  return buildCall(b, loc, expr, type);
}

} // namespace fx::lin

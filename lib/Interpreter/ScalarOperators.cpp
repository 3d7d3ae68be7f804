//===- ScalarOperators.cpp - Python's operators on scalars ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exported graphs compute sizes with `operator.mul`, `math.ceil`,
// `torch.sym_max` and the like: Python functions on int, float and bool that
// the dispatcher does not know. Semantics are Python's (floor division and
// modulo follow the divisor's sign); an int that exceeds 64 bits is an error.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include <ATen/ops/scalar_tensor.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <unordered_map>

using c10::IValue;

namespace fx::interp {

[[noreturn]] static void overflow() {
  throw std::runtime_error("integer result exceeds 64 bits");
}
[[noreturn]] static void divisionByZero() {
  throw std::runtime_error("division by zero");
}

/// Returns argument `i` as an int or a float. A bool becomes an int; a tensor
/// of one element becomes its item.
static IValue number(const Values &args, size_t i) {
  if (i >= args.size())
    throw std::runtime_error("expected at least " + std::to_string(i + 1) +
                             " arguments, got " + std::to_string(args.size()));
  const IValue &v = args[i];
  if (v.isBool())
    return static_cast<int64_t>(v.toBool());
  if (v.isInt() || v.isDouble())
    return v;
  if (v.isTensor() && v.toTensor().defined() && v.toTensor().numel() == 1) {
    c10::Scalar s = v.toTensor().item();
    if (s.isBoolean())
      return static_cast<int64_t>(s.toBool());
    return IValue(s);
  }
  throw std::runtime_error("expected a number, got " + v.tagKind());
}
static double real(const Values &args, size_t i) {
  IValue v = number(args, i);
  return v.isInt() ? static_cast<double>(v.toInt()) : v.toDouble();
}
static int64_t integer(const Values &args, size_t i) {
  IValue v = number(args, i);
  if (!v.isInt())
    throw std::runtime_error("expected an int, got float");
  return v.toInt();
}
static bool truth(const Values &args, size_t i) {
  IValue v = number(args, i);
  return v.isInt() ? v.toInt() != 0 : v.toDouble() != 0;
}
static bool bothInt(const Values &args) {
  return number(args, 0).isInt() && number(args, 1).isInt();
}
static bool bothBool(const Values &args) {
  return args.size() > 1 && args[0].isBool() && args[1].isBool();
}

/// Truncates a double to an int. Throws if it is NaN or exceeds 64 bits.
static IValue toInt(double v) {
  if (std::isnan(v))
    throw std::runtime_error("cannot convert float nan to int");
  if (!(v >= -9223372036854775808.0 && v < 9223372036854775808.0))
    overflow();
  return static_cast<int64_t>(v);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static IValue add(const Values &a) {
  if (!bothInt(a))
    return real(a, 0) + real(a, 1);
  int64_t r;
  if (__builtin_add_overflow(integer(a, 0), integer(a, 1), &r))
    overflow();
  return r;
}
static IValue sub(const Values &a) {
  if (!bothInt(a))
    return real(a, 0) - real(a, 1);
  int64_t r;
  if (__builtin_sub_overflow(integer(a, 0), integer(a, 1), &r))
    overflow();
  return r;
}
static IValue mul(const Values &a) {
  if (!bothInt(a))
    return real(a, 0) * real(a, 1);
  int64_t r;
  if (__builtin_mul_overflow(integer(a, 0), integer(a, 1), &r))
    overflow();
  return r;
}
static IValue trueDiv(const Values &a) {
  if (real(a, 1) == 0)
    divisionByZero();
  return real(a, 0) / real(a, 1);
}
/// Returns x % y of floats. The result, also 0, has the sign of `y`.
static double remainder(double x, double y) {
  if (y == 0)
    divisionByZero();
  double r = std::fmod(x, y);
  if (r == 0)
    return std::copysign(0.0, y);
  return (r < 0) != (y < 0) ? r + y : r;
}
/// Returns x // y of floats as CPython computes it (_float_div_mod in
/// floatobject.c). floor(x / y) is too large by 1 if x / y is rounded up.
static double floorQuotient(double x, double y) {
  double quotient = (x - remainder(x, y)) / y;
  if (quotient == 0)
    return std::copysign(0.0, x / y);
  double floor = std::floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}
static IValue floorDiv(const Values &a) {
  if (!bothInt(a))
    return floorQuotient(real(a, 0), real(a, 1));
  int64_t x = integer(a, 0), y = integer(a, 1);
  if (y == 0)
    divisionByZero();
  if (y == -1)
    return sub({IValue(int64_t(0)), IValue(x)});
  int64_t q = x / y;
  return (x % y != 0 && (x < 0) != (y < 0)) ? q - 1 : q;
}
static IValue mod(const Values &a) {
  if (!bothInt(a))
    return remainder(real(a, 0), real(a, 1));
  int64_t x = integer(a, 0), y = integer(a, 1);
  if (y == 0)
    divisionByZero();
  if (y == -1)
    return int64_t(0);
  int64_t r = x % y;
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
static IValue neg(const Values &a) {
  if (!number(a, 0).isInt())
    return -real(a, 0);
  return sub({IValue(int64_t(0)), number(a, 0)});
}
static IValue pos(const Values &a) { return number(a, 0); }
static IValue absolute(const Values &a) {
  if (!number(a, 0).isInt())
    return std::fabs(real(a, 0));
  return integer(a, 0) < 0 ? neg(a) : number(a, 0);
}
static IValue power(const Values &a) {
  if (!bothInt(a) || integer(a, 1) < 0) {
    if (real(a, 0) == 0 && real(a, 1) < 0)
      divisionByZero();
    return std::pow(real(a, 0), real(a, 1));
  }
  IValue result = int64_t(1), base = number(a, 0);
  for (int64_t e = integer(a, 1); e > 0; e >>= 1) {
    if (e & 1)
      result = mul({result, base});
    if (e > 1)
      base = mul({base, base});
  }
  return result;
}
static IValue floatPow(const Values &a) {
  return std::pow(real(a, 0), real(a, 1));
}

//===----------------------------------------------------------------------===//
// Relations and bits
//===----------------------------------------------------------------------===//

template <typename Fn>
static IValue compare(const Values &a, Fn fn) {
  if (bothInt(a))
    return fn(integer(a, 0), integer(a, 1));
  return fn(real(a, 0), real(a, 1));
}
static IValue eq(const Values &a) {
  return compare(a, [](auto x, auto y) { return x == y; });
}
static IValue ne(const Values &a) {
  return compare(a, [](auto x, auto y) { return x != y; });
}
static IValue lt(const Values &a) {
  return compare(a, [](auto x, auto y) { return x < y; });
}
static IValue le(const Values &a) {
  return compare(a, [](auto x, auto y) { return x <= y; });
}
static IValue gt(const Values &a) {
  return compare(a, [](auto x, auto y) { return x > y; });
}
static IValue ge(const Values &a) {
  return compare(a, [](auto x, auto y) { return x >= y; });
}
static IValue bitAnd(const Values &a) {
  if (bothBool(a))
    return truth(a, 0) && truth(a, 1);
  return integer(a, 0) & integer(a, 1);
}
static IValue bitOr(const Values &a) {
  if (bothBool(a))
    return truth(a, 0) || truth(a, 1);
  return integer(a, 0) | integer(a, 1);
}
static IValue bitXor(const Values &a) {
  if (bothBool(a))
    return truth(a, 0) != truth(a, 1);
  return integer(a, 0) ^ integer(a, 1);
}
static IValue invert(const Values &a) { return ~integer(a, 0); }
static IValue logicalNot(const Values &a) { return !truth(a, 0); }
static IValue shiftLeft(const Values &a) {
  int64_t by = integer(a, 1);
  if (by < 0)
    throw std::runtime_error("negative shift count");
  if (integer(a, 0) == 0)
    return int64_t(0);
  if (by > 62)
    overflow();
  return mul({a[0], IValue(int64_t(1) << by)});
}
static IValue shiftRight(const Values &a) {
  int64_t by = integer(a, 1);
  if (by < 0)
    throw std::runtime_error("negative shift count");
  return integer(a, 0) >> std::min<int64_t>(by, 63);
}

//===----------------------------------------------------------------------===//
// Choice and conversion
//===----------------------------------------------------------------------===//

/// torch.sym_max and sym_min return a float if either argument is a float.
static IValue choose(const Values &a, bool first) {
  if (bothInt(a))
    return number(a, first ? 0 : 1);
  return real(a, first ? 0 : 1);
}
static IValue maximum(const Values &a) { return choose(a, ge(a).toBool()); }
static IValue minimum(const Values &a) { return choose(a, le(a).toBool()); }
static IValue ifThenElse(const Values &a) {
  if (a.size() != 3)
    throw std::runtime_error("expected 3 arguments, got " +
                             std::to_string(a.size()));
  return truth(a, 0) ? a[1] : a[2];
}
static IValue toFloatOp(const Values &a) { return real(a, 0); }
static IValue toBoolOp(const Values &a) { return truth(a, 0); }
static IValue trunc(const Values &a) {
  return number(a, 0).isInt() ? number(a, 0) : toInt(std::trunc(real(a, 0)));
}
static IValue floor(const Values &a) {
  return number(a, 0).isInt() ? number(a, 0) : toInt(std::floor(real(a, 0)));
}
static IValue ceil(const Values &a) {
  return number(a, 0).isInt() ? number(a, 0) : toInt(std::ceil(real(a, 0)));
}
/// Rounds x to a multiple of 10^-digits, half to even.
static IValue roundTo(const IValue &x, int64_t digits) {
  if (x.isInt()) {
    if (digits >= 0)
      return x;
    if (digits < -18)
      return int64_t(0);
    int64_t unit = 1;
    for (; digits < 0; ++digits)
      unit *= 10;
    int64_t rest = x.toInt() % unit, down = x.toInt() - rest;
    int64_t twice = std::abs(rest) * 2;
    bool isAway = twice > unit || (twice == unit && down / unit % 2 != 0);
    if (!isAway)
      return down;
    return add({IValue(down), IValue(rest < 0 ? -unit : unit)});
  }
  double v = x.toDouble();
  if (!std::isfinite(v) || digits > 323)
    return v;
  if (digits < 0) {
    double unit = std::pow(10.0, double(-digits));
    return std::isinf(unit) ? std::copysign(0.0, v)
                            : std::nearbyint(v / unit) * unit;
  }
  // The conversion to text is exact; v * 10^digits would be rounded.
  char text[700];
  std::snprintf(text, sizeof(text), "%.*f", int(digits), v);
  return std::strtod(text, nullptr);
}
/// round(x) returns an int and rounds half to even; round(x, n) returns a
/// number of the type of x.
static IValue roundOp(const Values &a) {
  if (a.size() > 1 && !a[1].isNone())
    return roundTo(number(a, 0), integer(a, 1));
  return number(a, 0).isInt() ? number(a, 0)
                              : toInt(std::nearbyint(real(a, 0)));
}
/// torch.sym_sum takes one list.
static IValue sum(const Values &a) {
  IValue result = int64_t(0);
  if (a.empty() || !a[0].isList())
    throw std::runtime_error("expected a list");
  for (const IValue &v : a[0].toListRef())
    result = add({result, v});
  return result;
}
static IValue getItem(const Values &a) {
  if (a.size() != 2 || (!a[0].isList() && !a[0].isTuple()))
    throw std::runtime_error("expected a list and an index");
  bool isTuple = a[0].isTuple();
  int64_t size =
      isTuple ? a[0].toTupleRef().elements().size() : a[0].toListRef().size();
  int64_t index = integer(a, 1);
  int64_t at = index < 0 ? index + size : index;
  if (at < 0 || at >= size)
    throw std::runtime_error("index " + std::to_string(index) +
                             " is out of range for " + std::to_string(size) +
                             " items");
  return isTuple ? a[0].toTupleRef().elements()[at] : a[0].toListRef()[at];
}

template <double (*fn)(double)>
static IValue unary(const Values &a) {
  if (a.size() != 1)
    throw std::runtime_error("expected 1 argument, got " +
                             std::to_string(a.size()));
  return fn(real(a, 0));
}

ScalarFunction findScalarFunction(const std::string &target) {
  static const std::unordered_map<std::string, ScalarFunction> table = {
      {"_operator.add", add},
      {"_operator.iadd", add},
      {"_operator.sub", sub},
      {"_operator.mul", mul},
      {"_operator.truediv", trueDiv},
      {"_operator.floordiv", floorDiv},
      {"_operator.mod", mod},
      {"_operator.pow", power},
      {"_operator.neg", neg},
      {"_operator.pos", pos},
      {"_operator.abs", absolute},
      {"_operator.eq", eq},
      {"_operator.ne", ne},
      {"_operator.lt", lt},
      {"_operator.le", le},
      {"_operator.gt", gt},
      {"_operator.ge", ge},
      {"_operator.and_", bitAnd},
      {"_operator.or_", bitOr},
      {"_operator.xor", bitXor},
      {"_operator.not_", logicalNot},
      {"_operator.invert", invert},
      {"_operator.inv", invert},
      {"_operator.lshift", shiftLeft},
      {"_operator.rshift", shiftRight},
      {"_operator.truth", toBoolOp},
      {"_operator.getitem", getItem},
      {"math.trunc", trunc},
      {"math.floor", floor},
      {"math.ceil", ceil},
      {"math.pow", floatPow},
      {"math.sqrt", unary<std::sqrt>},
      {"builtins.round", roundOp},
      {"builtins.max", maximum},
      {"builtins.min", minimum},
      {"builtins.abs", absolute},
      {"builtins.int", trunc},
      {"builtins.float", toFloatOp},
      {"builtins.bool", toBoolOp},
      {"round", roundOp},
      {"torch.sym_not", logicalNot},
      {"torch.sym_float", toFloatOp},
      {"torch.sym_int", trunc},
      {"torch.sym_max", maximum},
      {"torch.sym_min", minimum},
      {"torch.sym_ite", ifThenElse},
      {"torch.sym_sum", sum},
      {"torch._sym_sqrt", unary<std::sqrt>},
      {"torch.sym_sqrt", unary<std::sqrt>},
      {"torch._sym_log2", unary<std::log2>},
      {"torch._sym_cos", unary<std::cos>},
      {"torch._sym_cosh", unary<std::cosh>},
      {"torch._sym_sin", unary<std::sin>},
      {"torch._sym_sinh", unary<std::sinh>},
      {"torch._sym_tan", unary<std::tan>},
      {"torch._sym_tanh", unary<std::tanh>},
      {"torch._sym_asin", unary<std::asin>},
      {"torch._sym_acos", unary<std::acos>},
      {"torch._sym_atan", unary<std::atan>},
      {"math.cos", unary<std::cos>},
      {"math.cosh", unary<std::cosh>},
      {"math.sin", unary<std::sin>},
      {"math.sinh", unary<std::sinh>},
      {"math.tan", unary<std::tan>},
      {"math.tanh", unary<std::tanh>},
      {"math.asin", unary<std::asin>},
      {"math.acos", unary<std::acos>},
      {"math.atan", unary<std::atan>},
      {"math.log2", unary<std::log2>},
      {"math.log", unary<std::log>},
      {"math.exp", unary<std::exp>}};
  auto it = table.find(target);
  if (it != table.end())
    return it->second;
  // The importer may name PyTorch's functions by the module that defines them.
  static const char prefix[] = "torch.fx.experimental.sym_node.";
  if (target.rfind(prefix, 0) == 0)
    return findScalarFunction("torch." + target.substr(sizeof(prefix) - 1));
  return findVmapFunction(target);
}

} // namespace fx::interp

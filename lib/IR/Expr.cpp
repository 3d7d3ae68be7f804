//===- Expr.cpp - symbolic expressions in canonical form ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Text.h"
#include "fx/IR/ExprFunctions.h"
#include "fx/IR/FXDialect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

static ExprAttr getExpr(MLIRContext *ctx, ExprKind kind, int64_t value,
                        StringRef name, ArrayRef<ExprAttr> operands) {
  return ExprAttr::get(ctx, kind, value, StringAttr::get(ctx, name), operands);
}

ExprAttr ExprAttr::integer(MLIRContext *ctx, int64_t value) {
  return getExpr(ctx, ExprKind::Integer, value, "", {});
}

ExprAttr ExprAttr::real(MLIRContext *ctx, double value) {
  return getExpr(ctx, ExprKind::Real, llvm::bit_cast<int64_t>(value), "", {});
}

ExprAttr ExprAttr::symbol(MLIRContext *ctx, StringRef name) {
  return getExpr(ctx, ExprKind::Symbol, 0, name, {});
}

std::optional<int64_t> ExprAttr::getInteger() const {
  if (!isInteger())
    return std::nullopt;
  return getValue();
}

double ExprAttr::getReal() const { return llvm::bit_cast<double>(getValue()); }

int ExprAttr::compare(ExprAttr other) const {
  if (*this == other)
    return 0;
  auto three = [](auto a, auto b) { return a < b ? -1 : (b < a ? 1 : 0); };
  if (int c = three((int)getKind(), (int)other.getKind()))
    return -c; // calls and products first, constants last
  if (int c = getName().getValue().compare(other.getName().getValue()))
    return c;
  if (int c = three(getValue(), other.getValue()))
    return c;
  for (auto [a, b] : llvm::zip(getOperands(), other.getOperands()))
    if (int c = a.compare(b))
      return c;
  return three(getOperands().size(), other.getOperands().size());
}

/// Splits `e` into an integer coefficient and the rest (null for a constant).
static std::pair<int64_t, ExprAttr> splitCoefficient(ExprAttr e) {
  if (e.isInteger())
    return {e.getValue(), ExprAttr()};
  if (e.getKind() != ExprKind::Mul || !e.getOperands().back().isInteger())
    return {1, e};
  ArrayRef<ExprAttr> factors = e.getOperands().drop_back();
  int64_t coefficient = e.getOperands().back().getValue();
  if (factors.size() == 1)
    return {coefficient, factors.front()};
  return {coefficient, getExpr(e.getContext(), ExprKind::Mul, 0, "", factors)};
}

static bool byStructure(ExprAttr a, ExprAttr b) { return a.compare(b) < 0; }

ExprAttr ExprAttr::add(MLIRContext *ctx, ArrayRef<ExprAttr> terms) {
  int64_t constant = 0;
  SmallVector<std::pair<ExprAttr, int64_t>> collected;
  SmallVector<ExprAttr> work(terms.rbegin(), terms.rend());
  while (!work.empty()) {
    ExprAttr e = work.pop_back_val();
    if (!e)
      return {};
    if (e.getKind() == ExprKind::Add) {
      work.append(e.getOperands().begin(), e.getOperands().end());
      continue;
    }
    auto [coefficient, rest] = splitCoefficient(e);
    if (!rest) {
      if (llvm::AddOverflow(constant, coefficient, constant))
        return {};
      continue;
    }
    auto *it = llvm::find_if(collected,
                             [&](auto &entry) { return entry.first == rest; });
    if (it == collected.end()) {
      collected.emplace_back(rest, coefficient);
    } else if (llvm::AddOverflow(it->second, coefficient, it->second)) {
      return {};
    }
  }
  SmallVector<ExprAttr> result;
  for (auto [rest, coefficient] : collected) {
    if (coefficient == 0)
      continue;
    ExprAttr term = mul(ctx, {rest, integer(ctx, coefficient)});
    if (!term)
      return {};
    result.push_back(term);
  }
  llvm::sort(result, byStructure);
  if (constant != 0 || result.empty())
    result.push_back(integer(ctx, constant));
  if (result.size() == 1)
    return result.front();
  return getExpr(ctx, ExprKind::Add, 0, "", result);
}

ExprAttr ExprAttr::mul(MLIRContext *ctx, ArrayRef<ExprAttr> factors) {
  int64_t constant = 1;
  SmallVector<ExprAttr> result;
  SmallVector<ExprAttr> work(factors.rbegin(), factors.rend());
  while (!work.empty()) {
    ExprAttr e = work.pop_back_val();
    if (!e)
      return {};
    if (e.getKind() == ExprKind::Mul) {
      work.append(e.getOperands().begin(), e.getOperands().end());
    } else if (e.isInteger()) {
      if (llvm::MulOverflow(constant, e.getValue(), constant))
        return {};
    } else {
      result.push_back(e);
    }
  }
  if (constant == 0 || result.empty())
    return integer(ctx, constant);
  llvm::sort(result, byStructure);
  if (constant == 1)
    return result.size() == 1 ? result.front()
                              : getExpr(ctx, ExprKind::Mul, 0, "", result);
  if (result.size() == 1 && result.front().getKind() == ExprKind::Add) {
    SmallVector<ExprAttr> terms;
    for (ExprAttr term : result.front().getOperands())
      terms.push_back(mul(ctx, {term, integer(ctx, constant)}));
    return add(ctx, terms);
  }
  result.push_back(integer(ctx, constant));
  return getExpr(ctx, ExprKind::Mul, 0, "", result);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static std::optional<int64_t> floorDiv(int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1))
    return std::nullopt;
  int64_t q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}

static std::optional<int64_t> power(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return std::nullopt;
  int64_t result = 1;
  for (; exponent > 0; --exponent) {
    if (llvm::MulOverflow(result, base, result))
      return std::nullopt;
    if (result == 0 || result == 1)
      return result; // base 0 or 1: no need to count down
    if (base == -1)
      return (exponent % 2) ? -1 : 1;
  }
  return result;
}

/// Evaluates `name(args)` over integers, with truth values as 0 and 1. Returns
/// nullopt for unknown functions, undefined results and overflow.
static std::optional<int64_t> foldCall(StringRef name, ArrayRef<int64_t> args) {
  auto reduce = [&](auto fn) {
    int64_t r = args.front();
    for (int64_t a : args.drop_front())
      r = fn(r, a);
    return r;
  };
  if (args.empty())
    return std::nullopt;
  if (name == "max")
    return reduce([](int64_t a, int64_t b) { return std::max(a, b); });
  if (name == "min")
    return reduce([](int64_t a, int64_t b) { return std::min(a, b); });
  if (name == "and")
    return reduce([](int64_t a, int64_t b) -> int64_t { return a && b; });
  if (name == "or")
    return reduce([](int64_t a, int64_t b) -> int64_t { return a || b; });
  if (args.size() == 1) {
    if (name == "not")
      return !args[0];
    if (name == "abs" && args[0] != INT64_MIN)
      return std::abs(args[0]);
    if (name == "to_int" || name == "trunc" || name == "floor" ||
        name == "ceil" || name == "round" || name == "identity")
      return args[0];
    return std::nullopt;
  }
  if (args.size() == 3 && name == "where")
    return args[0] ? args[1] : args[2];
  if (args.size() != 2)
    return std::nullopt;
  int64_t a = args[0], b = args[1];
  if (name == "floordiv")
    return floorDiv(a, b);
  if (name == "ceildiv") {
    if (a == INT64_MIN)
      return std::nullopt;
    std::optional<int64_t> q = floorDiv(-a, b);
    return q ? std::optional<int64_t>(-*q) : std::nullopt;
  }
  if (name == "mod") {
    std::optional<int64_t> q = floorDiv(a, b);
    return q ? std::optional<int64_t>(a - *q * b) : std::nullopt;
  }
  if (name == "div") // exact division only
    return (b != 0 && !(a == INT64_MIN && b == -1) && a % b == 0)
               ? std::optional<int64_t>(a / b)
               : std::nullopt;
  if (name == "pow")
    return power(a, b);
  if (name == "lshift") {
    int64_t r;
    if (b < 0 || b > 62 || llvm::MulOverflow(a, int64_t(1) << b, r))
      return std::nullopt;
    return r;
  }
  if (name == "rshift")
    return b >= 0 && b < 64 ? std::optional<int64_t>(a >> b) : std::nullopt;
  if (name == "eq")
    return a == b;
  if (name == "ne")
    return a != b;
  if (name == "lt")
    return a < b;
  if (name == "le")
    return a <= b;
  if (name == "gt")
    return a > b;
  if (name == "ge")
    return a >= b;
  return std::nullopt;
}

ExprAttr ExprAttr::call(MLIRContext *ctx, StringRef name,
                        ArrayRef<ExprAttr> args) {
  SmallVector<int64_t> constants;
  for (ExprAttr arg : args) {
    if (!arg)
      return {};
    if (arg.isInteger())
      constants.push_back(arg.getValue());
  }
  if (!args.empty() && constants.size() == args.size()) {
    if (std::optional<int64_t> folded = foldCall(name, constants))
      return integer(ctx, *folded);
    if (args.size() == 2 && (name == "floordiv" || name == "mod") &&
        args[1].getInteger() == 0)
      return {};
  }
  if (name == "identity" && args.size() == 1)
    return args.front();
  if (args.size() == 2 && args[1].getInteger() == 1) {
    if (name == "floordiv" || name == "ceildiv" || name == "pow")
      return args[0];
    if (name == "mod")
      return integer(ctx, 0);
  }
  if (args.size() == 2 && args[0] == args[1]) {
    if (name == "eq" || name == "le" || name == "ge")
      return integer(ctx, 1);
    if (name == "ne" || name == "lt" || name == "gt")
      return integer(ctx, 0);
  }
  // (a*k) // d == a*(k/d) where d divides k, for each term of a sum.
  if (name == "floordiv" && args.size() == 2 && args[1].isInteger()) {
    int64_t divisor = args[1].getValue();
    ArrayRef<ExprAttr> terms = args[0];
    if (args[0].getKind() == ExprKind::Add)
      terms = args[0].getOperands();
    SmallVector<ExprAttr> divided;
    for (ExprAttr term : terms) {
      auto [coefficient, rest] = splitCoefficient(term);
      if (divisor <= 0 || coefficient % divisor != 0)
        break;
      ExprAttr k = integer(ctx, coefficient / divisor);
      divided.push_back(rest ? mul(ctx, {rest, k}) : k);
    }
    if (divided.size() == terms.size())
      return add(ctx, divided);
  }
  SmallVector<ExprAttr> operands(args);
  if (name == "max" || name == "min" || name == "and" || name == "or") {
    llvm::sort(operands, byStructure);
    operands.erase(llvm::unique(operands), operands.end());
    if (operands.size() == 1)
      return operands.front();
  }
  return getExpr(ctx, ExprKind::Call, 0, name, operands);
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

std::optional<int64_t> ExprAttr::evaluate(
    function_ref<std::optional<int64_t>(StringRef)> lookup) const {
  switch (getKind()) {
  case ExprKind::Integer:
    return getValue();
  case ExprKind::Real:
    return std::nullopt;
  case ExprKind::Symbol:
    return lookup(getName());
  default:
    break;
  }
  SmallVector<int64_t> values;
  for (ExprAttr operand : getOperands()) {
    std::optional<int64_t> value = operand.evaluate(lookup);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  if (getKind() == ExprKind::Call)
    return foldCall(getName(), values);
  int64_t result = getKind() == ExprKind::Mul;
  for (int64_t value : values)
    if (getKind() == ExprKind::Mul ? llvm::MulOverflow(result, value, result)
                                   : llvm::AddOverflow(result, value, result))
      return std::nullopt;
  return result;
}

void ExprAttr::walkSymbols(function_ref<void(StringRef)> fn) const {
  if (isSymbol())
    fn(getName());
  for (ExprAttr operand : getOperands())
    operand.walkSymbols(fn);
}

bool ExprAttr::isProvablyDifferent(ExprAttr other) const {
  if (*this == other)
    return false;
  MLIRContext *ctx = getContext();
  ExprAttr negative = mul(ctx, {other, integer(ctx, -1)});
  ExprAttr difference = negative ? add(ctx, {*this, negative}) : negative;
  return difference && difference.isInteger() && difference.getValue() != 0;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// `precedence` is the binding strength that the context requires: 1 accepts a
/// sum, 2 a product, 3 neither. A sum is parenthesized if it binds less.
void ExprAttr::printInfix(raw_ostream &os, int precedence) const {
  switch (getKind()) {
  case ExprKind::Integer:
    os << getValue();
    return;
  case ExprKind::Real:
    printReal(os, getReal());
    return;
  case ExprKind::Symbol:
    os << getName().getValue();
    return;
  case ExprKind::Call:
    os << getName().getValue() << '(';
    llvm::interleaveComma(getOperands(), os,
                          [&](ExprAttr e) { e.printInfix(os); });
    os << ')';
    return;
  case ExprKind::Mul: {
    // The coefficient is stored last and written first.
    ArrayRef<ExprAttr> factors = getOperands();
    if (factors.back().isInteger()) {
      os << factors.back().getValue() << '*';
      factors = factors.drop_back();
    }
    llvm::interleave(
        factors, os, [&](ExprAttr e) { e.printInfix(os, 3); }, "*");
    return;
  }
  case ExprKind::Add:
    if (precedence > 1)
      os << '(';
    llvm::interleave(
        getOperands(), os, [&](ExprAttr e) { e.printInfix(os, 2); }, " + ");
    if (precedence > 1)
      os << ')';
    return;
  }
}

namespace {
/// A recursive descent parser of `+`, `*`, calls, symbols and numbers.
class InfixParser {
public:
  explicit InfixParser(AsmParser &parser) : parser(parser) {}

  FailureOr<ExprAttr> parseSum() {
    FailureOr<ExprAttr> term = parseProduct();
    if (failed(term))
      return failure();
    SmallVector<ExprAttr> terms{*term};
    while (succeeded(parser.parseOptionalPlus())) {
      if (failed(term = parseProduct()))
        return failure();
      terms.push_back(*term);
    }
    return check(ExprAttr::add(parser.getContext(), terms));
  }

private:
  static constexpr int maxDepth = 256;

  FailureOr<ExprAttr> check(ExprAttr e) {
    if (e)
      return e;
    parser.emitError(parser.getCurrentLocation(),
                     "expression overflows or divides by zero");
    return failure();
  }

  FailureOr<ExprAttr> parseProduct() {
    FailureOr<ExprAttr> factor = parsePrimary();
    if (failed(factor))
      return failure();
    SmallVector<ExprAttr> factors{*factor};
    while (succeeded(parser.parseOptionalStar())) {
      if (failed(factor = parsePrimary()))
        return failure();
      factors.push_back(*factor);
    }
    return check(ExprAttr::mul(parser.getContext(), factors));
  }

  FailureOr<ExprAttr> parsePrimary() {
    MLIRContext *ctx = parser.getContext();
    if (++depth > maxDepth) {
      parser.emitError(parser.getCurrentLocation(),
                       "expression nested deeper than ")
          << maxDepth;
      return failure();
    }
    llvm::scope_exit leave([&] { --depth; });
    int64_t integer;
    OptionalParseResult parsed = parser.parseOptionalInteger(integer);
    if (parsed.has_value()) {
      if (failed(*parsed))
        return failure();
      return ExprAttr::integer(ctx, integer);
    }
    if (succeeded(parser.parseOptionalLParen())) {
      FailureOr<ExprAttr> inner = parseSum();
      if (failed(inner) || parser.parseRParen())
        return failure();
      return inner;
    }
    StringRef name;
    if (succeeded(parser.parseOptionalKeyword(&name))) {
      if (std::optional<double> special = parseSpecialReal(name))
        return ExprAttr::real(ctx, *special);
      std::string callee = name.str();
      if (failed(parser.parseOptionalLParen()))
        return ExprAttr::symbol(ctx, callee);
      SmallVector<ExprAttr> args;
      if (failed(parser.parseOptionalRParen())) {
        do {
          FailureOr<ExprAttr> arg = parseSum();
          if (failed(arg))
            return failure();
          args.push_back(*arg);
        } while (succeeded(parser.parseOptionalComma()));
        if (parser.parseRParen())
          return failure();
      }
      std::string error = getExprArityError(callee, args.size());
      if (!error.empty()) {
        parser.emitError(parser.getCurrentLocation(), error);
        return failure();
      }
      return check(ExprAttr::call(ctx, callee, args));
    }
    double real;
    if (parser.parseFloat(real))
      return failure();
    return ExprAttr::real(ctx, real);
  }

  AsmParser &parser;
  int depth = 0;
};
} // namespace

FailureOr<ExprAttr> ExprAttr::parseInfix(AsmParser &parser) {
  return InfixParser(parser).parseSum();
}

Attribute ExprAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<ExprAttr> result = parseInfix(parser);
  if (failed(result) || parser.parseGreater())
    return {};
  return *result;
}

void ExprAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printInfix(printer.getStream());
  printer << '>';
}

//===- SymbolicText.cpp - symbolic expressions from text ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolicText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <charconv>
#include <limits>

using namespace mlir;
using namespace fx;
using llvm::Error;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Our name of a sympy class, a function of torch.utils._sympy, or a Python
/// function; empty if it is unknown.
static StringRef getFunction(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"Max", "max", "sym_max"}, "max")
      .Cases({"Min", "min", "sym_min"}, "min")
      .Cases({"FloorDiv", "CleanDiv"}, "floordiv")
      .Case("CeilDiv", "ceildiv")
      .Cases({"Mod", "PythonMod"}, "mod")
      .Cases({"Pow", "PowByNatural", "pow"}, "pow")
      .Case("LShift", "lshift")
      .Case("RShift", "rshift")
      .Cases({"Equality", "Eq"}, "eq")
      .Cases({"Unequality", "Ne"}, "ne")
      .Cases({"StrictLessThan", "Lt"}, "lt")
      .Cases({"LessThan", "Le"}, "le")
      .Cases({"StrictGreaterThan", "Gt"}, "gt")
      .Cases({"GreaterThan", "Ge"}, "ge")
      .Case("And", "and")
      .Case("Or", "or")
      .Cases({"Not", "sym_not"}, "not")
      .Cases({"Where", "ITE", "sym_ite"}, "where")
      .Cases({"Abs", "abs"}, "abs")
      .Cases({"FloorToInt", "floor"}, "floor")
      .Cases({"CeilToInt", "ceiling", "ceil"}, "ceil")
      .Cases({"TruncToInt", "trunc"}, "trunc")
      .Cases({"RoundToInt", "round"}, "round")
      .Cases({"int", "sym_int"}, "to_int")
      .Cases({"ToFloat", "float", "sym_float"}, "to_float")
      .Case("TruncToFloat", "trunc_to_float")
      .Case("RoundDecimal", "round_decimal")
      .Case("IntTrueDiv", "int_truediv")
      .Case("FloatTrueDiv", "float_truediv")
      .Case("FloatPow", "float_pow")
      .Case("Rational", "div")
      .Case("Identity", "identity")
      .Case("IsNonOverlappingAndDenseIndicator",
            "is_non_overlapping_and_dense")
      .Cases({"OpaqueUnaryFn_sqrt", "sqrt"}, "sqrt")
      .Cases({"OpaqueUnaryFn_exp", "exp"}, "exp")
      .Cases({"OpaqueUnaryFn_log", "log"}, "log")
      .Cases({"OpaqueUnaryFn_log2", "log2"}, "log2")
      .Cases({"OpaqueUnaryFn_sin", "sin"}, "sin")
      .Cases({"OpaqueUnaryFn_cos", "cos"}, "cos")
      .Cases({"OpaqueUnaryFn_tan", "tan"}, "tan")
      .Cases({"OpaqueUnaryFn_sinh", "sinh"}, "sinh")
      .Cases({"OpaqueUnaryFn_cosh", "cosh"}, "cosh")
      .Cases({"OpaqueUnaryFn_tanh", "tanh"}, "tanh")
      .Cases({"OpaqueUnaryFn_asin", "asin"}, "asin")
      .Cases({"OpaqueUnaryFn_acos", "acos"}, "acos")
      .Cases({"OpaqueUnaryFn_atan", "atan"}, "atan")
      .Case("BitwiseFn_bitwise_and", "bitwise_and")
      .Case("BitwiseFn_bitwise_or", "bitwise_or")
      .Case("BitwiseFn_bitwise_xor", "bitwise_xor")
      .Default("");
}

//===----------------------------------------------------------------------===//
// What both parsers share
//===----------------------------------------------------------------------===//

namespace {
/// A recursive descent parser whose functions return null after an error.
class TextParser {
public:
  TextParser(MLIRContext *ctx, StringRef text) : ctx(ctx), text(text) {}

  Error takeError() const { return llvm::createStringError(message); }

protected:
  static constexpr unsigned maxDepth = 256;
  /// Terms are collected pairwise, so longer text would take too long.
  static constexpr size_t maxLength = 1 << 16;

  ExprAttr fail(const Twine &what) {
    if (message.empty())
      message = (what + " in the expression '" +
                 text.take_front(200) + (text.size() > 200 ? "…" : "") + "'")
                    .str();
    return {};
  }
  bool failed() const { return !message.empty(); }

  bool enter() {
    if (text.size() > maxLength)
      return fail("more than 64 KB of text"), false;
    if (++depth > maxDepth)
      return fail("nesting deeper than " + Twine(maxDepth)), false;
    return true;
  }
  void leave() { --depth; }

  void skipSpace() {
    while (at < text.size() && llvm::isSpace(text[at]))
      ++at;
  }
  bool consume(StringRef token) {
    skipSpace();
    if (!text.substr(at).starts_with(token))
      return false;
    // A keyword ends where the name ends.
    if (llvm::isAlpha(token.front()) && at + token.size() < text.size() &&
        isNameChar(text[at + token.size()]))
      return false;
    at += token.size();
    return true;
  }
  bool expect(StringRef token) {
    if (consume(token))
      return true;
    fail("expected '" + token + "' at character " + Twine(at));
    return false;
  }
  static bool isNameChar(char c) { return llvm::isAlnum(c) || c == '_'; }
  StringRef name() {
    skipSpace();
    if (at >= text.size() || llvm::isDigit(text[at]))
      return {};
    size_t begin = at;
    while (at < text.size() && isNameChar(text[at]))
      ++at;
    return text.slice(begin, at);
  }
  /// A quoted string without escapes.
  std::optional<StringRef> string() {
    skipSpace();
    if (at >= text.size() || (text[at] != '\'' && text[at] != '"'))
      return std::nullopt;
    size_t end = text.find(text[at], at + 1);
    if (end == StringRef::npos ||
        text.slice(at, end).contains('\\'))
      return std::nullopt;
    StringRef result = text.slice(at + 1, end);
    at = end + 1;
    return result;
  }
  /// An integer or a real, unsigned.
  ExprAttr number() {
    skipSpace();
    size_t begin = at;
    while (at < text.size() && llvm::isDigit(text[at]))
      ++at;
    bool isReal = at < text.size() && (text[at] == '.' || text[at] == 'e');
    while (isReal && at < text.size() &&
           (isNameChar(text[at]) || text[at] == '.' ||
            ((text[at] == '-' || text[at] == '+') && text[at - 1] == 'e')))
      ++at;
    StringRef digits = text.slice(begin, at);
    return isReal ? real(digits) : integer(digits);
  }
  ExprAttr integer(StringRef digits) {
    int64_t value;
    if (digits.empty() || digits.getAsInteger(10, value))
      return fail("expected an integer of 64 bits, got '" +
                  digits.take_front(40) + "'");
    return ExprAttr::integer(ctx, value);
  }
  ExprAttr real(StringRef digits) {
    double value;
    auto [end, code] = std::from_chars(digits.begin(), digits.end(), value);
    if (code != std::errc() || end != digits.end())
      return fail("expected a number, got '" + digits.take_front(40) + "'");
    return ExprAttr::real(ctx, value);
  }
  ExprAttr truth(bool value) { return ExprAttr::integer(ctx, value); }

  /// `result`, or an error where arithmetic on constants failed.
  ExprAttr checked(ExprAttr result) {
    return result || failed()
               ? result
               : fail("overflow or division by zero of constants");
  }
  ExprAttr call(StringRef name, ArrayRef<ExprAttr> args) {
    if (!llvm::all_of(args, [](ExprAttr e) { return bool(e); }))
      return {};
    return checked(ExprAttr::call(ctx, name, args));
  }
  ExprAttr callNamed(StringRef callee, ArrayRef<ExprAttr> args);
  ExprAttr finish(ExprAttr result) {
    skipSpace();
    if (result && at != text.size())
      return fail("unexpected text at character " + Twine(at));
    return result;
  }

  MLIRContext *ctx;
  StringRef text;
  size_t at = 0;
  unsigned depth = 0;
  std::string message;
};
} // namespace

/// A call of a function by its Python or sympy name.
ExprAttr TextParser::callNamed(StringRef callee, ArrayRef<ExprAttr> args) {
  if (args.empty() || !llvm::all_of(args, [](ExprAttr e) { return bool(e); }))
    return failed() ? ExprAttr()
                    : fail("no arguments for '" + callee.take_front(40) + "'");
  if (callee == "Add")
    return checked(ExprAttr::add(ctx, args));
  if (callee == "Mul")
    return checked(ExprAttr::mul(ctx, args));
  if (callee == "ModularIndexing" && args.size() == 3)
    return call("mod", {call("floordiv", {args[0], args[1]}), args[2]});
  StringRef function = getFunction(callee);
  if (function.empty())
    return fail("unknown function '" + callee.take_front(40) + "'");
  bool anyCount = llvm::is_contained(
      {"max", "min", "and", "or", "is_non_overlapping_and_dense"}, function);
  size_t arity =
      llvm::StringSwitch<size_t>(function)
          .Case("where", 3)
          .Cases({"not", "abs", "floor", "ceil", "trunc", "to_int", "to_float",
                  "trunc_to_float", "identity", "sqrt", "exp"},
                 1)
          .Cases({"log", "log2", "sin", "cos", "tan", "sinh", "cosh", "tanh",
                  "asin", "acos", "atan", "round"},
                 1)
          .Default(2);
  if (!anyCount && args.size() != arity)
    return fail("expected " + Twine(arity) + " arguments for '" + callee +
                "', got " + Twine(args.size()));
  return call(function, args);
}

//===----------------------------------------------------------------------===//
// srepr
//===----------------------------------------------------------------------===//

namespace {
class SreprParser : public TextParser {
public:
  using TextParser::TextParser;
  ExprAttr parse() { return finish(expression()); }

private:
  ExprAttr expression() {
    if (!enter())
      return {};
    ExprAttr result = application();
    leave();
    return result;
  }

  ExprAttr application() {
    StringRef callee = name();
    if (callee == "true" || callee == "false" || callee == "True" ||
        callee == "False")
      return truth(callee.equals_insensitive("true"));
    if (callee.empty() || !consume("("))
      return fail("expected a sympy class at character " + Twine(at));
    if (callee == "Symbol" || callee == "Float" || callee == "Dummy")
      return leaf(callee);
    if (callee == "Integer" || callee == "Rational") {
      SmallVector<ExprAttr> parts;
      do {
        bool negative = consume("-");
        ExprAttr part = number();
        parts.push_back(negative ? negate(part) : part);
      } while (consume(","));
      if (!expect(")"))
        return {};
      if (callee == "Integer")
        return parts.size() == 1 ? parts.front()
                                 : fail("expected one number for 'Integer'");
      return callNamed(callee, parts);
    }
    SmallVector<ExprAttr> args;
    if (!consume(")")) {
      do {
        if (skipOption())
          continue;
        args.push_back(expression());
        if (!args.back())
          return {};
      } while (consume(","));
      if (!expect(")"))
        return {};
    }
    return callNamed(callee, args);
  }

  /// `Symbol('s0', integer=True)`, `Float('0.5', precision=53)`.
  ExprAttr leaf(StringRef callee) {
    std::optional<StringRef> value = string();
    if (!value)
      return fail("expected a string at character " + Twine(at));
    while (consume(","))
      if (!skipOption())
        return fail("expected an option at character " + Twine(at));
    if (!expect(")"))
      return {};
    if (callee == "Float") {
      bool negative = value->consume_front("-");
      ExprAttr e = real(*value);
      return negative && e ? ExprAttr::real(ctx, -e.getReal()) : e;
    }
    if (value->empty() || llvm::isDigit(value->front()) ||
        !llvm::all_of(*value, isNameChar))
      return fail("expected a symbol's name, got '" + value->take_front(40) +
                  "'");
    return ExprAttr::symbol(ctx, *value);
  }

  /// Skips `evaluate=False`, `positive=True`, `precision=53`.
  bool skipOption() {
    size_t begin = at;
    if (!name().empty() && consume("=")) {
      if (!name().empty())
        return true;
      skipSpace();
      size_t digits = at;
      while (at < text.size() && llvm::isDigit(text[at]))
        ++at;
      if (at > digits)
        return true;
    }
    at = begin;
    return false;
  }

  ExprAttr negate(ExprAttr e) {
    return e ? checked(ExprAttr::mul(ctx, {e, ExprAttr::integer(ctx, -1)})) : e;
  }
};

//===----------------------------------------------------------------------===//
// Python
//===----------------------------------------------------------------------===//

/// Python's expression grammar, as far as guards use it.
class PythonParser : public TextParser {
public:
  PythonParser(MLIRContext *ctx, StringRef text, PythonResolver resolve)
      : TextParser(ctx, text), resolve(resolve) {}
  ExprAttr parse() { return finish(disjunction()); }

private:
  ExprAttr disjunction() {
    if (!enter())
      return {};
    ExprAttr result = chain(&PythonParser::conjunction, {"or"}, "or");
    leave();
    return result;
  }
  ExprAttr conjunction() {
    return chain(&PythonParser::inversion, {"and"}, "and");
  }
  ExprAttr inversion() {
    if (!consume("not"))
      return comparison();
    if (!enter())
      return {};
    ExprAttr result = call("not", {inversion()});
    leave();
    return result;
  }

  /// `a op b op c` of one associative operator.
  ExprAttr chain(ExprAttr (PythonParser::*next)(), StringRef token,
                 StringRef function) {
    SmallVector<ExprAttr> args{(this->*next)()};
    while (args.back() && consume(token))
      args.push_back((this->*next)());
    if (!args.back())
      return {};
    return args.size() == 1 ? args.front() : call(function, args);
  }

  ExprAttr comparison() {
    static constexpr std::pair<StringLiteral, StringLiteral> operators[] = {
        {"==", "eq"}, {"!=", "ne"}, {"<=", "le"},
        {">=", "ge"}, {"<", "lt"},  {">", "gt"}};
    ExprAttr left = bitOr();
    SmallVector<ExprAttr> relations;
    while (left) {
      auto *op = llvm::find_if(operators, [&](auto &candidate) {
        return !peekShift() && consume(candidate.first);
      });
      if (op == std::end(operators))
        break;
      ExprAttr right = bitOr();
      relations.push_back(call(op->second, {left, right}));
      left = right;
    }
    if (!left || relations.empty())
      return left;
    return relations.size() == 1 ? relations.front() : call("and", relations);
  }
  bool peekShift() {
    skipSpace();
    return text.substr(at).starts_with("<<") ||
           text.substr(at).starts_with(">>");
  }

  /// sympy writes And, Or and Not as `&`, `|` and `~`.
  ExprAttr bitOr() { return chain(&PythonParser::bitAnd, "|", "or"); }
  ExprAttr bitAnd() { return chain(&PythonParser::shift, "&", "and"); }
  ExprAttr shift() {
    ExprAttr left = sum();
    while (left) {
      if (consume("<<"))
        left = call("lshift", {left, sum()});
      else if (consume(">>"))
        left = call("rshift", {left, sum()});
      else
        break;
    }
    return left;
  }
  ExprAttr sum() {
    SmallVector<ExprAttr> terms{product()};
    while (terms.back()) {
      if (consume("+"))
        terms.push_back(product());
      else if (consume("-"))
        terms.push_back(negate(product()));
      else
        return terms.size() == 1 ? terms.front()
                                 : checked(ExprAttr::add(ctx, terms));
    }
    return {};
  }
  ExprAttr product() {
    ExprAttr left = unary();
    while (left) {
      if (consume("//"))
        left = call("floordiv", {left, unary()});
      else if (consume("/"))
        left = call("int_truediv", {left, unary()});
      else if (consume("%"))
        left = call("mod", {left, unary()});
      else if (!text.substr(at).ltrim().starts_with("**") && consume("*"))
        left = times(left, unary());
      else
        break;
    }
    return left;
  }
  ExprAttr unary() {
    if (!enter())
      return {};
    ExprAttr result = consume("-")   ? negate(unary())
                      : consume("+") ? unary()
                      : consume("~") ? call("not", {unary()})
                                     : power();
    leave();
    return result;
  }
  ExprAttr power() {
    ExprAttr base = primary();
    return base && consume("**") ? call("pow", {base, unary()}) : base;
  }
  ExprAttr times(ExprAttr a, ExprAttr b) {
    return a && b ? checked(ExprAttr::mul(ctx, {a, b})) : ExprAttr();
  }
  ExprAttr negate(ExprAttr e) { return times(e, ExprAttr::integer(ctx, -1)); }

  ExprAttr primary() {
    skipSpace();
    if (at < text.size() && (llvm::isDigit(text[at]) || text[at] == '.'))
      return number();
    if (consume("(")) {
      ExprAttr inner = disjunction();
      return inner && expect(")") ? inner : ExprAttr();
    }
    StringRef root = name();
    if (root.empty())
      return fail("expected a value at character " + Twine(at));
    if (root == "True" || root == "False" || root == "true" || root == "false")
      return truth(root.equals_insensitive("true"));
    return postfix(root);
  }

  /// The steps behind a name: a function's arguments, or a resolved object.
  ExprAttr postfix(StringRef root) {
    SmallVector<Access> accesses;
    while (true) {
      if (consume(".")) {
        accesses.push_back({Access::Attribute, name()});
        if (accesses.back().name.empty())
          return fail("expected an attribute at character " + Twine(at));
      } else if (consume("[")) {
        if (std::optional<StringRef> key = string()) {
          accesses.push_back({Access::Key, *key});
        } else {
          bool negative = consume("-");
          ExprAttr index = number();
          if (!index || !index.isInteger())
            return failed() ? ExprAttr() : fail("expected an integer index");
          accesses.push_back({Access::Index, "",
                              negative ? -index.getValue() : index.getValue()});
        }
        if (!expect("]"))
          return {};
      } else if (consume("(")) {
        if (consume(")"))
          accesses.push_back({Access::Call, ""});
        else
          return function(root, accesses);
      } else {
        break;
      }
    }
    ExprAttr result = resolve(root, accesses);
    return result || failed() ? result : fail("unknown value '" + root + "'");
  }

  /// `max(a, b)`, `math.floor(a)`; the opening parenthesis is read.
  ExprAttr function(StringRef root, ArrayRef<Access> accesses) {
    StringRef callee = accesses.empty() ? root : accesses.back().name;
    if (!accesses.empty() &&
        (!llvm::is_contained({"math", "torch"}, root) ||
         accesses.back().kind != Access::Attribute))
      return fail("expected a function at character " + Twine(at));
    SmallVector<ExprAttr> args;
    do {
      args.push_back(disjunction());
      if (!args.back())
        return {};
    } while (consume(","));
    return expect(")") ? callNamed(callee, args) : ExprAttr();
  }

  PythonResolver resolve;
};
} // namespace

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

template <typename Parser> static Expected<ExprAttr> run(Parser parser) {
  if (ExprAttr result = parser.parse())
    return result;
  return parser.takeError();
}

Expected<ExprAttr> fx::parseSrepr(MLIRContext *ctx, StringRef text) {
  return run(SreprParser(ctx, text));
}

Expected<ExprAttr> fx::parseInfix(MLIRContext *ctx, StringRef text) {
  auto symbol = [&](StringRef name, ArrayRef<Access> accesses) {
    return accesses.empty() ? ExprAttr::symbol(ctx, name) : ExprAttr();
  };
  return run(PythonParser(ctx, text, symbol));
}

Expected<ExprAttr> fx::parsePython(MLIRContext *ctx, StringRef text,
                                   PythonResolver resolve) {
  return run(PythonParser(ctx, text, resolve));
}

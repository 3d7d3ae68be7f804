//===- SymbolicText.cpp - expressions from sympy's srepr text -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Import/SymbolicText.h"
#include "TextParser.h"

using namespace mlir;
using namespace fx;

namespace {
/// Parses sympy's srepr text.
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

  /// Parses the arguments of `Symbol('s0', integer=True)` or
  /// `Float('0.5', precision=53)`, behind the opening parenthesis.
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
} // namespace

llvm::Expected<ExprAttr> fx::parseSrepr(MLIRContext *ctx, StringRef text) {
  return runParser(SreprParser(ctx, text));
}

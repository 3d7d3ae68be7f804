//===- PythonExpression.cpp - expressions from Python text ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextParser.h"
#include "fx/Import/SymbolicText.h"

using namespace mlir;
using namespace fx;

namespace {
/// Parses the part of Python's expression grammar that guards use. Each
/// function parses one level of precedence.
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

  /// Parses `a op b op c`, where `op` is the associative operator `token`, into
  /// one call of `function`.
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

  /// Parses the accesses behind a name. They form a call of a function, or a
  /// path that `resolve` maps to an expression.
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

  /// Parses the arguments of a call such as `max(a, b)` or `math.floor(a)`,
  /// behind the opening parenthesis.
  ExprAttr function(StringRef root, ArrayRef<Access> accesses) {
    StringRef callee = accesses.empty() ? root : accesses.back().name;
    if (!accesses.empty() && (!llvm::is_contained({"math", "torch"}, root) ||
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

llvm::Expected<ExprAttr> fx::parseInfix(MLIRContext *ctx, StringRef text) {
  auto symbol = [&](StringRef name, ArrayRef<Access> accesses) {
    return accesses.empty() ? ExprAttr::symbol(ctx, name) : ExprAttr();
  };
  return runParser(PythonParser(ctx, text, symbol));
}

llvm::Expected<ExprAttr> fx::parsePython(MLIRContext *ctx, StringRef text,
                                         PythonResolver resolve) {
  return runParser(PythonParser(ctx, text, resolve));
}

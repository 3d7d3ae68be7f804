//===- TextParser.h - what parsers of expressions share ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_IMPORT_TEXTPARSER_H
#define FX_LIB_IMPORT_TEXTPARSER_H

#include "fx/IR/FXDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

#include <charconv>

namespace fx {

/// The base class of recursive descent parsers. Functions return null after an
/// error.
class TextParser {
public:
  TextParser(mlir::MLIRContext *ctx, llvm::StringRef text)
      : ctx(ctx), text(text) {}

  llvm::Error takeError() const { return llvm::createStringError(message); }

protected:
  static constexpr unsigned maxDepth = 256;
  /// The terms of a sum are compared pairwise, so longer text would take too
  /// long.
  static constexpr size_t maxLength = 1 << 16;

  ExprAttr fail(const llvm::Twine &what) {
    if (message.empty())
      message = (what + " in the expression '" + text.take_front(200) +
                 (text.size() > 200 ? "…" : "") + "'")
                    .str();
    return {};
  }
  bool failed() const { return !message.empty(); }

  bool enter() {
    if (text.size() > maxLength)
      return fail("more than 64 KB of text"), false;
    if (++depth > maxDepth)
      return fail("nesting deeper than " + llvm::Twine(maxDepth)), false;
    return true;
  }
  void leave() { --depth; }

  void skipSpace() {
    while (at < text.size() && llvm::isSpace(text[at]))
      ++at;
  }
  bool consume(llvm::StringRef token) {
    skipSpace();
    if (!text.substr(at).starts_with(token))
      return false;
    // A keyword is not the beginning of a longer name.
    if (llvm::isAlpha(token.front()) && at + token.size() < text.size() &&
        isNameChar(text[at + token.size()]))
      return false;
    at += token.size();
    return true;
  }
  bool expect(llvm::StringRef token) {
    if (consume(token))
      return true;
    fail("expected '" + token + "' at character " + llvm::Twine(at));
    return false;
  }
  static bool isNameChar(char c) { return llvm::isAlnum(c) || c == '_'; }
  llvm::StringRef name() {
    skipSpace();
    if (at >= text.size() || llvm::isDigit(text[at]))
      return {};
    size_t begin = at;
    while (at < text.size() && isNameChar(text[at]))
      ++at;
    return text.slice(begin, at);
  }
  /// Parses a quoted string without escapes.
  std::optional<llvm::StringRef> string() {
    skipSpace();
    if (at >= text.size() || (text[at] != '\'' && text[at] != '"'))
      return std::nullopt;
    size_t end = text.find(text[at], at + 1);
    if (end == llvm::StringRef::npos || text.slice(at, end).contains('\\'))
      return std::nullopt;
    llvm::StringRef result = text.slice(at + 1, end);
    at = end + 1;
    return result;
  }
  /// Parses an unsigned integer or real.
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
    llvm::StringRef digits = text.slice(begin, at);
    return isReal ? real(digits) : integer(digits);
  }
  ExprAttr integer(llvm::StringRef digits) {
    int64_t value;
    if (digits.empty() || digits.getAsInteger(10, value))
      return fail("expected an integer of 64 bits, got '" +
                  digits.take_front(40) + "'");
    return ExprAttr::integer(ctx, value);
  }
  ExprAttr real(llvm::StringRef digits) {
    double value;
    auto [end, code] = std::from_chars(digits.begin(), digits.end(), value);
    if (code != std::errc() || end != digits.end())
      return fail("expected a number, got '" + digits.take_front(40) + "'");
    return ExprAttr::real(ctx, value);
  }
  ExprAttr truth(bool value) { return ExprAttr::integer(ctx, value); }

  /// Returns `result`. If it is null because arithmetic on constants failed,
  /// records an error.
  ExprAttr checked(ExprAttr result) {
    return result || failed()
               ? result
               : fail("overflow or division by zero of constants");
  }
  ExprAttr call(llvm::StringRef name, llvm::ArrayRef<ExprAttr> args) {
    if (!llvm::all_of(args, [](ExprAttr e) { return bool(e); }))
      return {};
    return checked(ExprAttr::call(ctx, name, args));
  }
  ExprAttr callNamed(llvm::StringRef callee, llvm::ArrayRef<ExprAttr> args);
  ExprAttr finish(ExprAttr result) {
    skipSpace();
    if (result && at != text.size())
      return fail("unexpected text at character " + llvm::Twine(at));
    return result;
  }

  mlir::MLIRContext *ctx;
  llvm::StringRef text;
  size_t at = 0;
  unsigned depth = 0;
  std::string message;
};

/// Runs a parser and returns its result or its error.
template <typename Parser>
llvm::Expected<ExprAttr> runParser(Parser parser) {
  if (ExprAttr result = parser.parse())
    return result;
  return parser.takeError();
}

} // namespace fx

#endif // FX_LIB_IMPORT_TEXTPARSER_H

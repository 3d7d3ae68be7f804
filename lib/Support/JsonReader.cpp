//===- JsonReader.cpp - a strict JSON pull parser -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/JsonReader.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>
#include <limits>

using namespace llvm;
using namespace fx;

JsonReader::JsonReader(StringRef text, BumpPtrAllocator &strings,
                       Deadline *deadline)
    : text(text), strings(strings), deadline(deadline) {
  const UTF8 *begin = reinterpret_cast<const UTF8 *>(text.begin());
  const UTF8 *at = begin;
  if (!isLegalUTF8String(&at, reinterpret_cast<const UTF8 *>(text.end())))
    fail("the text is not UTF-8 at byte " + Twine(at - begin));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

bool JsonReader::fail(const Twine &message) {
  if (!error.empty())
    return false;
  raw_string_ostream os(error);
  StringRef separator = ":";
  constexpr size_t maxShown = 40;
  for (const Segment &segment : ArrayRef(path).take_front(maxShown)) {
    if (!segment.key.data())
      os << '[' << segment.index << ']';
    else if (!segment.key.empty())
      (os << separator).write_escaped(segment.key.take_front(80));
    separator = ".";
  }
  os << (path.size() > maxShown ? "...: " : ": ") << message;
  return false;
}

bool JsonReader::failSyntax(const Twine &expected) {
  if (at >= text.size())
    return fail("expected " + expected + ", got the end of the text");
  std::string got;
  raw_string_ostream os(got);
  os.write_escaped(text.substr(at, 1));
  return fail("expected " + expected + " at byte " + Twine(at) + ", got '" +
              got + "'");
}

bool JsonReader::expected(StringRef what) {
  switch (peek()) {
  case Kind::Null:
    return fail("expected " + what + ", got null");
  case Kind::Bool:
    return fail("expected " + what + ", got a truth value");
  case Kind::Number:
    return fail("expected " + what + ", got a number");
  case Kind::String:
    return fail("expected " + what + ", got a string");
  case Kind::Array:
    return fail("expected " + what + ", got a list");
  case Kind::Object:
    return fail("expected " + what + ", got an object");
  case Kind::End:
    break;
  }
  return failSyntax(what);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

void JsonReader::skipSpace() {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\n' ||
                              text[at] == '\t' || text[at] == '\r'))
    ++at;
}

bool JsonReader::consume(char c) {
  skipSpace();
  if (at >= text.size() || text[at] != c)
    return false;
  ++at;
  return true;
}

JsonReader::Kind JsonReader::peek() {
  skipSpace();
  if (at >= text.size() || !error.empty())
    return Kind::End;
  switch (text[at]) {
  case 'n':
    return Kind::Null;
  case 't':
  case 'f':
    return Kind::Bool;
  case '"':
    return Kind::String;
  case '[':
    return Kind::Array;
  case '{':
    return Kind::Object;
  default:
    return text[at] == '-' || isDigit(text[at]) ? Kind::Number : Kind::End;
  }
}

bool JsonReader::readLiteral(StringRef word) {
  if (!text.substr(at).starts_with(word))
    return failSyntax("'" + word + "'");
  at += word.size();
  return true;
}

bool JsonReader::readNull() {
  return peek() == Kind::Null ? readLiteral("null") : expected("null");
}

bool JsonReader::readBool(bool &out) {
  if (peek() != Kind::Bool)
    return expected("a truth value");
  out = text[at] == 't';
  return readLiteral(out ? "true" : "false");
}

bool JsonReader::readNumber(StringRef &out) {
  size_t begin = at;
  auto digits = [&] {
    size_t first = at;
    while (at < text.size() && isDigit(text[at]))
      ++at;
    return at > first || failSyntax("a digit");
  };
  if (text[at] == '-')
    ++at;
  size_t first = at;
  if (!digits())
    return false;
  if (text[first] == '0' && at > first + 1)
    return fail("a number begins with 0");
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (!digits())
      return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-'))
      ++at;
    if (!digits())
      return false;
  }
  out = text.slice(begin, at);
  return true;
}

bool JsonReader::readInteger(int64_t &out) {
  if (peek() != Kind::Number)
    return expected("an integer");
  StringRef digits;
  if (!readNumber(digits))
    return false;
  if (digits.find_first_of(".eE") != StringRef::npos)
    return fail("expected an integer, got '" + digits.take_front(40) + "'");
  auto [end, code] = std::from_chars(digits.begin(), digits.end(), out);
  if (code != std::errc() || end != digits.end())
    return fail("expected an integer of 64 bits, got '" +
                digits.take_front(40) + "'");
  return true;
}

bool JsonReader::readReal(double &out) {
  if (peek() == Kind::String) {
    StringRef name;
    if (!readString(name))
      return false;
    if (name == "NaN")
      out = std::numeric_limits<double>::quiet_NaN();
    else if (name == "Infinity")
      out = std::numeric_limits<double>::infinity();
    else if (name == "-Infinity")
      out = -std::numeric_limits<double>::infinity();
    else
      return fail("expected a number, got the string '" + name.take_front(40) +
                  "'");
    return true;
  }
  if (peek() != Kind::Number)
    return expected("a number");
  StringRef digits;
  if (!readNumber(digits))
    return false;
  auto [end, code] = std::from_chars(digits.begin(), digits.end(), out);
  if (code != std::errc() || end != digits.end())
    return fail("expected a number in the range of a double, got '" +
                digits.take_front(40) + "'");
  return true;
}

bool JsonReader::readString(StringRef &out) {
  if (peek() != Kind::String)
    return expected("a string");
  size_t begin = ++at;
  for (; at < text.size(); ++at) {
    unsigned char c = text[at];
    if (c == '"') {
      out = text.slice(begin, at++);
      return true;
    }
    if (c < 0x20)
      return failSyntax("a string without control characters");
    if (c == '\\') {
      at = begin;
      return readEscaped(out);
    }
  }
  return failSyntax("the end of the string");
}

bool JsonReader::readHex4(size_t from, unsigned &out) {
  StringRef digits = text.substr(from, 4);
  return digits.size() == 4 && all_of(digits, isHexDigit) &&
         !digits.getAsInteger(16, out);
}

/// Reads a string with escape sequences, whose first character is at `at`, and
/// decodes it into `strings`.
bool JsonReader::readEscaped(StringRef &out) {
  SmallString<256> decoded;
  for (; at < text.size(); ++at) {
    unsigned char c = text[at];
    if (c == '"') {
      ++at;
      out = StringRef(decoded).copy(strings);
      return true;
    }
    if (c < 0x20)
      return failSyntax("a string without control characters");
    if (c != '\\') {
      decoded.push_back(c);
      continue;
    }
    if (++at >= text.size())
      break;
    constexpr StringLiteral escapes = "\"\\/bfnrt",
                            meanings = "\"\\/\b\f\n\r\t";
    size_t simple = escapes.find(text[at]);
    if (simple != StringRef::npos) {
      decoded.push_back(meanings[simple]);
      continue;
    }
    unsigned code;
    if (text[at] != 'u' || !readHex4(at + 1, code))
      return failSyntax("an escape sequence");
    at += 4;
    if (code >= 0xd800 && code < 0xe000) {
      unsigned low;
      if (code >= 0xdc00 || !text.substr(at + 1).starts_with("\\u") ||
          !readHex4(at + 3, low) || low < 0xdc00 || low >= 0xe000)
        return fail("half a surrogate pair at byte " + Twine(at));
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      at += 6;
    }
    char utf8[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
    char *end = utf8;
    if (!ConvertCodePointToUTF8(code, end))
      return failSyntax("a character");
    decoded.append(utf8, end);
  }
  return failSyntax("the end of the string");
}

//===----------------------------------------------------------------------===//
// Containers
//===----------------------------------------------------------------------===//

bool JsonReader::readArray(function_ref<bool(size_t)> element) {
  if (peek() != Kind::Array)
    return expected("a list");
  ++at;
  if (path.size() >= maxDepth)
    return fail("nested deeper than " + Twine(maxDepth));
  if (consume(']'))
    return true;
  path.push_back({StringRef(), 0});
  do {
    if (deadline && deadline->poll())
      return fail(deadline->getMessage());
    if (!element(path.back().index))
      return false;
    ++path.back().index;
  } while (consume(','));
  path.pop_back();
  return consume(']') || failSyntax("',' or ']'");
}

bool JsonReader::readObject(function_ref<bool(StringRef)> member) {
  if (peek() != Kind::Object)
    return expected("an object");
  ++at;
  if (path.size() >= maxDepth)
    return fail("nested deeper than " + Twine(maxDepth));
  if (consume('}'))
    return true;
  SmallDenseSet<StringRef, 16> seen;
  path.push_back({"", 0});
  do {
    StringRef key;
    path.back().key = "";
    if (peek() != Kind::String)
      return failSyntax("a key");
    if (!readString(key))
      return false;
    path.back().key = key;
    if (deadline && deadline->poll())
      return fail(deadline->getMessage());
    if (!seen.insert(key).second)
      return fail("the key stands twice");
    if (!consume(':'))
      return failSyntax("':'");
    if (!member(key))
      return false;
  } while (consume(','));
  path.pop_back();
  return consume('}') || failSyntax("',' or '}'");
}

bool JsonReader::skip(bool *isDefault) {
  bool empty = true;
  switch (peek()) {
  case Kind::Null:
    if (!readNull())
      return false;
    break;
  case Kind::Bool: {
    bool value;
    if (!readBool(value))
      return false;
    empty = !value;
    break;
  }
  case Kind::Number: {
    StringRef digits;
    if (!readNumber(digits))
      return false;
    empty = false;
    break;
  }
  case Kind::String: {
    StringRef value;
    if (!readString(value))
      return false;
    empty = value.empty();
    break;
  }
  case Kind::Array:
    if (!readArray([&](size_t) { return empty = false, skip(); }))
      return false;
    break;
  case Kind::Object:
    if (!readObject([&](StringRef) { return empty = false, skip(); }))
      return false;
    break;
  case Kind::End:
    return expected("a value");
  }
  if (isDefault)
    *isDefault = empty;
  return true;
}

bool JsonReader::readEnd() {
  skipSpace();
  return (at == text.size() && error.empty()) || failSyntax("the end");
}

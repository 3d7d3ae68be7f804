//===- JsonWriter.cpp - JSON as Python's json.dumps writes it -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonWriter.h"
#include "PythonText.h"

#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace llvm;
using namespace fx;

raw_ostream &JsonWriter::value() {
  if (!afterKey && !isFirst)
    os << ", ";
  isFirst = afterKey = false;
  return os;
}

void JsonWriter::open(char c) {
  value() << c;
  isFirst = true;
}

void JsonWriter::close(char c) {
  os << c;
  isFirst = false;
}

void JsonWriter::key(StringRef name) {
  string(name);
  os << ": ";
  afterKey = true;
}

void JsonWriter::real(double v) {
  if (std::isnan(v))
    return string("NaN");
  if (std::isinf(v))
    return string(v > 0 ? "Infinity" : "-Infinity");
  printPythonFloat(value(), v);
}

void JsonWriter::string(StringRef v) {
  value();
  quote(v);
}

void JsonWriter::quote(StringRef text) {
  os << '"';
  const auto *at = text.bytes_begin(), *end = text.bytes_end();
  auto unit = [&](unsigned u) { os << format("\\u%04x", u); };
  while (at != end) {
    if (*at >= 0x20 && *at < 0x7f && *at != '"' && *at != '\\') {
      os << static_cast<char>(*at++);
      continue;
    }
    switch (*at) {
    case '"':
      os << "\\\"";
      ++at;
      continue;
    case '\\':
      os << "\\\\";
      ++at;
      continue;
    case '\n':
      os << "\\n";
      ++at;
      continue;
    case '\r':
      os << "\\r";
      ++at;
      continue;
    case '\t':
      os << "\\t";
      ++at;
      continue;
    case '\b':
      os << "\\b";
      ++at;
      continue;
    case '\f':
      os << "\\f";
      ++at;
      continue;
    default:
      break;
    }
    UTF32 code;
    const UTF8 *source = at;
    if (convertUTF8Sequence(&source, end, &code, strictConversion) !=
        conversionOK) {
      unit(0xfffd);
      ++at;
      continue;
    }
    at = source;
    if (code < 0x10000) {
      // Python's json.dumps does not escape 0x7f.
      if (code == 0x7f)
        os << '\x7f';
      else
        unit(code);
      continue;
    }
    code -= 0x10000;
    unit(0xd800 + (code >> 10));
    unit(0xdc00 + (code & 0x3ff));
  }
  os << '"';
}

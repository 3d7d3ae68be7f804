//===- PythonText.cpp - values as Python prints them ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PythonText.h"

#include "llvm/Support/Format.h"

#include <charconv>
#include <cmath>

using namespace llvm;
using namespace fx;

/// Returns the shortest text that reads back as `v`. It has an exponent where
/// Python's has one: below 1e-4 and from 1e16 on.
static std::string getShortest(double v) {
  char buffer[64];
  auto scientific = std::to_chars(buffer, buffer + sizeof buffer, v,
                                  std::chars_format::scientific);
  StringRef text(buffer, scientific.ptr - buffer);
  int exponent = 0;
  text.drop_front(text.find('e') + 1).ltrim('+').getAsInteger(10, exponent);
  if (v == 0 || (exponent >= -4 && exponent < 16)) {
    auto fixed = std::to_chars(buffer, buffer + sizeof buffer, v,
                               std::chars_format::fixed);
    return std::string(buffer, fixed.ptr);
  }
  return text.str();
}

void fx::printPythonFloat(raw_ostream &os, double v) {
  if (std::isnan(v)) {
    os << "nan";
    return;
  }
  if (std::isinf(v)) {
    os << (v > 0 ? "inf" : "-inf");
    return;
  }
  std::string text = getShortest(v);
  os << text;
  if (StringRef(text).find_first_of(".e") == StringRef::npos)
    os << ".0";
}

void fx::printPythonComplex(raw_ostream &os, double real, double imag) {
  // The parts are printed like floats, but integral ones have no ".0".
  auto part = [&](double v) {
    if (std::isnan(v) || std::isinf(v))
      printPythonFloat(os, v);
    else
      os << getShortest(v);
  };
  if (real == 0 && !std::signbit(real)) {
    part(imag);
    os << 'j';
    return;
  }
  os << '(';
  part(real);
  if (!std::signbit(imag) || std::isnan(imag))
    os << '+';
  part(imag);
  os << "j)";
}

void fx::printPythonString(raw_ostream &os, StringRef v) {
  char quote = v.contains('\'') && !v.contains('"') ? '"' : '\'';
  os << quote;
  for (char c : v) {
    switch (c) {
    case '\\':
      os << "\\\\";
      break;
    case '\n':
      os << "\\n";
      break;
    case '\r':
      os << "\\r";
      break;
    case '\t':
      os << "\\t";
      break;
    default:
      if (c == quote)
        os << '\\' << c;
      else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
        os << format("\\x%02x", static_cast<unsigned char>(c));
      else
        os << c;
    }
  }
  os << quote;
}

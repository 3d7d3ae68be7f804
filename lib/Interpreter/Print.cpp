//===- Print.cpp - the higher-order operator print ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Print.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <ATen/core/Formatting.h>
#include <ATen/core/Tensor.h>
#include <cmath>
#include <cstdio>
#include <sstream>

using c10::IValue;
using llvm::StringRef;
using Kind = fx::interp::ArgumentPlan::Kind;

namespace fx::interp {

/// Formats a float as Python's repr does: the shortest text that reads back as
/// the same value, with a decimal point or an exponent.
static std::string formatFloat(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char text[40];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value)
      break;
  }
  std::string result = text;
  // With fewer digits than the integer part has, "%g" prints an exponent: 100
  // is "1e+02".
  if (double size = std::abs(value);
      size >= 10 && size < 1e16 && result.find('e') != std::string::npos) {
    std::snprintf(text, sizeof(text), "%.0f", value);
    result = text;
  }
  if (result.find_first_of(".e") == std::string::npos)
    result += ".0";
  return result;
}

static std::string toText(const IValue &value) {
  if (value.isNone())
    return "None";
  if (value.isBool())
    return value.toBool() ? "True" : "False";
  if (value.isInt())
    return std::to_string(value.toInt());
  if (value.isDouble())
    return formatFloat(value.toDouble());
  if (value.isString())
    return value.toStringRef();
  std::ostringstream os;
  if (value.isTensor() && value.toTensor().defined()) {
    at::print(os, value.toTensor(), 80);
    return os.str();
  }
  if (value.isList()) {
    os << '[';
    const char *separator = "";
    for (const IValue &item : value.toListRef()) {
      os << separator << toText(item);
      separator = ", ";
    }
    os << ']';
    return os.str();
  }
  os << value;
  return os.str();
}

static double toDouble(const IValue &value) {
  if (value.isTensor() && value.toTensor().defined() &&
      value.toTensor().numel() == 1)
    return value.toTensor().item().toDouble();
  if (value.isInt() || value.isDouble() || value.isBool())
    return value.toScalar().toDouble();
  throw std::runtime_error("expected a number for a field with a format, got " +
                           value.tagKind());
}

/// Formats a value by a format such as "8.3f". Throws if the format is not
/// supported.
static std::string applyFormat(StringRef spec, const IValue &value) {
  if (spec.empty())
    return toText(value);
  StringRef rest = spec;
  unsigned width = 0, precision = 6;
  rest.consumeInteger(10, width);
  bool hasPrecision = rest.consume_front(".");
  bool bad = (hasPrecision && rest.consumeInteger(10, precision)) ||
             rest.size() > 1 || width > 1000 || precision > 100;
  char type = rest.empty() ? 0 : rest.front();
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!bad && (type == 's' || (!type && !hasPrecision)))
    os << toText(value);
  else if (!bad && type == 'd' && !hasPrecision && value.isInt())
    os << value.toInt();
  else if (!bad && (!type || StringRef("fFeEgG").contains(type))) {
    char format[] = {'%', '.', '*', type ? type : 'g', 0};
    char number[512];
    std::snprintf(number, sizeof(number), format, int(precision),
                  toDouble(value));
    os << number;
  } else {
    throw std::runtime_error("the format '" + spec.str() + "' is not known");
  }
  // Strings are left-aligned, all other values are right-aligned.
  bool left = value.isString();
  size_t padding = width > text.size() ? width - text.size() : 0;
  return left ? text + std::string(padding, ' ')
              : std::string(padding, ' ') + text;
}

std::string formatText(const CallArguments &args, const Values &values) {
  if (args.numPositional() < 1 || args.args[0].kind != Kind::String)
    throw std::runtime_error("expected a text to format as argument 0");
  size_t next = 1;
  auto getField = [&](StringRef name) -> IValue {
    size_t at = 0, number = 0;
    if (name.empty())
      at = next++;
    else if (!name.getAsInteger(10, number))
      at = number + 1;
    if (!name.empty() && !at)
      for (size_t i = 0; i < args.kwnames.size(); ++i)
        if (args.kwnames[i] == name)
          return toIValue(args.args[args.numPositional() + i], values);
    if (!at || at >= args.numPositional())
      throw std::runtime_error("no argument for the field '{" + name.str() +
                               "}'");
    return toIValue(args.args[at], values);
  };

  std::string result;
  StringRef text = args.args[0].text;
  while (!text.empty()) {
    size_t brace = text.find_first_of("{}");
    result += text.take_front(brace);
    text = text.drop_front(std::min(brace, text.size()));
    if (text.empty())
      break;
    if (text.size() > 1 && text[0] == text[1]) { // "{{" or "}}"
      result += text[0];
      text = text.drop_front(2);
      continue;
    }
    size_t end = text.find('}');
    if (text[0] == '}' || end == StringRef::npos)
      throw std::runtime_error("single '" + text.take_front(1).str() +
                               "' in the text to format");
    auto [name, spec] = text.slice(1, end).split(':');
    result += applyFormat(spec, getField(name));
    text = text.drop_front(end + 1);
  }
  return result;
}

void printText(const CallArguments &args, const Values &values) {
  std::string text = formatText(args, values) + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

} // namespace fx::interp

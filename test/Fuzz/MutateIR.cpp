//===- MutateIR.cpp - other programs of the same words --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Works on tokens: a token becomes another one of its kind, so that a good part
// of the results still parses, and some of them verify.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "fx/Operators/Schema.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace fx;
using namespace fx::fuzz;
using llvm::StringRef;

static bool isWordCharacter(char c) {
  return llvm::isAlnum(c) || StringRef("_.$@%#!^").contains(c);
}

static std::vector<StringRef> getTokens(StringRef text) {
  std::vector<StringRef> tokens;
  while (!text.empty()) {
    size_t size = 1;
    if (isWordCharacter(text.front()))
      size = text.take_while(isWordCharacter).size();
    else if (llvm::isSpace(text.front()))
      size = text.take_while([](char c) { return llvm::isSpace(c); }).size();
    tokens.push_back(text.take_front(size));
    text = text.drop_front(size);
  }
  return tokens;
}

/// Tokens of one kind stand in the same places.
static int getKind(StringRef token) {
  char first = token.front();
  if (llvm::isDigit(first))
    return '0';
  if (StringRef("@%#!^").contains(first))
    return first;
  if (llvm::isAlpha(first))
    return 'a';
  return llvm::isSpace(first) ? ' ' : '.';
}

static StringRef getOddToken(int kind, Random &random) {
  static const StringRef numbers[] = {"0",
                                      "1",
                                      "2",
                                      "3",
                                      "7",
                                      "64",
                                      "1000003",
                                      "2147483648",
                                      "9223372036854775807",
                                      "9223372036854775808",
                                      "0.5",
                                      "1.0e+308"};
  static const StringRef words[] = {
      "f32", "f64",  "f16",  "bf16",  "i64", "i32",     "i8",    "ui8",
      "i1",  "none", "true", "false", "s0",  "complex", "output"};
  if (kind == '0')
    return numbers[pick(random, std::size(numbers))];
  if (kind == 'a')
    return words[pick(random, std::size(words))];
  return kind == '.' ? "-" : "";
}

static size_t getNumTensors(const OperatorSchema &schema) {
  return llvm::count_if(
      schema.getArguments(),
      [](const ArgumentSchema &argument) { return argument.isTensor(); });
}

std::string fx::fuzz::mutateIR(StringRef text, Random &random) {
  std::vector<StringRef> tokens = getTokens(text);
  if (tokens.empty())
    return text.str();
  size_t at = pick(random, tokens.size());
  int kind = getKind(tokens[at]);
  switch (pick(random, 10)) {
  case 0: { // A line repeated in another place, or gone.
    std::vector<StringRef> lines;
    for (StringRef line : llvm::split(text, '\n'))
      lines.push_back(line);
    size_t line = pick(random, lines.size());
    if (pick(random, 2))
      lines.insert(lines.begin() + pick(random, lines.size()), lines[line]);
    else
      lines.erase(lines.begin() + line);
    return llvm::join(lines, "\n");
  }
  case 1: // Operands and attributes, by and by.
    tokens.erase(tokens.begin() + at);
    break;
  case 2:
    tokens[at] = getOddToken(kind, random);
    break;
  case 4: { // Another operator of as many tensors and results.
    const OperatorSchema *schema =
        kind == '@' ? lookupOperator(tokens[at].drop_front()) : nullptr;
    if (!schema)
      break;
    std::vector<const OperatorSchema *> others;
    for (const OperatorSchema &other : getAllOperators())
      if (getNumTensors(other) == getNumTensors(*schema) &&
          other.numResults == schema->numResults)
        others.push_back(&other);
    std::string name =
        "@" + others[pick(random, others.size())]->getName().str();
    tokens[at] = name;
    return llvm::join(tokens, "");
  }
  case 3: { // All of a name, or of a number, become another.
    StringRef from = tokens[at], to = tokens[pick(random, tokens.size())];
    if (getKind(to) == kind)
      llvm::replace(tokens, from, to);
    break;
  }
  default:
    // Values and numbers are what programs differ in: look for one of the kind.
    for (int tries = 0; tries < 20; ++tries) {
      StringRef other = tokens[pick(random, tokens.size())];
      if (getKind(other) == kind && other != tokens[at]) {
        tokens[at] = other;
        break;
      }
    }
  }
  return llvm::join(tokens, "");
}

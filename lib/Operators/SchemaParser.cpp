//===- SchemaParser.cpp - reads torch's schema text -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   schema   ::= name `(` (argument (`,` argument)*)? `)` `->` results
//                (`#` tag*)?
//   name     ::= ns `::` base (`.` overload)?  |  target
//   argument ::= `*`  |  type name (`=` default)?
//   type     ::= base alias? (`[` n? `]` alias? | `?`)*
//   alias    ::= `(` set (`|` set)* `!`? (`->` (`*` | set))? `)`
//   results  ::= type name?  |  `(` (type name? (`,` type name?)*)? `)`
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/SchemaParser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace fx;
using namespace fx::gen;
using llvm::StringRef;

static SchemaKind getKind(StringRef name) {
  if (name.starts_with("__torch__."))
    return SchemaKind::Object;
  return llvm::StringSwitch<SchemaKind>(name)
      .Case("Tensor", SchemaKind::Tensor)
      .Cases({"Scalar", "Number"}, SchemaKind::Number)
      .Case("int", SchemaKind::Int)
      .Case("SymInt", SchemaKind::SymInt)
      .Case("float", SchemaKind::Float)
      .Case("SymFloat", SchemaKind::SymFloat)
      .Case("bool", SchemaKind::Bool)
      .Case("SymBool", SchemaKind::SymBool)
      .Case("str", SchemaKind::String)
      .Case("ScalarType", SchemaKind::ScalarType)
      .Case("Layout", SchemaKind::Layout)
      .Case("Device", SchemaKind::Device)
      .Case("MemoryFormat", SchemaKind::MemoryFormat)
      .Case("Generator", SchemaKind::Generator)
      .Case("QScheme", SchemaKind::QScheme)
      .Case("Storage", SchemaKind::Storage)
      .Case("Stream", SchemaKind::Stream)
      .Case("Dimname", SchemaKind::Dimname)
      .Case("Dict", SchemaKind::Dict)
      .Default(SchemaKind::Any);
}

static unsigned getTagFlag(StringRef tag) {
  return llvm::StringSwitch<unsigned>(tag)
      .Case("core", OperatorSchema::Core)
      .Case("pointwise", OperatorSchema::Pointwise)
      .Case("reduction", OperatorSchema::Reduction)
      .Case("view_copy", OperatorSchema::ViewCopy)
      .Case("inplace_view", OperatorSchema::InplaceView)
      .Case("nondeterministic_seeded", OperatorSchema::Seeded)
      .Case("nondeterministic_bitwise", OperatorSchema::Nondeterministic)
      .Case("dynamic_output_shape", OperatorSchema::DynamicShape)
      .Case("data_dependent_output", OperatorSchema::DataDependent)
      .Case("maybe_aliasing_or_mutating", OperatorSchema::MaybeAliasing)
      .Default(0);
}

namespace {
class Parser {
public:
  Parser(StringRef line) : line(line), rest(line) {}

  llvm::Expected<OperatorDeclaration> parse();

private:
  llvm::Error error(llvm::Twine message) {
    return llvm::createStringError(message + " at '" + rest.take_front(30) +
                                   "' in '" + line + "'");
  }
  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  StringRef word() {
    rest = rest.ltrim();
    StringRef result = rest.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    rest = rest.drop_front(result.size());
    return result;
  }
  llvm::Error parseName(OperatorDeclaration &op);
  llvm::Error parseType(ArgumentDeclaration &argument);
  uint32_t getAliasSet(StringRef name);
  llvm::Error parseAlias(ArgumentDeclaration &argument);
  llvm::Error parseDefault(ArgumentDeclaration &argument);
  llvm::Error parseArguments(OperatorDeclaration &op);
  llvm::Error parseResults(OperatorDeclaration &op);

  StringRef line, rest;
  /// The names of the alias sets, in order of first use.
  llvm::SmallVector<StringRef> aliasSets;
};
} // namespace

llvm::Error Parser::parseName(OperatorDeclaration &op) {
  StringRef name = rest.take_until([](char c) { return c == '('; });
  rest = rest.drop_front(name.size());
  if (name.contains("::")) {
    auto [nameSpace, local] = name.split("::");
    auto [base, overload] = local.split('.');
    op.nameSpace = nameSpace.str();
    op.base = base.str();
    op.overload = overload.empty() ? "default" : overload.str();
    op.target = op.nameSpace + "." + op.base + "." + op.overload;
  } else {
    auto [nameSpace, base] = name.split('.');
    op.nameSpace = nameSpace.str();
    op.base = base.str();
    op.target = name.str();
    op.flags |= OperatorSchema::Symbolic;
  }
  if (op.nameSpace.empty() || op.base.empty())
    return error("expected an operator name");
  return llvm::Error::success();
}

/// Returns the bit of an alias set, which is that of its position in
/// `aliasSets`. All names from the 32nd on share a bit, which merges their
/// sets.
uint32_t Parser::getAliasSet(StringRef name) {
  size_t i = llvm::find(aliasSets, name) - aliasSets.begin();
  if (i == aliasSets.size())
    aliasSets.push_back(name);
  return 1u << std::min<size_t>(i, 31);
}

llvm::Error Parser::parseAlias(ArgumentDeclaration &argument) {
  if (!rest.consume_front("("))
    return llvm::Error::success();
  StringRef body = rest.take_until([](char c) { return c == ')'; });
  rest = rest.drop_front(body.size());
  if (!rest.consume_front(")"))
    return error("expected ')'");
  StringRef before = body;
  if (size_t arrow = body.find("->"); arrow != StringRef::npos) {
    if (body.drop_front(arrow).contains('*'))
      argument.flags |= ArgumentSchema::Wildcard;
    before = body.take_front(arrow);
  }
  for (size_t i = 0; i < before.size(); ++i) {
    char c = before[i];
    if (c >= 'a' && c <= 'z') {
      // Schemas of Python operators name alias sets `a0`, `a1`, ….
      StringRef set = before.drop_front(i).take_while(llvm::isAlnum);
      argument.aliasSets |= getAliasSet(set);
      i += set.size() - 1;
    } else if (c == '!') {
      argument.flags |= ArgumentSchema::Write;
    } else if (c == '*') {
      argument.flags |= ArgumentSchema::Wildcard;
    } else if (c != '|' && c != ' ') {
      return error("unknown alias annotation '" + body + "'");
    }
  }
  return llvm::Error::success();
}

llvm::Error Parser::parseType(ArgumentDeclaration &argument) {
  StringRef base = word();
  if (base.empty())
    return error("expected a type");
  argument.kind = getKind(base);
  argument.type = base.str();
  if (base == "Dict") {
    size_t close = rest.find(')');
    if (close == StringRef::npos)
      return error("expected ')'");
    argument.type += rest.take_front(close + 1).str();
    rest = rest.drop_front(close + 1);
  }
  if (llvm::Error e = parseAlias(argument))
    return e;
  bool optional = false;
  while (true) {
    if (rest.consume_front("?")) {
      optional = true;
      argument.type += "?";
      continue;
    }
    if (!rest.consume_front("["))
      break;
    unsigned size = 0;
    rest.consumeInteger(10, size);
    if (!rest.consume_front("]"))
      return error("expected ']'");
    argument.type += size ? "[" + std::to_string(size) + "]" : "[]";
    ++argument.listDepth;
    argument.listSize = size;
    if (optional)
      argument.flags |= ArgumentSchema::OptionalElements;
    optional = false;
    if (llvm::Error e = parseAlias(argument))
      return e;
  }
  if (optional)
    argument.flags |= ArgumentSchema::Optional;
  return llvm::Error::success();
}

llvm::Error Parser::parseDefault(ArgumentDeclaration &argument) {
  if (!rest.consume_front("="))
    return llvm::Error::success();
  argument.flags |= ArgumentSchema::HasDefault;
  size_t end = 0;
  if (rest.starts_with("\"")) {
    for (end = 1; end < rest.size() && rest[end] != '"'; ++end)
      end += rest[end] == '\\';
    ++end;
  } else if (rest.starts_with("[")) {
    end = rest.find(']') + 1;
  } else {
    end = rest.find_first_of(",)");
  }
  if (end == 0 || end >= rest.size())
    return error("expected a default value");
  argument.defaultText = rest.take_front(end).str();
  rest = rest.drop_front(end);
  return llvm::Error::success();
}

llvm::Error Parser::parseArguments(OperatorDeclaration &op) {
  if (!consume("("))
    return error("expected '('");
  bool kwargOnly = false;
  if (consume(")"))
    return llvm::Error::success();
  do {
    if (consume("*")) {
      kwargOnly = true;
      continue;
    }
    ArgumentDeclaration &argument = op.arguments.emplace_back();
    if (llvm::Error e = parseType(argument))
      return e;
    argument.name = word().str();
    if (argument.name.empty())
      return error("expected an argument name");
    if (kwargOnly)
      argument.flags |= ArgumentSchema::KwargOnly;
    if (llvm::Error e = parseDefault(argument))
      return e;
  } while (consume(","));
  return consume(")") ? llvm::Error::success() : error("expected ')'");
}

llvm::Error Parser::parseResults(OperatorDeclaration &op) {
  if (!consume("->"))
    return error("expected '->'");
  if (!consume("(")) {
    ArgumentDeclaration &result = op.results.emplace_back();
    if (llvm::Error e = parseType(result))
      return e;
    result.name = word().str();
    return llvm::Error::success();
  }
  if (consume(")"))
    return llvm::Error::success();
  do {
    ArgumentDeclaration &result = op.results.emplace_back();
    rest = rest.ltrim();
    if (llvm::Error e = parseType(result))
      return e;
    result.name = word().str();
  } while (consume(","));
  return consume(")") ? llvm::Error::success() : error("expected ')'");
}

llvm::Expected<OperatorDeclaration> Parser::parse() {
  OperatorDeclaration op;
  if (llvm::Error e = parseName(op))
    return e;
  if (llvm::Error e = parseArguments(op))
    return e;
  if (llvm::Error e = parseResults(op))
    return e;
  op.text = line.drop_back(rest.size()).trim().str();
  if (consume("#"))
    for (StringRef tag : llvm::split(rest, ' '))
      op.flags |= getTagFlag(tag);
  else if (!rest.trim().empty())
    return error("unexpected text");

  uint32_t written = 0, read = 0;
  for (const ArgumentDeclaration &argument : op.arguments) {
    if (argument.flags & ArgumentSchema::Write) {
      op.flags |= OperatorSchema::Mutating;
      written |= argument.aliasSets;
    } else {
      read |= argument.aliasSets;
    }
  }
  for (const ArgumentDeclaration &result : op.results)
    if (result.aliasSets & read & ~written)
      op.flags |= OperatorSchema::View;
  return op;
}

llvm::Expected<OperatorDeclaration> fx::gen::parseSchema(StringRef line) {
  return Parser(line).parse();
}

//===- Text.cpp - text of numbers and argument trees ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Text.h"
#include "fx/IR/Metadata.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <charconv>
#include <cmath>

using namespace mlir;
using namespace fx;

void fx::printReal(raw_ostream &os, double value) {
  if (std::isnan(value)) {
    os << "nan";
    return;
  }
  if (std::isinf(value)) {
    os << (value < 0 ? "neg_inf" : "inf");
    return;
  }
  char buffer[32];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  StringRef text(buffer, end - buffer);
  size_t exponent = text.find('e');
  StringRef mantissa = text.take_front(exponent);
  os << mantissa << (mantissa.contains('.') ? "" : ".0")
     << text.drop_front(mantissa.size());
}

std::optional<double> fx::parseSpecialReal(StringRef keyword) {
  return llvm::StringSwitch<std::optional<double>>(keyword)
      .Case("inf", INFINITY)
      .Case("neg_inf", -INFINITY)
      .Case("nan", NAN)
      .Default(std::nullopt);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// Prints `leaf` and returns true if it is an immediate with its own syntax.
static bool printImmediate(AsmPrinter &printer, Attribute leaf) {
  raw_ostream &os = printer.getStream();
  if (isa<fx::NoneAttr>(leaf)) {
    os << "None";
    return true;
  }
  if (auto boolean = dyn_cast<BoolAttr>(leaf)) {
    os << (boolean.getValue() ? "true" : "false");
    return true;
  }
  if (auto integer = dyn_cast<IntegerAttr>(leaf);
      integer && integer.getType().isSignlessInteger(64)) {
    os << integer.getInt();
    return true;
  }
  if (auto real = dyn_cast<FloatAttr>(leaf); real && real.getType().isF64()) {
    printReal(os, real.getValueAsDouble());
    return true;
  }
  return false;
}

static void printTree(OpAsmPrinter &printer, OperandRange operands,
                      unsigned &next, Attribute tree) {
  if (isa<OperandAttr>(tree)) {
    // An operation under construction may have fewer operands than leaves.
    if (next < operands.size())
      printer.printOperand(operands[next]);
    else
      printer << "#fx.operand";
    ++next;
    return;
  }
  if (auto list = dyn_cast<ArrayAttr>(tree)) {
    printer << '[';
    llvm::interleaveComma(list, printer.getStream(), [&](Attribute element) {
      printTree(printer, operands, next, element);
    });
    printer << ']';
    return;
  }
  if (auto dict = dyn_cast<DictAttr>(tree)) {
    printer << '{';
    llvm::interleaveComma(
        llvm::zip(dict.getKeys(), dict.getValues()), printer.getStream(),
        [&](auto entry) {
          printer.printAttributeWithoutType(std::get<0>(entry));
          printer << " = ";
          printTree(printer, operands, next, std::get<1>(entry));
        });
    printer << '}';
    return;
  }
  if (!printImmediate(printer, tree))
    printer.printAttribute(tree);
}

/// Returns true if the parser would read the bare word as an immediate or as
/// the beginning of a type.
static bool isAlsoImmediate(StringRef word) {
  if (parseSpecialReal(word) ||
      llvm::is_contained({"true", "false", "None", "index", "none", "complex",
                          "memref", "tensor", "tuple", "vector"},
                         word))
    return true;
  StringRef width = word;
  for (StringRef number : {"bf", "tf", "f", "si", "ui", "i"})
    if (width.consume_front(number))
      return !width.empty() && llvm::isDigit(width.front());
  return false;
}

void fx::printArguments(OpAsmPrinter &printer, OperandRange operands,
                        ArrayAttr args, ArrayAttr kwnames) {
  unsigned next = 0;
  size_t numPositional =
      args.size() - std::min<size_t>(args.size(), kwnames.size());
  printer << '(';
  for (auto [i, arg] : llvm::enumerate(args)) {
    if (i > 0)
      printer << ", ";
    if (i >= numPositional) {
      StringRef name = cast<StringAttr>(kwnames[i - numPositional]).getValue();
      if (isAlsoImmediate(name))
        printer.printString(name);
      else
        printer.printKeywordOrString(name);
      printer << " = ";
    }
    printTree(printer, operands, next, arg);
  }
  printer << ')';
}

void fx::printLeaf(AsmPrinter &printer, Attribute leaf) {
  if (!printImmediate(printer, leaf))
    printer.printAttribute(leaf);
}

void fx::printRenamed(OpAsmPrinter &printer, Operation *op) {
  SmallVector<StringRef> names = getResultNames(op);
  bool renamed = false;
  for (auto [result, name] : llvm::zip(op->getResults(), names)) {
    std::string printed;
    llvm::raw_string_ostream os(printed);
    printer.printOperand(result, os);
    renamed |= StringRef(printed).drop_front() != name;
  }
  if (!renamed)
    return;
  printer << " as ";
  printer.printString(*getNodeName(op));
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

static constexpr int maxTreeDepth = 64;

/// Parses an argument tree into `tree`. If `keyword` is not null, a bare word
/// that is not an immediate is stored there instead: the caller takes it for
/// the name of a keyword argument.
static ParseResult parseTree(OpAsmParser &parser, ParsedArguments &result,
                             Attribute &tree, int depth,
                             std::string *keyword = nullptr);

/// Parses what follows the `[` of a list.
static ParseResult parseList(OpAsmParser &parser, ParsedArguments &result,
                             Attribute &tree, int depth) {
  Builder b(parser.getContext());
  SmallVector<Attribute> elements;
  if (failed(parser.parseOptionalRSquare())) {
    do {
      if (parseTree(parser, result, elements.emplace_back(), depth + 1))
        return failure();
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseRSquare())
      return failure();
  }
  tree = b.getArrayAttr(elements);
  return success();
}

/// Parses what follows the `{` of a dict.
static ParseResult parseDict(OpAsmParser &parser, ParsedArguments &result,
                             Attribute &tree, int depth) {
  MLIRContext *ctx = parser.getContext();
  Builder b(ctx);
  SmallVector<Attribute> keys, values;
  if (failed(parser.parseOptionalRBrace())) {
    do {
      std::string key;
      if (parser.parseString(&key) || parser.parseEqual() ||
          parseTree(parser, result, values.emplace_back(), depth + 1))
        return failure();
      keys.push_back(b.getStringAttr(key));
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseRBrace())
      return failure();
  }
  tree = DictAttr::get(ctx, b.getArrayAttr(keys), b.getArrayAttr(values));
  return success();
}

/// Parses `true`, `false` or `None` if it comes next; fails otherwise, without
/// a diagnostic.
static ParseResult parseOptionalSingleton(OpAsmParser &parser,
                                          Attribute &tree) {
  Builder b(parser.getContext());
  if (succeeded(parser.parseOptionalKeyword("true")))
    tree = b.getBoolAttr(true);
  else if (succeeded(parser.parseOptionalKeyword("false")))
    tree = b.getBoolAttr(false);
  else if (succeeded(parser.parseOptionalKeyword("None")))
    tree = fx::NoneAttr::get(parser.getContext());
  else
    return failure();
  return success();
}

/// Parses a bare word that does not begin a type, as parseTree describes.
/// Returns no value if the next token is not a bare word.
static OptionalParseResult
parseOptionalWord(OpAsmParser &parser, Attribute &tree, std::string *keyword) {
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)))
    return std::nullopt;
  if (std::optional<double> special = parseSpecialReal(word)) {
    tree = Builder(parser.getContext()).getF64FloatAttr(*special);
    return success();
  }
  if (keyword) {
    *keyword = word.str();
    return success();
  }
  return parser.emitError(parser.getCurrentLocation(),
                          "expected an argument, got '")
         << word << "'";
}

static ParseResult parseTree(OpAsmParser &parser, ParsedArguments &result,
                             Attribute &tree, int depth, std::string *keyword) {
  if (depth > maxTreeDepth)
    return parser.emitError(parser.getCurrentLocation(),
                            "argument tree nested deeper than ")
           << maxTreeDepth;

  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
  if (isOperand.has_value()) {
    result.operands.push_back(operand);
    tree = OperandAttr::get(parser.getContext());
    return *isOperand;
  }
  if (succeeded(parser.parseOptionalLSquare()))
    return parseList(parser, result, tree, depth);
  if (succeeded(parser.parseOptionalLBrace()))
    return parseDict(parser, result, tree, depth);
  if (succeeded(parseOptionalSingleton(parser, tree)))
    return success();
  // Types come before bare words, because `f32` and `i1` are types.
  Type type;
  OptionalParseResult isType = parser.parseOptionalType(type);
  if (isType.has_value()) {
    if (succeeded(*isType))
      tree = TypeAttr::get(type);
    return *isType;
  }
  OptionalParseResult isWord = parseOptionalWord(parser, tree, keyword);
  if (isWord.has_value())
    return *isWord;
  return parser.parseAttribute(tree);
}

ParseResult fx::parseArguments(OpAsmParser &parser, ParsedArguments &result) {
  Builder b(parser.getContext());
  if (parser.parseLParen())
    return failure();
  if (succeeded(parser.parseOptionalRParen()))
    return success();
  do {
    Attribute tree;
    std::string keyword;
    llvm::SMLoc loc = parser.getCurrentLocation();
    if (parseTree(parser, result, tree, 0, &keyword))
      return failure();
    // The name of a keyword argument is a bare word, or a string if the word
    // would be read as an immediate or a type: `"index" = %x`.
    if (!keyword.empty() || (tree && isa<StringAttr>(tree))) {
      bool isName = succeeded(parser.parseOptionalEqual());
      if (isName && keyword.empty())
        keyword = cast<StringAttr>(tree).getValue().str();
      if (!isName && !keyword.empty())
        return parser.emitError(loc, "expected an argument, got '")
               << keyword << "'";
      if (isName && parseTree(parser, result, tree, 0))
        return failure();
    }
    if (keyword.empty() && !result.kwnames.empty())
      return parser.emitError(loc,
                              "positional argument after a keyword argument");
    if (!keyword.empty())
      result.kwnames.push_back(b.getStringAttr(keyword));
    result.args.push_back(tree);
  } while (succeeded(parser.parseOptionalComma()));
  return parser.parseRParen();
}

ParseResult fx::parseNodeName(OpAsmParser &parser, OperationState &state) {
  MLIRContext *ctx = parser.getContext();
  std::string name;
  if (succeeded(parser.parseOptionalKeyword("as"))) {
    if (parser.parseString(&name))
      return failure();
  } else {
    for (size_t i = 0, e = parser.getNumResults(); i < e; ++i) {
      auto [ssaName, index] = parser.getResultName(i);
      // The printer, not FX, made a name that is a number, and the names of a
      // pack (`%x:2`).
      if (ssaName.empty() || llvm::isDigit(ssaName.front()) || index > 0)
        return success();
      name += (i ? "," : "") + ssaName.str();
    }
    if (name.empty())
      return success();
  }
  state.location = NameLoc::get(StringAttr::get(ctx, name), state.location);
  return success();
}

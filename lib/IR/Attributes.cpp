//===- Attributes.cpp - attributes of the fx dialect ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/FXDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// DeviceAttr: `<"cuda", 0>`
//===----------------------------------------------------------------------===//

Attribute DeviceAttr::parse(AsmParser &parser, Type) {
  std::string type;
  std::optional<int64_t> index;
  if (parser.parseLess() || parser.parseString(&type))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      parser.parseInteger(index.emplace()))
    return {};
  if (parser.parseGreater())
    return {};
  return DeviceAttr::get(parser.getContext(), type, index);
}

void DeviceAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printString(getType());
  if (getIndex())
    printer << ", " << *getIndex();
  printer << '>';
}

//===----------------------------------------------------------------------===//
// RangeAttr: `<s17 in [2, ?]>`
//===----------------------------------------------------------------------===//

RangeAttr RangeAttr::parseBody(AsmParser &parser) {
  auto bound = [&](std::optional<int64_t> &value) -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion()))
      return success();
    return parser.parseInteger(value.emplace());
  };
  std::optional<int64_t> min, max;
  FailureOr<ExprAttr> expr = ExprAttr::parseInfix(parser);
  if (failed(expr) || parser.parseKeyword("in") || parser.parseLSquare() ||
      bound(min) || parser.parseComma() || bound(max) || parser.parseRSquare())
    return {};
  return RangeAttr::get(parser.getContext(), *expr, min, max);
}

Attribute RangeAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  RangeAttr range = parseBody(parser);
  if (!range || parser.parseGreater())
    return {};
  return range;
}

void RangeAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printBody(printer.getStream());
  printer << '>';
}

void RangeAttr::printBody(raw_ostream &os) const {
  auto bound = [&](std::optional<int64_t> value) {
    if (value)
      os << *value;
    else
      os << '?';
  };
  getExpr().printInfix(os);
  os << " in [";
  bound(getMin());
  os << ", ";
  bound(getMax());
  os << ']';
}

//===----------------------------------------------------------------------===//
// MetaAttr: `<strides = [1, s0], offset = 4, requires_grad, layout = "...">`
//===----------------------------------------------------------------------===//

Attribute MetaAttr::parse(AsmParser &parser, Type) {
  SmallVector<ExprAttr> strides;
  ExprAttr offset;
  bool requiresGrad = false;
  StringAttr layout;
  auto parseOne = [&]() -> ParseResult {
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    if (keyword == "requires_grad") {
      requiresGrad = true;
      return success();
    }
    if (keyword != "strides" && keyword != "offset" && keyword != "layout")
      return parser.emitError(parser.getCurrentLocation(),
                              "expected strides, offset, requires_grad or "
                              "layout, got '")
             << keyword << "'";
    bool isStrides = keyword == "strides", isOffset = keyword == "offset";
    if (parser.parseEqual())
      return failure();
    if (isStrides)
      return parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            FailureOr<ExprAttr> stride = ExprAttr::parseInfix(parser);
            if (succeeded(stride))
              strides.push_back(*stride);
            return success(succeeded(stride));
          });
    if (isOffset) {
      FailureOr<ExprAttr> value = ExprAttr::parseInfix(parser);
      if (succeeded(value))
        offset = *value;
      return success(succeeded(value));
    }
    return parser.parseAttribute(layout);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseOne))
    return {};
  return MetaAttr::get(parser.getContext(), strides, offset, requiresGrad,
                       layout);
}

void MetaAttr::print(AsmPrinter &printer) const {
  raw_ostream &os = printer.getStream();
  StringRef separator = "";
  auto item = [&](StringRef text) {
    os << separator << text;
    separator = ", ";
  };
  os << '<';
  if (!getStrides().empty()) {
    item("strides = [");
    llvm::interleaveComma(getStrides(), os,
                          [&](ExprAttr e) { e.printInfix(os); });
    os << ']';
  }
  if (getStorageOffset()) {
    item("offset = ");
    getStorageOffset().printInfix(os);
  }
  if (getRequiresGrad())
    item("requires_grad");
  if (getLayout()) {
    item("layout = ");
    printer.printAttributeWithoutType(getLayout());
  }
  os << '>';
}

#define GET_ATTRDEF_CLASSES
#include "fx/IR/FXAttrs.cpp.inc"

void FXDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fx/IR/FXAttrs.cpp.inc"
      >();
}

//===- Types.cpp - types of the fx dialect --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/Enumerations.h"
#include "fx/IR/FXDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// FakeTensorType
//===----------------------------------------------------------------------===//

static bool isDtype(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return isa<FloatType>(complex.getElementType());
  if (auto integer = dyn_cast<IntegerType>(type))
    return !integer.isSigned() &&
           llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<FloatType>(type);
}

/// Returns true for a device type with an optional index: `cuda`, `cuda:0`.
static bool isDevice(StringRef device) {
  auto [type, index] = device.split(':');
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return !type.empty() && llvm::all_of(type, isWord) &&
         (index.empty() ? !device.contains(':')
                        : llvm::all_of(index, llvm::isDigit));
}

LogicalResult
FakeTensorType::verify(function_ref<InFlightDiagnostic()> emitError,
                       ArrayRef<ExprAttr> sizes, Type dtype, StringAttr device,
                       MetaAttr meta) {
  if (!isDtype(dtype))
    return emitError() << "expected a dtype, got " << dtype;
  for (ExprAttr size : sizes)
    if (size.isInteger() && size.getValue() < 0)
      return emitError() << "expected sizes of 0 or more, got "
                         << size.getValue();
  if (meta && !meta.getStrides().empty() &&
      meta.getStrides().size() != sizes.size())
    return emitError() << "expected " << sizes.size() << " strides, got "
                       << meta.getStrides().size();
  if (meta && meta.getLayout() &&
      !llvm::is_contained(getLayoutNames(), meta.getLayout().getValue()))
    return emitError() << "expected a layout of torch, got '"
                       << meta.getLayout().getValue().take_front(40) << "'";
  if (device && isDevice(device.getValue()) &&
      !llvm::is_contained(getDeviceTypes(),
                          device.getValue().split(':').first)) {
    InFlightDiagnostic error = emitError();
    error << "expected a device of torch: ";
    llvm::interleaveComma(getDeviceTypes(), error);
    return error << "; got '" << device.getValue().take_front(40) << "'";
  }
  if (device && !isDevice(device.getValue()))
    return emitError() << "expected a device like 'cuda' or 'cuda:0', got '"
                       << device.getValue().take_front(40) << "'";
  return success();
}

int64_t FakeTensorType::getDimSize(int64_t dim) const {
  return getSizes()[dim].getInteger().value_or(ShapedType::kDynamic);
}

bool FakeTensorType::hasStaticShape() const {
  return llvm::all_of(getSizes(), [](ExprAttr e) { return e.isInteger(); });
}

std::optional<int64_t> FakeTensorType::getNumElements() const {
  int64_t count = 1;
  for (ExprAttr size : getSizes())
    if (!size.isInteger() || llvm::MulOverflow(count, size.getValue(), count))
      return std::nullopt;
  return count;
}

RankedTensorType FakeTensorType::toBuiltin() const {
  SmallVector<int64_t> shape;
  for (int64_t i = 0, e = getRank(); i < e; ++i)
    shape.push_back(getDimSize(i));
  Type element = getDtype();
  if (auto integer = dyn_cast<IntegerType>(element))
    element = IntegerType::get(getContext(), integer.getWidth());
  return RankedTensorType::get(shape, element);
}

FakeTensorType FakeTensorType::withDtype(Type dtype) const {
  return get(getContext(), getSizes(), dtype, getDevice(), getMeta());
}

FakeTensorType FakeTensorType::withSizes(ArrayRef<ExprAttr> sizes) const {
  return get(getContext(), sizes, getDtype(), getDevice(), MetaAttr());
}

FakeTensorType FakeTensorType::withoutMeta() const {
  return get(getContext(), getSizes(), getDtype(), getDevice(), MetaAttr());
}

Type FakeTensorType::parse(AsmParser &parser) {
  SmallVector<ExprAttr> sizes;
  Type dtype;
  StringAttr device;
  MetaAttr meta;
  auto parseSize = [&]() -> ParseResult {
    FailureOr<ExprAttr> size = ExprAttr::parseInfix(parser);
    if (succeeded(size))
      sizes.push_back(*size);
    return success(succeeded(size));
  };
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseSize) ||
      parser.parseComma() || parser.parseType(dtype))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    Attribute attr;
    if (parser.parseAttribute(attr))
      return {};
    if (auto string = dyn_cast<StringAttr>(attr); string && !device) {
      device = StringAttr::get(parser.getContext(), string.getValue());
    } else if (auto parsed = dyn_cast<MetaAttr>(attr); parsed && !meta) {
      meta = parsed;
    } else {
      parser.emitError(loc, "expected one device and one #fx.meta");
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    sizes, dtype, device, meta);
}

void FakeTensorType::print(AsmPrinter &printer) const {
  raw_ostream &os = printer.getStream();
  os << "<[";
  llvm::interleaveComma(getSizes(), os, [&](ExprAttr e) { e.printInfix(os); });
  os << "], ";
  printer.printType(getDtype());
  if (getDevice()) {
    os << ", ";
    printer.printAttributeWithoutType(getDevice());
  }
  if (getMeta()) {
    os << ", ";
    printer.printAttribute(getMeta());
  }
  os << '>';
}

//===----------------------------------------------------------------------===//
// Symbolic scalars: `!fx.sym_int<2*s17>`
//===----------------------------------------------------------------------===//

template <typename T>
static Type parseSym(AsmParser &parser) {
  if (failed(parser.parseOptionalLess()))
    return T::get(parser.getContext(), ExprAttr());
  FailureOr<ExprAttr> expr = ExprAttr::parseInfix(parser);
  if (failed(expr) || parser.parseGreater())
    return {};
  return T::get(parser.getContext(), *expr);
}

static void printSym(AsmPrinter &printer, ExprAttr expr) {
  if (!expr)
    return;
  printer << '<';
  expr.printInfix(printer.getStream());
  printer << '>';
}

Type SymIntType::parse(AsmParser &parser) {
  return parseSym<SymIntType>(parser);
}
Type SymFloatType::parse(AsmParser &parser) {
  return parseSym<SymFloatType>(parser);
}
Type SymBoolType::parse(AsmParser &parser) {
  return parseSym<SymBoolType>(parser);
}
void SymIntType::print(AsmPrinter &printer) const {
  printSym(printer, getExpr());
}
void SymFloatType::print(AsmPrinter &printer) const {
  printSym(printer, getExpr());
}
void SymBoolType::print(AsmPrinter &printer) const {
  printSym(printer, getExpr());
}

#define GET_TYPEDEF_CLASSES
#include "fx/IR/FXTypes.cpp.inc"

void FXDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "fx/IR/FXTypes.cpp.inc"
      >();
}

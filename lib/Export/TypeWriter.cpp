//===- TypeWriter.cpp - types to tensor metadata --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TypeWriter.h"
#include "PythonText.h"
#include "fx/Import/SymbolicText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Texts of expressions
//===----------------------------------------------------------------------===//

TypeWriter::TypeWriter(ModuleOp module, llvm::StringSaver &strings)
    : strings(strings) {
  auto known = module->getAttrOfType<DictionaryAttr>("fx.expressions");
  if (!known)
    return;
  for (NamedAttribute entry : known) {
    llvm::Expected<ExprAttr> expr =
        parseSrepr(module.getContext(), entry.getName());
    if (!expr) {
      llvm::consumeError(expr.takeError());
      continue;
    }
    addSymbols(entry.getName());
    texts.try_emplace(*expr, Text{entry.getName(), entry.getValue()});
    auto value = dyn_cast<IntegerAttr>(entry.getValue());
    if (expr->isSymbol() && value)
      values[expr->getName()] = value.getInt();
  }
}

/// Records the srepr texts of the symbols in an expression's text. They have
/// the symbols' assumptions, which types do not have.
void TypeWriter::addSymbols(StringRef text) {
  constexpr StringLiteral begin = "Symbol('";
  for (size_t at = text.find(begin); at != StringRef::npos;
       at = text.find(begin, at + 1)) {
    size_t end = text.find(')', at);
    StringRef symbol = text.slice(at, end == StringRef::npos ? end : end + 1);
    symbols.try_emplace(symbol.drop_front(begin.size()).split('\'').first,
                        symbol);
  }
}

std::optional<schema::SymExprHint> TypeWriter::getHint(const Text &text) const {
  if (auto boolean = dyn_cast<BoolAttr>(text.hint))
    return schema::SymExprHint{boolean.getValue()};
  if (auto integer = dyn_cast<IntegerAttr>(text.hint))
    return schema::SymExprHint{integer.getInt()};
  if (auto real = dyn_cast<FloatAttr>(text.hint))
    return schema::SymExprHint{real.getValueAsDouble()};
  return std::nullopt;
}

/// Returns the class of sympy or torch.utils._sympy for a function of the
/// dialect; empty if there is none.
static StringRef getClass(StringRef function) {
  return llvm::StringSwitch<StringRef>(function)
      .Case("max", "Max")
      .Case("min", "Min")
      .Case("floordiv", "FloorDiv")
      .Case("ceildiv", "CeilDiv")
      .Case("mod", "PythonMod")
      .Case("pow", "PowByNatural")
      .Case("lshift", "LShift")
      .Case("rshift", "RShift")
      .Case("eq", "Equality")
      .Case("ne", "Unequality")
      .Case("lt", "StrictLessThan")
      .Case("le", "LessThan")
      .Case("gt", "StrictGreaterThan")
      .Case("ge", "GreaterThan")
      .Case("and", "And")
      .Case("or", "Or")
      .Case("not", "Not")
      .Case("where", "Where")
      .Case("abs", "Abs")
      .Case("floor", "FloorToInt")
      .Case("ceil", "CeilToInt")
      .Cases({"trunc", "to_int"}, "TruncToInt")
      .Case("round", "RoundToInt")
      .Case("to_float", "ToFloat")
      .Case("trunc_to_float", "TruncToFloat")
      .Case("round_decimal", "RoundDecimal")
      .Case("int_truediv", "IntTrueDiv")
      .Case("float_truediv", "FloatTrueDiv")
      .Case("float_pow", "FloatPow")
      .Case("is_non_overlapping_and_dense", "IsNonOverlappingAndDenseIndicator")
      .Default("");
}

bool TypeWriter::print(raw_ostream &os, ExprAttr expr, Location loc) {
  if (auto known = texts.find(expr); known != texts.end()) {
    os << known->second.text;
    return true;
  }
  StringRef callee;
  switch (expr.getKind()) {
  case ExprKind::Integer:
    os << "Integer(" << expr.getValue() << ')';
    return true;
  case ExprKind::Real:
    os << "Float('";
    printPythonFloat(os, expr.getReal());
    os << "', precision=53)";
    return true;
  case ExprKind::Symbol: {
    StringRef name = expr.getName();
    if (StringRef text = symbols.lookup(name); !text.empty())
      os << text;
    else if (name.starts_with("z"))
      os << "Symbol('" << name << "', real=True)";
    else if (name.starts_with("u"))
      os << "Symbol('" << name << "', integer=True)";
    else
      os << "Symbol('" << name << "', positive=True, integer=True)";
    return true;
  }
  case ExprKind::Add:
    callee = "Add";
    break;
  case ExprKind::Mul:
    callee = "Mul";
    break;
  case ExprKind::Call:
    callee = getClass(expr.getName());
    break;
  }
  if (callee.empty()) {
    emitError(loc) << "sympy has no function for '" << expr.getName().getValue()
                   << "' in the expression " << expr;
    return false;
  }
  os << callee << '(';
  bool ok = true;
  llvm::interleaveComma(expr.getOperands(), os,
                        [&](ExprAttr e) { ok = ok && print(os, e, loc); });
  os << ')';
  return ok;
}

std::optional<schema::SymExpr> TypeWriter::getExpr(ExprAttr expr,
                                                   Location loc) {
  auto it = texts.find(expr);
  if (it == texts.end()) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (!print(os, expr, loc))
      return std::nullopt;
    Builder b(expr.getContext());
    Attribute hint = b.getUnitAttr();
    // torch has no example value for a truth value.
    bool isTruth = expr.getKind() == ExprKind::Call &&
                   llvm::is_contained(
                       {"eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not"},
                       expr.getName().getValue());
    if (!isTruth)
      if (std::optional<int64_t> value =
              expr.evaluate([&](StringRef name) -> std::optional<int64_t> {
                auto it = values.find(name);
                return it == values.end() ? std::nullopt
                                          : std::optional(it->second);
              }))
        hint = b.getI64IntegerAttr(*value);
    it = texts.try_emplace(expr, Text{strings.save(text), hint}).first;
  }
  return schema::SymExpr{it->second.text, getHint(it->second)};
}

std::optional<schema::SymInt> TypeWriter::getInt(ExprAttr expr, Location loc) {
  if (expr && expr.isInteger())
    return schema::SymInt{expr.getValue()};
  if (!expr)
    return emitError(loc) << "the expression of an integer is not known",
           std::nullopt;
  std::optional<schema::SymExpr> symbolic = getExpr(expr, loc);
  if (!symbolic)
    return std::nullopt;
  return schema::SymInt{*symbolic};
}

std::optional<schema::SymFloat> TypeWriter::getFloat(ExprAttr expr,
                                                     Location loc) {
  if (expr && expr.getKind() == ExprKind::Real)
    return schema::SymFloat{expr.getReal()};
  if (!expr)
    return emitError(loc) << "the expression of a float is not known",
           std::nullopt;
  std::optional<schema::SymExpr> symbolic = getExpr(expr, loc);
  if (!symbolic)
    return std::nullopt;
  return schema::SymFloat{*symbolic};
}

std::optional<schema::SymBool> TypeWriter::getBool(ExprAttr expr,
                                                   Location loc) {
  if (expr && expr.isInteger())
    return schema::SymBool{expr.getValue() != 0};
  if (!expr)
    return emitError(loc) << "the expression of a bool is not known",
           std::nullopt;
  std::optional<schema::SymExpr> symbolic = getExpr(expr, loc);
  if (!symbolic)
    return std::nullopt;
  return schema::SymBool{*symbolic};
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

std::optional<schema::ScalarType> TypeWriter::getDtype(Type type) {
  using ST = schema::ScalarType;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return ST::Bool;
    case 8:
      return isUnsigned ? ST::Byte : ST::Char;
    case 16:
      return isUnsigned ? ST::UInt16 : ST::Short;
    case 32:
      return isUnsigned ? ST::UInt32 : ST::Int;
    case 64:
      return isUnsigned ? ST::UInt64 : ST::Long;
    default:
      return std::nullopt;
    }
  }
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Type element = complex.getElementType();
    if (element.isF16())
      return ST::ComplexHalf;
    if (element.isF32())
      return ST::ComplexFloat;
    if (element.isF64())
      return ST::ComplexDouble;
    return std::nullopt;
  }
  return llvm::TypeSwitch<Type, std::optional<ST>>(type)
      .Case<Float16Type>([](auto) { return ST::Half; })
      .Case<BFloat16Type>([](auto) { return ST::BFloat16; })
      .Case<Float32Type>([](auto) { return ST::Float; })
      .Case<Float64Type>([](auto) { return ST::Double; })
      .Case<Float8E4M3FNType>([](auto) { return ST::Float8E4M3FN; })
      .Case<Float8E5M2Type>([](auto) { return ST::Float8E5M2; })
      .Case<Float8E4M3FNUZType>([](auto) { return ST::Float8E4M3FNUZ; })
      .Case<Float8E5M2FNUZType>([](auto) { return ST::Float8E5M2FNUZ; })
      .Case<Float8E8M0FNUType>([](auto) { return ST::Float8E8M0FNU; })
      .Default([](Type) { return std::nullopt; });
}

std::optional<schema::Layout> TypeWriter::getLayout(StringRef name) {
  using L = schema::Layout;
  return llvm::StringSwitch<std::optional<L>>(name)
      .Case("sparse_coo", L::SparseCoo)
      .Case("sparse_csr", L::SparseCsr)
      .Case("sparse_csc", L::SparseCsc)
      .Case("sparse_bsr", L::SparseBsr)
      .Case("sparse_bsc", L::SparseBsc)
      .Case("_mkldnn", L::Mkldnn)
      .Case("strided", L::Strided)
      .Default(std::nullopt);
}

std::optional<schema::MemoryFormat>
TypeWriter::getMemoryFormat(StringRef name) {
  using M = schema::MemoryFormat;
  return llvm::StringSwitch<std::optional<M>>(name)
      .Case("contiguous_format", M::ContiguousFormat)
      .Case("channels_last", M::ChannelsLast)
      .Case("channels_last_3d", M::ChannelsLast3d)
      .Case("preserve_format", M::PreserveFormat)
      .Default(std::nullopt);
}

/// Returns true if all symbols are known to be positive. Sympy then drops a
/// `Max(1, …)` around the size.
bool TypeWriter::isPositive(ExprAttr expr) const {
  bool positive = true;
  expr.walkSymbols([&](StringRef name) {
    StringRef text = symbols.lookup(name);
    positive &=
        text.empty() ? !name.starts_with("u") : text.contains("positive=True");
  });
  return positive;
}

std::optional<schema::TensorMeta> TypeWriter::getMeta(FakeTensorType type,
                                                      Location loc) {
  schema::TensorMeta meta;
  std::optional<schema::ScalarType> dtype = getDtype(type.getDtype());
  if (!dtype)
    return emitError(loc) << "torch has no dtype for " << type.getDtype(),
           std::nullopt;
  meta.dtype = *dtype;
  MLIRContext *ctx = type.getContext();
  MetaAttr attr = type.getMeta();
  meta.requires_grad = attr && attr.getRequiresGrad();

  SmallVector<ExprAttr> strides;
  if (attr && !attr.getStrides().empty()) {
    strides = llvm::to_vector(attr.getStrides());
  } else {
    ExprAttr one = ExprAttr::integer(ctx, 1), stride = one;
    for (ExprAttr size : llvm::reverse(type.getSizes())) {
      strides.insert(strides.begin(), stride);
      ExprAttr atLeastOne = size.isInteger() || !isPositive(size)
                                ? ExprAttr::call(ctx, "max", {size, one})
                                : size;
      stride = ExprAttr::mul(ctx, {stride, atLeastOne});
      if (!stride)
        return emitError(loc) << "the strides of " << type << " overflow",
               std::nullopt;
    }
  }
  for (auto [list, exprs] :
       {std::pair{&meta.sizes, type.getSizes()},
        std::pair{&meta.strides, ArrayRef<ExprAttr>(strides)}})
    for (ExprAttr expr : exprs) {
      std::optional<schema::SymInt> value = getInt(expr, loc);
      if (!value)
        return std::nullopt;
      list->push_back(*value);
    }
  ExprAttr offset = attr && attr.getStorageOffset() ? attr.getStorageOffset()
                                                    : ExprAttr::integer(ctx, 0);
  std::optional<schema::SymInt> value = getInt(offset, loc);
  std::optional<schema::Layout> layout =
      getLayout(attr && attr.getLayout() ? attr.getLayout().getValue()
                                         : StringRef("strided"));
  if (!layout)
    return emitError(loc) << "torch has no layout " << attr.getLayout(),
           std::nullopt;
  if (!value)
    return std::nullopt;
  meta.storage_offset = *value;
  meta.layout = *layout;
  StringRef device = type.getDevice() ? type.getDevice().getValue() : "cpu";
  auto [name, index] = device.split(':');
  meta.device.type = name;
  int64_t number;
  if (!index.empty()) {
    if (index.getAsInteger(10, number))
      return emitError(loc)
                 << "expected a device like 'cuda:0', got '" << device << "'",
             std::nullopt;
    meta.device.index = number;
  }
  return meta;
}

//===- TypeBuilder.cpp - tensor metadata to types -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TypeBuilder.h"
#include "Diagnostics.h"
#include "fx/Import/SymbolicText.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

ExprAttr TypeBuilder::getExpr(const schema::SymExpr &symbolic,
                              StringRef where) {
  Text &cached = texts[symbolic.expr_str];
  if (!cached.hint && symbolic.hint) {
    Builder b(ctx);
    const auto &value = symbolic.hint->value;
    if (auto *integer = std::get_if<int64_t>(&value))
      cached.hint = b.getI64IntegerAttr(*integer);
    else if (auto *real = std::get_if<double>(&value))
      cached.hint = b.getF64FloatAttr(*real);
    else
      cached.hint = b.getBoolAttr(std::get<bool>(value));
  }
  if (cached.expr)
    return cached.expr;
  llvm::Expected<ExprAttr> parsed = parseSrepr(ctx, symbolic.expr_str);
  if (parsed)
    return cached.expr = *parsed;
  emitErrorAt(ctx, where) << llvm::toString(parsed.takeError());
  return {};
}

DictionaryAttr TypeBuilder::getTexts() const {
  NamedAttrList list;
  for (const auto &entry : texts)
    list.set(entry.getKey(), entry.getValue().hint ? entry.getValue().hint
                                                   : UnitAttr::get(ctx));
  return list.getDictionary(ctx);
}

ExprAttr TypeBuilder::get(const schema::SymInt &value, StringRef where) {
  if (auto *expr = std::get_if<schema::SymExpr>(&value.value))
    return getExpr(*expr, where);
  return ExprAttr::integer(ctx, std::get<int64_t>(value.value));
}

SymIntType TypeBuilder::getType(const schema::SymInt &value, StringRef where) {
  ExprAttr expr = get(value, where);
  return expr ? SymIntType::get(ctx, expr) : SymIntType();
}

SymFloatType TypeBuilder::getType(const schema::SymFloat &value,
                                  StringRef where) {
  ExprAttr expr;
  if (auto *symbolic = std::get_if<schema::SymExpr>(&value.value))
    expr = getExpr(*symbolic, where);
  else
    expr = ExprAttr::real(ctx, std::get<double>(value.value));
  return expr ? SymFloatType::get(ctx, expr) : SymFloatType();
}

SymBoolType TypeBuilder::getType(const schema::SymBool &value,
                                 StringRef where) {
  ExprAttr expr;
  if (auto *symbolic = std::get_if<schema::SymExpr>(&value.value))
    expr = getExpr(*symbolic, where);
  else
    expr = ExprAttr::integer(ctx, std::get<bool>(value.value));
  return expr ? SymBoolType::get(ctx, expr) : SymBoolType();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Type TypeBuilder::getDtype(schema::ScalarType type) {
  using ST = schema::ScalarType;
  auto integer = [&](unsigned width, bool isUnsigned = false) -> Type {
    return IntegerType::get(
        ctx, width, isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
  };
  switch (type) {
  case ST::Byte:
    return integer(8, /*isUnsigned=*/true);
  case ST::Char:
    return integer(8);
  case ST::Short:
    return integer(16);
  case ST::Int:
    return integer(32);
  case ST::Long:
    return integer(64);
  case ST::Half:
    return Float16Type::get(ctx);
  case ST::Float:
    return Float32Type::get(ctx);
  case ST::Double:
    return Float64Type::get(ctx);
  case ST::ComplexHalf:
    return ComplexType::get(Float16Type::get(ctx));
  case ST::ComplexFloat:
    return ComplexType::get(Float32Type::get(ctx));
  case ST::ComplexDouble:
    return ComplexType::get(Float64Type::get(ctx));
  case ST::Bool:
    return integer(1);
  case ST::BFloat16:
    return BFloat16Type::get(ctx);
  case ST::UInt16:
    return integer(16, /*isUnsigned=*/true);
  case ST::Float8E4M3FN:
    return Float8E4M3FNType::get(ctx);
  case ST::Float8E5M2:
    return Float8E5M2Type::get(ctx);
  case ST::Float8E4M3FNUZ:
    return Float8E4M3FNUZType::get(ctx);
  case ST::Float8E5M2FNUZ:
    return Float8E5M2FNUZType::get(ctx);
  case ST::Float8E8M0FNU:
    return Float8E8M0FNUType::get(ctx);
  case ST::UInt32:
    return integer(32, /*isUnsigned=*/true);
  case ST::UInt64:
    return integer(64, /*isUnsigned=*/true);
  }
  return {};
}

StringRef TypeBuilder::getName(schema::Layout layout) {
  static constexpr StringLiteral names[] = {
      "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr",
      "sparse_bsc", "_mkldnn",    "strided"};
  return names[static_cast<int64_t>(layout) - 1];
}

StringRef TypeBuilder::getName(schema::MemoryFormat format) {
  static constexpr StringLiteral names[] = {"contiguous_format",
                                            "channels_last", "channels_last_3d",
                                            "preserve_format"};
  return names[static_cast<int64_t>(format) - 1];
}

/// Returns true if the strides are those that torch gives a contiguous tensor:
/// the product of the inner sizes, where each size counts as at least 1.
bool TypeBuilder::isContiguous(ArrayRef<ExprAttr> sizes,
                               ArrayRef<ExprAttr> strides) {
  ExprAttr one = ExprAttr::integer(ctx, 1);
  // Torch does not clamp a symbol that is known to be positive, so there are
  // two forms.
  ExprAttr plain = one, clamped = one;
  for (auto [size, stride] : llvm::reverse(llvm::zip_equal(sizes, strides))) {
    if (stride != plain && stride != clamped)
      return false;
    ExprAttr atLeastOne = ExprAttr::call(ctx, "max", {size, one});
    plain = ExprAttr::mul(ctx, {plain, size.isInteger() ? atLeastOne : size});
    clamped = ExprAttr::mul(ctx, {clamped, atLeastOne});
    if (!plain || !clamped)
      return false;
  }
  return true;
}

FakeTensorType TypeBuilder::getType(const schema::TensorMeta &meta,
                                    StringRef where) {
  SmallVector<ExprAttr> sizes, strides;
  for (const schema::SymInt &size : meta.sizes)
    if (!sizes.emplace_back(get(size, where)))
      return {};
  for (const schema::SymInt &stride : meta.strides)
    if (!strides.emplace_back(get(stride, where)))
      return {};
  ExprAttr offset = get(meta.storage_offset, where);
  if (!offset)
    return {};
  if (strides.size() != sizes.size()) {
    emitErrorAt(ctx, where) << "expected a stride for each of " << sizes.size()
                            << " sizes, got " << strides.size();
    return {};
  }
  if (isContiguous(sizes, strides))
    strides.clear();
  if (offset.isInteger() && offset.getValue() == 0)
    offset = {};
  StringAttr layout;
  if (meta.layout != schema::Layout::Strided)
    layout = StringAttr::get(ctx, getName(meta.layout));
  MetaAttr metaAttr;
  if (!strides.empty() || offset || meta.requires_grad || layout)
    metaAttr = MetaAttr::get(ctx, strides, offset, meta.requires_grad, layout);
  StringAttr device;
  if (meta.device.type != "cpu") {
    std::string name = meta.device.type.str();
    if (meta.device.index)
      name += ":" + std::to_string(*meta.device.index);
    device = StringAttr::get(ctx, name);
  }
  return FakeTensorType::getChecked([&] { return emitErrorAt(ctx, where); },
                                    ctx, ArrayRef<ExprAttr>(sizes),
                                    getDtype(meta.dtype), device, metaAttr);
}

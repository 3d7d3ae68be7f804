//===- Arguments.cpp - argument trees to IValues --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include <ATen/core/jit_type.h>
#include <ATen/ops/scalar_tensor.h>
#include <c10/core/ScalarType.h>
#include <limits>
#include <stdexcept>

using c10::IValue;
using Kind = fx::interp::ArgumentPlan::Kind;

namespace fx::interp {

bool ArgumentPlan::hasValue() const {
  if (kind == Kind::Value)
    return true;
  for (const ArgumentPlan &item : items)
    if (item.hasValue())
      return true;
  return false;
}

const ArgumentPlan *CallArguments::getKeyword(const std::string &name) const {
  for (size_t i = 0; i < kwnames.size(); ++i)
    if (kwnames[i] == name)
      return &args[numPositional() + i];
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Names of torch's enumerations
//===----------------------------------------------------------------------===//

c10::ScalarType parseDTypeName(const std::string &name) {
  using c10::ScalarType;
  static const std::pair<const char *, ScalarType> names[] = {
      {"bool", ScalarType::Bool},
      {"uint8", ScalarType::Byte},
      {"int8", ScalarType::Char},
      {"int16", ScalarType::Short},
      {"int32", ScalarType::Int},
      {"int64", ScalarType::Long},
      {"uint16", ScalarType::UInt16},
      {"uint32", ScalarType::UInt32},
      {"uint64", ScalarType::UInt64},
      {"float16", ScalarType::Half},
      {"bfloat16", ScalarType::BFloat16},
      {"float32", ScalarType::Float},
      {"float64", ScalarType::Double},
      {"complex32", ScalarType::ComplexHalf},
      {"complex64", ScalarType::ComplexFloat},
      {"complex128", ScalarType::ComplexDouble},
      {"float8_e4m3fn", ScalarType::Float8_e4m3fn},
      {"float8_e5m2", ScalarType::Float8_e5m2},
      {"float8_e4m3fnuz", ScalarType::Float8_e4m3fnuz},
      {"float8_e5m2fnuz", ScalarType::Float8_e5m2fnuz},
      {"float8_e8m0fnu", ScalarType::Float8_e8m0fnu}};
  for (auto &[known, type] : names)
    if (name == known)
      return type;
  throw std::runtime_error("unknown dtype '" + name + "'");
}

c10::Layout parseLayoutName(const std::string &name) {
  static const std::pair<const char *, c10::Layout> names[] = {
      {"strided", c10::kStrided},      {"sparse_coo", c10::kSparse},
      {"sparse_csr", c10::kSparseCsr}, {"sparse_csc", c10::kSparseCsc},
      {"sparse_bsr", c10::kSparseBsr}, {"sparse_bsc", c10::kSparseBsc},
      {"_mkldnn", c10::kMkldnn},       {"jagged", c10::kJagged}};
  for (auto &[known, layout] : names)
    if (name == known)
      return layout;
  throw std::runtime_error("unknown layout '" + name + "'");
}

c10::MemoryFormat parseMemoryFormatName(const std::string &name) {
  static const std::pair<const char *, c10::MemoryFormat> names[] = {
      {"contiguous_format", c10::MemoryFormat::Contiguous},
      {"preserve_format", c10::MemoryFormat::Preserve},
      {"channels_last", c10::MemoryFormat::ChannelsLast},
      {"channels_last_3d", c10::MemoryFormat::ChannelsLast3d}};
  for (auto &[known, format] : names)
    if (name == known)
      return format;
  throw std::runtime_error("unknown memory format '" + name + "'");
}

static c10::Device parseDevice(const ArgumentPlan &tree) {
  try {
    c10::Device device(tree.text);
    if (tree.index >= 0 && tree.index <= std::numeric_limits<int8_t>::max())
      device.set_index(static_cast<c10::DeviceIndex>(tree.index));
    return device;
  } catch (const c10::Error &) {
    throw std::runtime_error("unknown device '" + tree.text + "'");
  }
}

//===----------------------------------------------------------------------===//
// Conversion without a schema
//===----------------------------------------------------------------------===//

static const IValue &getValue(const ArgumentPlan &tree, const Values &values) {
  if (tree.index < 0 || static_cast<size_t>(tree.index) >= values.size())
    throw std::runtime_error("argument refers to value " +
                             std::to_string(tree.index) + " of " +
                             std::to_string(values.size()));
  return values[tree.index];
}

/// Converts a list to Tensor[] if all elements are tensors and it is not empty,
/// else to Any[].
static IValue makeGenericList(const ArgumentPlan &tree, const Values &values) {
  std::vector<IValue> items;
  bool tensors = !tree.items.empty();
  for (const ArgumentPlan &item : tree.items) {
    items.push_back(toIValue(item, values));
    tensors &= items.back().isTensor();
  }
  c10::TypePtr element = tensors ? c10::TypePtr(c10::TensorType::get())
                                 : c10::TypePtr(c10::AnyType::get());
  c10::impl::GenericList list(element);
  list.reserve(items.size());
  for (IValue &item : items)
    list.push_back(std::move(item));
  return list;
}

IValue toIValue(const ArgumentPlan &tree, const Values &values) {
  switch (tree.kind) {
  case Kind::Value:
    return getValue(tree, values);
  case Kind::None:
    return {};
  case Kind::Bool:
    return tree.index != 0;
  case Kind::Int:
  case Kind::DType:
  case Kind::Layout:
  case Kind::MemoryFormat:
    return tree.index;
  case Kind::Float:
    return tree.real;
  case Kind::Complex:
    return c10::complex<double>(tree.real, tree.imag);
  case Kind::String:
    return tree.text;
  case Kind::Device:
    return parseDevice(tree);
  case Kind::List:
    return makeGenericList(tree, values);
  case Kind::Dict: {
    c10::impl::GenericDict dict(c10::StringType::get(), c10::AnyType::get());
    for (size_t i = 0; i < tree.items.size(); ++i)
      dict.insert(tree.keys[i], toIValue(tree.items[i], values));
    return dict;
  }
  case Kind::Object:
    return tree.object;
  case Kind::Graph:
    throw std::runtime_error("a sub-graph is no argument here");
  case Kind::Operator:
    throw std::runtime_error("operator '" + tree.text +
                             "' is no argument here");
  }
  throw std::runtime_error("malformed argument");
}

//===----------------------------------------------------------------------===//
// Conversion to a type of the schema
//===----------------------------------------------------------------------===//

static std::string describe(const IValue &v) {
  if (v.isTensor() && v.toTensor().defined())
    return std::string("Tensor of ") +
           c10::toString(v.toTensor().scalar_type());
  return v.tagKind();
}

[[noreturn]] static void mismatch(const IValue &got, const c10::Type &type) {
  throw std::runtime_error("expected " + type.str() + ", got " + describe(got));
}

/// Returns the item of a tensor of one element, and any other value unchanged.
static IValue unwrapScalar(IValue v) {
  if (v.isTensor() && v.toTensor().defined() && v.toTensor().numel() == 1)
    return IValue(v.toTensor().item());
  return v;
}

/// Converts a number to a 0-d tensor that takes part in type promotion as a
/// Python number.
static IValue wrapNumber(const IValue &v, const c10::Type &type) {
  if (!v.isScalar() && !v.isBool())
    mismatch(v, type);
  c10::Scalar scalar = v.isBool() ? c10::Scalar(v.toBool()) : v.toScalar();
  c10::ScalarType dtype = scalar.isBoolean()         ? c10::kBool
                          : scalar.isIntegral(false) ? c10::kLong
                          : scalar.isComplex()       ? c10::kComplexDouble
                                                     : c10::kDouble;
  at::Tensor t = at::scalar_tensor(scalar, at::TensorOptions().dtype(dtype));
  t.unsafeGetTensorImpl()->set_wrapped_number(true);
  return t;
}

static IValue toNumber(IValue v, const c10::Type &type) {
  v = unwrapScalar(std::move(v));
  if (!v.isScalar() && !v.isBool())
    mismatch(v, type);
  return v;
}

static IValue toInt(IValue v, const c10::Type &type) {
  v = unwrapScalar(std::move(v));
  if (v.isBool())
    return static_cast<int64_t>(v.toBool());
  if (!v.isInt())
    mismatch(v, type);
  return v;
}

static IValue toFloat(IValue v, const c10::Type &type) {
  v = unwrapScalar(std::move(v));
  if (v.isBool())
    return static_cast<double>(v.toBool());
  if (v.isInt())
    return static_cast<double>(v.toInt());
  if (!v.isDouble())
    mismatch(v, type);
  return v;
}

static IValue toBool(IValue v, const c10::Type &type) {
  v = unwrapScalar(std::move(v));
  if (v.isInt())
    return v.toInt() != 0;
  if (!v.isBool())
    mismatch(v, type);
  return v;
}

static IValue toList(const ArgumentPlan &tree, const Values &values,
                     const c10::ListType &type,
                     std::optional<int32_t> listSize) {
  c10::TypePtr element = type.getElementType();
  c10::impl::GenericList list(element);
  if (tree.kind == Kind::List) {
    list.reserve(tree.items.size());
    for (const ArgumentPlan &item : tree.items)
      list.push_back(toIValue(item, values, *element));
    return list;
  }
  // The value is itself a list: convert its elements.
  if (tree.kind == Kind::Value && getValue(tree, values).isList()) {
    auto from = getValue(tree, values).toListRef();
    Values items(from.begin(), from.end());
    ArgumentPlan leaf;
    leaf.kind = Kind::Value;
    for (size_t i = 0; i < items.size(); ++i) {
      leaf.index = i;
      list.push_back(toIValue(leaf, items, *element));
    }
    return list;
  }
  // A single number is repeated for `int[2]`.
  IValue item = toIValue(tree, values, *element);
  for (int32_t i = 0, e = listSize.value_or(1); i < e; ++i)
    list.push_back(item);
  return list;
}

IValue toIValue(const ArgumentPlan &tree, const Values &values,
                const c10::Type &type, std::optional<int32_t> listSize) {
  switch (type.kind()) {
  case c10::TypeKind::OptionalType: {
    if (tree.isNone() ||
        (tree.kind == Kind::Value && getValue(tree, values).isNone()))
      return {};
    return toIValue(tree, values,
                    *type.expectRef<c10::OptionalType>().getElementType(),
                    listSize);
  }
  case c10::TypeKind::ListType:
    return toList(tree, values, type.expectRef<c10::ListType>(), listSize);
  case c10::TypeKind::TensorType: {
    IValue v = toIValue(tree, values);
    return v.isTensor() ? v : wrapNumber(v, type);
  }
  case c10::TypeKind::NumberType:
    return toNumber(toIValue(tree, values), type);
  case c10::TypeKind::IntType:
  case c10::TypeKind::SymIntType:
  case c10::TypeKind::ScalarTypeType:
  case c10::TypeKind::LayoutType:
  case c10::TypeKind::MemoryFormatType:
    return toInt(toIValue(tree, values), type);
  case c10::TypeKind::FloatType:
  case c10::TypeKind::SymFloatType:
    return toFloat(toIValue(tree, values), type);
  case c10::TypeKind::BoolType:
  case c10::TypeKind::SymBoolType:
    return toBool(toIValue(tree, values), type);
  case c10::TypeKind::StringType: {
    IValue v = toIValue(tree, values);
    if (!v.isString())
      mismatch(v, type);
    return v;
  }
  case c10::TypeKind::DeviceObjType: {
    IValue v = toIValue(tree, values);
    if (v.isString())
      return c10::Device(v.toStringRef());
    if (!v.isDevice())
      mismatch(v, type);
    return v;
  }
  default:
    return toIValue(tree, values);
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

BoundCall::BoundCall(const Operator &op, const CallArguments &list) : op(&op) {
  const std::vector<c10::Argument> &arguments = op.schema->arguments();
  std::vector<const ArgumentPlan *> trees(arguments.size());
  if (list.numPositional() > arguments.size())
    throw std::runtime_error("too many arguments: expected at most " +
                             std::to_string(arguments.size()) + ", got " +
                             std::to_string(list.numPositional()));
  for (size_t i = 0; i < list.numPositional(); ++i)
    trees[i] = &list.args[i];
  for (size_t k = 0; k < list.kwnames.size(); ++k) {
    std::optional<int> at = op.schema->argumentIndexWithName(list.kwnames[k]);
    if (!at)
      throw std::runtime_error("no argument is named '" + list.kwnames[k] +
                               "'");
    if (trees[*at])
      throw std::runtime_error("argument '" + list.kwnames[k] +
                               "' is given twice");
    trees[*at] = &list.args[list.numPositional() + k];
  }

  slots.resize(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    Slot &slot = slots[i];
    slot.argument = &arguments[i];
    if (!trees[i]) {
      if (!arguments[i].default_value())
        throw std::runtime_error("argument '" + arguments[i].name() +
                                 "' is missing");
      slot.constant = *arguments[i].default_value();
      continue;
    }
    slot.tree = trees[i];
    // Convert constant arguments once. All calls share a constant list; no
    // operator writes to lists. A number that is passed as a tensor is
    // converted again in each call.
    bool isTensor = arguments[i].type()->kind() == c10::TypeKind::TensorType;
    if (trees[i]->hasValue() || isTensor)
      continue;
    try {
      slot.constant =
          toIValue(*trees[i], {}, *arguments[i].type(), arguments[i].N());
    } catch (const std::exception &e) {
      throw std::runtime_error("argument '" + arguments[i].name() +
                               "': " + e.what());
    }
    slot.tree = nullptr;
  }
}

void BoundCall::operator()(const Values &values,
                           torch::jit::Stack &stack) const {
  stack.reserve(stack.size() + slots.size());
  for (const Slot &slot : slots) {
    if (!slot.tree) {
      stack.push_back(slot.constant);
      continue;
    }
    try {
      stack.push_back(toIValue(*slot.tree, values, *slot.argument->type(),
                               slot.argument->N()));
    } catch (const c10::Error &) {
      throw;
    } catch (const std::exception &e) {
      throw std::runtime_error("argument '" + slot.argument->name() +
                               "': " + e.what());
    }
  }
  op->call(stack);
}

} // namespace fx::interp

//===- ArgumentKinds.cpp - the serialized kind of an argument -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Import/ArgumentKinds.h"
#include "fx/Import/SchemaTables.h"

#include "fx/IR/Arguments.h"
#include "fx/Operators/Schema.h"

using namespace mlir;
using namespace fx;
using Kind = schema::Argument::Kind;

static Kind getValueKind(Value value) {
  // The placeholder of an immediate has no entry in the tables of symbolic
  // values, so torch's serializer treats it as a tensor.
  if (auto placeholder = value.getDefiningOp<PlaceholderOp>())
    if (placeholder.getValueAttr())
      return Kind::Tensor;
  Type type = value.getType();
  if (isa<SymIntType>(type))
    return Kind::SymInt;
  if (isa<SymFloatType>(type))
    return Kind::SymFloat;
  if (isa<SymBoolType>(type))
    return Kind::SymBool;
  if (isa<ObjectType>(type))
    return Kind::CustomObj;
  if (isa<GraphRefType>(type))
    return Kind::Graph;
  return Kind::Tensor;
}

static std::optional<Kind> getImmediateKind(Attribute leaf) {
  if (isa<fx::NoneAttr>(leaf))
    return Kind::None;
  if (isa<BoolAttr>(leaf))
    return Kind::Bool;
  if (isa<IntegerAttr>(leaf))
    return Kind::Int;
  if (isa<FloatAttr>(leaf))
    return Kind::Float;
  if (isa<StringAttr>(leaf))
    return Kind::String;
  if (isa<TypeAttr>(leaf))
    return Kind::ScalarType;
  if (isa<MemoryFormatAttr>(leaf))
    return Kind::MemoryFormat;
  if (isa<LayoutAttr>(leaf))
    return Kind::Layout;
  if (isa<DeviceAttr>(leaf))
    return Kind::Device;
  if (isa<OperatorAttr>(leaf))
    return Kind::Operator;
  if (isa<fx::ComplexAttr>(leaf))
    return Kind::Complex;
  if (isa<DictAttr>(leaf))
    return Kind::StringToArgument;
  return std::nullopt;
}

static Kind getEmptyListKind(const ArgumentSchema *schema) {
  if (!schema)
    return Kind::Tensors;
  switch (schema->kind) {
  case SchemaKind::Bool:
  case SchemaKind::SymBool:
    return Kind::Bools;
  case SchemaKind::Int:
  case SchemaKind::SymInt:
    return Kind::Ints;
  case SchemaKind::Float:
  case SchemaKind::SymFloat:
    return Kind::Floats;
  case SchemaKind::String:
    return Kind::Strings;
  default:
    return Kind::Tensors;
  }
}

/// Returns the kind of a list, or nullopt if there is none. The order of the
/// checks is that of torch's serializer.
static std::optional<Kind> getListKind(ArrayAttr list, ValueRange operands,
                                       const ArgumentSchema *schema) {
  if (list.empty())
    return getEmptyListKind(schema);
  bool nested = llvm::all_of(list, llvm::IsaPred<ArrayAttr>);
  if (nested) {
    auto all = [&](auto pred) {
      return llvm::all_of(list, [&](Attribute inner) {
        return llvm::all_of(cast<ArrayAttr>(inner), pred);
      });
    };
    if (all(llvm::IsaPred<OperandAttr>))
      return Kind::NestedTensors;
    if (all([](Attribute a) {
          return isa<IntegerAttr>(a) && !isa<BoolAttr>(a);
        }))
      return Kind::IntLists;
    if (all(llvm::IsaPred<FloatAttr>))
      return Kind::FloatLists;
    return std::nullopt;
  }
  SmallVector<Kind> kinds;
  auto operand = operands.begin();
  for (Attribute element : list) {
    if (isa<OperandAttr>(element)) {
      kinds.push_back(operand == operands.end() ? Kind::Tensor
                                                : getValueKind(*operand++));
    } else if (std::optional<Kind> kind = getImmediateKind(element)) {
      kinds.push_back(*kind);
    } else {
      return std::nullopt;
    }
  }
  auto only = [&](std::initializer_list<Kind> wanted) {
    return llvm::all_of(kinds,
                        [&](Kind k) { return llvm::is_contained(wanted, k); });
  };
  if (only({Kind::Bool}))
    return Kind::Bools;
  if (only({Kind::Int}))
    return Kind::Ints;
  if (only({Kind::Float}))
    return Kind::Floats;
  if (only({Kind::String}))
    return Kind::Strings;
  if (only({Kind::Int, Kind::SymInt}))
    return Kind::SymInts;
  if (only({Kind::Float, Kind::SymFloat}))
    return Kind::SymFloats;
  if (only({Kind::Bool, Kind::SymBool}))
    return Kind::SymBools;
  // Torch cannot save a list of graphs, the branches of `switch`.
  if (llvm::is_contained(kinds, Kind::Graph))
    return std::nullopt;
  // Torch's serializer treats all other named values as tensors.
  if (llvm::all_of(list, llvm::IsaPred<OperandAttr>))
    return Kind::Tensors;
  if (llvm::all_of(
          list, [](Attribute a) { return isa<OperandAttr, fx::NoneAttr>(a); }))
    return Kind::OptionalTensors;
  return std::nullopt;
}

std::optional<Kind> fx::getArgumentKind(Attribute tree, ValueRange operands,
                                        const ArgumentSchema *schema) {
  if (isa<OperandAttr>(tree))
    return operands.empty() ? Kind::Tensor : getValueKind(operands.front());
  if (auto list = dyn_cast<ArrayAttr>(tree))
    return getListKind(list, operands, schema);
  return getImmediateKind(tree);
}

StringRef fx::getKindName(Kind kind) {
  StringRef result;
  std::apply(
      [&](const auto &...kinds) {
        ((kinds.kind == kind ? void(result = kinds.name) : void()), ...);
      },
      schema::Alternatives<schema::Argument>::table);
  return result;
}

std::optional<Kind> fx::getKindByName(StringRef name) {
  std::optional<Kind> result;
  std::apply(
      [&](const auto &...kinds) {
        ((name == kinds.name ? void(result = kinds.kind) : void()), ...);
      },
      schema::Alternatives<schema::Argument>::table);
  return result;
}

bool fx::isPlainTarget(StringRef target) {
  const OperatorSchema *known = lookupOperator(target);
  return known && known->isSymbolic();
}

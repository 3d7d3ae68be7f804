//===- Argument.cpp - one argument of a node ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/Arguments.h"

using namespace mlir;
using namespace fx;

std::optional<bool> Argument::getBool() const {
  if (auto attr = dyn_cast_if_present<BoolAttr>(tree))
    return attr.getValue();
  return std::nullopt;
}

std::optional<int64_t> Argument::getInt() const {
  auto attr = dyn_cast_if_present<IntegerAttr>(tree);
  if (!attr || attr.getValue().getBitWidth() > 64)
    return std::nullopt;
  // True is 1: an i1 must not be read as signed.
  return attr.getType().isInteger(1) ? attr.getValue().getZExtValue()
                                     : attr.getValue().getSExtValue();
}

std::optional<double> Argument::getFloat() const {
  if (auto attr = dyn_cast_if_present<FloatAttr>(tree))
    return attr.getValueAsDouble();
  if (std::optional<int64_t> value = getInt())
    return static_cast<double>(*value);
  return std::nullopt;
}

std::optional<StringRef> Argument::getString() const {
  if (auto attr = dyn_cast_if_present<StringAttr>(tree))
    return attr.getValue();
  return std::nullopt;
}

Type Argument::getDtype() const {
  auto attr = dyn_cast_if_present<TypeAttr>(tree);
  return attr ? attr.getValue() : Type();
}

ExprAttr Argument::getExpr() const {
  if (std::optional<int64_t> value = getInt())
    return ExprAttr::integer(tree.getContext(), *value);
  if (Value value = getValue())
    if (auto type = dyn_cast<SymIntType>(value.getType()))
      return type.getExpr();
  return {};
}

SmallVector<Argument, 4> Argument::getElements() const {
  if (isNone())
    return {};
  auto list = dyn_cast<ArrayAttr>(tree);
  if (!list)
    return {*this};
  SmallVector<Argument, 4> result;
  OperandRange rest = operands;
  for (Attribute element : list) {
    unsigned count = countOperands(element);
    result.push_back({element, rest.take_front(count)});
    rest = rest.drop_front(count);
  }
  return result;
}

std::optional<SmallVector<int64_t>> Argument::getInts() const {
  SmallVector<int64_t> result;
  for (const Argument &element : getElements()) {
    std::optional<int64_t> value = element.getInt();
    if (!value)
      return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

std::optional<SmallVector<ExprAttr>> Argument::getExprs() const {
  SmallVector<ExprAttr> result;
  for (const Argument &element : getElements()) {
    ExprAttr expr = element.getExpr();
    if (!expr)
      return std::nullopt;
    result.push_back(expr);
  }
  return result;
}

SmallVector<Value> Argument::getValues() const {
  return llvm::map_to_vector(getElements(), [](const Argument &element) {
    return element.getValue();
  });
}

//===- TypePromotion.cpp - torch's dtype arithmetic -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/TypePromotion.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// The lattice
//===----------------------------------------------------------------------===//

static bool isFloat8(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  return floatType && floatType.getWidth() <= 8;
}

/// Returns true for uint16, uint32 and uint64, which promote with floats only.
static bool isBareboneUnsigned(Type type) {
  return type.isUnsignedInteger() && type.getIntOrFloatBitWidth() > 8;
}

static Type promoteInts(IntegerType a, IntegerType b) {
  if (isBareboneUnsigned(a) || isBareboneUnsigned(b))
    return {};
  if (a.getWidth() == 1)
    return b;
  if (b.getWidth() == 1)
    return a;
  if (a.isUnsigned() == b.isUnsigned())
    return a.getWidth() >= b.getWidth() ? a : b;
  // uint8 and a signed integer promote to int16 or wider.
  IntegerType isSigned = a.isUnsigned() ? b : a;
  return isSigned.getWidth() > 8 ? isSigned
                                 : IntegerType::get(a.getContext(), 16);
}

static Type promoteFloats(FloatType a, FloatType b) {
  if (a.getWidth() == b.getWidth()) // float16 and bfloat16
    return Float32Type::get(a.getContext());
  return a.getWidth() > b.getWidth() ? a : b;
}

Type fx::promoteTypes(Type a, Type b) {
  if (a == b)
    return a;
  if (isFloat8(a) || isFloat8(b))
    return {};
  if (auto complexA = dyn_cast<ComplexType>(a)) {
    Type partB = isComplexDtype(b) ? cast<ComplexType>(b).getElementType() : b;
    if (isBareboneUnsigned(partB))
      return {};
    Type part = isFloatDtype(partB)
                    ? promoteTypes(complexA.getElementType(), partB)
                    : complexA.getElementType();
    return part ? ComplexType::get(part) : Type();
  }
  if (isComplexDtype(b))
    return promoteTypes(b, a);
  auto floatA = dyn_cast<FloatType>(a), floatB = dyn_cast<FloatType>(b);
  if (floatA && floatB)
    return promoteFloats(floatA, floatB);
  if (floatA || floatB)
    return floatA ? a : b;
  auto intA = dyn_cast<IntegerType>(a), intB = dyn_cast<IntegerType>(b);
  return intA && intB ? promoteInts(intA, intB) : Type();
}

//===----------------------------------------------------------------------===//
// Categories
//===----------------------------------------------------------------------===//

void TypePromotion::merge(Type &category, Type dtype) {
  if (!category) {
    category = dtype;
    return;
  }
  Type result = promoteTypes(category, dtype);
  invalid |= !result;
  if (result)
    category = result;
}

void TypePromotion::addTensor(Type dtype, int64_t rank) {
  merge(rank == 0 ? zeroResult : dimResult, dtype);
}

void TypePromotion::addNumber(Type dtype) {
  // A Python float has the default dtype, whatever its precision.
  if (isFloatDtype(dtype))
    dtype = Float32Type::get(context);
  else if (isComplexDtype(dtype))
    dtype = ComplexType::get(Float32Type::get(context));
  merge(numberResult, dtype);
}

Type fx::getNumberDtype(const Argument &argument) {
  if (!argument.tree)
    return {};
  MLIRContext *context = argument.tree.getContext();
  if (Value value = argument.getValue()) {
    Type type = value.getType();
    if (isa<SymIntType>(type))
      return IntegerType::get(context, 64);
    if (isa<SymFloatType>(type))
      return Float32Type::get(context);
    if (isa<SymBoolType>(type))
      return IntegerType::get(context, 1);
    return {};
  }
  if (isa<BoolAttr>(argument.tree))
    return IntegerType::get(context, 1);
  if (isa<IntegerAttr>(argument.tree))
    return IntegerType::get(context, 64);
  if (isa<FloatAttr>(argument.tree))
    return Float32Type::get(context);
  if (isa<ComplexAttr>(argument.tree))
    return ComplexType::get(Float32Type::get(context));
  return {};
}

bool TypePromotion::add(const Argument &argument) {
  if (argument.isNone())
    return true;
  if (Value value = argument.getValue())
    if (auto tensor = dyn_cast<FakeTensorType>(value.getType())) {
      addTensor(tensor.getDtype(), tensor.getRank());
      return true;
    }
  Type number = getNumberDtype(argument);
  if (number)
    addNumber(number);
  return static_cast<bool>(number);
}

/// Combines the dtype of a category with the dtype of the lower categories.
/// Either may be null.
static Type combine(Type higher, Type lower) {
  if (!higher || !lower)
    return higher ? higher : lower;
  if (isComplexDtype(higher))
    return higher;
  if (isFloatDtype(higher)) {
    if (!isComplexDtype(lower))
      return higher;
    // There is no complex dtype of bfloat16 or fp8.
    if (isFloat8(higher))
      return {};
    return higher.isBF16()
               ? ComplexType::get(Float32Type::get(higher.getContext()))
               : ComplexType::get(higher);
  }
  if (isBoolDtype(higher) || isFloatDtype(lower) || isComplexDtype(lower))
    return promoteTypes(higher, lower);
  return higher;
}

Type TypePromotion::getResult() const {
  if (invalid)
    return {};
  return combine(dimResult, combine(zeroResult, numberResult));
}

Type fx::getPromotedDtype(ArrayRef<Argument> arguments) {
  MLIRContext *context = nullptr;
  for (const Argument &argument : arguments)
    if (argument.tree)
      context = argument.tree.getContext();
  if (!context)
    return {};
  TypePromotion promotion(context);
  for (const Argument &argument : arguments)
    if (!promotion.add(argument))
      return {};
  return promotion.getResult();
}

//===----------------------------------------------------------------------===//
// Derived dtypes
//===----------------------------------------------------------------------===//

Type fx::promoteIntToFloat(Type dtype) {
  return isIntOrBoolDtype(dtype) ? Float32Type::get(dtype.getContext()) : dtype;
}

Type fx::promoteIntToLong(Type dtype) {
  return isIntOrBoolDtype(dtype) ? IntegerType::get(dtype.getContext(), 64)
                                 : dtype;
}

Type fx::toRealDtype(Type dtype) {
  auto complexType = dyn_cast<ComplexType>(dtype);
  return complexType ? complexType.getElementType() : dtype;
}

Type fx::getComputeDtype(Type dtype) {
  if (auto complexType = dyn_cast<ComplexType>(dtype))
    return ComplexType::get(getComputeDtype(complexType.getElementType()));
  if (isFloatDtype(dtype) && dtype.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(dtype.getContext());
  return dtype;
}

//===- ConvertElements.cpp - tensors of another element type --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/ConvertElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fx::kernel;

Value fx::kernel::mapElements(
    OpBuilder &b, Location loc, Value x, Type element,
    function_ref<Value(OpBuilder &, Location, Value)> fn) {
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  Value out = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, x),
                                      element);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, out.getType(), x, out, maps, kinds,
             [&](OpBuilder &nested, Location at, ValueRange v) {
               linalg::YieldOp::create(nested, at, fn(nested, at, v[0]));
             })
      .getResult(0);
}

/// Converts the elements of `v` by a pointwise generic.
static Value convert(OpBuilder &b, Location loc, Value v, FloatType type) {
  return mapElements(b, loc, v, type,
                     [&](OpBuilder &nested, Location at, Value x) {
                       return convertScalarToDtype(nested, at, x, type,
                                                   /*isUnsignedCast=*/false);
                     });
}

Value ElementConverter::get(Value value) {
  if (Value known = converted.lookup(value))
    return known;
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  auto pad = value.getDefiningOp<tensor::PadOp>();
  Value filling = pad ? pad.getConstantPaddingValue() : Value();
  APFloat number(0.0);
  if (!filling || !matchPattern(filling, m_ConstantFloat(&number)))
    return converted[value] = convert(b, value.getLoc(), value, type);
  Location loc = pad.getLoc();
  bool losesInfo;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  Value constant = createScalarOrSplatConstant(b, loc, type, number);
  Value source = get(pad.getSource());
  return converted[value] = tensor::PadOp::create(
             b, loc, cast<RankedTensorType>(value.getType()).clone(type),
             source, pad.getMixedLowPad(), pad.getMixedHighPad(), constant);
}

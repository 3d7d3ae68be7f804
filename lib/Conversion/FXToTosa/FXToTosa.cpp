//===- FXToTosa.cpp - graphs to functions of the TOSA dialect -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphToTosa.h"

#include "fx/Conversion/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace fx {
#define GEN_PASS_DEF_CONVERTFXTOTOSA
#include "fx/Conversion/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;
using fx::to_tosa::GraphToTosa;
using fx::to_tosa::typeOf;

Value GraphToTosa::reshape(Value v, ArrayRef<int64_t> sizes) {
  RankedTensorType type = typeOf(v);
  if (type.getShape() == sizes)
    return v;
  auto shapeType = tosa::shapeType::get(b.getContext(), sizes.size());
  SmallVector<int64_t> list(sizes);
  Value shape = tosa::ConstShapeOp::create(b, loc(), shapeType,
                                           b.getIndexTensorAttr(list));
  return tosa::ReshapeOp::create(b, loc(), type.clone(sizes), v, shape);
}

Value GraphToTosa::transpose(Value v, ArrayRef<int32_t> order) {
  if (order.empty())
    return v; // TOSA transposes no tensor of rank 0.
  RankedTensorType type = typeOf(v);
  SmallVector<int64_t> sizes;
  for (int32_t d : order)
    sizes.push_back(type.getDimSize(d));
  return tosa::TransposeOp::create(b, loc(), type.clone(sizes), v, order);
}

Value GraphToTosa::cast(ArgName name, Type element) {
  Value v = tensor(name);
  RankedTensorType type = typeOf(v);
  Type from = type.getElementType();
  if (from == element)
    return v;
  // TOSA extends the sign.
  bool isWider = !isa<IntegerType>(element) ||
                 element.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth();
  if (isUnsigned(name) && isWider)
    return Value();
  return tosa::CastOp::create(
      b, loc(), RankedTensorType::get(type.getShape(), element), v);
}

Value GraphToTosa::splat(double value, Type element, unsigned rank) {
  auto type = RankedTensorType::get(SmallVector<int64_t>(rank, 1), element);
  Attribute attr = isa<FloatType>(element)
                       ? Attribute(b.getFloatAttr(element, value))
                       : Attribute(b.getIntegerAttr(element, value));
  return tosa::ConstOp::create(b, loc(), type,
                               DenseElementsAttr::get(type, attr));
}

Value GraphToTosa::operand(ArgName name, RankedTensorType type) {
  if (tensor(name)) {
    Value v = cast(name, type.getElementType());
    if (!v)
      return Value();
    SmallVector<int64_t> sizes(type.getRank() - typeOf(v).getRank(), 1);
    llvm::append_range(sizes, typeOf(v).getShape());
    return reshape(v, sizes);
  }
  std::optional<double> value = arg(name).getFloat();
  return value ? splat(*value, type.getElementType(), type.getRank()) : Value();
}

Value GraphToTosa::zeroPoint(Value of) {
  return splat(0, typeOf(of).getElementType(), 1);
}

Value GraphToTosa::matmul(Value x, Value y) {
  RankedTensorType a = typeOf(x), c = typeOf(y);
  auto type = RankedTensorType::get(
      {a.getDimSize(0), a.getDimSize(1), c.getDimSize(2)}, a.getElementType());
  return tosa::MatMulOp::create(b, loc(), type, x, y, zeroPoint(x),
                                zeroPoint(y));
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

Value GraphToTosa::createConstant(PlaceholderOp state,
                                  DenseElementsAttr elements) {
  return tosa::ConstOp::create(b, state.getLoc(), elements.getType(), elements);
}

LogicalResult GraphToTosa::convertCall(CallFunctionOp call) {
  op = call;
  view = getOperatorView(call);
  Lowering::Fn lower =
      view ? HookTable<Lowering>::get().lookup(view.getSchema()) : nullptr;
  if (lower && call->getNumResults() == 1 && !resultType())
    return call.emitOpError("expected a result of static size for TOSA, got ")
           << call->getResult(0).getType();
  if (!lower || call->getNumResults() != 1 || failed(lower(*this)))
    return call.emitOpError("'")
           << call.getTarget() << "' on these arguments has no form in TOSA";
  return success();
}

namespace {
struct ConvertFXToTosa : fx::impl::ConvertFXToTosaBase<ConvertFXToTosa> {
  using ConvertFXToTosaBase::ConvertFXToTosaBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    ExternalData files;
    auto convert = [&](GraphOp graph) {
      return GraphToTosa(graph, embedStates, files).convert();
    };
    if (failed(convertGraphs(module, convert)))
      return signalPassFailure();
    removeGraphs(module);
  }
};
} // namespace

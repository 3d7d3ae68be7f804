//===- ProxyCall.cpp - how a proxy executor calls an operator -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/ProxyCall.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace fx;

static constexpr StringLiteral kProxy = "fx.proxy", kNode = "node",
                               kIntegers = "integers", kOutputs = "outputs",
                               kMayAlias = "may_alias";

std::optional<ProxyCall> ProxyCall::get(EagerOp op) {
  auto fields = op->getAttrOfType<DictionaryAttr>(kProxy);
  if (!fields)
    return std::nullopt;
  ProxyCall call;
  call.node = fields.getAs<IntegerAttr>(kNode).getInt();
  call.integers = fields.getAs<ArrayAttr>(kIntegers);
  call.outputs = fields.getAs<DenseI64ArrayAttr>(kOutputs);
  call.mayAlias = bool(fields.get(kMayAlias));
  return call;
}

void ProxyCall::set(EagerOp op) const {
  Builder b(op.getContext());
  NamedAttrList fields;
  fields.set(kNode, b.getI64IntegerAttr(node));
  fields.set(kIntegers, integers);
  if (outputs)
    fields.set(kOutputs, outputs);
  if (mayAlias)
    fields.set(kMayAlias, b.getUnitAttr());
  op->setAttr(kProxy, fields.getDictionary(op.getContext()));
}

/// Returns the number of flattened outputs in a tree of results.
static int64_t countOutputs(Attribute tree) {
  auto list = dyn_cast<ArrayAttr>(tree);
  if (!list)
    return 1;
  int64_t n = 0;
  for (Attribute item : list)
    n += countOutputs(item);
  return n;
}

/// Verifies that the attribute has the fields and no others, each of its kind.
static LogicalResult verifyFields(EagerOp op, DictionaryAttr fields) {
  auto isInteger = [](Attribute value) {
    auto integer = dyn_cast_if_present<IntegerAttr>(value);
    return integer && integer.getType().isInteger(64);
  };
  if (!isInteger(fields.get(kNode)) || !fields.getAs<ArrayAttr>(kIntegers))
    return op.emitOpError("expected 'node' and 'integers' in 'fx.proxy'");
  for (NamedAttribute field : fields) {
    StringRef name = field.getName().getValue();
    bool isKnown =
        name == kNode || name == kIntegers ||
        (name == kOutputs && isa<DenseI64ArrayAttr>(field.getValue())) ||
        (name == kMayAlias && isa<UnitAttr>(field.getValue()));
    if (!isKnown)
      return op.emitOpError("expected no '")
             << name << "' = " << field.getValue() << " in 'fx.proxy'";
  }
  for (Attribute integer : fields.getAs<ArrayAttr>(kIntegers))
    if (!isa<OperandAttr>(integer) && !isInteger(integer))
      return op.emitOpError("expected an i64 or #fx.operand as an integer of "
                            "'fx.proxy', got ")
             << integer;
  return success();
}

LogicalResult ProxyCall::verify(EagerOp op) {
  // The verifier of the dialect's attributes reports another kind.
  auto fields = op->getAttrOfType<DictionaryAttr>(kProxy);
  if (!fields)
    return success();
  if (failed(verifyFields(op, fields)))
    return failure();
  ProxyCall call = *get(op);
  if (call.node < 0)
    return op.emitOpError("expected the number of an operator in 'fx.proxy', "
                          "got ")
           << call.node;
  int64_t tensors =
      llvm::count_if(op.getOperandTypes(), llvm::IsaPred<ShapedType>);
  int64_t scalars = op->getNumOperands() - tensors;
  int64_t wanted = llvm::count_if(call.integers, llvm::IsaPred<OperandAttr>);
  if (wanted != scalars)
    return op.emitOpError("expected ")
           << wanted << " scalar operands for 'fx.proxy', got " << scalars;
  if (!call.outputs)
    return success();
  int64_t outputs =
      op.getOutsAttr() ? countOutputs(op.getOutsAttr()) : op->getNumResults();
  if (call.outputs.size() != outputs)
    return op.emitOpError("expected ")
           << call.outputs.size() << " outputs for 'fx.proxy', got " << outputs;
  for (int64_t output : call.outputs.asArrayRef())
    if (output < kNone || output >= tensors)
      return op.emitOpError("expected -2, -1 or a tensor operand below ")
             << tensors << " as an output of 'fx.proxy', got " << output;
  return success();
}

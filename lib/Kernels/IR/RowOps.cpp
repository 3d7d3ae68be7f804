//===- RowOps.cpp - sorts and scans ---------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fx::kernel;

void SortOp::build(OpBuilder &b, OperationState &state, Value x, Value values,
                   Value order, bool descending, bool isUnsigned) {
  auto flag = [&](bool set) { return set ? b.getUnitAttr() : UnitAttr(); };
  build(b, state, values.getType(), order.getType(), x, values, order,
        flag(descending), flag(isUnsigned));
}

LogicalResult SortOp::verify() {
  auto x = cast<RankedTensorType>(getX().getType());
  auto values = cast<RankedTensorType>(getValues().getType());
  auto order = cast<RankedTensorType>(getOrder().getType());
  if (x.getRank() != 2 || x.isDynamicDim(1) || x.getDimSize(1) < 1 ||
      x.getDimSize(1) > kMaxLength)
    return emitOpError("expected rows of 1 to ") << kMaxLength << " elements";
  Type element = x.getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() > 32)
    return emitOpError("expected elements of at most 32 bits, got ") << element;
  if (values.getElementType() != element ||
      !order.getElementType().isInteger(64) ||
      values.getShape() != order.getShape())
    return emitOpError("expected outputs of ")
           << element << " and i64 of one shape, got " << values << " and "
           << order;
  if (values.getRank() != 2 || values.isDynamicDim(1) ||
      values.getDimSize(1) < 1 || values.getDimSize(1) > x.getDimSize(1))
    return emitOpError("expected 1 to ")
           << x.getDimSize(1) << " elements of each row, got " << values;
  return success();
}

LogicalResult ScanOp::verify() {
  if (getResultTypes() != getOutputs().getTypes())
    return emitOpError("results must have the types of the outputs");
  SmallVector<Type> arguments{IndexType::get(getContext())}, yielded;
  for (ValueRange tensors : {ValueRange(getInputs()), ValueRange(getOutputs())})
    for (Type type : tensors.getTypes())
      if (cast<RankedTensorType>(type).getRank() != 3)
        return emitOpError("expected three dimensions, got ") << type;
  for (Value input : getInputs())
    arguments.push_back(getElementTypeOrSelf(input.getType()));
  llvm::append_range(arguments, getStart().getTypes());
  if (getInputs().empty() || getOutputs().empty())
    return emitOpError("expected inputs and outputs");
  Block &block = getBody().front();
  if (!llvm::equal(block.getArgumentTypes(), arguments))
    return emitOpError("expected a body with arguments for the index, the "
                       "elements and the carried values");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getNumOperands() != getNumResults() + getStart().size())
    return emitOpError("expected a body that yields an element for each output "
                       "and the carried values");
  for (auto [i, type] : llvm::enumerate(yield.getOperandTypes())) {
    bool isOutput = i < getNumResults();
    Type wanted = isOutput ? getElementTypeOrSelf(getResultTypes()[i])
                           : getStart().getTypes()[i - getNumResults()];
    bool isNarrow =
        isOutput && type.isInteger() && wanted.isInteger() &&
        type.getIntOrFloatBitWidth() < wanted.getIntOrFloatBitWidth();
    if (type != wanted && !isNarrow)
      return emitOpError("expected the body to yield ")
             << wanted << ", got " << type;
  }
  for (Operation &op : block.without_terminator())
    if (op.getNumRegions() || op.getNumResults() != 1 ||
        (!OpTrait::hasElementwiseMappableTraits(&op) &&
         !op.hasTrait<OpTrait::ConstantLike>()))
      return emitOpError("expected elementwise ops in the body, got '")
             << op.getName() << "'";
  return success();
}

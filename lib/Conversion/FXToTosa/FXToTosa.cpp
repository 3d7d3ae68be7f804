//===- FXToTosa.cpp - graphs to functions of the TOSA dialect -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Function.h"

#include "../StateElements.h"
#include "fx/Conversion/Passes.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringSet.h"

namespace fx {
#define GEN_PASS_DEF_CONVERTFXTOTOSA
#include "fx/Conversion/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;
using fx::to_tosa::Function;
using fx::to_tosa::typeOf;

Value Function::reshape(Value v, ArrayRef<int64_t> sizes) {
  RankedTensorType type = typeOf(v);
  if (type.getShape() == sizes)
    return v;
  auto shapeType = tosa::shapeType::get(b.getContext(), sizes.size());
  SmallVector<int64_t> list(sizes);
  Value shape = tosa::ConstShapeOp::create(b, loc(), shapeType,
                                           b.getIndexTensorAttr(list));
  return tosa::ReshapeOp::create(b, loc(), type.clone(sizes), v, shape);
}

Value Function::transpose(Value v, ArrayRef<int32_t> order) {
  RankedTensorType type = typeOf(v);
  SmallVector<int64_t> sizes;
  for (int32_t d : order)
    sizes.push_back(type.getDimSize(d));
  return tosa::TransposeOp::create(b, loc(), type.clone(sizes), v, order);
}

Value Function::cast(Value v, Type element) {
  RankedTensorType type = typeOf(v);
  if (type.getElementType() == element)
    return v;
  return tosa::CastOp::create(
      b, loc(), RankedTensorType::get(type.getShape(), element), v);
}

Value Function::splat(double value, Type element, unsigned rank) {
  auto type = RankedTensorType::get(SmallVector<int64_t>(rank, 1), element);
  Attribute attr = isa<FloatType>(element)
                       ? Attribute(b.getFloatAttr(element, value))
                       : Attribute(b.getIntegerAttr(element, value));
  return tosa::ConstOp::create(b, loc(), type,
                               DenseElementsAttr::get(type, attr));
}

Value Function::operand(ArgName name, RankedTensorType type) {
  if (Value v = tensor(name)) {
    SmallVector<int64_t> sizes(type.getRank() - typeOf(v).getRank(), 1);
    llvm::append_range(sizes, typeOf(v).getShape());
    return reshape(cast(v, type.getElementType()), sizes);
  }
  std::optional<double> value = arg(name).getFloat();
  return value ? splat(*value, type.getElementType(), type.getRank()) : Value();
}

Value Function::zeroPoint(Value of) {
  return splat(0, typeOf(of).getElementType(), 1);
}

Value Function::matmul(Value x, Value y) {
  RankedTensorType a = typeOf(x), c = typeOf(y);
  auto type = RankedTensorType::get(
      {a.getDimSize(0), a.getDimSize(1), c.getDimSize(2)}, a.getElementType());
  return tosa::MatMulOp::create(b, loc(), type, x, y, zeroPoint(x),
                                zeroPoint(y));
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

LogicalResult Function::makeInputs() {
  llvm::StringSet<> mutated;
  OutputOp output = graph.getOutput();
  for (size_t i = 0, e = output.getArgs().size(); i < e; ++i)
    if (StringAttr target = output.getSpec(i).getTarget())
      mutated.insert(target.getValue());
  SmallVector<PlaceholderOp> arguments, constants;
  for (bool states : {false, true})
    for (PlaceholderOp input : graph.getPlaceholders()) {
      bool isState = llvm::is_contained(
          {InputKind::Parameter, InputKind::Buffer, InputKind::TensorConstant},
          input.getKind());
      bool isUser = input.getKind() == InputKind::UserInput &&
                    isa<FakeTensorType>(input.getType());
      if (states ? !isState || input->use_empty()
                 : !isUser && (isState || input->use_empty()))
        continue;
      if (!builtin(input.getResult()))
        return input.emitOpError("expected a tensor of static size for TOSA, "
                                 "got ")
               << input.getType();
      (states && embed && !mutated.contains(*input.getTarget()) ? constants
                                                                : arguments)
          .push_back(input);
    }
  SmallVector<Type> types;
  for (PlaceholderOp input : arguments)
    types.push_back(builtin(input.getResult()));
  b.setInsertionPoint(graph);
  function = func::FuncOp::create(b, graph.getLoc(), graph.getSymName(),
                                  b.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToEnd(entry);
  for (auto [input, argument] : llvm::zip(arguments, entry->getArguments()))
    values[input.getResult()] = argument;
  for (PlaceholderOp input : constants) {
    auto state = graph->getParentOfType<ModuleOp>().lookupSymbol<StateOp>(
        *input.getTarget());
    auto type = cast<RankedTensorType>(builtin(input.getResult()));
    llvm::Expected<DenseElementsAttr> elements =
        readStateElements(state, type, files);
    if (!elements)
      return state.emitError("state '")
             << *input.getTarget()
             << "': " << llvm::toString(elements.takeError());
    values[input.getResult()] =
        tosa::ConstOp::create(b, input.getLoc(), type, *elements);
  }
  return success();
}

LogicalResult Function::makeCall(CallFunctionOp call) {
  op = call;
  view = getOperatorView(call);
  Lowering::Function lower =
      view ? HookTable<Lowering>::get().lookup(view.getSchema()) : nullptr;
  if (lower && call->getNumResults() == 1 && !resultType())
    return call.emitOpError("expected a result of static size for TOSA, got ")
           << call->getResult(0).getType();
  if (!lower || call->getNumResults() != 1 || failed(lower(*this)))
    return call.emitOpError("'")
           << call.getTarget() << "' on these arguments has no form in TOSA";
  return success();
}

LogicalResult Function::convert() {
  if (!graph.getFunctional())
    return graph.emitOpError("mutates; run fx-functionalize first");
  if (failed(makeInputs()))
    return failure();
  for (Operation &node : graph.getBlock()) {
    if (isa<PlaceholderOp, GuardOp, OutputOp>(node))
      continue;
    auto call = dyn_cast<CallFunctionOp>(node);
    if (!call)
      return node.emitOpError("has no form in TOSA");
    if (call->getNumResults() == 0 &&
        call.getTarget().starts_with("aten._assert_tensor_metadata"))
      continue;
    if (failed(makeCall(call)))
      return failure();
  }
  SmallVector<Value> results;
  OutputOp output = graph.getOutput();
  for (Value value : output->getOperands()) {
    results.push_back(values.lookup(value));
    if (!results.back())
      return output.emitOpError("a result has no form in TOSA, got ")
             << value.getType();
  }
  func::ReturnOp::create(b, output.getLoc(), results);
  function.setFunctionType(b.getFunctionType(function.getArgumentTypes(),
                                             ValueRange(results).getTypes()));
  return success();
}

namespace {
struct ConvertFXToTosa : fx::impl::ConvertFXToTosaBase<ConvertFXToTosa> {
  using ConvertFXToTosaBase::ConvertFXToTosaBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    ExternalData files;
    for (GraphOp graph : llvm::to_vector(module.getOps<GraphOp>()))
      if (!graph.isPrivate() &&
          failed(Function(graph, embedStates, files).convert()))
        return signalPassFailure();
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isa<GraphOp, StateOp>(op))
        op.erase();
    for (NamedAttribute attr : llvm::to_vector(module->getAttrs()))
      if (attr.getName().getValue().starts_with("fx."))
        module->removeAttr(attr.getName());
  }
};
} // namespace

//===- GraphConversion.cpp - from graphs to functions ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphConversion.h"

#include "StateElements.h"

using namespace mlir;
using namespace fx;

GraphConversion::GraphConversion(GraphOp graph, StringRef target,
                                 bool embedStates, ExternalData *files)
    : graph(graph), b(graph.getContext()), target(target),
      embedStates(embedStates), files(files) {
  OutputOp output = graph.getOutput();
  for (size_t i = 0, e = output.getArgs().size(); i < e; ++i)
    if (StringAttr name = output.getSpec(i).getTarget())
      written.insert(name.getValue());
}

LogicalResult fx::emitNotFunctional(GraphOp graph, Operation *at) {
  InFlightDiagnostic error = at->emitOpError(
      at == graph.getOperation() ? "mutates" : "mutates its argument");
  if (auto reason = graph->getAttrOfType<StringAttr>("fx.reason"))
    return error << ", and fx-functionalize left the graph as it is: "
                 << reason.getValue();
  return error << "; run fx-functionalize first";
}

GraphConversion::~GraphConversion() = default;

bool GraphConversion::isState(PlaceholderOp input) {
  return llvm::is_contained(
      {InputKind::Parameter, InputKind::Buffer, InputKind::TensorConstant},
      input.getKind());
}

bool GraphConversion::isWritten(PlaceholderOp state) const {
  return written.contains(*state.getTarget());
}

LogicalResult GraphConversion::selectInputs() {
  if (!graph.getFunctional())
    return emitNotFunctional(graph, graph);
  for (bool states : {false, true})
    for (PlaceholderOp input : graph.getPlaceholders()) {
      if (isState(input) != states)
        continue;
      bool isUsers = input.getKind() == InputKind::UserInput;
      Type type = convertType(input.getResult());
      if (!type && isUsers && !isa<FakeTensorType>(input.getType()) &&
          input->use_empty())
        continue; // None, or another constant of the signature
      if (!isUsers && input->use_empty())
        continue;
      if (!type)
        return input.emitOpError("expected ")
               << getExpectedType() << " for " << target << ", got "
               << input.getType();
      bool isConstant = states && embedStates && !isWritten(input);
      (isConstant ? constants : arguments).push_back({input, type});
    }
  return success();
}

void GraphConversion::createFunction() {
  SmallVector<Type> types;
  for (const Input &input : arguments)
    types.push_back(input.type);
  b.setInsertionPoint(graph);
  function = func::FuncOp::create(b, graph.getLoc(), graph.getSymName(),
                                  b.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToEnd(entry);
  for (auto [input, argument] :
       llvm::zip_equal(arguments, entry->getArguments())) {
    argument.setLoc(input.placeholder->getLoc());
    values[input.placeholder.getResult()] = argument;
  }
}

LogicalResult GraphConversion::createConstants() {
  auto module = graph->getParentOfType<ModuleOp>();
  for (auto [input, _] : constants) {
    auto state = module.lookupSymbol<StateOp>(*input.getTarget());
    auto tensor = cast<FakeTensorType>(input.getType());
    auto type = dyn_cast_if_present<RankedTensorType>(tensor.toBuiltin());
    if (!state || !type || !type.hasStaticShape())
      return input.emitOpError("expected a state of static size, got ")
             << input.getType();
    llvm::Expected<DenseElementsAttr> elements =
        readStateElements(state, type, *files);
    if (!elements)
      return state.emitError("state '")
             << *input.getTarget()
             << "': " << llvm::toString(elements.takeError());
    values[input.getResult()] = createConstant(input, *elements);
  }
  return success();
}

LogicalResult GraphConversion::convertBody() {
  for (Operation &op : graph.getBlock()) {
    if (isa<PlaceholderOp, GuardOp, OutputOp>(op))
      continue;
    auto call = dyn_cast<CallFunctionOp>(op);
    if (!call)
      return op.emitOpError("has no form in ") << target;
    // Checks of the exporter's assumptions compute nothing.
    if (call->getNumResults() == 0 &&
        call.getTarget().starts_with("aten._assert_tensor_metadata"))
      continue;
    if (failed(convertCall(call)))
      return failure();
  }
  return success();
}

LogicalResult GraphConversion::convertResults() {
  OutputOp output = graph.getOutput();
  SmallVector<Value> results;
  for (Value value : output->getOperands()) {
    results.push_back(values.lookup(value));
    if (!results.back())
      return output.emitOpError("a result has no form in ")
             << target << ", got " << value.getType();
  }
  func::ReturnOp::create(b, output.getLoc(), results);
  function.setFunctionType(b.getFunctionType(function.getArgumentTypes(),
                                             ValueRange(results).getTypes()));
  return success();
}

LogicalResult GraphConversion::convert() {
  if (failed(selectInputs()))
    return failure();
  createFunction();
  if (succeeded(createConstants()) && succeeded(convertBody()) &&
      succeeded(convertResults()))
    return success();
  function.erase();
  return failure();
}

LogicalResult
fx::convertGraphs(ModuleOp module,
                  llvm::function_ref<LogicalResult(GraphOp)> convert) {
  for (GraphOp graph : llvm::to_vector(module.getOps<GraphOp>()))
    if (!graph.isPrivate() && failed(convert(graph)))
      return failure();
  return success();
}

void fx::removeGraphs(ModuleOp module) {
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<GraphOp, StateOp>(op))
      op.erase();
  for (NamedAttribute attr : llvm::to_vector(module->getAttrs()))
    if (attr.getName().getValue().starts_with("fx."))
      module->removeAttr(attr.getName());
}

//===- GraphWriter.cpp - fx.graph to serialized graphs --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs, outputs and the signature of a graph. Its nodes are in
// NodeWriter.cpp.
//
//===----------------------------------------------------------------------===//

#include "GraphWriter.h"
#include "fx/Import/ArgumentKinds.h"

#include "fx/IR/Metadata.h"

using namespace mlir;
using namespace fx;

StringRef ProgramContext::getName(StateOp state) {
  if (auto name = state->getAttrOfType<StringAttr>("fx.fqn"))
    return name;
  return state.getSymName();
}

InFlightDiagnostic GraphWriter::error() {
  Operation *op = current ? current : graph.getOperation();
  InFlightDiagnostic diagnostic = emitError(op->getLoc());
  if (auto placeholder = dyn_cast<PlaceholderOp>(op))
    diagnostic << "input '" << placeholder.getName() << "': ";
  else if (isa<GraphOp>(op))
    diagnostic << "graph '" << graph.getSymName() << "': ";
  else if (isa<OutputOp>(op))
    diagnostic << "output: ";
  else
    diagnostic << "node '" << names.get(op) << "': ";
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Adds a value to the table of its type. Returns false after an error.
bool GraphWriter::addValue(Value value) {
  StringRef name = names.get(value);
  Type type = value.getType();
  Location loc = value.getLoc();
  if (auto tensor = dyn_cast<FakeTensorType>(type)) {
    auto meta = program.types.getMeta(tensor, loc);
    if (meta)
      result.tensor_values.emplace_back(name, *meta);
    return meta.has_value();
  }
  if (auto integer = dyn_cast<SymIntType>(type)) {
    auto symbolic = program.types.getInt(integer.getExpr(), loc);
    if (symbolic)
      result.sym_int_values.emplace_back(name, *symbolic);
    return symbolic.has_value();
  }
  if (auto real = dyn_cast<SymFloatType>(type)) {
    auto symbolic = program.types.getFloat(real.getExpr(), loc);
    if (symbolic)
      result.sym_float_values.emplace_back(name, *symbolic);
    return symbolic.has_value();
  }
  if (auto truth = dyn_cast<SymBoolType>(type)) {
    auto symbolic = program.types.getBool(truth.getExpr(), loc);
    if (symbolic)
      result.sym_bool_values.emplace_back(name, *symbolic);
    return symbolic.has_value();
  }
  if (auto object = dyn_cast<ObjectType>(type)) {
    result.custom_obj_values.emplace_back(
        name, schema::CustomObjArgument{name, object.getClassName()});
    return true;
  }
  return error() << "a value of type " << type
                 << " cannot be written to an archive",
         false;
}

StringRef GraphWriter::getStateName(StringRef symbol) {
  if (auto state = program.symbols.lookup<StateOp>(symbol))
    return ProgramContext::getName(state);
  error() << "there is no state '" << symbol << "'";
  return {};
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

bool GraphWriter::addInput(PlaceholderOp op) {
  current = op;
  if (Attribute value = op.getValueAttr()) {
    ValueRange none;
    std::optional<schema::Argument> immediate =
        getArgument(value, none, nullptr);
    if (immediate)
      result.inputs.push_back(*immediate);
    return immediate.has_value();
  }
  if (!addValue(op))
    return false;
  std::optional<schema::Argument::Kind> kind = getArgumentKind(
      OperandAttr::get(op.getContext()), ValueRange(op.getResult()), nullptr);
  result.inputs.push_back(getValue(op, *kind));
  return true;
}

static schema::InputSpec::Kind getKind(InputKind kind) {
  using K = schema::InputSpec::Kind;
  switch (kind) {
  case InputKind::UserInput:
    return K::UserInput;
  case InputKind::Parameter:
    return K::Parameter;
  case InputKind::Buffer:
    return K::Buffer;
  case InputKind::TensorConstant:
    return K::TensorConstant;
  case InputKind::CustomObj:
    return K::CustomObj;
  case InputKind::Token:
    return K::Token;
  case InputKind::ConstantInput:
    return K::ConstantInput;
  }
  return K::UserInput;
}

static schema::ConstantValue getConstant(const schema::Argument &argument) {
  using K = schema::Argument::Kind;
  switch (argument.kind) {
  case K::Int:
    return {argument.get<int64_t>()};
  case K::Float:
    return {argument.get<double>()};
  case K::Bool:
    return {argument.get<bool>()};
  case K::String:
    return {argument.get<StringRef>()};
  default:
    return {};
  }
}

std::optional<schema::InputSpec>
GraphWriter::getSpec(PlaceholderOp op, const schema::Argument &input) {
  current = op;
  schema::InputSpec spec;
  spec.kind = getKind(op.getKind());
  spec.arg = input;
  spec.persistent = !op.getNonPersistent();
  if (op.getKind() == InputKind::ConstantInput) {
    spec.target = names.get(op.getResult());
    spec.constant = getConstant(input);
  } else if (FlatSymbolRefAttr target = op.getTargetAttr()) {
    spec.target = getStateName(target.getValue());
    if (spec.target.empty())
      return std::nullopt;
  } else if (op.getKind() != InputKind::UserInput &&
             op.getKind() != InputKind::Token) {
    return error() << "expected the state that feeds it", std::nullopt;
  }
  using K = schema::InputSpec::Kind;
  schema::Argument::Kind wanted = spec.kind == K::CustomObj
                                      ? schema::Argument::Kind::CustomObj
                                      : schema::Argument::Kind::Tensor;
  if (spec.kind != K::UserInput && spec.kind != K::ConstantInput &&
      input.kind != wanted)
    return error() << "expected a value of kind " << getKindName(wanted)
                   << ", got " << getKindName(input.kind),
           std::nullopt;
  return spec;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

bool GraphWriter::addOutput(OutputOp op) {
  current = op;
  ValueRange operands = op.getOperands();
  for (Attribute tree : op.getArgs()) {
    std::optional<schema::Argument> output =
        getArgument(tree, operands, nullptr);
    if (!output)
      return false;
    result.outputs.push_back(*output);
  }
  return true;
}

static schema::OutputSpec::Kind getKind(OutputKind kind) {
  using K = schema::OutputSpec::Kind;
  switch (kind) {
  case OutputKind::UserOutput:
    return K::UserOutput;
  case OutputKind::LossOutput:
    return K::LossOutput;
  case OutputKind::BufferMutation:
    return K::BufferMutation;
  case OutputKind::ParameterMutation:
    return K::ParameterMutation;
  case OutputKind::UserInputMutation:
    return K::UserInputMutation;
  case OutputKind::GradientToParameter:
    return K::GradientToParameter;
  case OutputKind::GradientToUserInput:
    return K::GradientToUserInput;
  case OutputKind::Token:
    return K::Token;
  }
  return K::UserOutput;
}

std::optional<schema::GraphSignature> GraphWriter::writeSignature() {
  schema::GraphSignature signature;
  for (auto [op, input] :
       llvm::zip_equal(graph.getPlaceholders(), result.inputs)) {
    std::optional<schema::InputSpec> spec = getSpec(op, input);
    if (!spec)
      return std::nullopt;
    signature.input_specs.push_back(*spec);
  }
  OutputOp output = graph.getOutput();
  current = output;
  for (auto [i, argument] : llvm::enumerate(result.outputs)) {
    OutputSpecAttr attr = output.getSpec(i);
    schema::OutputSpec spec;
    spec.kind = getKind(attr.getKind());
    spec.arg = argument;
    bool isState = llvm::is_contained({OutputKind::BufferMutation,
                                       OutputKind::ParameterMutation,
                                       OutputKind::GradientToParameter},
                                      attr.getKind());
    if (attr.getTarget())
      spec.target = isState ? getStateName(attr.getTarget().getValue())
                            : attr.getTarget().getValue();
    if (isState && spec.target.empty())
      return std::nullopt;
    if (attr.getKind() != OutputKind::UserOutput &&
        argument.kind != schema::Argument::Kind::Tensor)
      return error() << "expected a tensor as output " << i << ", got "
                     << getKindName(argument.kind),
             std::nullopt;
    signature.output_specs.push_back(spec);
  }
  return signature;
}

//===----------------------------------------------------------------------===//
// The whole graph
//===----------------------------------------------------------------------===//

std::optional<schema::Graph> GraphWriter::write() {
  constexpr unsigned maxDepth = 64;
  if (program.depth >= maxDepth)
    return error() << "graphs nested deeper than " << maxDepth, std::nullopt;
  ++program.depth;
  bool ok = true;
  for (Operation &op : graph.getBlock()) {
    current = &op;
    if (auto placeholder = dyn_cast<PlaceholderOp>(op))
      ok = addInput(placeholder);
    else if (auto output = dyn_cast<OutputOp>(op))
      ok = addOutput(output);
    else if (isa<CallFunctionOp, HigherOrderOp, CondOp>(op))
      ok = addNode(cast<NodeOpInterface>(op));
    else if (!isa<GetAttrOp, GuardOp>(op))
      ok = (error() << "an archive has no '" << op.getName() << "' nodes",
            false);
    if (!ok)
      break;
  }
  current = nullptr;
  --program.depth;
  if (!ok)
    return std::nullopt;
  result.is_single_tensor_return = graph->hasAttr("fx.single_return");
  return result;
}

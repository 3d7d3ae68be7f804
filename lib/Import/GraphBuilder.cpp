//===- GraphBuilder.cpp - serialized graphs to fx.graph -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs, outputs and symbols of a graph. Its nodes are in NodeBuilder.cpp.
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "Diagnostics.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

InFlightDiagnostic GraphBuilder::error(StringRef where) {
  return emitErrorAt(ctx, where);
}

bool fx::isNodeName(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) {
           return llvm::isAlnum(c) || c == '_' || c == '.';
         });
}

LogicalResult GraphBuilder::collectTypes() {
  auto add = [&](StringRef name, Type type) -> LogicalResult {
    if (!type)
      return failure();
    if (!types.try_emplace(name, type).second)
      return error(name) << "the value has two types";
    return success();
  };
  for (auto &[name, meta] : graph.tensor_values)
    if (failed(add(name, program.types.getType(meta, name))))
      return failure();
  for (auto &[name, value] : graph.sym_int_values)
    if (failed(add(name, program.types.getType(value, name))))
      return failure();
  for (auto &[name, value] : graph.sym_float_values)
    if (failed(add(name, program.types.getType(value, name))))
      return failure();
  for (auto &[name, value] : graph.sym_bool_values)
    if (failed(add(name, program.types.getType(value, name))))
      return failure();
  for (auto &[name, object] : graph.custom_obj_values)
    if (failed(add(name, ObjectType::get(ctx, object.class_fqn))))
      return failure();
  return success();
}

Type GraphBuilder::getType(StringRef name) {
  if (Type type = types.lookup(name))
    return type;
  error() << "nothing is known of the value '" << name << "'";
  return {};
}

LogicalResult GraphBuilder::define(StringRef name, Value value) {
  if (!isNodeName(name))
    return error() << "expected a Python identifier as the name of a value, "
                      "got '"
                   << name.take_front(80) << "'";
  if (!values.try_emplace(name, value).second)
    return error() << "the value '" << name << "' is defined twice";
  return success();
}

Value GraphBuilder::lookup(StringRef name) {
  if (Value value = values.lookup(name))
    return value;
  error() << "undefined value '" << name << "'";
  return {};
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

namespace {
/// An immediate and the type of its placeholder.
struct Immediate {
  Attribute value;
  Type type;
};
} // namespace

static Immediate getImmediate(MLIRContext *ctx, int64_t value) {
  Builder b(ctx);
  return {b.getI64IntegerAttr(value),
          SymIntType::get(ctx, ExprAttr::integer(ctx, value))};
}
static Immediate getImmediate(MLIRContext *ctx, double value) {
  Builder b(ctx);
  return {b.getF64FloatAttr(value),
          SymFloatType::get(ctx, ExprAttr::real(ctx, value))};
}
static Immediate getImmediate(MLIRContext *ctx, bool value) {
  Builder b(ctx);
  return {b.getBoolAttr(value),
          SymBoolType::get(ctx, ExprAttr::integer(ctx, value))};
}
static Immediate getImmediate(MLIRContext *ctx, StringRef value) {
  Builder b(ctx);
  return {b.getStringAttr(value), StringType::get(ctx)};
}
static Immediate getImmediate(MLIRContext *ctx, std::monostate) {
  return {fx::NoneAttr::get(ctx), PyNoneType::get(ctx)};
}

/// Returns the immediate of a graph input, or null if the input is a value.
static Immediate getImmediate(MLIRContext *ctx,
                              const schema::Argument &argument) {
  switch (argument.kind) {
  case schema::Argument::Kind::None:
    return getImmediate(ctx, std::monostate());
  case schema::Argument::Kind::Int:
    return getImmediate(ctx, argument.get<int64_t>());
  case schema::Argument::Kind::Float:
    return getImmediate(ctx, argument.get<double>());
  case schema::Argument::Kind::Bool:
    return getImmediate(ctx, argument.get<bool>());
  case schema::Argument::Kind::String:
    return getImmediate(ctx, argument.get<StringRef>());
  default:
    return {};
  }
}

/// Returns the name of the value that an argument refers to; empty if the
/// argument is an immediate.
static StringRef getValueName(const schema::Argument &argument) {
  auto name = [](auto &symbolic) {
    auto *name = std::get_if<StringRef>(&symbolic.value);
    return name ? *name : StringRef();
  };
  switch (argument.kind) {
  case schema::Argument::Kind::Tensor:
    return argument.get<schema::TensorArgument>().name;
  case schema::Argument::Kind::CustomObj:
    return argument.get<schema::CustomObjArgument>().name;
  case schema::Argument::Kind::SymInt:
    return name(argument.get<schema::SymIntArgument>());
  case schema::Argument::Kind::SymFloat:
    return name(argument.get<schema::SymFloatArgument>());
  case schema::Argument::Kind::SymBool:
    return name(argument.get<schema::SymBoolArgument>());
  default:
    return {};
  }
}

static InputKind getKind(schema::InputSpec::Kind kind) {
  using K = schema::InputSpec::Kind;
  switch (kind) {
  case K::UserInput:
    return InputKind::UserInput;
  case K::Parameter:
    return InputKind::Parameter;
  case K::Buffer:
    return InputKind::Buffer;
  case K::TensorConstant:
    return InputKind::TensorConstant;
  case K::CustomObj:
    return InputKind::CustomObj;
  case K::Token:
    return InputKind::Token;
  case K::ConstantInput:
    return InputKind::ConstantInput;
  }
  return InputKind::UserInput;
}

LogicalResult GraphBuilder::buildInput(size_t index,
                                       const schema::InputSpec *spec) {
  using K = schema::InputSpec::Kind;
  const schema::Argument &input = graph.inputs[index];
  StringRef name = getValueName(input);
  Immediate immediate = getImmediate(ctx, input);
  std::string invented;
  if (name.empty() && immediate.value) {
    // Only the signature has the name of an immediate.
    if (spec && spec->kind == K::ConstantInput)
      name = spec->target;
    if (name.empty())
      name = invented = "arg" + std::to_string(index);
  }
  if (name.empty())
    return error("inputs[" + std::to_string(index) + "]")
           << "expected a tensor, a symbolic number, an object or a constant";
  where = name.str();
  Type type = immediate.type ? immediate.type : getType(name);
  if (!type)
    return failure();

  OperationState state(program.locations.get(name),
                       PlaceholderOp::getOperationName());
  state.addTypes(type);
  state.addAttribute("name", b.getStringAttr(name));
  if (spec) {
    // The spec of an input that is a value must name the value.
    if (spec->kind != K::ConstantInput &&
        getValueName(spec->arg) != getValueName(input))
      return error() << "the signature calls this input '"
                     << getValueName(spec->arg) << "'";
    state.addAttribute("kind", InputKindAttr::get(ctx, getKind(spec->kind)));
    if (spec->kind == K::Buffer && !spec->persistent)
      state.addAttribute("non_persistent", b.getUnitAttr());
    if (spec->kind == K::ConstantInput)
      immediate =
          std::visit([&](auto value) { return getImmediate(ctx, value); },
                     spec->constant.value);
    bool isState = spec->kind != K::UserInput && spec->kind != K::Token &&
                   spec->kind != K::ConstantInput;
    if (isState) {
      StateOp target = program.states.lookup(spec->target);
      if (!target)
        return error() << "the archive has no value for '" << spec->target
                       << "'";
      state.addAttribute("target",
                         FlatSymbolRefAttr::get(target.getSymNameAttr()));
    }
  }
  if (immediate.value)
    state.addAttribute("value", immediate.value);
  Operation *placeholder = b.create(state);
  return define(name, placeholder->getResult(0));
}

LogicalResult
GraphBuilder::buildInputs(const schema::GraphSignature *signature) {
  if (signature && signature->input_specs.size() != graph.inputs.size())
    return error("signature.input_specs")
           << "expected one for each of " << graph.inputs.size()
           << " inputs, got " << signature->input_specs.size();
  for (size_t i = 0, e = graph.inputs.size(); i < e; ++i)
    if (failed(buildInput(i, signature ? &signature->input_specs[i] : nullptr)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

OutputSpecAttr GraphBuilder::getOutputSpec(const schema::OutputSpec &spec,
                                           const schema::Argument &output) {
  using K = schema::OutputSpec::Kind;
  if (getValueName(spec.arg) != getValueName(output)) {
    error() << "the signature calls the output '" << getValueName(output)
            << "' '" << getValueName(spec.arg) << "'";
    return {};
  }
  auto withTarget = [&](OutputKind kind, bool isState) -> OutputSpecAttr {
    StringAttr target = b.getStringAttr(spec.target);
    if (isState) {
      StateOp state = program.states.lookup(spec.target);
      if (!state)
        return error() << "the archive has no value for '" << spec.target
                       << "'",
               OutputSpecAttr();
      target = state.getSymNameAttr();
    } else if (!isa_and_present<PlaceholderOp>(
                   values.lookup(spec.target)
                       ? values.lookup(spec.target).getDefiningOp()
                       : nullptr)) {
      return error() << "the signature names the input '" << spec.target
                     << "', which does not exist",
             OutputSpecAttr();
    }
    return OutputSpecAttr::get(ctx, kind, target);
  };
  switch (spec.kind) {
  case K::UserOutput:
    return OutputSpecAttr::get(ctx, OutputKind::UserOutput, StringAttr());
  case K::LossOutput:
    return OutputSpecAttr::get(ctx, OutputKind::LossOutput, StringAttr());
  case K::Token:
    return OutputSpecAttr::get(ctx, OutputKind::Token, StringAttr());
  case K::BufferMutation:
    return withTarget(OutputKind::BufferMutation, /*isState=*/true);
  case K::ParameterMutation:
    return withTarget(OutputKind::ParameterMutation, /*isState=*/true);
  case K::GradientToParameter:
    return withTarget(OutputKind::GradientToParameter, /*isState=*/true);
  case K::UserInputMutation:
    return withTarget(OutputKind::UserInputMutation, /*isState=*/false);
  case K::GradientToUserInput:
    return withTarget(OutputKind::GradientToUserInput, /*isState=*/false);
  }
  return {};
}

LogicalResult
GraphBuilder::buildOutputs(const schema::GraphSignature *signature) {
  where = "output";
  SmallVector<Attribute> trees;
  SmallVector<Value> operands;
  for (const schema::Argument &output : graph.outputs)
    if (!trees.emplace_back(getTree(output, operands)))
      return failure();
  SmallVector<Attribute> specs;
  bool isPlain = true;
  if (signature) {
    if (signature->output_specs.size() != graph.outputs.size())
      return error("signature.output_specs")
             << "expected one for each of " << graph.outputs.size()
             << " outputs, got " << signature->output_specs.size();
    for (auto [spec, output] :
         llvm::zip_equal(signature->output_specs, graph.outputs)) {
      OutputSpecAttr attr = getOutputSpec(spec, output);
      if (!attr)
        return failure();
      specs.push_back(attr);
      isPlain &= attr.getKind() == OutputKind::UserOutput;
    }
  }
  OperationState state(program.locations.get("output"),
                       OutputOp::getOperationName());
  state.addOperands(operands);
  state.addAttribute("args", b.getArrayAttr(trees));
  if (!isPlain)
    state.addAttribute("signature", b.getArrayAttr(specs));
  b.create(state);
  return success();
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// Declares the symbols of the graph. The main graph declares all ranges of the
/// program, a sub-graph those with a symbol that it uses. A symbol without a
/// range is declared unless it occurs in the type of an input or is
/// data-dependent.
void GraphBuilder::declareSymbols(bool isMain) {
  llvm::MapVector<StringRef, bool> used; // name -> in an input's type
  for (Operation &node : op.getBlock())
    for (Type type : node.getResultTypes())
      type.walk([&](ExprAttr expr) {
        expr.walkSymbols(
            [&](StringRef name) { used[name] |= isa<PlaceholderOp>(node); });
      });
  SmallVector<Attribute> declared;
  llvm::StringSet<> names;
  for (RangeAttr range : program.ranges) {
    bool needed = isMain;
    range.getExpr().walkSymbols(
        [&](StringRef name) { needed |= used.contains(name); });
    if (!needed)
      continue;
    declared.push_back(range);
    range.getExpr().walkSymbols([&](StringRef name) { names.insert(name); });
  }
  for (auto [name, isInput] : used)
    if (!isInput && !names.contains(name) && !name.starts_with("u") &&
        !name.starts_with("zu")) {
      declared.push_back(RangeAttr::get(ctx, ExprAttr::symbol(ctx, name),
                                        std::nullopt, std::nullopt));
      program.unbounded.insert(b.getStringAttr(name));
    }
  if (!declared.empty())
    op.setSymbolsAttr(b.getArrayAttr(declared));
}

//===----------------------------------------------------------------------===//
// The whole graph
//===----------------------------------------------------------------------===//

FailureOr<GraphOp>
GraphBuilder::build(StringRef symbol, bool isPrivate,
                    const schema::GraphSignature *signature) {
  // The JSON reader bounds the depth, too, but the stack frames here are
  // larger.
  constexpr unsigned maxDepth = 64;
  if (program.depth >= maxDepth)
    return error(symbol) << "graphs nested deeper than " << maxDepth;
  ++program.depth;
  op = GraphOp::create(b, program.locations.get(symbol), symbol, isPrivate);
  prefix = isPrivate ? (symbol + ".").str() : "";
  b.setInsertionPointToStart(&op.getBlock());
  LogicalResult result = [&] {
    if (failed(collectTypes()) || failed(buildInputs(signature)))
      return failure();
    for (const schema::Node &node : graph.nodes)
      if (failed(buildNode(node)))
        return failure();
    if (failed(buildOutputs(signature)))
      return failure();
    declareSymbols(/*isMain=*/!isPrivate);
    return success();
  }();
  --program.depth;
  if (failed(result)) {
    op.erase();
    return failure();
  }
  if (graph.is_single_tensor_return)
    op->setAttr("fx.single_return", b.getUnitAttr());
  return op;
}

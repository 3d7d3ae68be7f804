//===- NodeBuilder.cpp - serialized nodes to fx operations ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "GraphBuilder.h"
#include "fx/Import/ArgumentKinds.h"

#include "fx/IR/Arguments.h"
#include "fx/Operators/TorchVersions.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Attribute GraphBuilder::useValue(StringRef name,
                                 SmallVectorImpl<Value> &operands) {
  Value value = lookup(name);
  if (!value)
    return {};
  operands.push_back(value);
  return OperandAttr::get(ctx);
}

template <typename T, typename Fn>
Attribute GraphBuilder::getList(const std::vector<T> &list, Fn element) {
  SmallVector<Attribute> trees;
  for (const T &e : list)
    if (!trees.emplace_back(element(e)))
      return {};
  return b.getArrayAttr(trees);
}

/// Builds the tree of one argument. Trees are null after an error; values are
/// appended to `operands`.
class GraphBuilder::TreeBuilder {
public:
  TreeBuilder(GraphBuilder &builder, SmallVectorImpl<Value> &operands)
      : builder(builder), b(builder.b), ctx(builder.ctx), operands(operands) {}

  Attribute build(const schema::Argument &argument) {
    switch (argument.kind) {
    case schema::Argument::Kind::None:
      return fx::NoneAttr::get(ctx);
    case schema::Argument::Kind::Operator:
      return OperatorAttr::get(ctx, getTargetName(argument.get<StringRef>()));
    default:
      // The C++ type of the value determines the kind. The two kinds above are
      // exceptions: they have the types of Bool and String.
      return std::visit([&](const auto &value) { return convert(value); },
                        argument.value);
    }
  }

private:
  // Immediates.
  Attribute convert(bool value) { return b.getBoolAttr(value); }
  Attribute convert(int64_t value) { return b.getI64IntegerAttr(value); }
  Attribute convert(double value) { return b.getF64FloatAttr(value); }
  Attribute convert(StringRef value) { return b.getStringAttr(value); }
  Attribute convert(schema::ScalarType value) {
    return TypeAttr::get(builder.program.types.getDtype(value));
  }
  Attribute convert(schema::MemoryFormat value) {
    return MemoryFormatAttr::get(ctx, TypeBuilder::getName(value));
  }
  Attribute convert(schema::Layout value) {
    return LayoutAttr::get(ctx, TypeBuilder::getName(value));
  }
  Attribute convert(const schema::Device &value) {
    return DeviceAttr::get(ctx, value.type, value.index);
  }
  Attribute convert(const schema::ComplexValue &value) {
    return fx::ComplexAttr::get(ctx, b.getF64FloatAttr(value.real),
                                b.getF64FloatAttr(value.imag));
  }

  // Values.
  Attribute convert(const schema::TensorArgument &value) {
    return builder.useValue(value.name, operands);
  }
  Attribute convert(const schema::OptionalTensorArgument &value) {
    if (!value.value)
      return fx::NoneAttr::get(ctx);
    return convert(*value.value);
  }
  Attribute convert(const schema::GraphArgument &value) {
    return use(builder.getSubgraph(value));
  }
  Attribute convert(const schema::CustomObjArgument &value) {
    return use(builder.getObject(value));
  }
  Attribute convert(const schema::SymIntArgument &value) {
    return convert(value.value);
  }
  Attribute convert(const schema::SymFloatArgument &value) {
    return convert(value.value);
  }
  Attribute convert(const schema::SymBoolArgument &value) {
    return convert(value.value);
  }
  /// A symbolic number: the name of a value, or an immediate.
  template <typename T>
  Attribute convert(const std::variant<StringRef, T> &value) {
    if (const StringRef *name = std::get_if<StringRef>(&value))
      return builder.useValue(*name, operands);
    return convert(std::get<T>(value));
  }
  Attribute use(Value value) {
    if (!value)
      return {};
    operands.push_back(value);
    return OperandAttr::get(ctx);
  }

  // Containers.
  template <typename T>
  Attribute convert(const std::vector<T> &list) {
    return builder.getList(list,
                           [&](const T &element) { return convert(element); });
  }
  Attribute convert(const std::shared_ptr<schema::ArgumentMap> &map) {
    SmallVector<Attribute> keys, trees;
    for (auto &[key, value] : map->entries) {
      keys.push_back(b.getStringAttr(key));
      if (!trees.emplace_back(build(value)))
        return {};
    }
    return DictAttr::get(ctx, b.getArrayAttr(keys), b.getArrayAttr(trees));
  }

  GraphBuilder &builder;
  OpBuilder &b;
  MLIRContext *ctx;
  SmallVectorImpl<Value> &operands;
};

Attribute GraphBuilder::getTree(const schema::Argument &argument,
                                SmallVectorImpl<Value> &operands) {
  return TreeBuilder(*this, operands).build(argument);
}

//===----------------------------------------------------------------------===//
// Sub-graphs and objects
//===----------------------------------------------------------------------===//

Value GraphBuilder::createGetAttr(StringRef name, StringRef symbol, Type type) {
  Value &cached = getAttrs[symbol];
  if (cached)
    return cached;
  // FX appends a number to a name that is taken.
  std::string unique = name.str();
  for (unsigned i = 1; values.count(unique) || types.count(unique); ++i)
    unique = (name + "_" + Twine(i)).str();
  OperationState state(program.locations.get(unique),
                       GetAttrOp::getOperationName());
  state.addAttribute("target", FlatSymbolRefAttr::get(ctx, symbol));
  state.addTypes(type);
  cached = b.create(state)->getResult(0);
  if (failed(define(unique, cached)))
    return {};
  return cached;
}

Value GraphBuilder::getSubgraph(const schema::GraphArgument &argument) {
  if (!isNodeName(argument.name)) {
    error() << "expected a Python identifier as the name of a sub-graph, got '"
            << argument.name.take_front(80) << "'";
    return {};
  }
  std::string name = prefix + argument.name.str();
  GraphBuilder builder(program, *argument.graph);
  // The symbol is final only after the search for an equal graph below, so
  // build the graph under a free symbol.
  std::string symbol = name;
  for (unsigned i = 1; program.symbols.lookup(symbol) || symbol == "main"; ++i)
    symbol = name + "_" + std::to_string(i);
  FailureOr<GraphOp> graph =
      builder.build(symbol, /*isPrivate=*/true, /*signature=*/nullptr);
  if (failed(graph))
    return {};
  // The symbol is the prefix and the name, unless that symbol is taken. Then
  // `fx.name` holds the name.
  auto setName = [&](StringRef symbol) {
    graph->setSymName(symbol);
    if (symbol.drop_front(prefix.size()) == argument.name)
      (*graph)->removeAttr("fx.name");
    else
      (*graph)->setAttr("fx.name", b.getStringAttr(argument.name));
  };
  // Reuse an equal graph of the same name. Only graphs with the same symbol
  // compare equal.
  for (GraphOp other : program.subgraphs[name]) {
    setName(other.getSymName());
    // Compare the locations of the nodes, too: they hold the nodes' metadata.
    if (OperationEquivalence::isEquivalentTo(
            *graph, other, OperationEquivalence::IgnoreLocations) &&
        OperationEquivalence::isRegionEquivalentTo(
            &graph->getBody(), &other.getBody(), OperationEquivalence::None)) {
      graph->erase();
      return createGetAttr(argument.name, other.getSymName(),
                           GraphRefType::get(ctx));
    }
  }
  setName(symbol);
  program.symbols.insert(*graph);
  program.subgraphs[name].push_back(*graph);
  return createGetAttr(argument.name, symbol, GraphRefType::get(ctx));
}

Value GraphBuilder::getObject(const schema::CustomObjArgument &argument) {
  if (Value value = values.lookup(argument.name))
    return value;
  StateOp state = program.states.lookup(argument.name);
  if (!state || !isa<ObjectType>(state.getType())) {
    error() << "undefined object '" << argument.name << "'";
    return {};
  }
  std::string name = argument.name.str();
  std::replace(name.begin(), name.end(), '.', '_');
  return createGetAttr(name, state.getSymName(), state.getType());
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

StringRef fx::getTargetName(StringRef serialized) {
  serialized.consume_front("torch.ops.");
  return serialized;
}

Attribute GraphBuilder::getOutputTree(const schema::Argument &output,
                                      SmallVectorImpl<StringRef> &names) {
  using K = schema::Argument::Kind;
  auto value = [&](StringRef name) -> Attribute {
    names.push_back(name);
    return OperandAttr::get(ctx);
  };
  auto tensor = [&](const schema::TensorArgument &v) { return value(v.name); };
  auto symbolic = [&](const auto &v) -> Attribute {
    if (auto *name = std::get_if<StringRef>(&v.value))
      return value(*name);
    error() << "expected a name for a symbolic result";
    return {};
  };
  switch (output.kind) {
  case K::None:
    return fx::NoneAttr::get(ctx);
  case K::Tensor:
    return tensor(output.get<schema::TensorArgument>());
  case K::Tensors:
    return getList(output.get<std::vector<schema::TensorArgument>>(), tensor);
  case K::OptionalTensor: {
    const auto &v = output.get<schema::OptionalTensorArgument>();
    return v.value ? tensor(*v.value) : fx::NoneAttr::get(ctx);
  }
  case K::OptionalTensors:
    return getList(output.get<std::vector<schema::OptionalTensorArgument>>(),
                   [&](const schema::OptionalTensorArgument &v) -> Attribute {
                     return v.value ? tensor(*v.value) : fx::NoneAttr::get(ctx);
                   });
  case K::SymInt:
    return symbolic(output.get<schema::SymIntArgument>());
  case K::SymFloat:
    return symbolic(output.get<schema::SymFloatArgument>());
  case K::SymBool:
    return symbolic(output.get<schema::SymBoolArgument>());
  case K::SymInts:
    return getList(output.get<std::vector<schema::SymIntArgument>>(), symbolic);
  case K::SymFloats:
    return getList(output.get<std::vector<schema::SymFloatArgument>>(),
                   symbolic);
  case K::SymBools:
    return getList(output.get<std::vector<schema::SymBoolArgument>>(),
                   symbolic);
  case K::CustomObj:
    return value(output.get<schema::CustomObjArgument>().name);
  case K::Int:
  case K::Ints:
  case K::Float:
  case K::Floats:
  case K::Bool:
  case K::Bools:
  case K::String:
  case K::Strings: {
    // A constant result.
    SmallVector<Value> none;
    return getTree(output, none);
  }
  default:
    error() << "expected a value or a constant as a result";
    return {};
  }
}

/// Checks that each positional argument has the name that the argument at the
/// same position has in the version of torch that wrote the program, and that
/// its calls mean the same for the built-in schema.
LogicalResult GraphBuilder::checkAgainstSchema(StringRef target,
                                               const schema::Node &node) {
  const OperatorSchema *known = lookupOperator(target, program.torchVersion);
  if (!known || known->isSymbolic())
    return success();
  const OperatorSchema *builtIn = lookupOperator(target);
  if (builtIn && !isCompatible(*known, *builtIn))
    return error() << "'" << target << "' has other arguments or results in "
                   << "torch " << program.torchVersion
                   << ", which wrote the program, than in torch "
                   << getSchemaVersion()
                   << ": export the model with that version";
  for (const schema::NamedArgument &input : node.inputs)
    if (int at = known->findArgument(input.name);
        builtIn && at >= 0 && known->getArguments()[at].isKwargOnly() &&
        builtIn->findArgument(input.name) < 0)
      return error() << "'" << target << "' has no argument '" << input.name
                     << "' in torch " << getSchemaVersion()
                     << ": export the model without it";
  unsigned position = 0;
  for (const schema::NamedArgument &input : node.inputs) {
    if (input.kind != schema::ArgumentKind::Positional)
      continue;
    ArrayRef<ArgumentSchema> arguments = known->getArguments();
    if (position >= arguments.size())
      return error() << "expected at most " << arguments.size()
                     << " arguments for '" << target << "'";
    if (!input.name.empty() && arguments[position].getName() != input.name)
      return error() << "expected argument " << position << " of '" << target
                     << "' to be '" << arguments[position].getName()
                     << "', got '" << input.name << "'";
    ++position;
  }
  return success();
}

void GraphBuilder::keepDifferences(const schema::Node &node, Operation *op) {
  auto call = cast<NodeOpInterface>(op);
  bool isHigherOrder = !isa<CallFunctionOp>(op);
  const OperatorSchema *known =
      isHigherOrder ? nullptr : lookupOperator(call.getTargetName());
  bool isOperator = node.target.starts_with("torch.ops.") && !isHigherOrder;
  if (!isHigherOrder && !known && !isOperator)
    op->setAttr("fx.function", b.getUnitAttr());
  if (isHigherOrder && node.is_hop_single_tensor_return.value_or(false))
    op->setAttr("fx.single_return", b.getUnitAttr());

  NamedAttrList kinds;
  auto keep = [&](const Twine &position, const schema::Argument &argument,
                  std::optional<schema::Argument::Kind> derived) {
    if (derived != argument.kind)
      kinds.set(position.str(), b.getStringAttr(getKindName(argument.kind)));
  };
  SmallVector<StringRef> names;
  bool hasOperatorAliases = false;
  unsigned numPositional = node.inputs.size() - call.getKwnames().size();
  auto operands = op->getOperands();
  for (auto [i, input] : llvm::enumerate(node.inputs)) {
    Attribute tree = call.getArgs()[i];
    unsigned count = countOperands(tree);
    const ArgumentSchema *schema = nullptr;
    if (known && i < numPositional && i < known->getArguments().size())
      schema = &known->getArguments()[i];
    else if (int at = known ? known->findArgument(input.name) : -1; at >= 0)
      schema = &known->getArguments()[at];
    keep(Twine(i), input.arg,
         getArgumentKind(tree, operands.take_front(count), schema));
    operands = operands.drop_front(count);
    if (i >= numPositional)
      continue;
    names.push_back(input.name);
    hasOperatorAliases |=
        input.name != (schema ? schema->getName() : StringRef());
  }
  if (hasOperatorAliases || (isOperator && !known && !names.empty()))
    op->setAttr("fx.arg_names", b.getStrArrayAttr(names));

  ValueRange results = op->getResults();
  for (auto [i, output] : llvm::enumerate(node.outputs)) {
    Attribute tree =
        call.getOutsAttr() ? call.getOutsAttr()[i] : OperandAttr::get(ctx);
    unsigned count = countOperands(tree);
    keep("out" + Twine(i), output,
         getArgumentKind(tree, results.take_front(count), nullptr));
    results = results.drop_front(count);
  }
  if (!kinds.empty())
    op->setAttr("fx.kinds", kinds.getDictionary(ctx));
}

LogicalResult GraphBuilder::buildNode(const schema::Node &node) {
  // The name of the node in errors.
  where = node.name ? node.name->str() : node.target.str();
  if (program.deadline.hasPassed())
    return error() << program.deadline.getMessage();
  StringRef target = getTargetName(node.target);
  if (target.empty())
    return error() << "the target is empty";
  bool isHigherOrder = target.consume_front("higher_order.");
  bool isOperator = node.target.starts_with("torch.ops.") && !isHigherOrder;
  if (isOperator && failed(checkAgainstSchema(target, node)))
    return failure();
  // Besides operators, export saves calls of functions on sizes and of the
  // functions that torch.vmap calls.
  if (!node.target.starts_with("torch.") && !lookupOperator(target))
    return error() << "unknown function '" << target << "'";

  SmallVector<Attribute> trees, keywords;
  SmallVector<Value> operands;
  for (const schema::NamedArgument &input : node.inputs) {
    // Old programs do not record the kind. There, the named arguments of
    // operators are keyword arguments.
    bool isKeyword = input.kind && *input.kind != schema::ArgumentKind::Unknown
                         ? *input.kind == schema::ArgumentKind::Keyword
                         : isOperator && !input.name.empty();
    if (isKeyword)
      keywords.push_back(b.getStringAttr(input.name));
    else if (!keywords.empty())
      return error() << "argument '" << input.name
                     << "' is positional, but stands behind a keyword";
    if (isKeyword && input.name.empty())
      return error() << "a keyword argument without a name";
    if (!trees.emplace_back(getTree(input.arg, operands)))
      return failure();
  }

  SmallVector<StringRef> names;
  SmallVector<Attribute> outputs;
  for (const schema::Argument &output : node.outputs)
    if (!outputs.emplace_back(getOutputTree(output, names)))
      return failure();
  SmallVector<Type> resultTypes;
  for (StringRef name : names) {
    Type type = getType(name);
    if (!type)
      return failure();
    resultTypes.push_back(type);
  }
  for (auto &[key, value] : node.metadata)
    if (key.empty())
      return error() << "metadata without a key";

  // torch.cond with the usual arguments has an operation of its own.
  bool isCond = isHigherOrder && target == "cond" && trees.size() == 4 &&
                keywords.empty() && isa<OperandAttr>(trees[1]) &&
                isa<OperandAttr>(trees[2]) && isa<ArrayAttr>(trees[3]);
  OperationState state(program.locations.get(node, names),
                       isCond          ? CondOp::getOperationName()
                       : isHigherOrder ? HigherOrderOp::getOperationName()
                                       : CallFunctionOp::getOperationName());
  if (!isCond)
    state.addAttribute("target", b.getStringAttr(target));
  state.addOperands(operands);
  state.addAttribute("args", b.getArrayAttr(trees));
  if (!keywords.empty())
    state.addAttribute("kwnames", b.getArrayAttr(keywords));
  bool isFlat = llvm::all_of(outputs, llvm::IsaPred<OperandAttr>);
  if (!isFlat)
    state.addAttribute("outs", b.getArrayAttr(outputs));
  state.addTypes(resultTypes);
  Operation *op = b.create(state);
  for (auto [name, result] : llvm::zip_equal(names, op->getResults()))
    if (failed(define(name, result)))
      return failure();
  keepDifferences(node, op);
  return success();
}

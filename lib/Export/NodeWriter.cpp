//===- NodeWriter.cpp - fx operations to serialized nodes -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FXGraph.h"
#include "GraphWriter.h"
#include "fx/Import/ArgumentKinds.h"

#include "fx/IR/Metadata.h"
#include "fx/Operators/Schema.h"

using namespace mlir;
using namespace fx;
using schema::Argument;
using Kind = Argument::Kind;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Argument GraphWriter::getValue(Value value, Kind kind) {
  Argument argument;
  argument.kind = kind;
  StringRef name;
  if (auto attr = value.getDefiningOp<GetAttrOp>()) {
    // An object that is no input has the name of the state.
    if (auto state = program.symbols.lookup<StateOp>(attr.getTarget()))
      name = ProgramContext::getName(state);
  } else {
    name = names.get(value);
  }
  switch (kind) {
  case Kind::SymInt:
    argument.value = schema::SymIntArgument{name};
    break;
  case Kind::SymFloat:
    argument.value = schema::SymFloatArgument{name};
    break;
  case Kind::SymBool:
    argument.value = schema::SymBoolArgument{name};
    break;
  case Kind::CustomObj: {
    auto object = dyn_cast<ObjectType>(value.getType());
    argument.value = schema::CustomObjArgument{
        name, object ? object.getClassName() : StringRef()};
    break;
  }
  case Kind::OptionalTensor:
    argument.value =
        schema::OptionalTensorArgument{schema::TensorArgument{name}};
    break;
  default:
    argument.value = schema::TensorArgument{name};
    break;
  }
  return argument;
}

std::optional<Argument> GraphWriter::getSubgraph(Value value) {
  auto attr = value.getDefiningOp<GetAttrOp>();
  auto target =
      attr ? program.symbols.lookup<GraphOp>(attr.getTarget()) : GraphOp();
  if (!target)
    return error() << "expected a sub-graph made by get_attr", std::nullopt;
  GraphWriter writer(program, target);
  std::optional<schema::Graph> body = writer.write();
  if (!body)
    return std::nullopt;
  StringRef name = getSubgraphName(target, graph);
  Argument argument;
  argument.kind = Kind::Graph;
  argument.value = schema::GraphArgument{
      name, std::make_shared<schema::Graph>(std::move(*body))};
  return argument;
}

/// The elements of a list, each by `element`; nullopt once that fails.
template <typename T, typename Fn>
static bool fill(std::vector<T> &list, ArrayAttr trees, Fn element) {
  for (Attribute tree : trees) {
    std::optional<T> value = element(tree);
    if (!value)
      return false;
    list.push_back(*value);
  }
  return true;
}

std::optional<Argument> GraphWriter::getArgument(Attribute tree,
                                                 ValueRange &operands,
                                                 const ArgumentSchema *schema,
                                                 StringRef kindName) {
  std::optional<Kind> kind = getKindByName(kindName);
  if (!kind)
    kind = getArgumentKind(tree, operands, schema);
  auto refuse = [&]() -> std::optional<Argument> {
    InFlightDiagnostic diagnostic = error();
    diagnostic << "torch's serializer has no kind of argument for " << tree;
    if (!kindName.empty())
      diagnostic << " as '" << kindName << "'";
    return std::nullopt;
  };
  if (!kind)
    return refuse();
  auto next = [&] {
    Value value = operands.front();
    operands = operands.drop_front();
    return value;
  };
  auto isValue = [&](Attribute a) {
    return isa<OperandAttr>(a) && !operands.empty();
  };
  auto tensor = [&](Attribute a) -> std::optional<schema::TensorArgument> {
    if (!isValue(a))
      return std::nullopt;
    return getValue(next(), Kind::Tensor).get<schema::TensorArgument>();
  };
  auto optionalTensor =
      [&](Attribute a) -> std::optional<schema::OptionalTensorArgument> {
    if (isa<fx::NoneAttr>(a))
      return schema::OptionalTensorArgument();
    std::optional<schema::TensorArgument> value = tensor(a);
    if (!value)
      return std::nullopt;
    return schema::OptionalTensorArgument{*value};
  };
  auto integer = [](Attribute a) -> std::optional<int64_t> {
    auto value = dyn_cast<IntegerAttr>(a);
    if (!value || isa<BoolAttr>(a) || value.getValue().getBitWidth() > 64)
      return std::nullopt;
    return value.getValue().getSExtValue();
  };
  auto real = [](Attribute a) -> std::optional<double> {
    auto value = dyn_cast<FloatAttr>(a);
    return value ? std::optional(value.getValueAsDouble()) : std::nullopt;
  };
  auto boolean = [](Attribute a) -> std::optional<bool> {
    auto value = dyn_cast<BoolAttr>(a);
    return value ? std::optional(value.getValue()) : std::nullopt;
  };
  auto string = [](Attribute a) -> std::optional<StringRef> {
    auto value = dyn_cast<StringAttr>(a);
    return value ? std::optional(value.getValue()) : std::nullopt;
  };
  /// A symbolic number of argument type T: a name or an immediate.
  auto symbolic = [&]<typename T>(T, auto immediate) {
    return [&, immediate](Attribute a) -> std::optional<T> {
      if (isValue(a))
        return T{names.get(next())};
      auto value = immediate(a);
      return value ? std::optional(T{*value}) : std::nullopt;
    };
  };
  Argument result;
  result.kind = *kind;
  bool ok = true;
  auto put = [&](auto value) {
    ok = value.has_value();
    if (ok)
      result.value = std::move(*value);
  };
  auto putList = [&]<typename T>(T, auto element) {
    std::vector<T> list;
    auto trees = dyn_cast<ArrayAttr>(tree);
    ok = trees && fill(list, trees, element);
    result.value = std::move(list);
  };
  auto putNested = [&]<typename T>(T, auto element) {
    putList(std::vector<T>(),
            [&](Attribute a) -> std::optional<std::vector<T>> {
              std::vector<T> inner;
              auto trees = dyn_cast<ArrayAttr>(a);
              if (!trees || !fill(inner, trees, element))
                return std::nullopt;
              return inner;
            });
  };
  auto symInt = symbolic(schema::SymIntArgument(), integer);
  auto symFloat = symbolic(schema::SymFloatArgument(), real);
  auto symBool = symbolic(schema::SymBoolArgument(), boolean);
  switch (*kind) {
  case Kind::None:
    result.value = true;
    ok = isa<fx::NoneAttr>(tree);
    break;
  case Kind::Tensor:
    put(tensor(tree));
    break;
  case Kind::OptionalTensor:
    put(optionalTensor(tree));
    break;
  case Kind::SymInt:
    put(symInt(tree));
    break;
  case Kind::SymFloat:
    put(symFloat(tree));
    break;
  case Kind::SymBool:
    put(symBool(tree));
    break;
  case Kind::CustomObj:
    if (!isValue(tree))
      return refuse();
    return getValue(next(), *kind);
  case Kind::Graph:
    if (!isValue(tree))
      return refuse();
    return getSubgraph(next());
  case Kind::Int:
    put(integer(tree));
    break;
  case Kind::Float:
    put(real(tree));
    break;
  case Kind::Bool:
    put(boolean(tree));
    break;
  case Kind::String:
    put(string(tree));
    break;
  case Kind::Tensors:
    putList(schema::TensorArgument(), tensor);
    break;
  case Kind::OptionalTensors:
    putList(schema::OptionalTensorArgument(), optionalTensor);
    break;
  case Kind::NestedTensors:
    putNested(schema::TensorArgument(), tensor);
    break;
  case Kind::Ints:
    putList(int64_t(), integer);
    break;
  case Kind::Floats:
    putList(double(), real);
    break;
  case Kind::Bools:
    putList(bool(), boolean);
    break;
  case Kind::Strings:
    putList(StringRef(), string);
    break;
  case Kind::IntLists:
    putNested(int64_t(), integer);
    break;
  case Kind::FloatLists:
    putNested(double(), real);
    break;
  case Kind::SymInts:
    putList(schema::SymIntArgument(), symInt);
    break;
  case Kind::SymFloats:
    putList(schema::SymFloatArgument(), symFloat);
    break;
  case Kind::SymBools:
    putList(schema::SymBoolArgument(), symBool);
    break;
  case Kind::ScalarType:
    if (auto type = dyn_cast<TypeAttr>(tree))
      put(TypeWriter::getDtype(type.getValue()));
    else
      ok = false;
    break;
  case Kind::MemoryFormat:
    if (auto format = dyn_cast<MemoryFormatAttr>(tree))
      put(TypeWriter::getMemoryFormat(format.getValue()));
    else
      ok = false;
    break;
  case Kind::Layout:
    if (auto layout = dyn_cast<LayoutAttr>(tree))
      put(TypeWriter::getLayout(layout.getValue()));
    else
      ok = false;
    break;
  case Kind::Device:
    if (auto device = dyn_cast<DeviceAttr>(tree))
      result.value = schema::Device{device.getType(), device.getIndex()};
    else
      ok = false;
    break;
  case Kind::Operator:
    if (auto op = dyn_cast<OperatorAttr>(tree))
      result.value = isPlainTarget(op.getTarget())
                         ? op.getTarget()
                         : program.strings.save("torch.ops." + op.getTarget());
    else
      ok = false;
    break;
  case Kind::Complex:
    if (auto complex = dyn_cast<fx::ComplexAttr>(tree))
      result.value = schema::ComplexValue{complex.getReal().getValueAsDouble(),
                                          complex.getImag().getValueAsDouble()};
    else
      ok = false;
    break;
  case Kind::StringToArgument: {
    auto dict = dyn_cast<DictAttr>(tree);
    auto map = std::make_shared<schema::ArgumentMap>();
    ok = bool(dict);
    if (ok)
      for (auto [key, inner] :
           llvm::zip_equal(dict.getKeys(), dict.getValues())) {
        std::optional<Argument> value = getArgument(inner, operands, nullptr);
        if (!value)
          return std::nullopt;
        map->entries.emplace_back(cast<StringAttr>(key).getValue(), *value);
      }
    result.value = map;
    break;
  }
  }
  return ok ? std::optional(result) : refuse();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// The kind that import kept of an argument or output.
static StringRef getKeptKind(Operation *op, const Twine &position) {
  auto kinds = op->getAttrOfType<DictionaryAttr>("fx.kinds");
  auto kind = kinds ? kinds.getAs<StringAttr>(position.str()) : StringAttr();
  return kind ? kind.getValue() : StringRef();
}

bool GraphWriter::addInputs(NodeOpInterface op, schema::Node &node) {
  const OperatorSchema *known =
      isa<CallFunctionOp>(op) ? lookupOperator(op.getTargetName()) : nullptr;
  auto kept = op->getAttrOfType<ArrayAttr>("fx.arg_names");
  ArrayAttr keywords = op.getKwnames();
  unsigned numPositional = op.getArgs().size() - keywords.size();
  bool needsNames = isa<CallFunctionOp>(op) && !known &&
                    !op->hasAttr("fx.function") && numPositional;
  if (needsNames && !(kept && kept.size() == numPositional))
    return error() << "the operator '" << op.getTargetName()
                   << "' has no known schema; expected the names of its "
                   << numPositional
                   << " positional arguments in 'fx.arg_names'",
           false;
  ValueRange operands = op->getOperands();
  for (auto [i, tree] : llvm::enumerate(op.getArgs())) {
    bool isKeyword = i >= numPositional;
    schema::NamedArgument input;
    const ArgumentSchema *schema = nullptr;
    if (isKeyword) {
      input.name = cast<StringAttr>(keywords[i - numPositional]).getValue();
      int at = known ? known->findArgument(input.name) : -1;
      if (at >= 0)
        schema = &known->getArguments()[at];
    } else if (known && i < known->getArguments().size()) {
      schema = &known->getArguments()[i];
      input.name = schema->getName();
    }
    if (!isKeyword && kept && i < kept.size())
      if (auto name = dyn_cast<StringAttr>(kept[i]))
        input.name = name;
    input.kind = isKeyword ? schema::ArgumentKind::Keyword
                           : schema::ArgumentKind::Positional;
    std::optional<Argument> argument =
        getArgument(tree, operands, schema, getKeptKind(op, Twine(i)));
    if (!argument)
      return false;
    input.arg = std::move(*argument);
    node.inputs.push_back(std::move(input));
  }
  return true;
}

bool GraphWriter::addOutputs(NodeOpInterface op, schema::Node &node) {
  for (Value value : op->getResults())
    if (!addValue(value))
      return false;
  ArrayAttr outs = op.getOutsAttr();
  Attribute leaf = OperandAttr::get(op.getContext());
  ValueRange results = op->getResults();
  for (size_t i = 0, e = outs ? outs.size() : op->getNumResults(); i < e; ++i) {
    std::optional<Argument> output =
        getArgument(outs ? outs[i] : leaf, results, nullptr,
                    getKeptKind(op, "out" + Twine(i)));
    if (!output)
      return false;
    node.outputs.push_back(std::move(*output));
  }
  return true;
}

/// The text of a Python stack from its frames, for nodes that have no other.
static std::string getStackText(Location loc) {
  while (auto fused = dyn_cast<FusedLoc>(loc)) {
    if (fused.getLocations().empty())
      return {};
    loc = fused.getLocations().front();
  }
  if (auto name = dyn_cast<NameLoc>(loc))
    loc = name.getChildLoc();
  SmallVector<Location> frames; // innermost first
  while (auto call = dyn_cast<CallSiteLoc>(loc)) {
    frames.push_back(call.getCallee());
    loc = call.getCaller();
  }
  frames.push_back(loc);
  std::string text;
  llvm::raw_string_ostream os(text);
  for (Location frame : llvm::reverse(frames)) {
    StringRef function = "<unknown>";
    if (auto name = dyn_cast<NameLoc>(frame)) {
      function = name.getName();
      frame = name.getChildLoc();
    }
    if (auto file = dyn_cast<FileLineColLoc>(frame))
      os << "  File \"" << file.getFilename().getValue() << "\", line "
         << file.getLine() << ", in " << function << '\n';
  }
  return text;
}

bool GraphWriter::addMetadata(Operation *op, schema::Node &node) {
  bool hasStack = false;
  if (DictionaryAttr metadata = findMetadata(op->getLoc()))
    for (NamedAttribute entry : metadata) {
      auto text = dyn_cast<StringAttr>(entry.getValue());
      if (!text || entry.getName() == "name")
        continue;
      hasStack |= entry.getName() == "stack_trace";
      node.metadata.emplace_back(getProgramKey(entry.getName()),
                                 text.getValue());
    }
  if (!hasStack)
    if (std::string text = getStackText(op->getLoc()); !text.empty())
      node.metadata.emplace_back("stack_trace", program.strings.save(text));
  return true;
}

bool GraphWriter::addNode(NodeOpInterface op) {
  schema::Node node;
  StringRef target = op.getTargetName();
  bool isHigherOrder = !isa<CallFunctionOp>(op);
  node.target = isHigherOrder
                    ? program.strings.save("torch.ops.higher_order." + target)
                : op->hasAttr("fx.function") || isPlainTarget(target)
                    ? target
                    : program.strings.save("torch.ops." + target);
  node.name = names.get(op.getOperation());
  if (!addInputs(op, node) || !addOutputs(op, node) || !addMetadata(op, node))
    return false;
  if (isHigherOrder)
    node.is_hop_single_tensor_return = op->hasAttr("fx.single_return");
  result.nodes.push_back(std::move(node));
  return true;
}

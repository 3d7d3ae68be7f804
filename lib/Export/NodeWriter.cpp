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
using Kind = schema::Argument::Kind;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

schema::Argument GraphWriter::getValue(Value value, Kind kind) {
  schema::Argument argument;
  argument.kind = kind;
  StringRef name;
  if (auto attr = value.getDefiningOp<GetAttrOp>()) {
    // An object that is not an input has the name of its state.
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

std::optional<schema::Argument> GraphWriter::getSubgraph(Value value) {
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
  schema::Argument argument;
  argument.kind = Kind::Graph;
  argument.value = schema::GraphArgument{
      name, std::make_shared<schema::Graph>(std::move(*body))};
  return argument;
}

/// Writes one tree as an argument. Removes the operands of its leaves from the
/// front of `operands`. Functions return nullopt after an error.
class GraphWriter::ArgumentWriter {
public:
  ArgumentWriter(GraphWriter &writer, Attribute tree, ValueRange &operands,
                 StringRef kindName)
      : writer(writer), tree(tree), operands(operands), kindName(kindName) {}

  /// Writes the tree as the kind that `kindName` names, or else as the kind
  /// that torch's serializer chooses for it.
  std::optional<schema::Argument> write(const ArgumentSchema *schema);

private:
  /// Emits the error for a tree that the kind cannot hold.
  std::optional<schema::Argument> refuse();
  /// Writes the tree as an argument of the kind.
  std::optional<schema::Argument> writeKind();
  /// Does the same for the kinds that are lists.
  std::optional<schema::Argument> writeList();
  std::optional<schema::Argument> writeOperator();
  std::optional<schema::Argument> writeMap();

  /// Returns an argument of the kind that holds `value`.
  template <typename T>
  schema::Argument make(T value) {
    schema::Argument argument;
    argument.kind = kind;
    argument.value = std::move(value);
    return argument;
  }
  /// Writes the tree as an argument that holds a T.
  template <typename T>
  std::optional<schema::Argument> writeAs() {
    T value{};
    if (!read(tree, value))
      return refuse();
    return make(std::move(value));
  }

  bool isValue(Attribute leaf) const {
    return isa<OperandAttr>(leaf) && !operands.empty();
  }
  Value takeValue() {
    Value value = operands.front();
    operands = operands.drop_front();
    return value;
  }

  // Each `read` sets `value` to the contents of the tree. It returns false if
  // the tree does not hold a value of that type.
  bool read(Attribute leaf, bool &value);
  bool read(Attribute leaf, int64_t &value);
  bool read(Attribute leaf, double &value);
  bool read(Attribute leaf, StringRef &value);
  bool read(Attribute leaf, schema::TensorArgument &value);
  bool read(Attribute leaf, schema::OptionalTensorArgument &value);
  bool read(Attribute leaf, schema::ScalarType &value);
  bool read(Attribute leaf, schema::MemoryFormat &value);
  bool read(Attribute leaf, schema::Layout &value);
  bool read(Attribute leaf, schema::Device &value);
  bool read(Attribute leaf, schema::ComplexValue &value);
  bool read(Attribute leaf, schema::SymIntArgument &value) {
    return read(leaf, value.value);
  }
  bool read(Attribute leaf, schema::SymFloatArgument &value) {
    return read(leaf, value.value);
  }
  bool read(Attribute leaf, schema::SymBoolArgument &value) {
    return read(leaf, value.value);
  }
  /// A symbolic number: the name of a value, or an immediate.
  template <typename T>
  bool read(Attribute leaf, std::variant<StringRef, T> &value) {
    if (isValue(leaf)) {
      value = writer.names.get(takeValue());
      return true;
    }
    T immediate{};
    if (!read(leaf, immediate))
      return false;
    value = immediate;
    return true;
  }
  template <typename T>
  bool read(Attribute list, std::vector<T> &value) {
    auto trees = dyn_cast<ArrayAttr>(list);
    if (!trees)
      return false;
    for (Attribute element : trees) {
      T elementValue{};
      if (!read(element, elementValue))
        return false;
      value.push_back(std::move(elementValue));
    }
    return true;
  }

  GraphWriter &writer;
  Attribute tree;
  ValueRange &operands;
  StringRef kindName;
  Kind kind = Kind::None;
};

bool GraphWriter::ArgumentWriter::read(Attribute leaf, bool &value) {
  auto attr = dyn_cast<BoolAttr>(leaf);
  if (attr)
    value = attr.getValue();
  return bool(attr);
}

bool GraphWriter::ArgumentWriter::read(Attribute leaf, int64_t &value) {
  auto attr = dyn_cast<IntegerAttr>(leaf);
  if (!attr || isa<BoolAttr>(leaf) || attr.getValue().getBitWidth() > 64)
    return false;
  value = attr.getValue().getSExtValue();
  return true;
}

bool GraphWriter::ArgumentWriter::read(Attribute leaf, double &value) {
  auto attr = dyn_cast<FloatAttr>(leaf);
  if (attr)
    value = attr.getValueAsDouble();
  return bool(attr);
}

bool GraphWriter::ArgumentWriter::read(Attribute leaf, StringRef &value) {
  auto attr = dyn_cast<StringAttr>(leaf);
  if (attr)
    value = attr.getValue();
  return bool(attr);
}

bool GraphWriter::ArgumentWriter::read(Attribute leaf,
                                       schema::TensorArgument &value) {
  if (!isValue(leaf))
    return false;
  value =
      writer.getValue(takeValue(), Kind::Tensor).get<schema::TensorArgument>();
  return true;
}

bool GraphWriter::ArgumentWriter::read(Attribute leaf,
                                       schema::OptionalTensorArgument &value) {
  return isa<fx::NoneAttr>(leaf) || read(leaf, value.value.emplace());
}

/// Sets `value` to the value of `found`. Returns false if there is none.
template <typename T>
static bool assignFound(T &value, std::optional<T> found) {
  if (found)
    value = *found;
  return found.has_value();
}

bool GraphWriter::ArgumentWriter::read(Attribute leaf,
                                       schema::ScalarType &value) {
  auto type = dyn_cast<TypeAttr>(leaf);
  return type && assignFound(value, TypeWriter::getDtype(type.getValue()));
}

bool GraphWriter::ArgumentWriter::read(Attribute leaf,
                                       schema::MemoryFormat &value) {
  auto format = dyn_cast<MemoryFormatAttr>(leaf);
  return format &&
         assignFound(value, TypeWriter::getMemoryFormat(format.getValue()));
}

bool GraphWriter::ArgumentWriter::read(Attribute leaf, schema::Layout &value) {
  auto layout = dyn_cast<LayoutAttr>(leaf);
  return layout && assignFound(value, TypeWriter::getLayout(layout.getValue()));
}

bool GraphWriter::ArgumentWriter::read(Attribute leaf, schema::Device &value) {
  auto device = dyn_cast<DeviceAttr>(leaf);
  if (device)
    value = schema::Device{device.getType(), device.getIndex()};
  return bool(device);
}

bool GraphWriter::ArgumentWriter::read(Attribute leaf,
                                       schema::ComplexValue &value) {
  auto complex = dyn_cast<fx::ComplexAttr>(leaf);
  if (complex)
    value = schema::ComplexValue{complex.getReal().getValueAsDouble(),
                                 complex.getImag().getValueAsDouble()};
  return bool(complex);
}

std::optional<schema::Argument> GraphWriter::ArgumentWriter::refuse() {
  InFlightDiagnostic diagnostic = writer.error();
  diagnostic << "torch's serializer has no kind of argument for " << tree;
  if (!kindName.empty())
    diagnostic << " as '" << kindName << "'";
  return std::nullopt;
}

std::optional<schema::Argument> GraphWriter::ArgumentWriter::writeOperator() {
  auto op = dyn_cast<OperatorAttr>(tree);
  if (!op)
    return refuse();
  StringRef target = op.getTarget();
  return make(isPlainTarget(target)
                  ? target
                  : writer.program.strings.save("torch.ops." + target));
}

std::optional<schema::Argument> GraphWriter::ArgumentWriter::writeMap() {
  auto dict = dyn_cast<DictAttr>(tree);
  if (!dict)
    return refuse();
  auto map = std::make_shared<schema::ArgumentMap>();
  for (auto [key, inner] : llvm::zip_equal(dict.getKeys(), dict.getValues())) {
    std::optional<schema::Argument> value =
        writer.getArgument(inner, operands, /*schema=*/nullptr);
    if (!value)
      return std::nullopt;
    map->entries.emplace_back(cast<StringAttr>(key).getValue(), *value);
  }
  return make(map);
}

std::optional<schema::Argument> GraphWriter::ArgumentWriter::writeList() {
  switch (kind) {
  case Kind::Tensors:
    return writeAs<std::vector<schema::TensorArgument>>();
  case Kind::OptionalTensors:
    return writeAs<std::vector<schema::OptionalTensorArgument>>();
  case Kind::NestedTensors:
    return writeAs<std::vector<std::vector<schema::TensorArgument>>>();
  case Kind::Ints:
    return writeAs<std::vector<int64_t>>();
  case Kind::Floats:
    return writeAs<std::vector<double>>();
  case Kind::Bools:
    return writeAs<std::vector<bool>>();
  case Kind::Strings:
    return writeAs<std::vector<StringRef>>();
  case Kind::IntLists:
    return writeAs<std::vector<std::vector<int64_t>>>();
  case Kind::FloatLists:
    return writeAs<std::vector<std::vector<double>>>();
  case Kind::SymInts:
    return writeAs<std::vector<schema::SymIntArgument>>();
  case Kind::SymFloats:
    return writeAs<std::vector<schema::SymFloatArgument>>();
  case Kind::SymBools:
    return writeAs<std::vector<schema::SymBoolArgument>>();
  default:
    llvm_unreachable("expected a kind that is a list");
  }
}

std::optional<schema::Argument> GraphWriter::ArgumentWriter::writeKind() {
  switch (kind) {
  case Kind::None:
    return isa<fx::NoneAttr>(tree) ? std::optional(make(true)) : refuse();
  case Kind::Tensor:
    return writeAs<schema::TensorArgument>();
  case Kind::OptionalTensor:
    return writeAs<schema::OptionalTensorArgument>();
  case Kind::SymInt:
    return writeAs<schema::SymIntArgument>();
  case Kind::SymFloat:
    return writeAs<schema::SymFloatArgument>();
  case Kind::SymBool:
    return writeAs<schema::SymBoolArgument>();
  case Kind::CustomObj:
    return isValue(tree) ? std::optional(writer.getValue(takeValue(), kind))
                         : refuse();
  case Kind::Graph:
    return isValue(tree) ? writer.getSubgraph(takeValue()) : refuse();
  case Kind::Int:
    return writeAs<int64_t>();
  case Kind::Float:
    return writeAs<double>();
  case Kind::Bool:
    return writeAs<bool>();
  case Kind::String:
    return writeAs<StringRef>();
  case Kind::ScalarType:
    return writeAs<schema::ScalarType>();
  case Kind::MemoryFormat:
    return writeAs<schema::MemoryFormat>();
  case Kind::Layout:
    return writeAs<schema::Layout>();
  case Kind::Device:
    return writeAs<schema::Device>();
  case Kind::Complex:
    return writeAs<schema::ComplexValue>();
  case Kind::Operator:
    return writeOperator();
  case Kind::StringToArgument:
    return writeMap();
  case Kind::Tensors:
  case Kind::OptionalTensors:
  case Kind::NestedTensors:
  case Kind::Ints:
  case Kind::Floats:
  case Kind::Bools:
  case Kind::Strings:
  case Kind::IntLists:
  case Kind::FloatLists:
  case Kind::SymInts:
  case Kind::SymFloats:
  case Kind::SymBools:
    return writeList();
  }
  llvm_unreachable("unknown kind of argument");
}

std::optional<schema::Argument>
GraphWriter::ArgumentWriter::write(const ArgumentSchema *schema) {
  std::optional<Kind> found = getKindByName(kindName);
  if (!found)
    found = getArgumentKind(tree, operands, schema);
  if (!found)
    return refuse();
  kind = *found;
  return writeKind();
}

std::optional<schema::Argument>
GraphWriter::getArgument(Attribute tree, ValueRange &operands,
                         const ArgumentSchema *schema, StringRef kindName) {
  return ArgumentWriter(*this, tree, operands, kindName).write(schema);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Returns the kind that import recorded for an argument or output; empty if
/// there is none.
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
    std::optional<schema::Argument> argument =
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
    std::optional<schema::Argument> output =
        getArgument(outs ? outs[i] : leaf, results, nullptr,
                    getKeptKind(op, "out" + Twine(i)));
    if (!output)
      return false;
    node.outputs.push_back(std::move(*output));
  }
  return true;
}

/// Returns the text of a Python stack, made from the frames of a location. It
/// is for nodes without a `stack_trace`.
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

void GraphWriter::addMetadata(Operation *op, schema::Node &node) {
  bool hasStack = false;
  if (DictionaryAttr metadata = getMetadata(op->getLoc()))
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
  if (!addInputs(op, node) || !addOutputs(op, node))
    return false;
  addMetadata(op, node);
  if (isHigherOrder)
    node.is_hop_single_tensor_return = op->hasAttr("fx.single_return");
  result.nodes.push_back(std::move(node));
  return true;
}

//===- ExternNodes.cpp - calls of AOTInductor's proxy executor ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file has the form of torch's export schema, but the executor expects, for
// each argument, the kind that follows from the operator's schema, not the one
// of the Python value. It takes integers from the caller, whatever the file
// says, so the values of symbolic ones are 0 there.
//
//===----------------------------------------------------------------------===//

#include "fx/Export/ExternNodes.h"
#include "ExternCall.h"
#include "JsonWriter.h"
#include "TypeWriter.h"
#include "fx/IR/Metadata.h"
#include "fx/IR/ProxyCall.h"
#include "fx/Operators/Collectives.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fx;

namespace {
/// Writes the JSON of one node, and collects the integers and the outputs of
/// its call. Functions return false after setting `reason`.
class ExternWriter {
public:
  ExternWriter(EagerOp op, const ExternCall &call, JsonWriter &json)
      : op(op), call(call), json(json) {}
  bool write();

  std::string reason;
  SmallVector<Attribute> integers;
  /// See ProxyCall.
  SmallVector<int64_t> outputs;

private:
  bool writeInputs();
  bool addCopies(ArrayRef<Attribute> trees, ArrayRef<int64_t> &rest);
  bool writeArgument(const Parameter &parameter, const Argument &argument);
  bool writeSingle(const Parameter &parameter, const Argument &argument);
  bool writeNumber(const Argument &argument);
  bool writeInteger(const Argument &argument);
  bool writeList(const Parameter &parameter, const Argument &argument);
  bool writeTensors(const Parameter &parameter, const Argument &argument);
  bool writeOutputs();
  bool writeResult(const Parameter &parameter, ArrayRef<Attribute> leaves);

  bool refuse(const Twine &text) {
    if (reason.empty())
      reason = text.str();
    return false;
  }
  /// Writes an object with one member.
  template <typename Fn>
  bool tag(StringRef key, Fn &&value) {
    bool isWritten = true;
    json.object([&] {
      json.key(key);
      isWritten = value();
    });
    return isWritten;
  }
  void writeName(StringRef name) {
    json.object([&] {
      json.key("name");
      json.string(name);
    });
  }
  void writeTensor(const Parameter &parameter) {
    writeName(parameter.name);
    if (parameter.isWritten())
      written.push_back(tensors);
    ++tensors;
  }
  bool writeReal(std::optional<double> value);

  EagerOp op;
  const ExternCall &call;
  JsonWriter &json;
  int64_t tensors = 0;
  /// The numbers of the tensors of written arguments.
  SmallVector<int64_t> written;
};
} // namespace

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static bool isTensor(Value value) {
  return value && isa<ShapedType>(value.getType());
}

bool ExternWriter::writeReal(std::optional<double> value) {
  if (!value)
    return refuse("a floating-point argument that is computed at run time");
  // The executor's JSON has numbers only.
  if (!std::isfinite(*value))
    return refuse("an argument that is infinite or NaN");
  json.real(*value);
  return true;
}

/// Writes an integer and adds it to the integers of the call.
bool ExternWriter::writeInteger(const Argument &argument) {
  if (Value value = argument.getValue()) {
    if (!value.getType().isInteger(64))
      return refuse("an argument that is no integer");
    integers.push_back(OperandAttr::get(op.getContext()));
    json.integer(0);
    return true;
  }
  std::optional<int64_t> immediate = argument.getInt();
  if (!immediate)
    return refuse("an argument that is no integer");
  integers.push_back(Builder(op.getContext()).getI64IntegerAttr(*immediate));
  json.integer(*immediate);
  return true;
}

bool ExternWriter::writeNumber(const Argument &argument) {
  if (isa<BoolAttr>(argument.tree))
    return tag("as_bool", [&] {
      json.boolean(cast<BoolAttr>(argument.tree).getValue());
      return true;
    });
  Value value = argument.getValue();
  if (isa<IntegerAttr>(argument.tree) ||
      (value && value.getType().isInteger(64)))
    return tag("as_int", [&] { return writeInteger(argument); });
  if (isa<fx::ComplexAttr>(argument.tree))
    return refuse("a complex number as an argument");
  return tag("as_float", [&] { return writeReal(argument.getFloat()); });
}

bool ExternWriter::writeSingle(const Parameter &parameter,
                               const Argument &argument) {
  auto writeEnum = [&](StringRef key, auto value) {
    if (!value)
      return refuse("an argument of an unknown kind");
    return tag(key, [&] {
      json.integer(int64_t(*value));
      return true;
    });
  };
  Attribute tree = argument.tree;
  switch (parameter.kind) {
  case SchemaKind::Tensor:
    if (!isTensor(argument.getValue()))
      return refuse("a number in the place of a tensor");
    return tag("as_tensor", [&] { return writeTensor(parameter), true; });
  case SchemaKind::Int:
  case SchemaKind::SymInt:
    return tag("as_int", [&] { return writeInteger(argument); });
  case SchemaKind::Number:
    return writeNumber(argument);
  case SchemaKind::Float:
    return tag("as_float", [&] { return writeReal(argument.getFloat()); });
  case SchemaKind::Bool:
    if (std::optional<bool> value = argument.getBool())
      return tag("as_bool", [&] { return json.boolean(*value), true; });
    return refuse("a bool that is computed at run time");
  case SchemaKind::String:
    if (std::optional<StringRef> value = argument.getString())
      return tag("as_string", [&] { return json.string(*value), true; });
    break;
  case SchemaKind::ScalarType:
    if (auto type = dyn_cast<TypeAttr>(tree))
      return writeEnum("as_scalar_type", TypeWriter::getDtype(type.getValue()));
    break;
  case SchemaKind::Layout:
    if (auto layout = dyn_cast<LayoutAttr>(tree))
      return writeEnum("as_layout", TypeWriter::getLayout(layout.getValue()));
    break;
  case SchemaKind::MemoryFormat:
    if (auto format = dyn_cast<MemoryFormatAttr>(tree))
      return writeEnum("as_memory_format",
                       TypeWriter::getMemoryFormat(format.getValue()));
    break;
  case SchemaKind::Device:
    if (auto device = dyn_cast<DeviceAttr>(tree))
      return tag("as_device", [&] {
        json.object([&] {
          json.key("type");
          json.string(device.getType());
          json.key("index");
          json.null();
        });
        return true;
      });
    break;
  default:
    break;
  }
  return refuse("argument '" + parameter.name + "' of a kind that it has not");
}

bool ExternWriter::writeTensors(const Parameter &parameter,
                                const Argument &argument) {
  SmallVector<Value> values = argument.getValues();
  if (!llvm::all_of(values, [](Value v) { return !v || isTensor(v); }))
    return refuse("a number in the place of a tensor");
  bool hasOptional = parameter.hasOptionalElements();
  if (!hasOptional && !llvm::all_of(values, [](Value v) { return bool(v); }))
    return refuse("None in a list of tensors");
  return tag(hasOptional ? "as_optional_tensors" : "as_tensors", [&] {
    json.array([&] {
      for (Value value : values) {
        if (!hasOptional)
          writeTensor(parameter);
        else if (value)
          tag("as_tensor", [&] { return writeTensor(parameter), true; });
        else
          tag("as_none", [&] { return json.boolean(true), true; });
      }
    });
    return true;
  });
}

bool ExternWriter::writeList(const Parameter &parameter,
                             const Argument &argument) {
  if (parameter.listDepth > 1)
    return refuse("a list of lists");
  SchemaKind kind = parameter.kind;
  if (kind == SchemaKind::Tensor)
    return writeTensors(parameter, argument);
  SmallVector<Argument, 4> elements = argument.getElements();
  auto writeAll = [&](StringRef key, auto &&writeElement) {
    return tag(key, [&] {
      bool isWritten = true;
      json.array([&] {
        for (const Argument &element : elements)
          isWritten = isWritten && writeElement(element);
      });
      return isWritten;
    });
  };
  auto isReal = [](const Argument &a) { return isa<FloatAttr>(a.tree); };
  if (kind == SchemaKind::Number)
    kind = !elements.empty() && llvm::all_of(elements, isReal)
               ? SchemaKind::Float
               : SchemaKind::Int;
  switch (kind) {
  case SchemaKind::Int:
  case SchemaKind::SymInt:
    if (llvm::any_of(elements, isReal))
      return refuse("a list of integers and others");
    return writeAll("as_ints",
                    [&](const Argument &a) { return writeInteger(a); });
  case SchemaKind::Float:
    return writeAll("as_floats",
                    [&](const Argument &a) { return writeReal(a.getFloat()); });
  case SchemaKind::Bool:
    return writeAll("as_bools", [&](const Argument &a) {
      std::optional<bool> value = a.getBool();
      if (!value)
        return refuse("a bool that is computed at run time");
      return json.boolean(*value), true;
    });
  case SchemaKind::String:
    return writeAll("as_strings", [&](const Argument &a) {
      std::optional<StringRef> value = a.getString();
      if (!value)
        return refuse("a list of texts and others");
      return json.string(*value), true;
    });
  default:
    return refuse("argument '" + parameter.name + "', a list of its kind");
  }
}

bool ExternWriter::writeArgument(const Parameter &parameter,
                                 const Argument &argument) {
  if (isa<fx::NoneAttr>(argument.tree)) {
    if (!parameter.isOptional())
      return refuse("None as argument '" + parameter.name + "'");
    return tag("as_none", [&] { return json.boolean(true), true; });
  }
  return parameter.listDepth ? writeList(parameter, argument)
                             : writeSingle(parameter, argument);
}

bool ExternWriter::writeInputs() {
  bool isWritten = true;
  json.array([&] {
    for (const auto &[parameter, argument] : call.arguments) {
      if (!isWritten)
        return;
      json.object([&] {
        json.key("name");
        json.string(parameter.name);
        json.key("arg");
        isWritten = writeArgument(parameter, argument);
      });
    }
  });
  return isWritten;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Writes one result of the schema and adds its outputs. An unused result, None
/// in the graph, is a tensor here.
bool ExternWriter::writeResult(const Parameter &parameter,
                               ArrayRef<Attribute> leaves) {
  if (parameter.kind != SchemaKind::Tensor || parameter.listDepth > 1 ||
      (parameter.isOptional() && parameter.listDepth))
    return refuse("a result that is no tensor");
  auto writeTensor = [&] {
    outputs.push_back(ProxyCall::kResult);
    writeName("result");
    return true;
  };
  if (parameter.listDepth)
    return tag("as_tensors", [&] {
      json.array([&] {
        for (size_t i = 0; i < leaves.size(); ++i)
          writeTensor();
      });
      return true;
    });
  if (!parameter.isOptional())
    return tag("as_tensor", writeTensor);
  return tag("as_optional_tensor", [&] {
    if (!isa<fx::NoneAttr>(leaves.front()))
      return tag("as_tensor", writeTensor);
    outputs.push_back(ProxyCall::kNone);
    return tag("as_none", [&] { return json.boolean(true), true; });
  });
}

/// Adds the outputs that are copies of arguments.
bool ExternWriter::addCopies(ArrayRef<Attribute> trees,
                             ArrayRef<int64_t> &rest) {
  for (Attribute tree : trees) {
    if (auto list = dyn_cast<ArrayAttr>(tree)) {
      if (!addCopies(list.getValue(), rest))
        return false;
    } else if (isa<fx::NoneAttr>(tree)) {
      outputs.push_back(ProxyCall::kNone);
    } else if (rest.empty()) {
      return refuse("more results than it writes arguments");
    } else {
      outputs.push_back(rest.consume_front());
    }
  }
  return true;
}

bool ExternWriter::writeOutputs() {
  for (Type type : op->getResultTypes())
    if (!isa<ShapedType>(type))
      return refuse("a result that is no tensor");
  ArrayRef<Parameter> results = call.results;
  ArrayRef<Attribute> outs = call.outs;
  bool isList = results.size() == 1 && results[0].listDepth;
  // A function without results returns None.
  if (results.empty() && outs.size() == 1 && isa<fx::NoneAttr>(outs[0])) {
    outputs.push_back(ProxyCall::kNone);
    outs = {};
  }
  if (!isList && outs.size() != results.size())
    return refuse(Twine(results.size()) + " results, of which the graph has " +
                  Twine(outs.size()));
  if (llvm::any_of(outs, llvm::IsaPred<ArrayAttr>))
    return refuse("lists among its results");
  bool isWritten = true;
  json.array([&] {
    for (size_t i = 0; i < results.size(); ++i)
      isWritten = isWritten &&
                  writeResult(results[i], isList ? outs : outs.slice(i, 1));
  });
  ArrayRef<int64_t> rest = written;
  return isWritten && addCopies(call.copies, rest);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

bool ExternWriter::write() {
  StringRef node = getNodeName(op->getLoc()).value_or("");
  bool isWritten = true;
  json.object([&] {
    json.key("name");
    json.string(node);
    json.key("node");
    json.object([&] {
      json.key("target");
      json.string(call.getDispatcherName());
      json.key("inputs");
      isWritten = writeInputs();
      if (!isWritten)
        return;
      json.key("outputs");
      isWritten = writeOutputs();
      json.key("metadata");
      json.object([] {});
    });
  });
  return isWritten;
}

llvm::Error ExternNodes::add(EagerOp op) {
  // The executor would return before the communication has ended.
  if (isCollective(op.getTarget()) || isWaitTensor(op.getTarget()))
    return llvm::createStringError("it communicates with other processes");
  llvm::Expected<ExternCall> call = ExternCall::get(op);
  if (!call)
    return call.takeError();
  std::string text;
  llvm::raw_string_ostream os(text);
  JsonWriter json(os);
  ExternWriter writer(op, *call, json);
  if (!writer.write())
    return llvm::createStringError(writer.reason);
  Builder b(op.getContext());
  ProxyCall proxy;
  proxy.node = nodes.size();
  proxy.integers = b.getArrayAttr(writer.integers);
  auto isResult = [](int64_t k) { return k == ProxyCall::kResult; };
  if (!llvm::all_of(writer.outputs, isResult))
    proxy.outputs = b.getDenseI64ArrayAttr(writer.outputs);
  proxy.mayAlias = call->mayAlias();
  proxy.set(op);
  nodes.push_back(std::move(text));
  return llvm::Error::success();
}

std::string ExternNodes::getText() const {
  return "{\"nodes\": [" + llvm::join(nodes, ", ") + "]}";
}

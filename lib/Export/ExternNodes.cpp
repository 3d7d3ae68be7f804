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
#include "JsonWriter.h"
#include "TypeWriter.h"
#include "fx/IR/Arguments.h"
#include "fx/IR/Metadata.h"
#include "fx/Operators/Custom.h"
#include "fx/Operators/SchemaParser.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fx;

namespace {
/// An argument or a result of an operator of torch or of the user.
struct Parameter {
  Parameter(const ArgumentSchema &schema)
      : name(schema.getName()), kind(schema.kind), flags(schema.flags),
        listDepth(schema.listDepth) {}
  Parameter(const gen::ArgumentDeclaration &declared)
      : name(declared.name), kind(declared.kind), flags(declared.flags),
        listDepth(declared.listDepth) {}

  bool isOptional() const { return flags & ArgumentSchema::Optional; }

  StringRef name;
  SchemaKind kind;
  unsigned flags, listDepth;
};

struct Signature {
  SmallVector<Parameter> arguments, results;
  bool isMutating = false, isView = false;
};

/// Writes the JSON of one node, and collects the integers of its call.
/// Functions return false after setting `reason`.
class ExternWriter {
public:
  ExternWriter(EagerOp op, JsonWriter &json) : op(op), json(json) {}
  bool write(const Signature &signature);

  std::string reason;
  SmallVector<std::string> integers;

private:
  bool writeInputs(const Signature &signature);
  bool writeArgument(const Parameter &parameter, const Argument &argument);
  bool writeSingle(const Parameter &parameter, const Argument &argument);
  bool writeNumber(const Argument &argument);
  bool writeInteger(const Argument &argument);
  bool writeList(const Parameter &parameter, const Argument &argument);
  bool writeTensors(const Parameter &parameter, const Argument &argument);
  bool writeOutputs(const Signature &signature);
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
  bool writeReal(std::optional<double> value);

  EagerOp op;
  JsonWriter &json;
  unsigned scalars = 0;
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

/// Writes an integer and adds it to the integers of the call: `7`, or `$k` for
/// the k-th scalar operand.
bool ExternWriter::writeInteger(const Argument &argument) {
  if (Value value = argument.getValue()) {
    if (!value.getType().isInteger(64))
      return refuse("an argument that is no integer");
    integers.push_back("$" + std::to_string(scalars++));
    json.integer(0);
    return true;
  }
  std::optional<int64_t> immediate = argument.getInt();
  if (!immediate)
    return refuse("an argument that is no integer");
  integers.push_back(std::to_string(*immediate));
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
    return tag("as_tensor", [&] { return writeName(parameter.name), true; });
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
  bool hasOptional = parameter.flags & ArgumentSchema::OptionalElements;
  if (!hasOptional && !llvm::all_of(values, [](Value v) { return bool(v); }))
    return refuse("None in a list of tensors");
  return tag(hasOptional ? "as_optional_tensors" : "as_tensors", [&] {
    json.array([&] {
      for (Value value : values) {
        if (!hasOptional)
          writeName(parameter.name);
        else if (value)
          tag("as_tensor", [&] { return writeName(parameter.name), true; });
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

bool ExternWriter::writeInputs(const Signature &signature) {
  bool isWritten = true;
  SmallVector<Argument> arguments = getArguments(op);
  size_t numPositional = arguments.size() - op.getKwnames().size();
  json.array([&] {
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      const Parameter *parameter = nullptr;
      if (i < numPositional) {
        if (i < signature.arguments.size())
          parameter = &signature.arguments[i];
      } else {
        StringRef name =
            cast<StringAttr>(op.getKwnames()[i - numPositional]).getValue();
        parameter = llvm::find_if(signature.arguments, [&](const Parameter &p) {
          return p.name == name;
        });
        if (parameter == signature.arguments.end())
          parameter = nullptr;
      }
      if (!parameter) {
        isWritten = refuse("more arguments than it has");
        return;
      }
      json.object([&] {
        json.key("name");
        json.string(parameter->name);
        json.key("arg");
        isWritten = isWritten && writeArgument(*parameter, argument);
      });
      if (!isWritten)
        return;
    }
  });
  return isWritten;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Writes one result of the schema. An unused result, None in the graph, is a
/// tensor here.
bool ExternWriter::writeResult(const Parameter &parameter,
                               ArrayRef<Attribute> leaves) {
  if (parameter.kind != SchemaKind::Tensor || parameter.listDepth > 1 ||
      parameter.isOptional())
    return refuse("a result that is no tensor");
  if (!parameter.listDepth)
    return tag("as_tensor", [&] { return writeName("result"), true; });
  return tag("as_tensors", [&] {
    json.array([&] {
      for (size_t i = 0; i < leaves.size(); ++i)
        writeName("result");
    });
    return true;
  });
}

bool ExternWriter::writeOutputs(const Signature &signature) {
  for (Type type : op->getResultTypes())
    if (!isa<ShapedType>(type))
      return refuse("a result that is no tensor");
  SmallVector<Attribute> outs(op->getNumResults(),
                              OperandAttr::get(op.getContext()));
  if (ArrayAttr tree = op.getOutsAttr())
    outs = llvm::to_vector(tree);
  ArrayRef<Parameter> results = signature.results;
  bool isList = results.size() == 1 && results[0].listDepth;
  if (isList && outs.size() == 1)
    if (auto list = dyn_cast<ArrayAttr>(outs[0]))
      outs = llvm::to_vector(list);
  if (!isList && outs.size() != results.size())
    return refuse(Twine(results.size()) + " results, of which the graph has " +
                  Twine(outs.size()));
  if (llvm::any_of(outs, llvm::IsaPred<ArrayAttr>))
    return refuse("lists among its results");
  bool isWritten = true;
  json.array([&] {
    for (size_t i = 0; i < results.size(); ++i)
      isWritten = isWritten &&
                  writeResult(results[i], isList ? ArrayRef(outs) : outs[i]);
  });
  return isWritten;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Returns the name of a target for the dispatcher, `aten::sort.stable`. A
/// default overload has no name.
static std::string getDispatcherName(StringRef target) {
  auto [nameSpace, rest] = target.split('.');
  auto [name, overload] = rest.split('.');
  std::string text = (nameSpace + "::" + name).str();
  if (!overload.empty() && overload != "default")
    text += "." + overload.str();
  return text;
}

bool ExternWriter::write(const Signature &signature) {
  if (signature.isMutating)
    return refuse("arguments that it writes");
  StringRef node = getNodeName(op->getLoc()).value_or("");
  bool isWritten = true;
  json.object([&] {
    json.key("name");
    json.string(node);
    json.key("node");
    json.object([&] {
      json.key("target");
      json.string(getDispatcherName(op.getTarget()));
      json.key("inputs");
      isWritten = writeInputs(signature);
      if (!isWritten)
        return;
      json.key("outputs");
      isWritten = writeOutputs(signature);
      json.key("metadata");
      json.object([] {});
    });
  });
  return isWritten;
}

/// Returns the signature of an operator of LibTorch or of the user; nullopt if
/// LibTorch's dispatcher does not know the operator.
static std::optional<Signature> getSignature(EagerOp op) {
  Signature signature;
  StringRef target = op.getTarget();
  if (const OperatorSchema *known = lookupOperator(target)) {
    // Python defines the other namespaces.
    if (!target.starts_with("aten."))
      return std::nullopt;
    llvm::append_range(signature.arguments, known->getArguments());
    llvm::append_range(signature.results, known->getResults());
    signature.isMutating = known->isMutating();
    signature.isView =
        known->isView() || known->has(OperatorSchema::MaybeAliasing);
    return signature;
  }
  const gen::OperatorDeclaration *custom =
      lookupCustomSchema(op.getContext(), target);
  if (!custom)
    return std::nullopt;
  llvm::append_range(signature.arguments, custom->arguments);
  llvm::append_range(signature.results, custom->results);
  signature.isMutating = custom->isMutating();
  return signature;
}

llvm::Expected<std::string> ExternNodes::add(EagerOp op) {
  std::optional<Signature> signature = getSignature(op);
  if (!signature)
    return llvm::createStringError("no schema in LibTorch's dispatcher");
  std::string text;
  llvm::raw_string_ostream os(text);
  JsonWriter json(os);
  ExternWriter writer(op, json);
  if (!writer.write(*signature))
    return llvm::createStringError(writer.reason);
  std::string call = std::to_string(nodes.size());
  if (signature->isView)
    call += " v";
  for (const std::string &integer : writer.integers)
    call += " " + integer;
  nodes.push_back(std::move(text));
  return call;
}

std::string ExternNodes::getText() const {
  return "{\"nodes\": [" + llvm::join(nodes, ", ") + "]}";
}

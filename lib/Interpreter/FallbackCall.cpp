//===- FallbackCall.cpp - the text of a call ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FallbackCall.h"
#include "AutoFunctionalized.h"
#include "Objects.h"
#include "TorchBoundary.h"
#include "fx/Operators/Collectives.h"
#include "fx/Operators/Schema.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/JSON.h"

using c10::ScalarType;
using Kind = fx::interp::ArgumentPlan::Kind;
namespace json = llvm::json;

namespace fx::interp {

[[noreturn]] static void malformed(const std::string &what) {
  throw std::runtime_error("malformed call: " + what);
}

static double parseDouble(llvm::StringRef text) {
  double value;
  if (text.getAsDouble(value))
    malformed("'" + text.str() + "' is no float");
  return value;
}

static ArgumentPlan parseTree(const json::Value &value, Prepared &call);

/// Parses an argument that is a JSON object, e.g. `{"tensor": 0}`. A key gives
/// its kind.
static ArgumentPlan parseObject(const json::Object &object, Prepared &call) {
  ArgumentPlan tree;
  auto getIndex = [&](llvm::StringRef key) {
    std::optional<int64_t> i = object.getInteger(key);
    if (!i || *i < 0)
      malformed("'" + key.str() + "' is no index");
    return *i;
  };
  auto getText = [&](llvm::StringRef key) {
    std::optional<llvm::StringRef> text = object.getString(key);
    if (!text)
      malformed("'" + key.str() + "' is no text");
    return text->str();
  };
  if (object.get("tensor")) {
    tree.kind = Kind::Value;
    tree.index = getIndex("tensor");
  } else if (object.get("scalar")) {
    // Scalars follow the tensors among the values of a call.
    tree.kind = Kind::Value;
    tree.index = getIndex("scalar") + call.numInputs;
  } else if (object.get("work")) {
    tree.kind = Kind::Value;
    call.work = getIndex("work");
    tree.index = *call.work + call.numInputs;
  } else if (object.get("float")) {
    tree.kind = Kind::Float;
    tree.real = parseDouble(getText("float"));
  } else if (object.get("str")) {
    tree.kind = Kind::String;
    tree.text = getText("str");
  } else if (object.get("dtype")) {
    tree.kind = Kind::DType;
    tree.index = static_cast<int64_t>(parseDTypeName(getText("dtype")));
  } else if (object.get("device")) {
    tree.kind = Kind::Device;
    tree.text = getText("device");
    tree.index = object.getInteger("index").value_or(-1);
  } else if (object.get("memory_format")) {
    tree.kind = Kind::MemoryFormat;
    tree.index =
        static_cast<int64_t>(parseMemoryFormatName(getText("memory_format")));
  } else if (object.get("layout")) {
    tree.kind = Kind::Layout;
    tree.index = static_cast<int64_t>(parseLayoutName(getText("layout")));
  } else if (const json::Array *parts = object.getArray("complex")) {
    if (parts->size() != 2 || !(*parts)[0].getAsString() ||
        !(*parts)[1].getAsString())
      malformed("'complex' has no two parts");
    tree.kind = Kind::Complex;
    tree.real = parseDouble(*(*parts)[0].getAsString());
    tree.imag = parseDouble(*(*parts)[1].getAsString());
  } else if (object.get("object")) {
    std::vector<char> bytes;
    if (llvm::Error error = llvm::decodeBase64(getText("pickle"), bytes))
      malformed("'pickle': " + llvm::toString(std::move(error)));
    tree.kind = Kind::Object;
    tree.object =
        getSharedObject(call.address, getText("object"),
                        {bytes.data(), bytes.size()}, getText("class"));
    call.takesObjects = true;
  } else if (object.get("operator")) {
    tree.kind = Kind::Operator;
    tree.text = getText("operator");
  } else if (const json::Array *entries = object.getArray("dict")) {
    tree.kind = Kind::Dict;
    for (const json::Value &entry : *entries) {
      const json::Array *pair = entry.getAsArray();
      if (!pair || pair->size() != 2 || !(*pair)[0].getAsString())
        malformed("a dict entry is no pair");
      tree.keys.push_back((*pair)[0].getAsString()->str());
      tree.items.push_back(parseTree((*pair)[1], call));
    }
  } else {
    malformed("an argument is of an unknown kind");
  }
  return tree;
}

static ArgumentPlan parseTree(const json::Value &value, Prepared &call) {
  ArgumentPlan tree;
  switch (value.kind()) {
  case json::Value::Null:
    return tree;
  case json::Value::Boolean:
    tree.kind = Kind::Bool;
    tree.index = *value.getAsBoolean();
    return tree;
  case json::Value::Number:
    if (!value.getAsInteger())
      malformed("a number is no 64-bit integer");
    tree.kind = Kind::Int;
    tree.index = *value.getAsInteger();
    return tree;
  case json::Value::String:
    malformed("a bare text is no argument");
  case json::Value::Array:
    tree.kind = Kind::List;
    for (const json::Value &item : *value.getAsArray())
      tree.items.push_back(parseTree(item, call));
    return tree;
  case json::Value::Object:
    return parseObject(*value.getAsObject(), call);
  }
  return tree;
}

void throwAt(const Prepared &call, const std::exception &e) {
  throw std::runtime_error((call.node.empty() ? "" : call.node + ": ") +
                           call.target + ": " + getMessage(e));
}

static Out parseOut(const json::Value &value) {
  Out out;
  const json::Object *object = value.getAsObject();
  if (!object)
    malformed("a result is no object");
  if (object->get("none")) {
    out.none = true;
  } else if (object->get("work")) {
    out.work = true;
  } else if (std::optional<llvm::StringRef> kind =
                 object->getString("scalar")) {
    out.scalar = true;
    out.dtype = *kind == "int"     ? ScalarType::Long
                : *kind == "float" ? ScalarType::Double
                                   : ScalarType::Bool;
  } else if (std::optional<llvm::StringRef> name =
                 object->getString("tensor")) {
    out.dtype = parseDTypeName(name->str());
    out.rank = object->getInteger("rank").value_or(-1);
  } else {
    malformed("a result is of an unknown kind");
  }
  return out;
}

std::shared_ptr<Prepared> parseCall(const char *text, size_t numInputs) {
  auto call = std::make_shared<Prepared>();
  call->text = text;
  call->address = text;
  call->numInputs = numInputs;
  llvm::Expected<json::Value> root = json::parse(call->text);
  if (!root)
    malformed(llvm::toString(root.takeError()));
  const json::Object *object = root->getAsObject();
  if (!object || !object->getString("target") || !object->getArray("args"))
    malformed("it has no target or no args");
  call->target = object->getString("target")->str();
  call->node = object->getString("node").value_or("").str();
  try {
    for (const json::Value &arg : *object->getArray("args"))
      call->args.args.push_back(parseTree(arg, *call));
  } catch (const std::exception &e) {
    throwAt(*call, e);
  }
  if (const json::Array *names = object->getArray("kwnames"))
    for (const json::Value &name : *names)
      call->args.kwnames.push_back(name.getAsString().value_or("").str());
  if (call->args.kwnames.size() > call->args.args.size())
    malformed("it has more keyword names than arguments");
  if (const json::Array *outs = object->getArray("outs"))
    for (const json::Value &out : *outs)
      call->outs.push_back(parseOut(out));
  // with_effects(token, op, *args, **kwargs) is a call of op.
  if (call->target == "with_effects" && call->args.numPositional() >= 2 &&
      call->args.args[1].kind == Kind::Operator) {
    call->hasToken = true;
    call->target = call->args.args[1].text;
    call->args.args.erase(call->args.args.begin(), call->args.args.begin() + 2);
  }
  call->isCollective = isCollective(call->target);
  call->prints =
      call->target == "print" || call->target == "higher_order.print";
  call->isMethod = isCallTorchbind(call->target);
  if (call->prints || call->isMethod)
    return call;
  try {
    if (call->target == "auto_functionalized")
      call->onCopies = autoFunctionalized;
    else if (call->target == "auto_functionalized_v2")
      call->onCopies = autoFunctionalizedV2;
    if (call->onCopies) {
      if (call->args.numPositional() != 1 ||
          call->args.args[0].kind != Kind::Operator)
        throw std::runtime_error(
            "expected an operator and its keyword arguments");
      call->target = call->args.args[0].text;
      call->args.args.erase(call->args.args.begin());
      if (!(call->written = findOperator(call->target)))
        throw std::runtime_error(describeUnknown(call->target));
      return call;
    }
    if (findVmapFunction(call->target))
      throw std::runtime_error("torch.vmap is known to the interpreter only");
    if (const Operator *op = findOperator(call->target)) {
      // The compiler assumed that the call does not write to its arguments, so
      // later nodes use their old values.
      if (op->schema->is_mutable() && !lookupOperator(call->target))
        throw std::runtime_error(
            "it writes to its arguments, which was not known when the program "
            "was compiled: expected its library to be loaded (--load-library), "
            "or its schema to be registered");
      call->call.emplace(*op, call->args);
    } else if (!(call->scalar = findScalarFunction(call->target)))
      throw std::runtime_error(describeUnknown(call->target));
  } catch (const std::exception &e) {
    throwAt(*call, e);
  }
  return call;
}

} // namespace fx::interp

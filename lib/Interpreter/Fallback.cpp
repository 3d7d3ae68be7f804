//===- Fallback.cpp - ATen calls of compiled code --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `fx_torch_fallback`, as fx/Runtime/fallback.h describes it.
//
//===----------------------------------------------------------------------===//

#include "fx/Runtime/fallback.h"
#include "AutoFunctionalized.h"
#include "Border.h"
#include "Print.h"
#include "fx/Operators/Schema.h"
#include "fx/Support/LocatedError.h"
#include "llvm/Support/JSON.h"
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/scalar_tensor.h>
#include <c10/core/InferenceMode.h>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

using c10::IValue;
using c10::ScalarType;
using Kind = fx::interp::ArgTree::Kind;
namespace json = llvm::json;

namespace fx::interp {

//===----------------------------------------------------------------------===//
// dtypes of DLPack
//===----------------------------------------------------------------------===//

static ScalarType toScalarType(DLDataType type) {
  struct Row {
    uint8_t code, bits;
    ScalarType type;
  };
  static const Row rows[] = {
      {kDLBool, 8, ScalarType::Bool},
      {kDLUInt, 8, ScalarType::Byte},
      {kDLInt, 8, ScalarType::Char},
      {kDLInt, 16, ScalarType::Short},
      {kDLInt, 32, ScalarType::Int},
      {kDLInt, 64, ScalarType::Long},
      {kDLUInt, 16, ScalarType::UInt16},
      {kDLUInt, 32, ScalarType::UInt32},
      {kDLUInt, 64, ScalarType::UInt64},
      {kDLFloat, 16, ScalarType::Half},
      {kDLBfloat, 16, ScalarType::BFloat16},
      {kDLFloat, 32, ScalarType::Float},
      {kDLFloat, 64, ScalarType::Double},
      {kDLComplex, 32, ScalarType::ComplexHalf},
      {kDLComplex, 64, ScalarType::ComplexFloat},
      {kDLComplex, 128, ScalarType::ComplexDouble},
      {kDLFloat8_e4m3fn, 8, ScalarType::Float8_e4m3fn},
      {kDLFloat8_e5m2, 8, ScalarType::Float8_e5m2},
      {kDLFloat8_e4m3fnuz, 8, ScalarType::Float8_e4m3fnuz},
      {kDLFloat8_e5m2fnuz, 8, ScalarType::Float8_e5m2fnuz},
      {kDLFloat8_e8m0fnu, 8, ScalarType::Float8_e8m0fnu}};
  for (const Row &row : rows)
    if (row.code == type.code && row.bits == type.bits && type.lanes == 1)
      return row.type;
  throw std::runtime_error("unknown DLPack dtype " + std::to_string(type.code) +
                           "/" + std::to_string(type.bits));
}

static DLDataType fromScalarTypeToDL(ScalarType type) {
  for (uint8_t code = 0; code <= kDLFloat8_e8m0fnu; ++code)
    for (uint8_t bits : {8, 16, 32, 64, 128}) {
      DLDataType candidate{code, bits, 1};
      try {
        if (toScalarType(candidate) == type)
          return candidate;
      } catch (const std::runtime_error &) {
      }
    }
  throw std::runtime_error(std::string("dtype ") + c10::toString(type) +
                           " has no place in DLPack");
}

//===----------------------------------------------------------------------===//
// The JSON text
//===----------------------------------------------------------------------===//

[[noreturn]] static void malformed(const std::string &what) {
  throw std::runtime_error("malformed call: " + what);
}

static double parseDouble(llvm::StringRef text) {
  double value;
  if (text.getAsDouble(value))
    malformed("'" + text.str() + "' is no float");
  return value;
}

static ArgTree parseTree(const json::Value &value, size_t numInputs);

/// An object with one kind key, `{"tensor": 0}`.
static ArgTree parseObject(const json::Object &object, size_t numInputs) {
  ArgTree tree;
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
    tree.index = getIndex("scalar") + numInputs;
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
      tree.items.push_back(parseTree((*pair)[1], numInputs));
    }
  } else {
    malformed("an argument is of an unknown kind");
  }
  return tree;
}

static ArgTree parseTree(const json::Value &value, size_t numInputs) {
  ArgTree tree;
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
      tree.items.push_back(parseTree(item, numInputs));
    return tree;
  case json::Value::Object:
    return parseObject(*value.getAsObject(), numInputs);
  }
  return tree;
}

namespace {
/// What a result must be.
struct Out {
  bool none = false;
  bool scalar = false;
  ScalarType dtype = ScalarType::Float;
  int64_t rank = 0;
};

/// A parsed call.
struct Prepared {
  std::string text;
  std::string target;
  std::string node;
  size_t numInputs = 0;
  ArgList args;
  std::vector<Out> outs;
  std::optional<BoundCall> call;
  ScalarFunction scalar = nullptr;
  /// auto_functionalized: the operator that is called on copies, and how.
  const Operator *written = nullptr;
  Values (*onCopies)(const Operator &, ArgList, Values) = nullptr;
  /// with_effects: the first result is a token.
  bool hasToken = false;
  /// The higher-order operator that prints.
  bool prints = false;
};
} // namespace

/// "sort_1: aten.sort.stable: what went wrong"
[[noreturn]] static void throwAt(const Prepared &call, const std::exception &e) {
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
  } else if (std::optional<llvm::StringRef> kind = object->getString("scalar")) {
    out.scalar = true;
    out.dtype = *kind == "int"     ? ScalarType::Long
                : *kind == "float" ? ScalarType::Double
                                   : ScalarType::Bool;
  } else if (std::optional<llvm::StringRef> name = object->getString("tensor")) {
    out.dtype = parseDTypeName(name->str());
    out.rank = object->getInteger("rank").value_or(-1);
  } else {
    malformed("a result is of an unknown kind");
  }
  return out;
}

static std::shared_ptr<Prepared> parseCall(const char *text, size_t numInputs) {
  auto call = std::make_shared<Prepared>();
  call->text = text;
  call->numInputs = numInputs;
  llvm::Expected<json::Value> root = json::parse(call->text);
  if (!root)
    malformed(llvm::toString(root.takeError()));
  const json::Object *object = root->getAsObject();
  if (!object || !object->getString("target") || !object->getArray("args"))
    malformed("it has no target or no args");
  call->target = object->getString("target")->str();
  call->node = object->getString("node").value_or("").str();
  for (const json::Value &arg : *object->getArray("args"))
    call->args.args.push_back(parseTree(arg, numInputs));
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
  call->prints = call->target == "print" || call->target == "higher_order.print";
  if (call->prints)
    return call;
  try {
    if (call->target == "auto_functionalized")
      call->onCopies = autoFunctionalized;
    else if (call->target == "auto_functionalized_v2")
      call->onCopies = autoFunctionalizedV2;
    if (call->onCopies) {
      if (call->args.numPositional() != 1 ||
          call->args.args[0].kind != Kind::Operator)
        throw std::runtime_error("expected an operator and its keyword arguments");
      call->target = call->args.args[0].text;
      call->args.args.erase(call->args.args.begin());
      if (!(call->written = findOperator(call->target)))
        throw std::runtime_error("unknown operator");
      return call;
    }
    if (findVmapFunction(call->target))
      throw std::runtime_error("torch.vmap is known to the interpreter only");
    if (const Operator *op = findOperator(call->target)) {
      // The compiler took all of its arguments as read only: what follows got
      // their old values.
      if (op->schema->is_mutable() && !lookupOperator(call->target))
        throw std::runtime_error(
            "expected an operator without side effects, which the compiler takes "
            "unknown ones for, got one that writes to its arguments: interpret "
            "the program, or compile what run_decompositions leaves");
      call->call.emplace(*op, call->args);
    } else if (!(call->scalar = findScalarFunction(call->target)))
      throw std::runtime_error("unknown operator");
  } catch (const std::exception &e) {
    throwAt(*call, e);
  }
  return call;
}

/// The parsed call of a text, remembered by its address and checked by its
/// content: an unloaded model's addresses are used again.
static std::shared_ptr<Prepared> prepare(const char *text, size_t numInputs) {
  static std::shared_mutex mutex;
  static std::unordered_map<const void *, std::shared_ptr<Prepared>> known;
  {
    std::shared_lock<std::shared_mutex> lock(mutex);
    auto it = known.find(text);
    if (it != known.end() && it->second->numInputs == numInputs &&
        it->second->text == text)
      return it->second;
  }
  std::shared_ptr<Prepared> call = parseCall(text, numInputs);
  std::unique_lock<std::shared_mutex> lock(mutex);
  known[text] = call;
  return call;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// A view of the caller's memory.
static at::Tensor borrow(const DLTensor &t) {
  if (t.device.device_type != kDLCPU)
    throw std::runtime_error("expected a tensor in host memory");
  auto options = at::TensorOptions().dtype(toScalarType(t.dtype));
  c10::IntArrayRef sizes(t.shape, t.ndim);
  char *data = static_cast<char *>(t.data) + t.byte_offset;
  if (!t.strides)
    return at::from_blob(data, sizes, options);
  return at::from_blob(data, sizes, c10::IntArrayRef(t.strides, t.ndim), options);
}

namespace {
struct Owned {
  DLManagedTensor managed;
  at::Tensor tensor;
  std::vector<int64_t> shape, strides;
};
} // namespace

static DLManagedTensor *give(at::Tensor tensor) {
  auto *owned = new Owned;
  owned->tensor = std::move(tensor);
  const at::Tensor &t = owned->tensor;
  owned->shape = t.sizes().vec();
  owned->strides = t.strides().vec();
  DLTensor &dl = owned->managed.dl_tensor;
  dl.data = t.mutable_data_ptr();
  dl.device = {kDLCPU, 0};
  dl.ndim = static_cast<int32_t>(t.dim());
  dl.dtype = fromScalarTypeToDL(t.scalar_type());
  dl.shape = owned->shape.data();
  dl.strides = owned->strides.data();
  dl.byte_offset = 0;
  owned->managed.manager_ctx = owned;
  owned->managed.deleter = [](DLManagedTensor *self) {
    delete static_cast<Owned *>(self->manager_ctx);
  };
  return &owned->managed;
}

/// A result in the form the graph expects, in memory of its own.
static at::Tensor finishResult(const IValue &value, const Out &out,
                               const std::vector<at::Tensor> &inputs) {
  at::Tensor t;
  if (out.scalar) {
    c10::Scalar scalar = value.isTensor() ? value.toTensor().item()
                         : value.isBool() ? c10::Scalar(value.toBool())
                                          : value.toScalar();
    return at::scalar_tensor(scalar, at::TensorOptions().dtype(out.dtype));
  }
  if (!value.isTensor() || !value.toTensor().defined())
    throw std::runtime_error("expected a Tensor result, got " + value.tagKind());
  t = value.toTensor();
  // The graph's dtype is a meta kernel's word; some of those say double where
  // the operator gives float. Compiled code was made for what the graph says.
  bool sameKind = c10::isFloatingType(t.scalar_type()) ==
                      c10::isFloatingType(out.dtype) &&
                  t.is_complex() == c10::isComplexType(out.dtype);
  if (!sameKind || (out.rank >= 0 && t.dim() != out.rank))
    throw std::runtime_error(
        std::string("expected a result of ") + c10::toString(out.dtype) +
        " and rank " + std::to_string(out.rank) + ", got " +
        c10::toString(t.scalar_type()) + " and rank " + std::to_string(t.dim()));
  t = t.to(out.dtype);
  t = t.resolve_conj().resolve_neg().contiguous();
  for (const at::Tensor &input : inputs)
    if (t.is_alias_of(input))
      return t.clone();
  return t;
}

/// The results of a call, lists expanded.
static void flattenResults(const IValue &value, std::vector<IValue> &out) {
  if (value.isTuple()) {
    for (const IValue &item : value.toTupleRef().elements())
      flattenResults(item, out);
  } else if (value.isList()) {
    for (const IValue &item : value.toListRef())
      flattenResults(item, out);
  } else {
    out.push_back(value);
  }
}

static void execute(const Prepared *call, int nInputs,
                    const DLTensor *const *inputs, int nScalars,
                    const FXScalar *scalars, int nOutputs,
                    DLManagedTensor **outputs) {
  c10::InferenceMode inference;
  SilenceWarnings silence;
  std::vector<at::Tensor> tensors;
  Values values;
  for (int i = 0; i < nInputs; ++i) {
    tensors.push_back(borrow(*inputs[i]));
    values.emplace_back(tensors.back());
  }
  for (int i = 0; i < nScalars; ++i) {
    const FXScalar &s = scalars[i];
    if (s.kind == FX_SCALAR_FLOAT)
      values.emplace_back(s.value.f);
    else if (s.kind == FX_SCALAR_BOOL)
      values.emplace_back(s.value.i != 0);
    else
      values.emplace_back(s.value.i);
  }
  // Inputs are never written: what the operator may write is a copy.
  if (call->call && call->call->getOperator().schema->is_mutable())
    for (int i = 0; i < nInputs; ++i)
      values[i] = tensors[i].clone();

  Values returned;
  if (call->call) {
    (*call->call)(values, returned);
  } else if (call->prints) {
    printText(call->args, values);
  } else if (call->onCopies) {
    returned = call->onCopies(*call->written, call->args, values);
  } else {
    Values args;
    for (const ArgTree &arg : call->args.args)
      args.push_back(toIValue(arg, values));
    returned.push_back(call->scalar(args));
  }
  std::vector<IValue> results;
  if (call->hasToken)
    results.emplace_back(at::empty({0}));
  for (const IValue &value : returned)
    flattenResults(value, results);
  if (static_cast<size_t>(nOutputs) != call->outs.size())
    throw std::runtime_error("expected " + std::to_string(call->outs.size()) +
                             " outputs, got " + std::to_string(nOutputs));
  size_t at = 0;
  for (int i = 0; i < nOutputs; ++i) {
    const Out &out = call->outs[i];
    // A None that the graph does not use has no entry.
    while (!out.none && at < results.size() &&
           (results[at].isNone() ||
            (results[at].isTensor() && !results[at].toTensor().defined())))
      ++at;
    if (at >= results.size()) {
      // What an operator without results returns is None in the graph.
      if (out.none)
        continue;
      throw std::runtime_error("expected " + std::to_string(nOutputs) +
                               " results, got " + std::to_string(at));
    }
    if (!out.none)
      outputs[i] = give(finishResult(results[at], out, tensors));
    ++at;
  }
}

static void run(const char *text, int nInputs, const DLTensor *const *inputs,
                int nScalars, const FXScalar *scalars, int nOutputs,
                DLManagedTensor **outputs) {
  std::shared_ptr<Prepared> call = prepare(text, nInputs);
  try {
    execute(call.get(), nInputs, inputs, nScalars, scalars, nOutputs, outputs);
  } catch (const std::exception &e) {
    throwAt(*call, e);
  }
}

static void writeError(char *error, size_t size, const std::string &text) {
  if (!error || !size)
    return;
  size_t n = std::min(size - 1, text.size());
  std::memcpy(error, text.data(), n);
  error[n] = 0;
}

} // namespace fx::interp

extern "C" __attribute__((visibility("default"))) int
fx_torch_fallback(void *, const char *json, int nInputs,
                  const DLTensor *const *inputs, int nScalars,
                  const FXScalar *scalars, int nOutputs,
                  DLManagedTensor **outputs, char *error, size_t errorSize) {
  std::string message;
  try {
    fx::interp::run(json, nInputs, inputs, nScalars, scalars, nOutputs, outputs);
    return 0;
  } catch (const std::exception &e) {
    message = fx::toOneLine(fx::interp::getMessage(e));
  } catch (...) {
    message = "unknown failure in LibTorch";
  }
  for (int i = 0; i < nOutputs; ++i)
    if (outputs[i]) {
      outputs[i]->deleter(outputs[i]);
      outputs[i] = nullptr;
    }
  fx::interp::writeError(error, errorSize, message);
  return 1;
}

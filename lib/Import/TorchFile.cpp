//===- TorchFile.cpp - reads files of torch.save --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TorchFile.h"
#include "Pickle.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace fx;
using Kind = PickleValue::Kind;

/// Returns the dtype of a storage class or of a dtype's name, without `torch`.
static std::optional<schema::ScalarType> getDtype(StringRef name) {
  using S = schema::ScalarType;
  return StringSwitch<std::optional<S>>(name)
      .Case("ByteStorage", S::Byte)
      .Case("CharStorage", S::Char)
      .Case("ShortStorage", S::Short)
      .Case("IntStorage", S::Int)
      .Case("LongStorage", S::Long)
      .Case("HalfStorage", S::Half)
      .Case("FloatStorage", S::Float)
      .Case("DoubleStorage", S::Double)
      .Case("ComplexFloatStorage", S::ComplexFloat)
      .Case("ComplexDoubleStorage", S::ComplexDouble)
      .Case("BoolStorage", S::Bool)
      .Case("BFloat16Storage", S::BFloat16)
      .Case("complex32", S::ComplexHalf)
      .Case("uint16", S::UInt16)
      .Case("uint32", S::UInt32)
      .Case("uint64", S::UInt64)
      .Case("float8_e4m3fn", S::Float8E4M3FN)
      .Case("float8_e5m2", S::Float8E5M2)
      .Case("float8_e4m3fnuz", S::Float8E4M3FNUZ)
      .Case("float8_e5m2fnuz", S::Float8E5M2FNUZ)
      .Case("float8_e8m0fnu", S::Float8E8M0FNU)
      .Default(std::nullopt);
}

/// Returns the arguments if `value` is a call of a function of torch._utils
/// with at least `count` arguments, else nothing.
static ArrayRef<const PickleValue *>
getArguments(const PickleValue &value, StringRef function, size_t count) {
  if (value.kind != Kind::Call ||
      !value.elements[0]->isGlobal(("torch._utils " + function).str()) ||
      value.elements[1]->elements.size() < count)
    return {};
  return value.elements[1]->elements;
}

/// Returns the beginning of a text of the file for a message.
static std::string show(StringRef text) {
  std::string shown;
  raw_string_ostream(shown).write_escaped(text.take_front(80));
  return shown;
}

static std::optional<schema::List<schema::SymInt>>
getSizes(const PickleValue &value) {
  // As in PyTorch. Without a limit, many tensors could refer to one long list.
  constexpr size_t maxRank = 64;
  schema::List<schema::SymInt> sizes;
  if (value.kind != Kind::Sequence || value.elements.size() > maxRank)
    return std::nullopt;
  for (const PickleValue *size : value.elements) {
    if (size->kind != Kind::Int)
      return std::nullopt;
    sizes.push_back({size->integer});
  }
  return sizes;
}

/// Reads a tensor into `meta`; the path is relative to `folder`.
static bool readTensor(const PickleValue &value, StringRef folder,
                       StringSaver &strings, schema::PayloadMeta &meta) {
  // _rebuild_parameter(tensor, requires_grad, hooks)
  if (auto parts = getArguments(value, "_rebuild_parameter", 2);
      !parts.empty()) {
    bool isTensor =
        !meta.is_param &&
        (meta.is_param = true, readTensor(*parts[0], folder, strings, meta));
    if (!isTensor || parts[1]->kind != Kind::Bool)
      return false;
    meta.tensor_meta->requires_grad = parts[1]->integer;
    return true;
  }
  // _rebuild_tensor_v2(storage, offset, sizes, strides, requires_grad, hooks,
  //                    metadata)
  // _rebuild_tensor_v3(…, hooks, dtype, metadata): the storage has no dtype
  // The metadata says that the tensor is conjugated or negated lazily.
  auto parts = getArguments(value, "_rebuild_tensor_v2", 5);
  bool hasDtype = parts.empty();
  if (hasDtype)
    parts = getArguments(value, "_rebuild_tensor_v3", 7);
  // The id of a storage: ('storage', class, key, device, size)
  if (parts.empty() || parts[0]->kind != Kind::Persistent)
    return false;
  ArrayRef<const PickleValue *> storage = parts[0]->elements[0]->elements;
  const PickleValue *type = hasDtype ? parts[6] : nullptr;
  if (parts.size() > (hasDtype ? 7u : 6u))
    return false;
  if (storage.size() < 4 || storage[2]->kind != Kind::String ||
      storage[3]->kind != Kind::String || parts[1]->kind != Kind::Int ||
      parts[4]->kind != Kind::Bool)
    return false;
  if (!type)
    type = storage[1];
  StringRef name = type->text;
  std::optional<schema::ScalarType> dtype;
  if (type->kind == Kind::Global && name.consume_front("torch "))
    dtype = getDtype(name);
  auto sizes = getSizes(*parts[2]), strides = getSizes(*parts[3]);
  if (!dtype || !sizes || !strides)
    return false;
  auto [device, index] = storage[3]->text.split(':');
  schema::TensorMeta &tensor = meta.tensor_meta.emplace();
  tensor.dtype = *dtype;
  tensor.sizes = std::move(*sizes);
  tensor.strides = std::move(*strides);
  tensor.storage_offset = {parts[1]->integer};
  tensor.requires_grad = parts[4]->integer;
  tensor.device.type = device;
  if (int64_t number; !index.getAsInteger(10, number))
    tensor.device.index = number;
  tensor.layout = schema::Layout::Strided;
  meta.path_name = strings.save(folder + "/data/" + storage[2]->text);
  return true;
}

Expected<schema::PayloadConfig>
fx::decodeTorchFile(StringRef pickle, StringRef folder,
                    BumpPtrAllocator &allocator) {
  StringSaver strings(allocator);
  Expected<Pickle> read = Pickle::read(pickle);
  if (!read)
    return createStringError(": " + toString(read.takeError()));
  const PickleValue &root = read->getRoot();
  if (root.kind != Kind::Dict)
    return createStringError(": expected a dict of tensors");
  schema::PayloadConfig config;
  for (size_t i = 0; i + 1 < root.elements.size(); i += 2) {
    const PickleValue &key = *root.elements[i], &value = *root.elements[i + 1];
    if (key.kind != Kind::String)
      return createStringError(": expected the name of a tensor as key " +
                               Twine(i / 2));
    schema::PayloadMeta meta{};
    if (!readTensor(value, folder, strings, meta))
      return createStringError(
          ": '" + show(key.text) +
          "': expected a dense tensor or parameter, got " +
          (value.kind == Kind::Call
               ? "a call of '" + show(value.elements[0]->text) + "'"
               : "another value"));
    config.config.emplace_back(strings.save(key.text), std::move(meta));
  }
  return config;
}

//===----------------------------------------------------------------------===//
// Tensor subclasses
//===----------------------------------------------------------------------===//

/// Returns true for the tensor subclasses whose weights are integers or
/// eight-bit floats.
static bool isSubclass(StringRef name) {
  return StringSwitch<bool>(name)
      .Cases({"torchao.quantization Int8Tensor",
              "torchao.quantization IntxUnpackedToInt8Tensor",
              "torchao.quantization Float8Tensor",
              "torchao.prototype.quantization.int4 Int4OpaqueTensor"},
             true)
      .Default(false);
}

/// Returns true for the functions and classes that may occur in the pickle of a
/// tensor subclass. None of them is called.
static bool isAllowed(StringRef name) {
  if (isSubclass(name))
    return true;
  StringRef dtype = name;
  if (dtype.consume_front("torch ") &&
      (getDtype(dtype) ||
       StringSwitch<bool>(dtype)
           .Cases({"float32", "float64", "float16", "bfloat16", "bool"}, true)
           .Cases({"int1", "int2", "int3", "int4", "int5", "int6", "int7"},
                  true)
           .Cases({"int8", "int16", "int32", "int64"}, true)
           .Cases({"uint1", "uint2", "uint3", "uint4", "uint5", "uint6"}, true)
           .Cases({"uint7", "uint8", "Size", "device"}, true)
           .Default(false)))
    return true;
  return StringSwitch<bool>(name)
      .Cases({"collections OrderedDict", "torch._tensor _rebuild_from_type_v2",
              "torch._utils _rebuild_wrapper_subclass",
              "torch._utils _rebuild_tensor_v2",
              "torch._utils _rebuild_tensor_v3",
              "torch._utils _rebuild_parameter",
              "torch.serialization _get_layout"},
             true)
      .Cases({"torchao.quantization.granularity PerTensor",
              "torchao.quantization.granularity PerAxis",
              "torchao.quantization.granularity PerGroup",
              "torchao.quantization.granularity PerRow",
              "torchao.quantization.granularity PerToken",
              "torchao.quantization.quant_primitives MappingType",
              "torchao.quantization.quantize_.workflows.int8.int8_tensor "
              "QuantizeTensorToInt8Kwargs"},
             true)
      .Cases({"torch.storage UntypedStorage",
              "torchao.float8.inference Float8MMConfig",
              "torchao.quantization.quantize_.common.kernel_preference "
              "KernelPreference",
              "torchao.quantization.quantize_.workflows.float8.float8_tensor "
              "QuantizeTensorToFloat8Kwargs"},
             true)
      .Default(false);
}

Expected<SubclassFile> fx::decodeSubclassFile(StringRef pickle,
                                              StringRef folder,
                                              BumpPtrAllocator &allocator) {
  StringSaver strings(allocator);
  Expected<Pickle> read = Pickle::read(pickle);
  if (!read)
    return createStringError(": " + toString(read.takeError()));
  for (StringRef name : read->getGlobals())
    if (!isAllowed(name))
      return createStringError(": expected a weight of torchao's int8, int4 or "
                               "float8 classes, got '" +
                               show(name) + "' in its pickle");
  // _rebuild_from_type_v2(_rebuild_wrapper_subclass, class, arguments, state):
  // the state is the dict of the object.
  const PickleValue &root = read->getRoot();
  auto isRoot = [&] {
    if (root.kind != Kind::Call ||
        !root.elements[0]->isGlobal("torch._tensor _rebuild_from_type_v2"))
      return false;
    ArrayRef<const PickleValue *> parts = root.elements[1]->elements;
    return parts.size() == 4 &&
           parts[0]->isGlobal("torch._utils _rebuild_wrapper_subclass") &&
           parts[1]->kind == Kind::Global && isSubclass(parts[1]->text) &&
           parts[3]->kind == Kind::Dict;
  };
  if (!isRoot())
    return createStringError(": expected a tensor subclass of torchao");
  SubclassFile file;
  StringSet<> seen;
  ArrayRef<const PickleValue *> state = root.elements[1]->elements[3]->elements;
  for (size_t i = 0; i + 1 < state.size(); i += 2) {
    const PickleValue &key = *state[i], &value = *state[i + 1];
    if (key.kind != Kind::String || key.text.empty())
      return createStringError(": expected the name of an attribute as key " +
                               Twine(i / 2));
    if (!seen.insert(key.text).second)
      return createStringError(": two attributes '" + show(key.text) + "'");
    // Other attributes describe how the graph was made.
    if (value.kind != Kind::Call ||
        !value.elements[0]->text.starts_with("torch._utils _rebuild_"))
      continue;
    schema::PayloadMeta meta{};
    if (!readTensor(value, folder, strings, meta))
      return createStringError(": '" + show(key.text) +
                               "': expected a dense tensor");
    file.tensors.emplace_back(strings.save(key.text), std::move(meta));
  }
  return file;
}

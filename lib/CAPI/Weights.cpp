//===- Weights.cpp - weights from files through the C interface -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx-c/Weights.h"
#include "Handles.h"
#include "Model.h"
#include "fx/Weights/LoadWeights.h"

#include "llvm/Support/JSON.h"

#include <cmath>
#include <cstddef>

using namespace fx;
using namespace fx::capi;

struct FXWeightFile {
  std::shared_ptr<const WeightFile> file;
  /// The tensors by number.
  std::vector<const WeightFile::Tensors::value_type *> tensors;
};

FXWeightFile *fxWeightFileOpen(const char *path, FXError **error) {
  auto handle = std::make_unique<FXWeightFile>();
  if (!path) {
    failNull(error, "fxWeightFileOpen", "path");
    return nullptr;
  }
  if (protect(error, nullptr, [&](FXError &) -> llvm::Error {
        llvm::Expected<std::shared_ptr<const WeightFile>> file =
            WeightFile::open(path);
        if (!file)
          return file.takeError();
        handle->file = std::move(*file);
        for (const auto &tensor : handle->file->getTensors())
          handle->tensors.push_back(&tensor);
        return llvm::Error::success();
      }))
    return nullptr;
  return handle.release();
}

void fxWeightFileDestroy(FXWeightFile *file) { delete file; }

size_t fxWeightFileGetSize(const FXWeightFile *file) {
  return file ? file->tensors.size() : 0;
}

int fxWeightFileIsGguf(const FXWeightFile *file) {
  return file && file->file->isGguf();
}

/// Fails unless the file has the tensor.
static int checkIndex(const FXWeightFile *file, size_t index, FXError **error) {
  if (index < file->tensors.size())
    return 0;
  return fail(error, "expected one of " + llvm::Twine(file->tensors.size()) +
                         " tensors, got " + llvm::Twine(index));
}

int fxWeightFileGetTensor(const FXWeightFile *file, size_t index,
                          FXWeightInfo *info, FXError **error) {
  if (!file || !info)
    return failNull(error, "fxWeightFileGetTensor", file ? "info" : "file");
  if (checkIndex(file, index, error))
    return 1;
  const auto &[name, tensor] = *file->tensors[index];
  FXWeightInfo found = {info->struct_size,
                        name.c_str(),
                        tensor.getFormat().data(),
                        toDLDataType(tensor.dtype),
                        int32_t(tensor.sizes.size()),
                        tensor.sizes.data(),
                        tensor.bytes.data(),
                        tensor.bytes.size()};
  if (info->struct_size < sizeof found)
    return fail(error, "fxWeightFileGetTensor: expected the struct_size of "
                       "the info, got " +
                           llvm::Twine(info->struct_size));
  *info = found;
  return 0;
}

int fxWeightFileRead(const FXWeightFile *file, size_t index,
                     DLManagedTensor **out, FXError **error) {
  if (!file || !out)
    return failNull(error, "fxWeightFileRead", file ? "out" : "file");
  if (checkIndex(file, index, error))
    return 1;
  return protect(error, nullptr, [&](FXError &) -> llvm::Error {
    const WeightTensor &tensor = file->tensors[index]->second;
    if (tensor.blocks == BlockFormat::None) {
      *out = makeManaged(tensor.dtype, tensor.sizes, tensor.bytes.data(),
                         file->file);
      return llvm::Error::success();
    }
    llvm::Expected<HostTensor> values = readFloats(tensor);
    if (!values)
      return values.takeError();
    *out =
        makeManaged(DType::F32, tensor.sizes, values->data.get(), values->data);
    return llvm::Error::success();
  });
}

void fxWeightFileGetMetadata(const FXWeightFile *file, FXTextFn write,
                             void *user_data) {
  if (!file || !write)
    return;
  CallbackStream os(write, user_data);
  llvm::json::OStream json(os);
  json.object([&] {
    for (const auto &[key, value] : file->file->getMetadata()) {
      llvm::json::Value shown = nullptr;
      if (auto *number = std::get_if<int64_t>(&value))
        shown = *number;
      else if (auto *number = std::get_if<uint64_t>(&value))
        shown = *number;
      else if (auto *truth = std::get_if<bool>(&value))
        shown = *truth;
      else if (auto *text = std::get_if<std::string>(&value))
        shown = llvm::json::fixUTF8(*text);
      else if (double real = std::get<double>(value); std::isfinite(real))
        shown = real;
      json.attribute(llvm::json::isUTF8(key) ? key : llvm::json::fixUTF8(key),
                     shown);
    }
  });
}

/// Loads the weights of a file that `make` makes.
static int
load(const char *function, FXModel *model, const FXLoadWeightsOptions *options,
     FXError **error,
     llvm::function_ref<llvm::Expected<std::shared_ptr<const WeightFile>>()>
         make) {
  FXLoadWeightsOptions given = {};
  if (options &&
      (options->struct_size < sizeof given || options->struct_size > 4096))
    return fail(error, llvm::Twine(function) +
                           ": expected the options' struct_size, got " +
                           llvm::Twine(options->struct_size));
  if (options)
    given = *options;
  if (model->lora->isApplied())
    return fail(error, "expected a model without an adapter: remove it before "
                       "weights are replaced");
  return protect(error, nullptr, [&](FXError &) -> llvm::Error {
    LoadWeightsOptions load;
    load.strict = !given.not_strict;
    for (size_t i = 0; i < given.n_bindings; ++i) {
      const FXWeightBinding &binding = given.bindings[i];
      if (!binding.tensor)
        return llvm::createStringError(
            llvm::Twine(function) +
            ": expected the tensor of a binding, got null");
      load.bindings.push_back({binding.state ? binding.state : "",
                               binding.tensor, binding.rotary_heads,
                               binding.offset});
    }
    llvm::Expected<std::shared_ptr<const WeightFile>> file = make();
    if (!file)
      return file.takeError();
    return loadWeights(*model->model, std::move(*file), load);
  });
}

int fxModelLoadWeights(FXModel *model, const FXWeightFile *file,
                       const FXLoadWeightsOptions *options, FXError **error) {
  if (!model || !file)
    return failNull(error, "fxModelLoadWeights", model ? "file" : "model");
  return load("fxModelLoadWeights", model, options, error,
              [&]() -> llvm::Expected<std::shared_ptr<const WeightFile>> {
                return file->file;
              });
}

/// Makes a contiguous copy of a tensor.
static llvm::Expected<HostTensor> copyTensor(const DLTensor &tensor) {
  if (tensor.ndim < 0 || tensor.ndim > 64 || (tensor.ndim && !tensor.shape))
    return llvm::createStringError("expected a shape of at most 64 sizes");
  std::optional<DType> dtype = fromDLDataType(tensor.dtype);
  llvm::ArrayRef<int64_t> sizes(tensor.shape, size_t(tensor.ndim));
  if (!dtype || tensor.device.device_type != kDLCPU)
    return llvm::createStringError("expected a tensor of a dtype of torch in "
                                   "host memory");
  if (!getCheckedBytes(getByteSize(*dtype), sizes))
    return llvm::createStringError("expected sizes that fit memory");
  HostTensor copy = HostTensor::allocate(*dtype, sizes);
  if (!copy.data)
    return llvm::createStringError("out of memory: " + copy.describe());
  size_t bytes = getByteSize(*dtype);
  const char *from =
      static_cast<const char *>(tensor.data) + tensor.byte_offset;
  int64_t count = copy.getNumElements();
  if (count && !tensor.data)
    return llvm::createStringError("expected data, got a null pointer");
  llvm::SmallVector<int64_t, 6> index(sizes.size(), 0);
  char *to = copy.data.get();
  for (int64_t i = 0; i < count; ++i, to += bytes) {
    int64_t place = 0;
    if (tensor.strides)
      for (size_t d = 0; d < index.size(); ++d)
        place += index[d] * tensor.strides[d];
    else
      place = i;
    memcpy(to, from + place * int64_t(bytes), bytes);
    for (size_t d = index.size(); d-- && ++index[d] == sizes[d];)
      index[d] = 0;
  }
  return copy;
}

int fxModelLoadTensors(FXModel *model, size_t n, const char *const *names,
                       const DLTensor *const *values,
                       const FXLoadWeightsOptions *options, FXError **error) {
  if (!model || (n && (!names || !values)))
    return failNull(error, "fxModelLoadTensors",
                    !model   ? "model"
                    : !names ? "names"
                             : "values");
  return load(
      "fxModelLoadTensors", model, options, error,
      [&]() -> llvm::Expected<std::shared_ptr<const WeightFile>> {
        auto copies = std::make_shared<std::vector<HostTensor>>();
        WeightFile::Tensors tensors;
        for (size_t i = 0; i < n; ++i) {
          if (!names[i] || !values[i])
            return llvm::createStringError(
                "fxModelLoadTensors: expected names and tensors, got null");
          llvm::Expected<HostTensor> copy = copyTensor(*values[i]);
          if (!copy)
            return llvm::createStringError("'" + llvm::Twine(names[i]) + "': " +
                                           llvm::toString(copy.takeError()));
          WeightTensor tensor;
          tensor.dtype = copy->dtype;
          tensor.sizes.assign(copy->sizes.begin(), copy->sizes.end());
          tensor.bytes = llvm::ArrayRef(copy->data.get(), copy->getNumBytes());
          if (!tensors.insert({names[i], std::move(tensor)}).second)
            return llvm::createStringError("'" + llvm::Twine(names[i]) +
                                           "': expected one tensor, got two");
          copies->push_back(std::move(*copy));
        }
        return WeightFile::create("the tensors", std::move(tensors), copies);
      });
}

int fxModelApplyLora(FXModel *model, const char *folder, double scale,
                     FXError **error) {
  if (!model || !folder)
    return failNull(error, "fxModelApplyLora", model ? "folder" : "model");
  return protect(error, nullptr, [&](FXError &) {
    return model->lora->apply(*model->model, folder, scale);
  });
}

int fxModelRemoveLora(FXModel *model, FXError **error) {
  if (!model)
    return failNull(error, "fxModelRemoveLora", "model");
  return protect(error, nullptr,
                 [&](FXError &) { return model->lora->remove(*model->model); });
}

//===- Weights.cpp - weights of compiled models in Python -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx-c/Weights.h"
#include "Model.h"

using namespace fx::python;

namespace {
/// FXLoadWeightsOptions with the memory that they refer to.
struct Options {
  Options(bool strict, const Bindings &given) {
    for (const auto &[state, tensor, heads, offset] : given)
      bindings.push_back(
          {state ? toC(*state) : nullptr, toC(tensor), heads, offset});
    options.struct_size = sizeof options;
    options.not_strict = !strict;
    options.bindings = bindings.data();
    options.n_bindings = bindings.size();
  }
  FXLoadWeightsOptions options = {};
  std::vector<FXWeightBinding> bindings;
};

class WeightFile {
public:
  explicit WeightFile(const std::string &path)
      : file(nullptr, fxWeightFileDestroy) {
    FXError *error = nullptr;
    {
      nb::gil_scoped_release release;
      file.reset(fxWeightFileOpen(toC(path), &error));
    }
    if (!file)
      raise(error);
  }

  /// The name, format and sizes of each tensor.
  nb::list getTensors() const {
    nb::list tensors;
    for (size_t i = 0, n = fxWeightFileGetSize(file.get()); i < n; ++i) {
      FXError *error = nullptr;
      FXWeightInfo info;
      info.struct_size = sizeof info;
      if (fxWeightFileGetTensor(file.get(), i, &info, &error))
        raise(error);
      std::vector<int64_t> sizes(info.sizes, info.sizes + info.rank);
      tensors.append(
          nb::make_tuple(info.name, info.format, nb::tuple(nb::cast(sizes))));
    }
    return tensors;
  }
  nb::object read(size_t index) const {
    FXError *error = nullptr;
    DLManagedTensor *tensor = nullptr;
    int failed;
    {
      nb::gil_scoped_release release;
      failed = fxWeightFileRead(file.get(), index, &tensor, &error);
    }
    if (failed)
      raise(error);
    return makeCapsule(tensor);
  }
  std::string getMetadata() const {
    std::string text;
    fxWeightFileGetMetadata(file.get(), append, &text);
    return text;
  }
  bool isGguf() const { return fxWeightFileIsGguf(file.get()); }
  void load(const Model &model, bool strict, const Bindings &bindings) const {
    Options options(strict, bindings);
    FXError *error = nullptr;
    int failed;
    {
      nb::gil_scoped_release release;
      failed =
          fxModelLoadWeights(model.get(), file.get(), &options.options, &error);
    }
    if (failed)
      raise(error);
  }

private:
  std::unique_ptr<FXWeightFile, void (*)(FXWeightFile *)> file;
};
} // namespace

void Model::loadTensors(const std::vector<std::string> &names,
                        nb::sequence tensors, bool strict,
                        const Bindings &bindings) {
  Options options(strict, bindings);
  std::vector<const DLTensor *> values;
  for (nb::handle tensor : tensors)
    values.push_back(getTensor(tensor));
  std::vector<const char *> texts;
  for (const std::string &name : names)
    texts.push_back(toC(name));
  if (texts.size() != values.size())
    throw nb::value_error("expected as many names as tensors");
  FXError *error = nullptr;
  int failed;
  {
    nb::gil_scoped_release release;
    failed = fxModelLoadTensors(get(), values.size(), texts.data(),
                                values.data(), &options.options, &error);
  }
  if (failed)
    raise(error);
}

void Model::applyLora(const std::string &folder, double scale) {
  FXError *error = nullptr;
  int failed;
  {
    nb::gil_scoped_release release;
    failed = fxModelApplyLora(get(), toC(folder), scale, &error);
  }
  if (failed)
    raise(error);
}

void Model::removeLora() {
  FXError *error = nullptr;
  int failed;
  {
    nb::gil_scoped_release release;
    failed = fxModelRemoveLora(get(), &error);
  }
  if (failed)
    raise(error);
}

void fx::python::bindWeights(nb::module_ &m) {
  nb::class_<WeightFile>(m, "WeightFile")
      .def(nb::init<const std::string &>(), nb::arg("path"))
      .def("tensors", &WeightFile::getTensors)
      .def("read", &WeightFile::read, nb::arg("index"))
      .def("metadata", &WeightFile::getMetadata)
      .def("is_gguf", &WeightFile::isGguf)
      .def("load", &WeightFile::load, nb::arg("model"), nb::arg("strict"),
           nb::arg("bindings"));
}

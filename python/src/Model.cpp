//===- Model.cpp - compiled models in Python ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors come and go as DLPack capsules: nothing is copied.
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "Arrays.h"
#include "Exchange.h"

using namespace fx::python;

static constexpr const char *kCapsule = "dltensor";

const DLTensor *fx::python::getTensor(nb::handle capsule) {
  auto *managed = static_cast<DLManagedTensor *>(
      PyCapsule_GetPointer(capsule.ptr(), kCapsule));
  if (!managed)
    throw nb::python_error();
  return &managed->dl_tensor;
}

nb::object fx::python::makeCapsule(DLManagedTensor *tensor) {
  if (!tensor)
    return nb::none();
  PyObject *capsule = PyCapsule_New(tensor, kCapsule, [](PyObject *self) {
    if (!PyCapsule_IsValid(self, kCapsule))
      return; // taken
    auto *managed =
        static_cast<DLManagedTensor *>(PyCapsule_GetPointer(self, kCapsule));
    if (managed->deleter)
      managed->deleter(managed);
  });
  if (!capsule) {
    tensor->deleter(tensor);
    throw nb::python_error();
  }
  return nb::steal(capsule);
}

namespace {
/// A tensor in memory that a Python object owns.
struct View {
  DLManagedTensor managed;
  std::vector<int64_t> shape, strides;
  PyObject *owner;
};
} // namespace

/// Returns a capsule of a tensor in the memory of `owner`. Strides count
/// elements.
static nb::object viewTensor(nb::object owner, uintptr_t address, uint8_t code,
                             uint8_t bits, std::vector<int64_t> shape,
                             std::vector<int64_t> strides,
                             std::tuple<int, int> device) {
  if (shape.size() != strides.size())
    throw nb::value_error("expected as many strides as sizes");
  auto view = std::make_unique<View>();
  view->shape = std::move(shape);
  view->strides = std::move(strides);
  DLTensor &tensor = view->managed.dl_tensor;
  tensor.data = reinterpret_cast<void *>(address);
  tensor.device = {DLDeviceType(std::get<0>(device)), std::get<1>(device)};
  tensor.ndim = int32_t(view->shape.size());
  tensor.dtype = {code, bits, 1};
  tensor.shape = view->shape.data();
  tensor.strides = view->strides.data();
  tensor.byte_offset = 0;
  view->managed.manager_ctx = view.get();
  view->managed.deleter = [](DLManagedTensor *self) {
    std::unique_ptr<View> view(static_cast<View *>(self->manager_ctx));
    // A consumer may free the tensor on a thread of its own, or at the end of
    // the process.
    if (!Py_IsInitialized())
      return;
    nb::gil_scoped_acquire acquire;
    Py_DECREF(view->owner);
  };
  view->owner = owner.release().ptr();
  return makeCapsule(&view.release()->managed);
}

/// The address, dtype, sizes, strides in elements, and device of a tensor.
static nb::tuple describeTensor(nb::handle capsule) {
  const DLTensor &tensor = *getTensor(capsule);
  std::vector<int64_t> shape(tensor.shape, tensor.shape + tensor.ndim);
  std::vector<int64_t> strides(tensor.ndim);
  int64_t next = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    strides[i] = tensor.strides ? tensor.strides[i] : next;
    next *= shape[i];
  }
  auto address = reinterpret_cast<uintptr_t>(tensor.data) + tensor.byte_offset;
  return nb::make_tuple(
      address, tensor.dtype.code, tensor.dtype.bits, nb::tuple(nb::cast(shape)),
      nb::tuple(nb::cast(strides)),
      nb::make_tuple(int(tensor.device.device_type), tensor.device.device_id));
}

Model Model::load(const std::string &path, int device, bool callsPython) {
  FXError *error = nullptr;
  FXModel *model;
  {
    nb::gil_scoped_release release;
    FXCallbacks callbacks = {};
    callbacks.struct_size = sizeof callbacks;
    callbacks.device = device;
    callbacks.prepare_torch = prepareTorch;
    if (callsPython) {
      callbacks.fallback = callFallback;
      callbacks.exchange_generator = exchangeGenerator;
    }
    model = fxModelLoad(toC(path), &callbacks, &error);
  }
  if (!model)
    raise(error);
  return Model(model);
}

nb::list Model::run(nb::sequence inputs, int threads, uintptr_t stream,
                    unsigned flags) {
  std::vector<const DLTensor *> tensors;
  for (nb::handle input : inputs)
    tensors.push_back(getTensor(input));
  std::vector<DLManagedTensor *> outputs(fxModelGetInfo(get())->n_outputs,
                                         nullptr);
  FXError *error = nullptr;
  int failed;
  {
    nb::gil_scoped_release release;
    FXRunOptions options = {sizeof options, threads,
                            reinterpret_cast<void *>(stream), flags};
    failed = fxModelRunWith(get(), tensors.data(), tensors.size(),
                            outputs.data(), outputs.size(), &options, &error);
  }
  if (failed)
    raise(error);
  nb::list result;
  for (DLManagedTensor *output : outputs)
    result.append(makeCapsule(output));
  return result;
}

/// Runs the model with the inputs, and returns its outputs by `take`.
template <typename Take>
static nb::object runCall(FXModel *model,
                          const std::vector<const DLTensor *> &inputs,
                          int threads, Take take) {
  std::vector<DLManagedTensor *> outputs(fxModelGetInfo(model)->n_outputs,
                                         nullptr);
  FXError *error = nullptr;
  int failed;
  {
    nb::gil_scoped_release release;
    FXRunOptions options = {sizeof options, threads, nullptr, 0};
    failed = fxModelRunWith(model, inputs.data(), inputs.size(), outputs.data(),
                            outputs.size(), &options, &error);
  }
  if (failed)
    raise(error);
  nb::list result;
  for (DLManagedTensor *output : outputs)
    result.append(take(output));
  return result;
}

nb::object Model::call(nb::tuple inputs, int threads) {
  size_t n = inputs.size();
  if (n == 0)
    return nb::none();
  if (isArray(inputs[0]))
    return callArrays(inputs, threads);
  std::optional<Exchange> exchange = Exchange::find(inputs[0]);
  if (!exchange)
    return nb::none();
  std::vector<DLTensor> tensors(n);
  std::vector<const DLTensor *> pointers;
  for (nb::handle input : inputs) {
    DLTensor &tensor = tensors[pointers.size()];
    if (!exchange->isOf(input) || !exchange->describe(input, tensor))
      return nb::none();
    pointers.push_back(&tensor);
  }
  return runCall(get(), pointers, threads, [&](DLManagedTensor *output) {
    return exchange->take(output);
  });
}

nb::object Model::callArrays(nb::tuple inputs, int threads) {
  const FXModelInfo &info = *fxModelGetInfo(get());
  for (int i = 0; i < info.n_outputs; ++i)
    if (!hasArrays(info.outputs[i].dtype))
      return nb::none();
  std::vector<ArrayInput> arrays(inputs.size());
  std::vector<const DLTensor *> pointers;
  for (nb::handle input : inputs) {
    size_t i = pointers.size();
    bool isMutated = int(i) < info.n_inputs && info.inputs[i].mutated;
    if (!isArray(input) || !arrays[i].set(input, isMutated))
      return nb::none();
    pointers.push_back(&arrays[i].tensor);
  }
  return runCall(get(), pointers, threads, takeArray);
}

void Model::runInto(nb::sequence inputs, nb::sequence outputs, int threads) {
  std::vector<const DLTensor *> tensors, targets;
  for (nb::handle input : inputs)
    tensors.push_back(getTensor(input));
  for (nb::handle output : outputs)
    targets.push_back(output.is_none() ? nullptr : getTensor(output));
  FXError *error = nullptr;
  int failed;
  {
    nb::gil_scoped_release release;
    failed = fxModelRunInto(get(), tensors.data(), tensors.size(),
                            targets.data(), targets.size(), threads, &error);
  }
  if (failed)
    raise(error);
}

nb::list Model::getMethods() const {
  size_t n;
  const FXMethod *methods = fxModelGetMethods(get(), &n);
  nb::list names;
  for (size_t i = 0; i < n; ++i)
    names.append(methods[i].name);
  return names;
}

Model Model::getMethod(size_t index) {
  FXModel *method = fxModelGetMethod(get(), index);
  if (!method)
    throw nb::index_error("no such method");
  Model result(method, [](FXModel *) {});
  result.whole = model;
  return result;
}

nb::bytes Model::getGenerator() {
  FXGenerator generator;
  fxModelGetGenerator(get(), &generator);
  return nb::bytes(&generator, sizeof generator);
}

void Model::setGenerator(nb::bytes state) {
  FXGenerator generator;
  if (state.size() != sizeof generator)
    throw nb::value_error("the state of a generator has another size");
  memcpy(&generator, state.data(), sizeof generator);
  fxModelSetGenerator(get(), &generator);
}

static nb::dict getValueInfo(const FXValueInfo &value) {
  nb::dict info;
  info["name"] = value.name;
  info["kind"] = value.kind;
  info["leaf"] = value.leaf;
  info["mutated"] = value.mutated != 0;
  nb::list sizes;
  for (int i = 0; i < value.rank; ++i)
    sizes.append(value.size_exprs[i]);
  info["sizes"] = sizes;
  return info;
}

nb::dict Model::getInfo() const {
  const FXModelInfo &model = *fxModelGetInfo(get());
  nb::dict info;
  info["name"] = model.name;
  info["producer"] = model.producer;
  info["cpu"] = model.cpu;
  if (model.target)
    info["target"] = model.target;
  else
    info["target"] = nb::none();
  info["n_input_leaves"] = model.n_input_leaves;
  info["arena_bytes"] = model.arena_bytes;
  info["weight_bytes"] = model.weight_bytes;
  info["n_fallbacks"] = model.n_fallbacks;
  info["draws_random"] = model.draws_random != 0;
  nb::list inputs, outputs, states, conditions;
  for (int i = 0; i < model.n_inputs; ++i)
    inputs.append(getValueInfo(model.inputs[i]));
  for (int i = 0; i < model.n_outputs; ++i)
    outputs.append(getValueInfo(model.outputs[i]));
  for (int i = 0; i < model.n_states; ++i)
    states.append(model.states[i].name);
  for (int i = 0; i < model.n_conditions; ++i)
    conditions.append(model.conditions[i].text);
  info["inputs"] = inputs;
  info["outputs"] = outputs;
  info["states"] = states;
  info["conditions"] = conditions;
  return info;
}

/// Imports torch, as `fx_mlir._torch` does it. Returns null, or the reason why
/// that failed, which stays for the process.
const char *fx::python::prepareTorch() {
  static std::string reason;
  if (!Py_IsInitialized())
    return nullptr;
  nb::gil_scoped_acquire acquire;
  try {
    nb::object result =
        nb::module_::import_("fx_mlir._torch").attr("load_for_aten")();
    if (result.is_none())
      return nullptr;
    reason = nb::cast<std::string>(result);
  } catch (std::exception &e) {
    reason = e.what();
  }
  return reason.c_str();
}

void fx::python::bindModel(nb::module_ &m) {
  m.def("view_tensor", &viewTensor, nb::arg("owner"), nb::arg("address"),
        nb::arg("code"), nb::arg("bits"), nb::arg("shape"), nb::arg("strides"),
        nb::arg("device"));
  m.def("describe_tensor", &describeTensor, nb::arg("capsule"));
  nb::class_<Model>(m, "Model")
      .def_static("load", &Model::load, nb::arg("path"), nb::arg("device"),
                  nb::arg("calls_python"))
      .def("run", &Model::run, nb::arg("inputs"), nb::arg("threads"),
           nb::arg("stream"), nb::arg("flags"))
      .def("call", &Model::call, nb::arg("inputs"), nb::arg("threads"))
      .def("run_into", &Model::runInto, nb::arg("inputs"), nb::arg("outputs"),
           nb::arg("threads"))
      .def("reset", &Model::reset)
      .def("seed", &Model::seed, nb::arg("seed"))
      .def("get_generator", &Model::getGenerator)
      .def("set_generator", &Model::setGenerator, nb::arg("state"))
      .def("load_tensors", &Model::loadTensors, nb::arg("names"),
           nb::arg("tensors"), nb::arg("strict"), nb::arg("bindings"))
      .def("apply_lora", &Model::applyLora, nb::arg("folder"), nb::arg("scale"))
      .def("remove_lora", &Model::removeLora)
      .def("info", &Model::getInfo)
      .def("report", &Model::getReport)
      .def("methods", &Model::getMethods)
      .def("method", &Model::getMethod, nb::arg("index"));
}

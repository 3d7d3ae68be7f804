//===- Run.cpp - compiled models through the C interface ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx-c/Run.h"
#include "Handles.h"
#include "Model.h"

using namespace fx;
using namespace fx::capi;

static FXModel *
load(FXError **error,
     llvm::function_ref<llvm::Expected<std::unique_ptr<CompiledModel>>()> fn) {
  auto handle = std::make_unique<FXModel>();
  if (protect(error, nullptr, [&](FXError &) -> llvm::Error {
        llvm::Expected<std::unique_ptr<CompiledModel>> model = fn();
        if (!model)
          return model.takeError();
        handle->model = std::move(*model);
        size_t methods = handle->model->getMethods().size();
        for (size_t i = 0; methods > 1 && i < methods; ++i) {
          auto &method = handle->methods.emplace_back(new FXModel);
          method->model = handle->model->getMethod(i);
          method->lora = handle->lora;
        }
        return llvm::Error::success();
      }))
    return nullptr;
  return handle.release();
}

FXModel *fxModelLoad(const char *path, const FXCallbacks *callbacks,
                     FXError **error) {
  if (!path) {
    failNull(error, "fxModelLoad", "path");
    return nullptr;
  }
  LoadOptions options;
  options.callbacks = callbacks;
  return load(error, [&] { return CompiledModel::load(path, options); });
}

FXModel *fxModelLoadBuffer(const void *data, size_t size,
                           const FXCallbacks *callbacks, FXError **error) {
  if (!data) {
    failNull(error, "fxModelLoadBuffer", "data");
    return nullptr;
  }
  LoadOptions options;
  options.callbacks = callbacks;
  llvm::ArrayRef<char> bytes(static_cast<const char *>(data), size);
  return load(error, [&] { return CompiledModel::loadBuffer(bytes, options); });
}

void fxModelDestroy(FXModel *model) { delete model; }

const FXModelInfo *fxModelGetInfo(const FXModel *model) {
  return model ? &model->model->getInfo() : nullptr;
}

const FXMethod *fxModelGetMethods(const FXModel *model, size_t *n) {
  llvm::ArrayRef<FXMethod> methods;
  if (model)
    methods = model->model->getMethods();
  if (n)
    *n = methods.size();
  return methods.data();
}

FXModel *fxModelGetMethod(FXModel *model, size_t index) {
  if (!model)
    return nullptr;
  if (model->methods.empty())
    return index == 0 ? model : nullptr;
  return index < model->methods.size() ? model->methods[index].get() : nullptr;
}

/// Checks the arguments of the C function `function`, which runs the model.
static int checkArguments(const char *function, FXModel *model,
                          const DLTensor *const *inputs, int nInputs,
                          const void *outputs, int nOutputs, FXError **error) {
  if (!model || (!inputs && nInputs > 0) || (!outputs && nOutputs > 0))
    return failNull(error, function,
                    !model                   ? "model"
                    : !inputs && nInputs > 0 ? "inputs"
                                             : "outputs");
  const FXModelInfo &info = model->model->getInfo();
  if (nInputs != info.n_inputs)
    return fail(error, "expected " + llvm::Twine(info.n_inputs) +
                           " inputs, got " + llvm::Twine(nInputs));
  if (nOutputs != info.n_outputs)
    return fail(error, "expected room for " + llvm::Twine(info.n_outputs) +
                           " outputs, got " + llvm::Twine(nOutputs));
  for (int i = 0; i < nInputs; ++i) {
    if (!inputs[i])
      return fail(error, llvm::Twine(info.inputs[i].name) +
                             ": expected a tensor, got null");
    if (!info.target && inputs[i]->device.device_type != kDLCPU)
      return fail(error,
                  llvm::Twine(info.inputs[i].name) +
                      ": expected a tensor on the CPU, got device type " +
                      llvm::Twine(int(inputs[i]->device.device_type)));
  }
  return 0;
}

// The runtime in the model does not throw, and it checks the rest. There is no
// crash recovery in the functions that run it, because it would slow down short
// runs.

static int run(const char *function, FXModel *model,
               const DLTensor *const *inputs, int nInputs,
               DLManagedTensor **outputs, int nOutputs,
               const FXRunOptions *options, FXError **error) {
  if (checkArguments(function, model, inputs, nInputs, outputs, nOutputs,
                     error))
    return 1;
  char message[1024] = "";
  if (model->model->getApi().run(model->model->getInstance(), inputs, nInputs,
                                 outputs, nOutputs, options, message,
                                 sizeof message))
    return fail(error, message);
  return 0;
}

int fxModelRun(FXModel *model, const DLTensor *const *inputs, int nInputs,
               DLManagedTensor **outputs, int nOutputs, int threads,
               FXError **error) {
  FXRunOptions options = {};
  options.struct_size = sizeof options;
  options.threads = threads;
  return run("fxModelRun", model, inputs, nInputs, outputs, nOutputs, &options,
             error);
}

int fxModelRunWith(FXModel *model, const DLTensor *const *inputs, int nInputs,
                   DLManagedTensor **outputs, int nOutputs,
                   const FXRunOptions *options, FXError **error) {
  return run("fxModelRunWith", model, inputs, nInputs, outputs, nOutputs,
             options, error);
}

int fxModelRunInto(FXModel *model, const DLTensor *const *inputs, int nInputs,
                   const DLTensor *const *outputs, int nOutputs, int threads,
                   FXError **error) {
  if (checkArguments("fxModelRunInto", model, inputs, nInputs, outputs,
                     nOutputs, error))
    return 1;
  if (llvm::Error e = model->model->runInto(
          {inputs, size_t(nInputs)}, {outputs, size_t(nOutputs)}, threads))
    return fail(error, llvm::toString(std::move(e)));
  return 0;
}

int fxModelGetState(FXModel *model, int index, DLTensor *state,
                    FXError **error) {
  if (!model || !state)
    return failNull(error, "fxModelGetState", model ? "state" : "model");
  const FXModelInfo &info = model->model->getInfo();
  int count = info.n_states;
  if (count == 0)
    return fail(error, "expected a model with states, got state " +
                           llvm::Twine(index) + " of one without");
  if (index < 0 || index >= count)
    return fail(error, "expected a state from 0 to " + llvm::Twine(count - 1) +
                           ", got " + llvm::Twine(index));
  if (model->model->getApi().get_state(model->model->getInstance(), index,
                                       state))
    return fail(error, "expected a state that the model contains, got '" +
                           llvm::Twine(info.states[index].name) +
                           "', which was folded or packed when the model was "
                           "compiled");
  return 0;
}

void fxModelReset(FXModel *model) {
  if (model)
    model->model->getApi().reset(model->model->getInstance());
}

void fxModelSeed(FXModel *model, uint64_t seed) {
  if (model)
    model->model->getApi().seed(model->model->getInstance(), seed);
}

void fxModelGetGenerator(FXModel *model, FXGenerator *out) {
  if (model && out)
    model->model->getApi().get_generator(model->model->getInstance(), out);
}

void fxModelSetGenerator(FXModel *model, const FXGenerator *generator) {
  if (model && generator)
    model->model->getApi().set_generator(model->model->getInstance(),
                                         generator);
}

//===- Run.cpp - containers, and runs -------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instance executes any number of runs at the same time, so the number of
// models (`num_runners`) does not matter.
//
//===----------------------------------------------------------------------===//

#include "Container.h"

#define AOTI_EXPORT extern "C" __attribute__((visibility("default")))

AOTI_EXPORT int32_t AOTInductorGetLastError(const char **message) {
  *message = lastError;
  return 0;
}

AOTI_EXPORT int32_t AOTInductorModelContainerCreateWithDevice(
    Container **out, size_t, const char *device, const char *) {
  if (!device || strncmp(device, "cpu", 3))
    return fail("expected the device 'cpu', got '%s'", device ? device : "");
  auto *c = static_cast<Container *>(calloc(1, sizeof(Container)));
  if (!c)
    return fail("out of memory");
  c->api = fx_model_api();
  c->active = createInstance(*c);
  if (!c->active) {
    free(c);
    return 1;
  }
  pthread_rwlock_init(&c->lock, nullptr);
  *out = c;
  return 0;
}

AOTI_EXPORT int32_t AOTInductorModelContainerCreate(Container **out,
                                                    size_t models, bool isCPU,
                                                    const char *folder) {
  return AOTInductorModelContainerCreateWithDevice(
      out, models, isCPU ? "cpu" : "cuda", folder);
}

AOTI_EXPORT int32_t AOTInductorModelContainerDelete(Container *c) {
  if (!c)
    return 0;
  releaseExtracted(*c);
  c->api->destroy(c->active);
  if (c->inactive)
    c->api->destroy(c->inactive);
  pthread_rwlock_destroy(&c->lock);
  free(c);
  return 0;
}

AOTI_EXPORT int32_t AOTInductorModelContainerGetNumInputs(Container *c,
                                                          size_t *n) {
  *n = size_t(c->api->info->n_inputs);
  return 0;
}

AOTI_EXPORT int32_t AOTInductorModelContainerGetNumOutputs(Container *c,
                                                           size_t *n) {
  *n = size_t(c->api->info->n_outputs);
  return 0;
}

AOTI_EXPORT int32_t AOTInductorModelContainerGetInputName(Container *c,
                                                          size_t i,
                                                          const char **name) {
  if (i >= size_t(c->api->info->n_inputs))
    return fail("expected an input below %d", int(c->api->info->n_inputs));
  *name = c->api->info->inputs[i].name;
  return 0;
}

AOTI_EXPORT int32_t AOTInductorModelContainerGetOutputName(Container *c,
                                                           size_t i,
                                                           const char **name) {
  if (i >= size_t(c->api->info->n_outputs))
    return fail("expected an output below %d", int(c->api->info->n_outputs));
  *name = c->api->info->outputs[i].name;
  return 0;
}

AOTI_EXPORT int32_t AOTInductorModelContainerGetCallSpec(Container *,
                                                         const char **in,
                                                         const char **out) {
  *in = fx_rt_call_spec.in_spec;
  *out = fx_rt_call_spec.out_spec;
  return 0;
}

/// A number in the dtype that the model expects.
union Number {
  int64_t integer;
  double real;
};

/// The loaders pass tensors only, so numbers are 0-d tensors. Those that
/// torch.tensor makes may have a narrower dtype: moves such a number to
/// `number`.
static void widen(const FXValueInfo &info, DLTensor &t, Number &number) {
  if (t.ndim)
    return;
  constexpr DLDataType real = {kDLFloat, 32, 1}, narrow = {kDLInt, 32, 1},
                       wide = {kDLInt, 64, 1};
  if (info.kind == FX_VALUE_FLOAT && isSame(t.dtype, real))
    number.real = *static_cast<float *>(t.data);
  else if (info.kind == FX_VALUE_FLOAT && isSame(t.dtype, wide))
    number.real = double(*static_cast<int64_t *>(t.data));
  else if (info.kind == FX_VALUE_INT && isSame(t.dtype, narrow))
    number.integer = *static_cast<int32_t *>(t.data);
  else
    return;
  t.data = &number;
  t.dtype = info.dtype;
}

static int32_t checkCounts(const FXModelInfo &info, size_t nInputs,
                           size_t nOutputs) {
  bool hasNumbers = false;
  for (int32_t i = 0; i < info.n_inputs; ++i)
    hasNumbers |= info.inputs[i].kind != FX_VALUE_TENSOR;
  if (nInputs != size_t(info.n_inputs))
    return fail("expected %d inputs, got %zu%s", int(info.n_inputs), nInputs,
                hasNumbers ? "; a number must be a 0-d tensor" : "");
  if (nOutputs != size_t(info.n_outputs))
    return fail("expected room for %d outputs, got %zu", int(info.n_outputs),
                nOutputs);
  return 0;
}

/// Runs the model on views of the inputs.
static int32_t runViews(Container &c, AtenTensorHandle *inputs, size_t nInputs,
                        AtenTensorHandle *outputs, size_t nOutputs) {
  const FXModelInfo &info = *c.api->info;
  if (checkCounts(info, nInputs, nOutputs))
    return 1;
  Array<DLTensor> tensors(nInputs);
  Array<Number> numbers(nInputs);
  Array<const DLTensor *> pointers(nInputs);
  Array<DLManagedTensor *> results(nOutputs);
  if (!tensors.data || !numbers.data || !pointers.data || !results.data)
    return fail("out of memory");
  for (size_t i = 0; i < nInputs; ++i) {
    if (view(inputs[i], "input", info.inputs[i].name, tensors[i]))
      return 1;
    widen(info.inputs[i], tensors[i], numbers[i]);
    pointers[i] = &tensors[i];
  }
  FXRunOptions options = {};
  options.struct_size = sizeof options;
  options.threads = 1;
  uint32_t threads;
  if (torch_get_num_threads && !torch_get_num_threads(&threads))
    options.threads = int32_t(threads);
  {
    ReadLock lock(c);
    if (c.api->run(c.active, pointers.data, int(nInputs), results.data,
                   int(nOutputs), &options, lastError, sizeof lastError))
      return 1;
  }
  int32_t failed = 0;
  for (size_t i = 0; i < nOutputs; ++i) {
    outputs[i] = nullptr;
    if (!results[i])
      continue; // None
    if (failed)
      results[i]->deleter(results[i]);
    else
      failed = wrapOutput(results[i], outputs[i]);
  }
  if (!failed)
    return 0;
  for (size_t i = 0; i < nOutputs; ++i) {
    if (outputs[i])
      aoti_torch_delete_tensor_object(outputs[i]);
    outputs[i] = nullptr;
  }
  return fail("an output cannot become a tensor of torch");
}

/// The container owns the inputs, also if the run fails. The caller owns the
/// outputs.
AOTI_EXPORT int32_t AOTInductorModelContainerRun(
    Container *c, AtenTensorHandle *inputs, size_t nInputs,
    AtenTensorHandle *outputs, size_t nOutputs, void *, void *proxy) {
  __atomic_store_n(&c->proxy, proxy, __ATOMIC_RELAXED);
  int32_t failed = runViews(*c, inputs, nInputs, outputs, nOutputs);
  // Since torch 2.14 the loaders free the handles that are left in the array.
  for (size_t i = 0; i < nInputs; ++i)
    if (AtenTensorHandle input = inputs[i]) {
      inputs[i] = nullptr;
      aoti_torch_delete_tensor_object(input);
    }
  return failed;
}

AOTI_EXPORT int32_t AOTInductorModelContainerRunSingleThreaded(
    Container *c, AtenTensorHandle *inputs, size_t nInputs,
    AtenTensorHandle *outputs, size_t nOutputs, void *stream, void *proxy) {
  return AOTInductorModelContainerRun(c, inputs, nInputs, outputs, nOutputs,
                                      stream, proxy);
}

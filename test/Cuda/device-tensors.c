/*===- device-tensors.c - tensors of a GPU, in and out --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What fx-run does not do with a model for a GPU: tensors of its device in and
// out, strided ones, numbers, an input that is written, states that are kept
// between runs, set and reset, runs that return early, outputs that outlive the
// model. test_gpu.py compiles the model:
//
//   forward(x f32[n, 3], y f32[3], k int):
//     count += x.sum(0); y += 1; return x * w * k + count, k + 1
//
//   device-tensors MODEL.so DRIVER.so
//
//===----------------------------------------------------------------------===*/

#include "fx/Runtime/model.h"
#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int (*allocate)(uint64_t *, size_t), (*release)(uint64_t),
    (*push)(void *), (*pop)(void **), (*retain)(void **, int),
    (*synchronize)(void *);
static int (*to_device)(uint64_t, const void *, size_t, void *);
static int (*to_host)(void *, uint64_t, size_t, void *);

static const FXModelApi *api;
static FXInstance *model;
static void *context;

static void *copy_to_device(const void *data, size_t bytes) {
  uint64_t made;
  void *popped;
  assert(!push(context) && !allocate(&made, bytes) &&
         !to_device(made, data, bytes, 0));
  assert(!synchronize(0) && !pop(&popped));
  return (void *)made;
}

static void copy_to_host(void *to, const void *from, size_t bytes) {
  void *popped;
  assert(!push(context) && !to_host(to, (uint64_t)from, bytes, 0) &&
         !synchronize(0));
  assert(!pop(&popped));
}

static DLTensor make(void *data, int device, int ndim, DLDataType dtype,
                     int64_t *shape, int64_t *strides) {
  return (DLTensor){data, {device, 0}, ndim, dtype, shape, strides, 0};
}

static void expect(const float *got, const float *want, int n) {
  for (int i = 0; i < n; ++i)
    if (got[i] != want[i])
      fprintf(stderr, "element %d: expected %g, got %g\n", i, want[i], got[i]);
  assert(!memcmp(got, want, sizeof(float) * n));
}

static const DLDataType kFloat = {kDLFloat, 32, 1}, kInt = {kDLInt, 64, 1};
static int64_t x_shape[] = {2, 3}, y_shape[] = {3};

/* Runs on x and y, and k = 2. */
static void run(DLTensor *x, DLTensor *y, DLManagedTensor **outputs,
                uint32_t flags) {
  int64_t k = 2;
  char err[512] = "";
  DLTensor number = make(&k, kDLCPU, 0, kInt, 0, 0);
  const DLTensor *inputs[] = {x, y, &number};
  FXRunOptions options = {sizeof options, 1, 0, flags};
  if (api->run(model, inputs, 3, outputs, 2, &options, err, sizeof err))
    fprintf(stderr, "%s\n", err);
  assert(!err[0]);
}

static void drop(DLManagedTensor **outputs) {
  outputs[0]->deleter(outputs[0]);
  outputs[1]->deleter(outputs[1]);
}

int main(int argc, char **argv) {
  assert(argc == 3);
  void *driver = dlopen(argv[2], RTLD_NOW);
  void *library = dlopen(argv[1], RTLD_NOW);
  assert(driver && library);
  *(void **)&allocate = dlsym(driver, "cuMemAlloc_v2");
  *(void **)&release = dlsym(driver, "cuMemFree_v2");
  *(void **)&push = dlsym(driver, "cuCtxPushCurrent_v2");
  *(void **)&pop = dlsym(driver, "cuCtxPopCurrent_v2");
  *(void **)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
  *(void **)&synchronize = dlsym(driver, "cuStreamSynchronize");
  *(void **)&to_device = dlsym(driver, "cuMemcpyHtoDAsync_v2");
  *(void **)&to_host = dlsym(driver, "cuMemcpyDtoHAsync_v2");
  api = ((const FXModelApi *(*)(void))dlsym(library, FX_MODEL_API_SYMBOL))();
  assert(!strncmp(api->info->target, "cuda:sm_", 8));
  char err[512] = "";
  model = api->create(0, err, sizeof err);
  if (!model)
    fprintf(stderr, "%s\n", err);
  assert(model && !retain(&context, 0));

  /* On the device: outputs too, but for the number. w is 1, 2, 3. */
  float x[] = {1, 2, 3, 4, 5, 6}, y[] = {0, 0, 0}, got[6];
  DLManagedTensor *outputs[2];
  DLTensor dx =
      make(copy_to_device(x, sizeof x), kDLCUDA, 2, kFloat, x_shape, 0);
  DLTensor dy =
      make(copy_to_device(y, sizeof y), kDLCUDA, 1, kFloat, y_shape, 0);
  run(&dx, &dy, outputs, 0);
  const DLTensor *out = &outputs[0]->dl_tensor;
  assert(out->device.device_type == kDLCUDA && out->ndim == 2 &&
         out->shape[0] == 2);
  copy_to_host(got, out->data, sizeof got);
  expect(got, (float[]){7, 15, 27, 13, 27, 45}, 6);
  assert(outputs[1]->dl_tensor.device.device_type == kDLCPU);
  assert(*(int64_t *)outputs[1]->dl_tensor.data == 3);
  copy_to_host(got, dy.data, sizeof y);
  expect(got, (float[]){1, 1, 1}, 3);
  drop(outputs);

  /* The state was kept. Columns of a wider tensor; y lies on the host, strided.
   */
  float wide[] = {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0},
        far[] = {5, 0, 6, 0, 7, 0};
  int64_t wide_strides[] = {6, 2}, far_strides[] = {2};
  DLTensor sx = make(copy_to_device(wide, sizeof wide), kDLCUDA, 2, kFloat,
                     x_shape, wide_strides);
  DLTensor sy = make(far, kDLCPU, 1, kFloat, y_shape, far_strides);
  run(&sx, &sy, outputs, FX_RUN_HOST_OUTPUTS);
  assert(outputs[0]->dl_tensor.device.device_type == kDLCPU);
  expect(outputs[0]->dl_tensor.data, (float[]){12, 22, 36, 18, 34, 54}, 6);
  expect(far, (float[]){6, 0, 7, 0, 8, 0}, 6);
  drop(outputs);

  /* A strided y on the device; the call returns early, the output is valid in
   * the order of the stream. */
  DLTensor ty = make(copy_to_device(far, sizeof far), kDLCUDA, 1, kFloat,
                     y_shape, far_strides);
  api->reset(model);
  run(&dx, &ty, outputs, FX_RUN_ASYNC);
  copy_to_host(got, outputs[0]->dl_tensor.data, sizeof got);
  expect(got, (float[]){7, 15, 27, 13, 27, 45}, 6);
  copy_to_host(far, ty.data, sizeof far);
  expect(far, (float[]){7, 0, 8, 0, 9, 0}, 6);
  drop(outputs);

  /* States by name, from the device and from the host. */
  float w[] = {10, 20, 30}, zero[] = {0, 0, 0};
  DLTensor dw =
      make(copy_to_device(w, sizeof w), kDLCUDA, 1, kFloat, y_shape, 0);
  DLTensor hc = make(zero, kDLCPU, 1, kFloat, y_shape, 0);
  const char *names[] = {"w", "count"};
  const DLTensor *values[] = {&dw, &hc};
  int failed = api->set_states(model, 2, names, values, err, sizeof err);
  if (failed)
    fprintf(stderr, "%s\n", err);
  assert(!failed);
  for (int s = 0; s < api->info->n_states; ++s) {
    DLTensor state;
    assert(!api->get_state(model, s, &state) &&
           state.device.device_type == kDLCUDA);
    copy_to_host(got, state.data, sizeof w);
    expect(got, strcmp(api->info->states[s].name, "w") ? zero : w, 3);
  }
  run(&dx, &dy, outputs, 0);

  /* The output outlives the model. */
  api->destroy(model);
  copy_to_host(got, outputs[0]->dl_tensor.data, sizeof got);
  expect(got, (float[]){25, 87, 189, 85, 207, 369}, 6);
  drop(outputs);

  /* A tensor of another device, and a number on the device. */
  model = api->create(0, err, sizeof err);
  dx.device.device_id = 1;
  int64_t k = 2;
  DLTensor number = make(&k, kDLCPU, 0, kInt, 0, 0);
  const DLTensor *inputs[] = {&dx, &dy, &number};
  assert(api->run(model, inputs, 3, outputs, 2, 0, err, sizeof err) &&
         !outputs[0]);
  assert(!strcmp(err,
                 "input 'x': expected a tensor on cuda:0, got one on cuda:1"));
  dx.device.device_id = 0;
  number.device.device_type = kDLCUDA;
  assert(api->run(model, inputs, 3, outputs, 2, 0, err, sizeof err));
  assert(!strcmp(
      err, "input 'k': expected a tensor in host memory, got device type 2"));
  api->destroy(model);

  /* What is left on the device is ours. */
  void *tensors[] = {dx.data, dy.data, sx.data, ty.data, dw.data}, *popped;
  assert(!push(context));
  for (int i = 0; i < 5; ++i)
    release((uint64_t)tensors[i]);
  size_t free, total;
  int (*info)(size_t *, size_t *);
  *(void **)&info = dlsym(driver, "cuMemGetInfo_v2");
  info(&free, &total);
  pop(&popped);
  if (free != total)
    fprintf(stderr, "%zu bytes leaked on the device\n", total - free);
  assert(free == total);
  puts("passed");
  return 0;
}

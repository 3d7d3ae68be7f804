/*===- run-model.c - runs a compiled model on files of raw tensors --------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// run-model MODEL.so FOLDER [RUNS]: reads FOLDER/in_<k>, runs the model RUNS
// times (1) and writes FOLDER/out_<k>, as the members dtype and shape of
// DLTensor, followed by the elements. It needs only libc, so it runs under an
// emulator of another CPU.
//
//===----------------------------------------------------------------------===*/

#include "fx/Runtime/model.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static char err[1024];

static int fail(const char *what) {
  fprintf(stderr, "error: %s\n", what);
  return 1;
}

static FILE *open_file(const char *folder, const char *kind, int k,
                       const char *mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s_%d", folder, kind, k);
  FILE *file = fopen(path, mode);
  if (!file)
    exit(fail(path));
  return file;
}

static size_t get_bytes(const DLTensor *t) {
  size_t bytes = (size_t)(t->dtype.bits + 7) / 8;
  for (int d = 0; d < t->ndim; ++d)
    bytes *= (size_t)t->shape[d];
  return bytes;
}

/* The words before the elements: code, bits and rank, then the sizes. */
static DLTensor *read_tensor(const char *folder, int k) {
  FILE *file = open_file(folder, "in", k, "rb");
  DLTensor *t = calloc(1, sizeof *t);
  int64_t head[3], *sizes = calloc(64, sizeof *sizes);
  if (fread(head, 8, 3, file) != 3 ||
      fread(sizes, 8, (size_t)head[2], file) != (size_t)head[2])
    exit(fail("an input is cut"));
  t->device.device_type = kDLCPU;
  t->dtype.code = (uint8_t)head[0];
  t->dtype.bits = (uint8_t)head[1];
  t->dtype.lanes = 1;
  t->ndim = (int32_t)head[2];
  t->shape = sizes;
  t->data = calloc(1, get_bytes(t) + 64);
  if (fread(t->data, 1, get_bytes(t), file) != get_bytes(t))
    exit(fail("an input is cut"));
  fclose(file);
  return t;
}

/* Writes the elements from dimension `d` on. An output may be a view. */
static void write_elements(FILE *file, const DLTensor *t, int d,
                           const char *at) {
  size_t bytes = (size_t)(t->dtype.bits + 7) / 8;
  if (d == t->ndim) {
    fwrite(at, 1, bytes, file);
    return;
  }
  for (int64_t i = 0; i < t->shape[d]; ++i)
    write_elements(file, t, d + 1, at + i * t->strides[d] * (int64_t)bytes);
}

static void write_tensor(const char *folder, int k, const DLTensor *t) {
  FILE *file = open_file(folder, "out", k, "wb");
  int64_t head[3] = {t->dtype.code, t->dtype.bits, t->ndim};
  fwrite(head, 8, 3, file);
  fwrite(t->shape, 8, (size_t)t->ndim, file);
  const char *data = (const char *)t->data + t->byte_offset;
  if (t->strides)
    write_elements(file, t, 0, data);
  else
    fwrite(data, 1, get_bytes(t), file);
  if (fclose(file))
    exit(fail("cannot write an output"));
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4)
    return fail("expected MODEL.so FOLDER [RUNS]");
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library)
    return fail(dlerror());
  const FXModelApi *(*get_api)(void) =
      (const FXModelApi *(*)(void))dlsym(library, FX_MODEL_API_SYMBOL);
  if (!get_api)
    return fail(dlerror());
  const FXModelApi *api = get_api();
  FXInstance *model = api->create(NULL, err, sizeof err);
  if (!model)
    return fail(err);
  /* At least one element: calloc may return null for none. */
  const DLTensor **inputs =
      calloc((size_t)api->info->n_inputs + 1, sizeof *inputs);
  DLManagedTensor **outputs =
      calloc((size_t)api->info->n_outputs + 1, sizeof *outputs);
  for (int k = 0; k < api->info->n_inputs; ++k)
    inputs[k] = read_tensor(argv[2], k);
  int runs = argc > 3 ? atoi(argv[3]) : 1;
  /* The threads of a loop would disturb a count of instructions. */
  FXRunOptions options = {sizeof options, argc > 3 ? 1 : 2, NULL, 0};
  for (int r = 0; r < runs; ++r) {
    for (int k = 0; r && k < api->info->n_outputs; ++k)
      outputs[k]->deleter(outputs[k]);
    if (api->run(model, inputs, api->info->n_inputs, outputs,
                 api->info->n_outputs, &options, err, sizeof err))
      return fail(err);
  }
  for (int k = 0; k < api->info->n_outputs; ++k)
    write_tensor(argv[2], k, &outputs[k]->dl_tensor);
  printf("%s\n", api->info->cpu);
  return 0;
}

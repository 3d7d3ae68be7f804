/*===- Outputs.c - new outputs, and outputs in the caller's memory --------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of models for the CPU. `run` makes new tensors of the buffers that compiled
// code allocated. `run_into` gives compiled code the caller's memory instead.
// It copies where compiled code cannot write there: if the memory is strided or
// not aligned, or if it overlaps an input or a state, which may be read after
// the output is written.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const FXrtMemRef *result_of(const FXrtModel *model, const FXrtFrame *f,
                                   const FXrtOutput *spec) {
  const int64_t *at = f->results;
  for (int64_t r = 0; r < spec->result; ++r)
    at += 3 + 2 * model->result_ranks[r];
  return (const FXrtMemRef *)at;
}

//===----------------------------------------------------------------------===//
// New outputs
//===----------------------------------------------------------------------===//

/* An output: the managed tensor, its shape, and who frees the data. */
typedef struct {
  DLManagedTensor tensor;
  FXrtBlock *block;
  int64_t shape[];
} Output;

static void delete_output(DLManagedTensor *self) {
  Output *o = self->manager_ctx;
  if (o->block)
    fx_rt_heap_free(o->block);
  free(o);
}

static DLManagedTensor *new_output(const FXValueInfo *v, const int64_t *sizes) {
  Output *o = calloc(1, sizeof *o + (size_t)(v->rank + 1) * sizeof(int64_t));
  if (!o)
    return 0;
  for (int d = 0; d < v->rank; ++d)
    o->shape[d] = sizes[d];
  o->tensor.dl_tensor = (DLTensor){.device = {kDLCPU, 0},
                                   .ndim = v->rank,
                                   .dtype = v->dtype,
                                   .shape = o->shape};
  o->tensor.manager_ctx = o;
  o->tensor.deleter = delete_output;
  return &o->tensor;
}

void fx_rt_collect(const FXrtFrame *f, FXrtRun *run,
                   DLManagedTensor **outputs) {
  const FXModelInfo *info = run->instance->model->info;
  for (int k = 0; k < info->n_outputs; ++k) {
    const FXrtOutput *spec = &run->instance->model->outputs[k];
    if (info->outputs[k].kind == FX_VALUE_NONE)
      continue;
    const FXrtMemRef *m = result_of(run->instance->model, f, spec);
    outputs[k] = new_output(&info->outputs[k], m->sizes_and_strides);
    if (!outputs[k])
      fx_rt_fail("out of memory: output %d", k);
    Output *o = outputs[k]->manager_ctx;
    if (spec->result < 0) {
      size_t size = info->outputs[k].dtype.bits / 8;
      void *data = fx_rt_block_alloc(run, size);
      if (!data)
        fx_rt_fail("out of memory: output %d", k);
      memcpy(data, &spec->bits, size);
      o->tensor.dl_tensor.data = data;
    } else {
      o->tensor.dl_tensor.data = m->aligned;
    }
    o->block = fx_rt_block_release(run, o->tensor.dl_tensor.data);
  }
}

//===----------------------------------------------------------------------===//
// Outputs in the caller's memory
//===----------------------------------------------------------------------===//

typedef struct {
  uintptr_t begin, end;
} Extent;

/* Returns the addresses from the first to the last byte of a tensor. */
static Extent extent_of(const DLTensor *t) {
  uintptr_t begin = (uintptr_t)t->data + t->byte_offset;
  intptr_t size = (t->dtype.bits + 7) / 8, low = 0, high = size;
  if (fx_rt_count(t) == 0)
    return (Extent){begin, begin};
  if (fx_rt_is_contiguous(t))
    return (Extent){begin, begin + (uintptr_t)(fx_rt_count(t) * size)};
  for (int d = 0; d < t->ndim; ++d) {
    intptr_t way = (t->shape[d] - 1) * t->strides[d] * size;
    *(way < 0 ? &low : &high) += way;
  }
  return (Extent){begin + (uintptr_t)low, begin + (uintptr_t)high};
}

static int overlap(Extent a, Extent b) {
  return a.begin < b.end && b.begin < a.end;
}

/* Returns the tensor for output `k`, or null if the caller does not want it. */
static const DLTensor *get_target(const FXrtModel *model,
                                  const DLTensor *const *targets, int k) {
  int is_none = model->info->outputs[k].kind == FX_VALUE_NONE;
  return is_none ? 0 : targets[k];
}

int fx_rt_check_targets(const FXrtModel *model, const DLTensor *const *targets,
                        char *err, size_t size) {
  const FXModelInfo *info = model->info;
  for (int k = 0; k < info->n_outputs; ++k) {
    const FXValueInfo *v = &info->outputs[k];
    const DLTensor *t = get_target(model, targets, k);
    if (!t)
      continue;
    if (fx_rt_check_tensor(model, "output", t, v, err, size))
      return 1;
    for (int d = 0; t->strides && d < t->ndim; ++d)
      if (t->strides[d] == 0 && t->shape[d] > 1) {
        snprintf(err, size,
                 "output '%s': dimension %d: expected elements in different "
                 "places, got stride 0",
                 v->name, d);
        return 1;
      }
    for (int j = 0; j < k; ++j)
      if (get_target(model, targets, j) &&
          overlap(extent_of(t), extent_of(targets[j]))) {
        snprintf(err, size,
                 "outputs '%s' and '%s': expected different memory, got memory "
                 "that overlaps",
                 info->outputs[j].name, v->name);
        return 1;
      }
  }
  return 0;
}

/* Returns 1 if compiled code may read the memory after it began to write the
 * output. */
static int is_read(const FXrtRun *run, Extent output) {
  for (int k = 0; k < run->instance->model->info->n_inputs; ++k)
    if (overlap(output, extent_of(run->inputs[k])))
      return 1;
  for (int64_t a = 0; a < run->instance->model->n_args; ++a) {
    uintptr_t state = (uintptr_t)run->instance->arg_data[a];
    if (run->instance->model->args[a].kind == FX_ARG_MUTABLE &&
        overlap(output,
                (Extent){state, state + run->instance->model->args[a].bytes}))
      return 1;
  }
  return 0;
}

void *fx_rt_target(const FXrtRun *run, int64_t result, size_t bytes) {
  const FXModelInfo *info = run->instance->model->info;
  for (int k = 0; run->targets && k < info->n_outputs; ++k) {
    const DLTensor *t = get_target(run->instance->model, run->targets, k);
    if (!t || run->instance->model->outputs[k].result != result)
      continue;
    Extent to = extent_of(t);
    return fx_rt_is_contiguous(t) && to.begin % 64 == 0 &&
                   to.end - to.begin == bytes && !is_read(run, to)
               ? (void *)to.begin
               : 0;
  }
  return 0;
}

void fx_rt_fill_targets(const FXrtFrame *f, FXrtRun *run) {
  const FXModelInfo *info = run->instance->model->info;
  for (int k = 0; k < info->n_outputs; ++k) {
    const FXrtOutput *spec = &run->instance->model->outputs[k];
    const DLTensor *t = get_target(run->instance->model, run->targets, k);
    if (!t)
      continue;
    if (spec->result < 0) {
      memcpy((char *)t->data + t->byte_offset, &spec->bits,
             info->outputs[k].dtype.bits / 8);
      continue;
    }
    const FXrtMemRef *m = result_of(run->instance->model, f, spec);
    for (int d = 0; d < t->ndim; ++d)
      if (t->shape[d] != m->sizes_and_strides[d])
        fx_rt_fail("output '%s': dimension %d: expected %lld, got %lld",
                   info->outputs[k].name, d, (long long)m->sizes_and_strides[d],
                   (long long)t->shape[d]);
    if (m->aligned != (char *)t->data + t->byte_offset)
      fx_rt_copy_strided(t, m->aligned, 1);
  }
}

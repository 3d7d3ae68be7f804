/*===- Gpu.c - instances and runs on a GPU --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of FXrtDeviceOps for GPUs. Compiled code is host code that
// computes sizes and launches kernels. The runtime uses the primary context of
// the device, which it never releases, and the caller's stream.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

/* Returns 1 and writes a message if `code` is an error. */
static int fails(const FXInstance *i, CUresult code, const char *what,
                 char *err, size_t size) {
  if (code)
    snprintf(err, size, "%s: %s: %s%s", gpu_name(i), what, get_error_text(code),
             is_sticky(code) ? ": a kernel of this process has failed, and no "
                               "call of it can use the device any more"
                             : "");
  return code != 0;
}

/* Returns true if a device of compute capability `chip` (90 for 9.0) can run
 * the image. */
static int runs_on(const FXrtImage *image, int64_t chip) {
  if (!image->is_binary)
    return image->family == FX_CHIP_PLAIN ? chip >= image->chip
                                          : chip == image->chip;
  if (image->family == FX_CHIP_EXACT)
    return chip == image->chip;
  return chip / 10 == image->chip / 10 && chip >= image->chip;
}

/* Loads the first image that the device can run and finds its kernels. Returns
 * 1 with a message on failure. */
static int load_kernels(FXInstance *i, char *err, size_t size) {
  const FXrtDevice *device = i->model->device;
  FXrtGpu *gpu = i->gpu;
  int major = 0, minor = 0;
  char name[64] = "", log[384] = "";
  if (fails(i,
            driver.device_attribute(
                &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                gpu->device),
            "cannot be asked what it is", err, size) ||
      fails(i,
            driver.device_attribute(
                &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                gpu->device),
            "cannot be asked what it is", err, size) ||
      fails(i,
            driver.device_attribute(&gpu->multiprocessors,
                                    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                    gpu->device),
            "cannot be asked what it is", err, size))
    return 1;
  driver.device_name(name, sizeof name, gpu->device);
  if (!device->n_kernels) { /* the model only copies: it has no image */
    gpu->kernels = calloc(1, sizeof *gpu->kernels);
    if (!gpu->kernels)
      snprintf(err, size, "out of memory");
    return !gpu->kernels;
  }
  const FXrtImage *image = 0;
  int64_t least = 0;
  for (int64_t k = 0; k < device->n_images; ++k) {
    if (!image && runs_on(&device->images[k], 10 * major + minor))
      image = &device->images[k];
    if (!least || device->images[k].chip < least)
      least = device->images[k].chip;
  }
  if (!image) {
    snprintf(err, size,
             "%s: expected a device of compute capability %d.%d or newer, got "
             "%d.%d (%s)",
             gpu_name(i), (int)(least / 10), (int)(least % 10), major, minor,
             name);
    return 1;
  }
  CUresult code =
      device->ops->platform->load_image(&gpu->module, image, log, sizeof log);
  if (code) {
    if (code == CUDA_ERROR_NO_BINARY_FOR_GPU && !*log)
      snprintf(log, sizeof log,
               "the model was compiled for %s, the device is %s",
               i->model->info->target, name);
    for (char *c = log; *c; ++c)
      *c = *c == '\n' ? ' ' : *c;
    snprintf(err, size, "%s: the kernels cannot be loaded: %s%s%s", gpu_name(i),
             get_error_text(code), *log ? ": " : "", log);
    return 1;
  }
  gpu->image = image;
  gpu_log_image(gpu, i->model->info->target);
  gpu->kernels = calloc((size_t)device->n_kernels + 1, sizeof *gpu->kernels);
  for (int64_t k = 0; gpu->kernels && k < device->n_kernels; ++k) {
    const FXrtKernel *kernel = &device->kernels[k];
    int is_there = !kernel->chip || (image->family == FX_CHIP_EXACT &&
                                     image->chip == kernel->chip);
    if (is_there && fails(i,
                          driver.module_function(&gpu->kernels[k], gpu->module,
                                                 kernel->name),
                          kernel->name, err, size))
      return 1;
  }
  if (!gpu->kernels)
    snprintf(err, size, "out of memory");
  return !gpu->kernels;
}

/* Creates the memory pool that runs share. If the device has no pools, runs
 * allocate from the driver. */
static void make_pool(FXrtGpu *gpu) {
  int has_pools = 0;
  unsigned long long keep = ~0ull; /* never release memory to the system */
  CUmemPoolProps props = {.alloc_type = CU_MEM_ALLOCATION_TYPE_PINNED,
                          .location_type = CU_MEM_LOCATION_TYPE_DEVICE,
                          .location_id = gpu->device};
  if (driver.device_attribute(&has_pools,
                              CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
                              gpu->device) ||
      !has_pools || driver.pool_create(&gpu->pool, &props))
    gpu->pool = 0;
  else
    driver.pool_set(gpu->pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep);
}

static CUresult gpu_reset_states(FXInstance *i) {
  for (int64_t a = 0; a < i->model->n_args; ++a) {
    const FXrtArg *arg = &i->model->args[a];
    if (arg->kind != FX_ARG_MUTABLE || arg->bytes <= 0)
      continue;
    CUdeviceptr own = i->gpu->own[a];
    size_t bytes = (size_t)arg->bytes;
    CUresult code =
        arg->offset < 0
            ? driver.fill8(own, 0, bytes, 0)
            : driver.copy(own, i->gpu->weights + (CUdeviceptr)arg->offset,
                          bytes, 0);
    if (code)
      return code;
  }
  return driver.synchronize(0);
}

static int upload_states(FXInstance *i, char *err, size_t size) {
  FXrtGpu *gpu = i->gpu;
  size_t n = (size_t)i->model->n_args + 1, bytes = i->model->weight_bytes,
         free = 0, total = 0;
  i->arg_data = calloc(n, sizeof(void *));
  gpu->own = calloc(n, sizeof *gpu->own);
  if (!i->arg_data || !gpu->own) {
    snprintf(err, size, "out of memory for the states");
    return 1;
  }
  int fits = !bytes || (gpu->weights = gpu_keep(bytes));
  for (int64_t a = 0; fits && a < i->model->n_args; ++a) {
    const FXrtArg *arg = &i->model->args[a];
    CUdeviceptr data = gpu->weights + (CUdeviceptr)arg->offset;
    if (arg->kind == FX_ARG_MUTABLE)
      fits = (data = gpu->own[a] = gpu_keep((size_t)arg->bytes)) != 0;
    i->arg_data[a] = (void *)(uintptr_t)data;
  }
  if (!fits) {
    driver.memory_info(&free, &total);
    snprintf(err, size,
             "%s: out of memory: the model's states take %zu bytes, %zu of %zu "
             "are free",
             gpu_name(i), bytes, free, total);
    return 1;
  }
  if (bytes &&
      fails(i, driver.to_device(gpu->weights, i->common->weights, bytes, 0),
            "the weights cannot be copied", err, size))
    return 1;
  return fails(i, gpu_reset_states(i), "the states cannot be copied", err,
               size);
}

static int gpu_create(FXInstance *i, char *err, size_t size) {
  const FXrtDeviceOps *ops = i->model->device->ops;
  int count = 0;
  FXrtGpu *gpu = i->gpu = calloc(1, sizeof *gpu);
  if (!gpu) {
    snprintf(err, size, "out of memory");
    return 1;
  }
  gpu->log = -1;
  if (ops->platform->load(err, size))
    return 1;
  gpu->has_driver = 1;
  if (fails(i, driver.device_count(&count), "devices cannot be counted", err,
            size))
    return 1;
  if (i->common->callbacks.device < 0 || i->common->callbacks.device >= count) {
    snprintf(err, size, "expected a device below %s:%d, got %s", ops->name,
             count, gpu_name(i));
    return 1;
  }
  if (fails(i, driver.device_get(&gpu->device, i->common->callbacks.device),
            "cannot be found", err, size) ||
      fails(i, driver.context_retain(&gpu->context, gpu->device),
            "has no context", err, size) ||
      fails(i, driver.context_push(gpu->context), "has no context", err, size))
    return 1;
  gpu_read_environment(gpu);
  /* Reports the error of a kernel of another model that has failed before. */
  int failed =
      fails(i, driver.context_synchronize(), "cannot be used", err, size);
  if (failed) {
    pop_context();
    return 1;
  }
  make_pool(gpu);
  failed = load_kernels(i, err, size) || upload_states(i, err, size);
  gpu_choose_graphs(gpu);
  if (!failed && i->model->n_mutable)
    failed = fails(
        i, driver.event_create(&gpu->states_done, CU_EVENT_DISABLE_TIMING),
        "an event cannot be made", err, size);
  pop_context();
  return failed;
}

static void gpu_destroy(FXInstance *i) {
  FXrtGpu *gpu = i->gpu;
  if (gpu && gpu->context && !driver.context_push(gpu->context)) {
    driver.context_synchronize();
    gpu_drop_slots(i);
    for (int k = 0; k < GPU_CONSTANT_BUCKETS; ++k)
      for (GpuConstant *c = gpu->constants[k], *next; c; c = next) {
        next = c->next;
        driver.memory_free(c->data);
        free(c);
      }
    for (int64_t a = 0; gpu->own && a < i->model->n_args; ++a)
      if (gpu->own[a])
        driver.memory_free(gpu->own[a]);
    if (gpu->weights)
      driver.memory_free(gpu->weights);
    if (gpu->pool)
      driver.pool_destroy(gpu->pool); /* released with its last output */
    if (gpu->module)
      driver.module_unload(gpu->module);
    pop_context();
  }
  if (gpu) {
    const GpuPlatform *platform = i->model->device->ops->platform;
    if (gpu->has_driver && platform->release)
      platform->release(gpu->context);
    if (gpu->log >= 0)
      close(gpu->log);
    for (int64_t a = 0; gpu->host && a < i->model->n_args; ++a)
      free(gpu->host[a]);
    free(gpu->host);
    free(gpu->kernels);
    free(gpu->maps);
    free(gpu->own);
  }
  free(gpu);
  free(i->arg_data);
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

static void gpu_reset(FXInstance *i) {
  if (!i->model->n_mutable)
    return;
  CUresult code = driver.context_push(i->gpu->context);
  if (!code) {
    code = driver.context_synchronize();
    if (!code)
      code = gpu_reset_states(i);
    pop_context();
  }
  i->gpu->reset_error = code;
}

/* Sets `data` to the address of the argument's value on the device, or, if the
 * device's memory cannot be shared, on the host: a copy that the next call for
 * the state overwrites. Returns 1 on failure. */
static int gpu_get_state(FXInstance *i, int64_t a, void **data) {
  FXrtGpu *gpu = i->gpu;
  size_t bytes = (size_t)i->model->args[a].bytes;
  *data = i->arg_data[a];
  if (i->model->device->ops->shares_tensors)
    return 0;
  if (!gpu->host)
    gpu->host = calloc((size_t)i->model->n_args, sizeof *gpu->host);
  if (gpu->host && !gpu->host[a])
    gpu->host[a] = malloc(bytes ? bytes : 1);
  if (!gpu->host || !gpu->host[a] || driver.context_push(gpu->context))
    return 1;
  CUresult code =
      driver.to_host(gpu->host[a], (CUdeviceptr)(uintptr_t)*data, bytes, 0);
  code = code ? code : driver.synchronize(0);
  pop_context();
  *data = gpu->host[a];
  return code != 0;
}

/* Copies the value to new device memory. Returns 0 on failure. */
static CUdeviceptr stage_state(const FXrtDeviceOps *ops, const DLTensor *value,
                               size_t bytes) {
  CUdeviceptr data = gpu_keep(bytes);
  if (data && gpu_take(ops, value, data, 0)) {
    driver.memory_free(data);
    data = 0;
  }
  return data;
}

/* Copies all values, then replaces the old ones. If a copy fails, nothing
 * changes. */
static int gpu_set_states(FXInstance *i, int n, const int *indices,
                          const DLTensor *const *values, char *err,
                          size_t size) {
  FXrtGpu *gpu = i->gpu;
  CUdeviceptr *made = calloc((size_t)n + 1, sizeof *made);
  if (!made)
    snprintf(err, size, "out of memory");
  if (!made || fails(i, driver.context_push(gpu->context), "has no context",
                     err, size)) {
    free(made);
    return 1;
  }
  fx_rt_exclude_runs(i);
  int failed =
      fails(i, driver.context_synchronize(), "cannot be used", err, size);
  for (int k = 0; !failed && k < n; ++k) {
    int64_t a = fx_rt_arg_of(i->model, indices[k]);
    made[k] = a < 0 ? 0
                    : stage_state(i->model->device->ops, values[k],
                                  (size_t)i->model->args[a].bytes);
    failed = !made[k];
    if (failed)
      snprintf(err, size, "%s: state '%s' cannot be copied", gpu_name(i),
               i->model->info->states[indices[k]].name);
  }
  failed |=
      fails(i, driver.synchronize(0), "the states cannot be copied", err, size);
  for (int k = 0; k < n; ++k) {
    int64_t a = fx_rt_arg_of(i->model, indices[k]);
    CUdeviceptr unused = made[k];
    if (!failed) {
      unused = gpu->own[a];
      gpu->own[a] = made[k];
      i->arg_data[a] = (void *)(uintptr_t)made[k];
    }
    if (unused)
      driver.memory_free(unused);
  }
  fx_rt_admit_runs(i);
  pop_context();
  free(made);
  return failed;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/* Returns the data of an input that compiled code uses: the address of a number
 * on the host, or the device address of the tensor or of a copy. */
static void *bind_input(FXrtRun *run, int64_t a, const DLTensor *t) {
  const FXValueInfo *input =
      &run->instance->model->info->inputs[run->instance->model->args[a].index];
  const FXrtDeviceOps *ops = run->instance->model->device->ops;
  int device = run->instance->common->callbacks.device;
  char *data = (char *)t->data + t->byte_offset;
  size_t bytes = (size_t)fx_rt_count(t) * ((t->dtype.bits + 7) / 8);
  if (input->kind != FX_VALUE_TENSOR)
    return memcpy(run->host_values + 8 * a, data, bytes < 8 ? bytes : 8);
  if (gpu_has(t, ops) && t->device.device_id != device)
    fx_rt_fail("input '%s': expected a tensor on %s, got one on %s:%d",
               input->name, gpu_name(run->instance), ops->name,
               (int)t->device.device_id);
  if (gpu_has(t, ops) && fx_rt_is_contiguous(t))
    return data;
  if (!gpu_has(t, ops))
    gpu_refuse_capture(run, "an input on the host");
  void *copy = gpu_alloc(run, bytes);
  if (!copy)
    fx_rt_fail("%s: out of memory: %zu bytes for a copy of input '%s'",
               gpu_name(run->instance), bytes, input->name);
  gpu_check(gpu_take(ops, t, (CUdeviceptr)(uintptr_t)copy, run->options.stream),
            "an input cannot be copied");
  return copy;
}

static void gpu_bind_args(FXrtFrame *f, FXrtRun *run,
                          const DLTensor *const *inputs) {
  int64_t *at = f->words;
  gpu_check(driver.context_push(run->instance->gpu->context), "has no context");
  run->has_context = 1;
  gpu_begin(run);
  gpu_check(run->instance->gpu->reset_error, "the states cannot be reset");
  run->host_values = malloc((size_t)run->instance->model->n_args * 8 + 8);
  if (!run->host_values)
    fx_rt_fail("out of memory");
  for (int64_t a = 0; a < run->instance->model->n_args; ++a) {
    const FXrtArg *arg = &run->instance->model->args[a];
    FXrtMemRef *m = (FXrtMemRef *)at;
    f->args[a] = m;
    at += 3 + 2 * arg->rank;
    if (arg->kind != FX_ARG_INPUT)
      fx_rt_fill_memref(m, run->instance->arg_data[a], arg->rank, arg->sizes);
    else
      fx_rt_fill_memref(m, bind_input(run, a, inputs[arg->index]), arg->rank,
                        inputs[arg->index]->shape);
  }
}

/* Copies mutated inputs back to the caller's tensors if they were copied
 * before. Returns 1 if one of these is on the host. */
static int write_inputs_back(const FXrtFrame *f, FXrtRun *run,
                             const DLTensor *const *inputs) {
  CUstream stream = run->options.stream;
  int to_host = 0;
  for (int64_t a = 0; a < run->instance->model->n_args; ++a) {
    const FXrtArg *arg = &run->instance->model->args[a];
    if (arg->kind != FX_ARG_INPUT ||
        !run->instance->model->info->inputs[arg->index].mutated)
      continue;
    const DLTensor *t = inputs[arg->index];
    CUdeviceptr data =
        (CUdeviceptr)(uintptr_t)((FXrtMemRef *)f->args[a])->aligned;
    size_t bytes = (size_t)fx_rt_count(t) * ((t->dtype.bits + 7) / 8);
    if (gpu_has(t, run->instance->model->device->ops)) {
      if (!fx_rt_is_contiguous(t))
        gpu_check(gpu_copy_strided(t, data, 1, stream),
                  "an input cannot be written");
      continue;
    }
    if (bytes == 0)
      continue;
    to_host = 1;
    if (fx_rt_is_contiguous(t)) {
      gpu_check(
          driver.to_host((char *)t->data + t->byte_offset, data, bytes, stream),
          "an input cannot be written");
      continue;
    }
    char *flat = fx_rt_block_alloc(run, bytes);
    if (!flat)
      fx_rt_fail("out of memory");
    gpu_check(driver.to_host(flat, data, bytes, stream),
              "an input cannot be written");
    gpu_wait(run, "a kernel failed");
    fx_rt_copy_strided(t, flat, 1);
  }
  return to_host;
}

/* An output: the managed tensor, its shape, and what is needed to free the
 * data.
 */
typedef struct {
  DLManagedTensor tensor;
  FXCallbacks callbacks; /* a copy, because the instance may be gone */
  CUcontext context;
  CUstream stream;
  void *data;
  size_t bytes;
  int is_host, is_pooled, is_captured;
  int64_t shape[];
} GpuOutput;

/* Frees the memory of an output in the order of its stream. If the stream is
 * being captured now, but was not when the memory was allocated, the memory is
 * freed outside of the stream: the captured graph must not free memory that it
 * does not allocate. */
static void free_output(GpuOutput *o) {
  int status = 0, mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  if (!o->is_pooled || o->is_captured || o->callbacks.free ||
      !driver.has_graphs ||
      (!driver.is_capturing(o->stream, &status) && !status)) {
    gpu_block_put(&o->callbacks, o->is_pooled, o->data, o->bytes, o->stream);
    return;
  }
  driver.exchange_mode(&mode);
  driver.memory_free((CUdeviceptr)(uintptr_t)o->data);
  driver.exchange_mode(&mode);
}

static void gpu_delete_output(DLManagedTensor *self) {
  GpuOutput *o = self->manager_ctx;
  if (o->is_host) {
    free(o->data);
  } else if (o->data && !driver.context_push(o->context)) {
    free_output(o);
    pop_context();
  }
  free(o);
}

static GpuOutput *new_gpu_output(FXrtRun *run, const FXValueInfo *v,
                                 const int64_t *sizes, int is_host) {
  FXInstance *i = run->instance;
  GpuOutput *o = calloc(1, sizeof *o + (size_t)(v->rank + 1) * sizeof(int64_t));
  if (!o)
    fx_rt_fail("out of memory");
  o->callbacks = i->common->callbacks;
  o->context = i->gpu->context;
  o->stream = run->options.stream;
  o->is_pooled = i->gpu->pool != 0;
  o->is_captured = run->is_captured;
  o->is_host = is_host;
  for (int d = 0; d < v->rank; ++d)
    o->shape[d] = sizes[d];
  o->tensor.dl_tensor = (DLTensor){
      .device = {is_host ? kDLCPU : i->model->device->ops->device_type,
                 is_host ? 0 : i->common->callbacks.device},
      .ndim = v->rank,
      .dtype = v->dtype,
      .shape = o->shape};
  o->tensor.manager_ctx = o;
  o->tensor.deleter = gpu_delete_output;
  return o;
}

/* Copies an output to the host. Returns 1 if the copy is complete only after
 * the stream is synchronized. */
static int fetch_output(GpuOutput *o, const FXrtOutput *spec,
                        const FXrtMemRef *m) {
  const DLTensor *t = &o->tensor.dl_tensor;
  o->bytes = (size_t)fx_rt_count(t) * ((t->dtype.bits + 7) / 8);
  if (posix_memalign(&o->data, 64, o->bytes + 64)) {
    o->data = 0;
    fx_rt_fail("out of memory: %zu bytes for an output", o->bytes);
  }
  if (spec->result < 0) {
    memcpy(o->data, &spec->bits, o->bytes);
    return 0;
  }
  if (o->bytes)
    gpu_check(driver.to_host(o->data, (CUdeviceptr)(uintptr_t)m->aligned,
                             o->bytes, o->stream),
              "an output cannot be copied");
  return 1;
}

static void gpu_collect(const FXrtFrame *f, FXrtRun *run,
                        const DLTensor *const *inputs,
                        DLManagedTensor **outputs) {
  const FXModelInfo *info = run->instance->model->info;
  int waits = !(run->options.flags & FX_RUN_ASYNC);
  gpu_flush(run);
  waits |= write_inputs_back(f, run, inputs);
  for (int k = 0; k < info->n_outputs; ++k) {
    const FXrtOutput *spec = &run->instance->model->outputs[k];
    const FXValueInfo *v = &info->outputs[k];
    if (v->kind == FX_VALUE_NONE)
      continue;
    const int64_t *at = f->results;
    for (int64_t r = 0; r < spec->result; ++r)
      at += 3 + 2 * run->instance->model->result_ranks[r];
    const FXrtMemRef *m = (const FXrtMemRef *)at;
    int is_host = v->kind != FX_VALUE_TENSOR || spec->result < 0 ||
                  (run->options.flags & FX_RUN_HOST_OUTPUTS) ||
                  !run->instance->model->device->ops->shares_tensors;
    if (is_host && spec->result >= 0)
      gpu_refuse_capture(run, "an output on the host");
    GpuOutput *o = new_gpu_output(run, v, m->sizes_and_strides, is_host);
    outputs[k] = &o->tensor;
    if (is_host) {
      waits |= fetch_output(o, spec, m);
    } else {
      o->bytes = gpu_release(run, m->aligned);
      o->data = m->aligned;
    }
    o->tensor.dl_tensor.data = o->data;
  }
  if (waits)
    gpu_wait(run, "a kernel failed");
}

static void gpu_end(FXrtRun *run) {
  if (run->has_context) {
    if (atomic_load(&run->failed)) {
      if (run->gpu_slot) /* discard pending operations */
        clear_sequence(&run->gpu_slot->pending);
      if (!run->is_captured)
        driver.synchronize(run->options.stream);
    }
    while (run->gpu_blocks)
      gpu_free(run, run->gpu_blocks->data);
    gpu_finish(run);
    pop_context();
  }
  free(run->host_values);
}

#define GPU_OPS                                                                \
  .create = gpu_create, .destroy = gpu_destroy, .reset = gpu_reset,            \
  .get_state = gpu_get_state, .set_states = gpu_set_states,                    \
  .bind_args = gpu_bind_args, .collect = gpu_collect, .alloc = gpu_alloc,      \
  .arena = gpu_arena, .free = gpu_free, .fetch_operand = gpu_fetch_operand,    \
  .place_result = gpu_place_result, .end = gpu_end

const FXrtDeviceOps fx_rt_cuda = {.name = "cuda",
                                  .device_type = kDLCUDA,
                                  .shares_tensors = 1,
                                  .platform = &cuda_platform,
                                  GPU_OPS};

const FXrtDeviceOps fx_rt_rocm = {.name = "rocm",
                                  .device_type = kDLROCM,
                                  .shares_tensors = 1,
                                  .platform = &hip_platform,
                                  GPU_OPS};

const FXrtDeviceOps fx_rt_vulkan = {.name = "vulkan",
                                    .device_type = kDLVulkan,
                                    .platform = &vulkan_platform,
                                    GPU_OPS};

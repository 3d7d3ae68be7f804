/*===- CudaMemory.c - memory of a GPU -------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lies on the device: states for as long as the instance lives, constants
// of the code from their first use, and the memory of runs, which is taken and
// freed in the order of the run's stream, so that a run need not be over when
// the next one begins.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdlib.h>
#include <string.h>

/* What a tensor map is made of. */
enum { GPU_MAP_WORDS = 11 };
typedef union {
  struct {
    int64_t is_bf16, address, box_rows, rank, sizes[4], strides[3];
  };
  int64_t words[GPU_MAP_WORDS];
} GpuMapKey;

/* A tensor map that was made, by a hash of its key. */
typedef struct {
  GpuMapKey key; /* rank 0: none */
  char map[FX_TENSOR_MAP_BYTES];
} GpuMap;

/* A copy of a constant of the code. */
typedef struct GpuConstant {
  struct GpuConstant *next;
  const void *host;
  CUdeviceptr data;
} GpuConstant;

enum { GPU_CONSTANT_BUCKETS = 64, GPU_MAPS = 128 };

struct FXrtGpu {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction *kernels;    /* null: the image has it not */
  const FXrtImage *image; /* that was loaded */
  int processors;
  GpuMap *maps;       /* GPU_MAPS, once there is one */
  CUmemoryPool pool;  /* null: the device has none */
  int is_synchronous; /* FX_CUDA_SYNC: launches are waited for */
  int log;            /* FX_CUDA_LOG: a file that is open, or -1 */
  CUdeviceptr weights;
  CUdeviceptr
      *own; /* of each argument: memory of a mutable or replaced state, or 0 */
  GpuConstant *constants[GPU_CONSTANT_BUCKETS];
};

struct FXrtGpuBlock {
  FXrtGpuBlock *next;
  void *data;
  size_t bytes;
};

/* Memory for the instance; null: out of memory. */
static CUdeviceptr gpu_keep(size_t bytes) {
  CUdeviceptr data = 0;
  return driver.memory_alloc(&data, bytes ? bytes : 1) ? 0 : data;
}

/* Fails the run where `code` is an error. Of one that a kernel left behind the
 * call that finds it is not the cause. */
static void gpu_check(CUresult code, const char *what) {
  int device = (int)fx_rt_thread.run->instance->callbacks.device;
  if (is_sticky(code))
    fx_rt_fail("cuda:%d: %s: %s: a kernel that was launched before has failed, "
               "and no call of this process can use the device any more; "
               "FX_CUDA_SYNC=1 names the kernel",
               device, what, get_error_text(code));
  if (code)
    fx_rt_fail("cuda:%d: %s: %s", device, what, get_error_text(code));
}

/* Null: out of memory; another error fails the run. */
static void *gpu_block_get(FXInstance *i, size_t bytes, CUstream stream) {
  CUdeviceptr data = 0;
  if (i->callbacks.alloc)
    return i->callbacks.alloc(i->callbacks.context, bytes, 256);
  CUresult code = i->gpu->pool
                      ? driver.pool_alloc(&data, bytes, i->gpu->pool, stream)
                      : driver.memory_alloc(&data, bytes);
  if (code != CUDA_ERROR_OUT_OF_MEMORY)
    gpu_check(code, "memory cannot be had");
  return code ? 0 : (void *)(uintptr_t)data;
}

static void gpu_block_put(const FXCallbacks *callbacks, int is_pooled,
                          void *data, size_t bytes, CUstream stream) {
  if (callbacks->free)
    callbacks->free(callbacks->context, data, bytes);
  else if (is_pooled)
    driver.pool_free((CUdeviceptr)(uintptr_t)data, stream);
  else
    driver.memory_free((CUdeviceptr)(uintptr_t)data);
}

static void *gpu_alloc(FXrtRun *run, size_t bytes) {
  FXrtGpuBlock *block = malloc(sizeof *block);
  if (!block)
    return 0;
  block->bytes = bytes ? bytes : 1;
  block->data = 0;
  block->next = run->gpu_blocks;
  run->gpu_blocks = block; /* the call below may leave by an error */
  block->data = gpu_block_get(run->instance, block->bytes, run->options.stream);
  if (!block->data) {
    run->gpu_blocks = block->next;
    free(block);
    return 0;
  }
  return block->data;
}

/* Takes a block out of the run; returns its bytes. */
static size_t gpu_release(FXrtRun *run, void *data) {
  for (FXrtGpuBlock **at = &run->gpu_blocks; *at; at = &(*at)->next)
    if ((*at)->data == data) {
      FXrtGpuBlock *block = *at;
      size_t bytes = block->bytes;
      *at = block->next;
      free(block);
      return bytes;
    }
  return 0;
}

static void gpu_free(FXrtRun *run, void *data) {
  size_t bytes = gpu_release(run, data);
  if (!data)
    return;
  gpu_block_put(&run->instance->callbacks, run->instance->gpu->pool != 0, data,
                bytes, run->options.stream);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/* Copies runs of `run` bytes of a strided tensor of the device, to or from a
 * contiguous one at *flat, which moves on. */
static CUresult gpu_copy_dims(const DLTensor *t, int d, int inner,
                              CUdeviceptr at, CUdeviceptr *flat, int64_t run,
                              int to_tensor, CUstream stream) {
  if (d == inner) {
    CUresult code = to_tensor ? driver.copy(at, *flat, (size_t)run, stream)
                              : driver.copy(*flat, at, (size_t)run, stream);
    *flat += (CUdeviceptr)run;
    return code;
  }
  CUresult code = 0;
  for (int64_t k = 0; !code && k < t->shape[d]; ++k)
    code = gpu_copy_dims(
        t, d + 1, inner,
        at + (CUdeviceptr)(k * t->strides[d] * ((t->dtype.bits + 7) / 8)), flat,
        run, to_tensor, stream);
  return code;
}

/* Copies between a strided tensor of the device and a contiguous buffer there.
 */
static CUresult gpu_copy_strided(const DLTensor *t, CUdeviceptr flat,
                                 int to_tensor, CUstream stream) {
  if (fx_rt_count(t) == 0)
    return 0;
  int inner = t->ndim;
  int64_t run = 1, size = (t->dtype.bits + 7) / 8;
  while (inner > 0 && (!t->strides || t->strides[inner - 1] == run ||
                       t->shape[inner - 1] == 1))
    run *= t->shape[--inner];
  return gpu_copy_dims(t, 0, inner,
                       (CUdeviceptr)(uintptr_t)t->data + t->byte_offset, &flat,
                       run * size, to_tensor, stream);
}

/* Copies between a tensor, of the host or of the device, and a contiguous
 * buffer of the device. To the host: once the stream is synchronized, see the
 * caller. */
static CUresult gpu_take(const DLTensor *t, CUdeviceptr to, CUstream stream) {
  size_t bytes = (size_t)fx_rt_count(t) * ((t->dtype.bits + 7) / 8);
  if (bytes == 0)
    return 0;
  if (t->device.device_type == kDLCUDA)
    return gpu_copy_strided(t, to, 0, stream);
  if (fx_rt_is_contiguous(t))
    return driver.to_device(to, (const char *)t->data + t->byte_offset, bytes,
                            stream);
  char *flat = malloc(bytes);
  if (!flat)
    return CUDA_ERROR_OUT_OF_MEMORY;
  fx_rt_copy_strided(t, flat, 0);
  /* Of memory that is not pinned the driver keeps a copy. */
  CUresult code = driver.to_device(to, flat, bytes, stream);
  free(flat);
  return code;
}

//===----------------------------------------------------------------------===//
// What compiled code calls
//===----------------------------------------------------------------------===//

/* True for the place of a number that the caller passed. */
static int is_host_value(int64_t address) {
  const char *at = (const char *)(intptr_t)address,
             *values = fx_rt_thread.run->host_values;
  return values && at >= values && at < values + 8 * fx_rt_model.n_args;
}

void fx_rt_gpu_copy(int64_t to, int64_t from, int64_t bytes) {
  CUstream stream = fx_rt_thread.run->options.stream;
  if (bytes <= 0)
    return;
  gpu_check(is_host_value(from)
                ? driver.to_device((CUdeviceptr)to,
                                   (const void *)(intptr_t)from, (size_t)bytes,
                                   stream)
                : driver.copy((CUdeviceptr)to, (CUdeviceptr)from, (size_t)bytes,
                              stream),
            "a copy failed");
}

/* Fetches an element for the host. */
void fx_rt_gpu_read(int64_t to, int64_t from, int64_t bytes) {
  CUstream stream = fx_rt_thread.run->options.stream;
  void *here = (void *)(intptr_t)to;
  if (is_host_value(from)) {
    memcpy(here, (const void *)(intptr_t)from, (size_t)bytes);
    return;
  }
  gpu_check(driver.to_host(here, (CUdeviceptr)from, (size_t)bytes, stream),
            "a copy failed");
  gpu_check(driver.synchronize(stream), "a kernel failed");
}

void fx_rt_gpu_write(int64_t to, int64_t from, int64_t bytes) {
  gpu_check(driver.to_device((CUdeviceptr)to, (const void *)(intptr_t)from,
                             (size_t)bytes, fx_rt_thread.run->options.stream),
            "a copy failed");
}

static CUdeviceptr find_constant(FXInstance *i, const void *host,
                                 size_t bytes) {
  GpuConstant **bucket =
      &i->gpu->constants[((uintptr_t)host >> 4) % GPU_CONSTANT_BUCKETS];
  for (GpuConstant *c = *bucket; c; c = c->next)
    if (c->host == host)
      return c->data;
  GpuConstant *made = malloc(sizeof *made);
  CUdeviceptr data = made ? gpu_keep(bytes) : 0;
  /* Another run, on another stream, may read it next. */
  if (!data || driver.to_device(data, host, bytes, 0) ||
      driver.synchronize(0)) {
    if (data)
      driver.memory_free(data);
    free(made);
    return 0;
  }
  *made = (GpuConstant){*bucket, host, data};
  *bucket = made;
  return data;
}

/* memref<?xi8> fx_rt_gpu_constant(index address, index bytes) */
void _mlir_ciface_fx_rt_gpu_constant(FXrtMemRef *out, int64_t from,
                                     int64_t bytes) {
  FXInstance *i = fx_rt_thread.run->instance;
  pthread_mutex_lock(&i->lock);
  CUdeviceptr data =
      find_constant(i, (const void *)(intptr_t)from, (size_t)bytes);
  pthread_mutex_unlock(&i->lock);
  if (!data)
    fx_rt_fail("cuda:%d: out of memory: %lld bytes for a constant",
               (int)i->callbacks.device, (long long)bytes);
  set_bytes(out, (void *)(uintptr_t)data, bytes);
}

//===----------------------------------------------------------------------===//
// The fallback
//===----------------------------------------------------------------------===//

/* What lies between the first and the last element is copied as it lies: one
 * copy, whatever the strides. */
static void *cuda_fetch_operand(FXrtRun *run, DLTensor *t) {
  const FXCallbacks *callbacks = &run->instance->callbacks;
  int64_t first = 0, last = 0, size = (t->dtype.bits + 7) / 8;
  if (is_host_value((int64_t)(intptr_t)t->data))
    return 0;
  if (callbacks->fallback_on_device) {
    t->device = (DLDevice){kDLCUDA, callbacks->device};
    gpu_check(driver.synchronize(run->options.stream), "a kernel failed");
    return 0;
  }
  if (fx_rt_count(t) == 0)
    return 0;
  for (int d = 0; d < t->ndim; ++d) {
    int64_t reach = (t->shape[d] - 1) * t->strides[d];
    first += reach < 0 ? reach : 0;
    last += reach > 0 ? reach : 0;
  }
  size_t bytes = (size_t)((last - first + 1) * size);
  char *copy = fx_rt_block_alloc(run, bytes, 0);
  if (!copy)
    fx_rt_fail("out of memory: %lld bytes for an operand of the fallback",
               (long long)bytes);
  CUdeviceptr from =
      (CUdeviceptr)(uintptr_t)t->data + (CUdeviceptr)(first * size);
  CUstream stream = run->options.stream;
  gpu_check(driver.to_host(copy, from, bytes, stream), "a copy failed");
  gpu_check(driver.synchronize(stream), "a kernel failed");
  t->data = copy - first * size;
  return copy;
}

static void cuda_place_result(FXrtRun *run, const DLTensor *t, void *to) {
  CUstream stream = run->options.stream;
  gpu_check(gpu_take(t, (CUdeviceptr)(uintptr_t)to, stream), "a copy failed");
  if (t->device.device_type == kDLCUDA)
    gpu_check(driver.synchronize(stream), "a copy failed");
}

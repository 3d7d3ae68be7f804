/*===- GpuMemory.c - memory of a GPU --------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Manages device memory: states live as long as the instance, constants of the
// code from their first use on. The memory of runs is allocated and freed in
// the order of the run's stream, so that the next run can begin before the
// previous one is complete.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdlib.h>
#include <string.h>

/* The parameters of a tensor map; all words are compared and hashed. */
enum { GPU_MAP_WORDS = 17 };
typedef union {
  struct {
    int64_t kind, address, box_rows, rank, sizes[4], strides[3];
    /* Of images, whose boxes are pixels; the steps of others are 0. */
    int64_t lower[2], upper[2], steps[2];
  };
  int64_t words[GPU_MAP_WORDS];
} GpuMapKey;

/* An entry of the cache of tensor maps, whose index is a hash of the key. */
typedef struct {
  GpuMapKey key; /* rank 0: none */
  char map[FX_TENSOR_MAP_BYTES];
} GpuMap;

/* A constant of the code and its copy on the device. */
typedef struct GpuConstant {
  struct GpuConstant *next;
  const void *host;
  CUdeviceptr data;
} GpuConstant;

enum { GPU_CONSTANT_BUCKETS = 64, GPU_MAPS = 128 };

/* An operation of compiled code: a launch, a copy on the device, or a fill. */
typedef struct {
  enum { GPU_LAUNCH, GPU_COPY, GPU_FILL } kind;
  int kernel;
  unsigned grid[3], block[3], shared;
  int n, n_maps;        /* number of parameters; the first n_maps are maps */
  size_t params;        /* offset of the parameters in the sequence's */
  CUdeviceptr to, from; /* `from` of a fill is the value */
  size_t bytes;
  int ranges, n_ranges; /* the first range in the sequence; none: all memory */
} GpuOp;

/* Memory that an operation reads, or reads and writes. */
typedef struct {
  CUdeviceptr begin, end;
  unsigned writes;
} GpuRange;

/* A sequence of operations, their parameters and ranges. The ranges from
 * `n_claimed` on belong to the next operation. */
typedef struct {
  GpuOp *ops;
  char *params;
  GpuRange *ranges;
  int n, room, n_ranges, ranges_room, n_claimed;
  size_t n_bytes, bytes_room;
} GpuSequence;

/* The edges of a graph: operation k waits for the operations `edges` from
 * `first[k]` to `first[k + 1]`. Row k of `before`, which has `words` words, is
 * the set of all operations that are complete when it begins; null: those in
 * front of it. */
typedef struct {
  uint64_t *before;
  int *edges, *first, words, n_edges, room;
} GpuOrder;

/* A CUDA graph of a sequence. The sequence holds the current parameters of the
 * nodes. */
typedef struct {
  GpuSequence sequence;
  GpuOrder order;
  uint64_t hash, used; /* used: the slot's clock at the last use */
  CUgraph graph;
  CUgraphNode *nodes;
  int branches;     /* nodes wait only for those with which they conflict */
  int overlaps;     /* kernels start before those in front of them end */
  CUgraphExec exec; /* null if there is no graph */
} GpuGraph;

/* GPU_SEEN is the number of sequences that are remembered. A sequence becomes a
 * graph when it occurs for the second time. */
enum { GPU_SLOTS = 4, GPU_GRAPHS = 16, GPU_SEEN = 32, GPU_MOST_PARAMS = 256 };

/* Resources of one run at a time: memory for its temporary tensors, whose
 * address does not change from run to run, and graphs that use this memory. */
typedef struct FXrtGpuSlot {
  int is_busy, is_given; /* is_given: the run has asked for the arena */
  uint64_t used;         /* the instance's clock at the last use; 0: never */
  CUstream stream;       /* of the last run; `done` is recorded after it */
  CUevent done;
  void *arena;
  size_t arena_bytes;
  GpuSequence pending;
  GpuGraph graphs[GPU_GRAPHS];
  uint64_t seen[GPU_SEEN], n_seen, clock;
} GpuSlot;

struct FXrtGpu {
  int has_driver; /* the platform's `load` succeeded */
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction *kernels;    /* null entries: kernels that the image lacks */
  const FXrtImage *image; /* the loaded one */
  int multiprocessors;
  GpuMap *maps;            /* cache of GPU_MAPS entries, or null */
  CUmemoryPool pool;       /* null if the device has no pools */
  int is_synchronous;      /* FX_GPU_SYNC: wait for each launch */
  int log;                 /* FX_GPU_LOG: an open file, or -1 */
  atomic_int makes_graphs; /* 0: kernels are launched one by one */
  atomic_int overlaps;     /* kernels start before those in front of them end */
  atomic_int branches;     /* nodes wait only for those with conflicts */
  atomic_long replays;
  GpuSlot slots[GPU_SLOTS]; /* guarded by the instance's lock, like clock */
  uint64_t clock;
  CUevent states_done; /* recorded after each run if the model mutates states */
  CUresult reset_error; /* of the last reset; fails runs */
  CUdeviceptr weights;
  CUdeviceptr
      *own; /* of each argument: memory of a mutable or replaced state, or 0 */
  void **host; /* of each argument: its value for get_state; may be null */
  GpuConstant *constants[GPU_CONSTANT_BUCKETS];
};

struct FXrtGpuBlock {
  FXrtGpuBlock *next;
  void *data;
  size_t bytes;
  int is_freed; /* free it when the pending operations are on the stream */
};

/* Allocates memory that lives as long as the instance. Returns 0 if out of
 * memory. */
static CUdeviceptr gpu_keep(size_t bytes) {
  CUdeviceptr data = 0;
  return driver.memory_alloc(&data, bytes ? bytes : 1) ? 0 : data;
}

/* Fails the run if `code` is an error. A sticky error was caused by an earlier
 * kernel, not by the call that returns it. */
static void gpu_check(CUresult code, const char *what) {
  const char *device = gpu_name(fx_rt_thread.run->instance);
  if (is_sticky(code))
    fx_rt_fail("%s: %s: %s: a kernel that was launched before has failed, "
               "and no call of this process can use the device any more; "
               "FX_GPU_SYNC=1 names the kernel",
               device, what, get_error_text(code));
  if (code)
    fx_rt_fail("%s: %s: %s", device, what, get_error_text(code));
}

/* Allocates memory of a run. Returns null if out of memory; other errors fail
 * the run. */
static void *gpu_block_get(FXInstance *i, size_t bytes, CUstream stream) {
  CUdeviceptr data = 0;
  if (i->common->callbacks.alloc)
    return i->common->callbacks.alloc(i->common->callbacks.context, bytes, 256);
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
  block->is_freed = 0;
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

/* Takes a block out of the run and returns its size. */
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

/* Frees memory of a run. If operations are pending, the memory is freed when
 * they are on the stream. */
static void gpu_free(FXrtRun *run, void *data) {
  GpuSlot *slot = run->gpu_slot;
  if (!data || (slot && data == slot->arena))
    return;
  if (slot && slot->pending.n) {
    for (FXrtGpuBlock *block = run->gpu_blocks; block; block = block->next)
      block->is_freed |= block->data == data;
    return;
  }
  size_t bytes = gpu_release(run, data);
  gpu_block_put(&run->instance->common->callbacks,
                run->instance->gpu->pool != 0, data, bytes,
                run->options.stream);
}

/* Allocates the memory for the temporary tensors of a run; called once per run.
 * It belongs to the run's slot, so the next run gets the same address. Memory
 * of the caller's allocator is not kept, because it may be bound to one stream.
 */
static void *gpu_arena(FXrtRun *run, size_t bytes) {
  GpuSlot *slot = run->gpu_slot;
  FXInstance *i = run->instance;
  CUstream stream = run->options.stream;
  if (!slot || slot->is_given || i->common->callbacks.alloc)
    return gpu_alloc(run, bytes);
  if (slot->arena_bytes < bytes) {
    void *old = slot->arena;
    slot->arena = 0; /* the calls below may leave by an error */
    if (old)
      gpu_block_put(&i->common->callbacks, i->gpu->pool != 0, old,
                    slot->arena_bytes, stream);
    slot->arena_bytes = 0;
    slot->arena = gpu_block_get(i, bytes, stream);
    slot->arena_bytes = slot->arena ? bytes : 0;
  }
  slot->is_given = slot->arena != 0;
  return slot->arena;
}

/* Fails the run if the caller is capturing its stream. `what` is the feature of
 * the run that cannot be captured. */
static void gpu_refuse_capture(const FXrtRun *run, const char *what) {
  if (run->is_captured)
    fx_rt_fail("%s: the stream is captured into a graph: expected a run "
               "with FX_RUN_ASYNC that leaves the host out, got %s",
               gpu_name(run->instance), what);
}

/* Waits for the run's stream. */
static void gpu_wait(FXrtRun *run, const char *what) {
  gpu_refuse_capture(run, "one that waits for the device");
  gpu_check(driver.synchronize(run->options.stream), what);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/* Copies the dimensions from `d` on of a strided tensor on the device to or
 * from a contiguous buffer at *flat, in runs of `run` bytes: the dimensions
 * from `inner` on. Advances *flat. */
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

/* Copies between a strided tensor and a contiguous buffer, both on the device.
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

/* Returns true if the tensor is on a device of the platform. */
static int gpu_has(const DLTensor *t, const FXrtDeviceOps *ops) {
  return t->device.device_type == (DLDeviceType)ops->device_type;
}

/* Copies a tensor of the host or of the device to a contiguous buffer on the
 * device. */
static CUresult gpu_take(const FXrtDeviceOps *ops, const DLTensor *t,
                         CUdeviceptr to, CUstream stream) {
  size_t bytes = (size_t)fx_rt_count(t) * ((t->dtype.bits + 7) / 8);
  if (bytes == 0)
    return 0;
  if (gpu_has(t, ops))
    return gpu_copy_strided(t, to, 0, stream);
  if (fx_rt_is_contiguous(t))
    return driver.to_device(to, (const char *)t->data + t->byte_offset, bytes,
                            stream);
  char *flat = malloc(bytes);
  if (!flat)
    return CUDA_ERROR_OUT_OF_MEMORY;
  fx_rt_copy_strided(t, flat, 0);
  /* The driver copies memory that is not pinned, so it can be freed at once. */
  CUresult code = driver.to_device(to, flat, bytes, stream);
  free(flat);
  return code;
}

//===----------------------------------------------------------------------===//
// Functions that compiled code calls
//===----------------------------------------------------------------------===//

/* Returns true if the address is that of a number among the inputs. */
static int is_host_value(int64_t address) {
  const char *at = (const char *)(intptr_t)address,
             *values = fx_rt_thread.run->host_values;
  return values && at >= values &&
         at < values + 8 * fx_rt_thread.run->instance->model->n_args;
}

/* Defined in CudaGraph.c: puts an operation on the stream, or delays it until
 * `gpu_flush`. */
static void gpu_issue(FXrtRun *run, const GpuOp *op, void *const *params);
static void gpu_flush(FXrtRun *run);

/* Writes bytes of the host to the device. The bytes become part of the
 * operations, so the host's memory is read now. */
static void gpu_write(FXrtRun *run, CUdeviceptr to, const char *from,
                      int64_t bytes) {
  for (int64_t done = 0, size; done < bytes; done += size) {
    GpuOp op = {.kind = GPU_FILL, .to = to + (CUdeviceptr)done};
    size = bytes - done >= 4 ? 4 : bytes - done >= 2 ? 2 : 1;
    op.bytes = (size_t)size;
    memcpy(&op.from, from + done, (size_t)size);
    gpu_issue(run, &op, 0);
  }
}

void fx_rt_gpu_copy(int64_t to, int64_t from, int64_t bytes) {
  GpuOp op = {.kind = GPU_COPY,
              .to = (CUdeviceptr)to,
              .from = (CUdeviceptr)from,
              .bytes = (size_t)bytes};
  if (bytes <= 0)
    return;
  if (is_host_value(from))
    gpu_write(fx_rt_thread.run, op.to, (const char *)(intptr_t)from, bytes);
  else
    gpu_issue(fx_rt_thread.run, &op, 0);
}

/* Copies an element to the host. */
void fx_rt_gpu_read(int64_t to, int64_t from, int64_t bytes) {
  FXrtRun *run = fx_rt_thread.run;
  void *here = (void *)(intptr_t)to;
  if (is_host_value(from)) {
    memcpy(here, (const void *)(intptr_t)from, (size_t)bytes);
    return;
  }
  gpu_refuse_capture(run, "a model whose host code reads what it computed");
  gpu_flush(run);
  gpu_check(driver.to_host(here, (CUdeviceptr)from, (size_t)bytes,
                           run->options.stream),
            "a copy failed");
  gpu_wait(run, "a kernel failed");
}

void fx_rt_gpu_write(int64_t to, int64_t from, int64_t bytes) {
  gpu_write(fx_rt_thread.run, (CUdeviceptr)to, (const char *)(intptr_t)from,
            bytes);
}

/* Copies from the host to memory that any stream may read afterwards. Uses a
 * new stream, because the caller may be capturing others. */
static CUresult upload(CUdeviceptr to, const void *from, size_t bytes) {
  CUstream stream;
  CUresult code = driver.stream_create(&stream, CU_STREAM_NON_BLOCKING);
  if (code)
    return code;
  code = driver.to_device(to, from, bytes, stream);
  if (!code)
    code = driver.synchronize(stream);
  driver.stream_destroy(stream);
  return code;
}

/* Copies a constant to new device memory. Returns 0 if out of memory. While a
 * stream is being captured, the driver allocates memory only in a thread that
 * has set the relaxed capture mode. */
static CUdeviceptr keep_constant(const void *host, size_t bytes) {
  int mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  if (driver.has_graphs)
    driver.exchange_mode(&mode);
  CUdeviceptr data = gpu_keep(bytes);
  if (data && upload(data, host, bytes)) {
    driver.memory_free(data);
    data = 0;
  }
  if (driver.has_graphs)
    driver.exchange_mode(&mode);
  return data;
}

static CUdeviceptr find_constant(FXInstance *i, const void *host,
                                 size_t bytes) {
  GpuConstant **bucket =
      &i->gpu->constants[((uintptr_t)host >> 4) % GPU_CONSTANT_BUCKETS];
  for (GpuConstant *c = *bucket; c; c = c->next)
    if (c->host == host)
      return c->data;
  GpuConstant *made = malloc(sizeof *made);
  CUdeviceptr data = made ? keep_constant(host, bytes) : 0;
  if (!data) {
    free(made);
    return 0;
  }
  *made = (GpuConstant){*bucket, host, data};
  *bucket = made;
  return data;
}

/* memref<?xi8> fx_rt_gpu_constant(index address, index bytes): the copy of a
 * constant on the device. */
void _mlir_ciface_fx_rt_gpu_constant(FXrtMemRef *out, int64_t from,
                                     int64_t bytes) {
  FXInstance *i = fx_rt_thread.run->instance;
  pthread_mutex_lock(&i->common->lock);
  CUdeviceptr data =
      find_constant(i, (const void *)(intptr_t)from, (size_t)bytes);
  pthread_mutex_unlock(&i->common->lock);
  if (!data)
    fx_rt_fail("%s: out of memory: %lld bytes for a constant", gpu_name(i),
               (long long)bytes);
  set_bytes(out, (void *)(uintptr_t)data, bytes);
}

//===----------------------------------------------------------------------===//
// The fallback
//===----------------------------------------------------------------------===//

/* Copies the memory from the first to the last element as it is, so one copy is
 * enough for all strides. */
static void *gpu_fetch_operand(FXrtRun *run, DLTensor *t) {
  const FXCallbacks *callbacks = &run->instance->common->callbacks;
  const FXrtDeviceOps *ops = run->instance->model->device->ops;
  int64_t first = 0, last = 0, size = (t->dtype.bits + 7) / 8;
  if (is_host_value((int64_t)(intptr_t)t->data))
    return 0;
  if (callbacks->fallback_on_device) {
    t->device = (DLDevice){ops->device_type, callbacks->device};
    gpu_flush(run);
    gpu_wait(run, "a kernel failed");
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
  char *copy = fx_rt_block_alloc(run, bytes);
  if (!copy)
    fx_rt_fail("out of memory: %lld bytes for an operand of the fallback",
               (long long)bytes);
  CUdeviceptr from =
      (CUdeviceptr)(uintptr_t)t->data + (CUdeviceptr)(first * size);
  gpu_refuse_capture(run, "an operator that falls back");
  gpu_flush(run);
  gpu_check(driver.to_host(copy, from, bytes, run->options.stream),
            "a copy failed");
  gpu_wait(run, "a kernel failed");
  t->data = copy - first * size;
  return copy;
}

static void gpu_place_result(FXrtRun *run, const DLTensor *t, void *to) {
  const FXrtDeviceOps *ops = run->instance->model->device->ops;
  gpu_refuse_capture(run, "random numbers or an operator that falls back");
  gpu_flush(run);
  gpu_check(gpu_take(ops, t, (CUdeviceptr)(uintptr_t)to, run->options.stream),
            "a copy failed");
  if (gpu_has(t, ops))
    gpu_wait(run, "a copy failed");
}

/*===- GpuLaunch.c - launches of kernels and their tensor maps ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled code calls these functions. Tensor maps describe operands that a
// kernel copies in boxes. The driver encodes them; as this takes longer than a
// look-up, they are cached. Kernels take tensor maps by value: compiled code
// passes the addresses of maps that are stored in the run.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

//===----------------------------------------------------------------------===//
// Diagnosis of failures
//===----------------------------------------------------------------------===//

/* Reads the environment. FX_GPU_SYNC=1: the runtime waits for each launch.
 * FX_GPU_LOG=FILE: it writes a line of JSON for the loaded image and for
 * graphs, and with FX_GPU_SYNC a line before each launch, so that the last
 * line names a kernel that never ends. */
static void gpu_read_environment(FXrtGpu *gpu) {
  const char *sync = getenv("FX_GPU_SYNC"), *path = getenv("FX_GPU_LOG");
  gpu->is_synchronous = sync && *sync && strcmp(sync, "0") != 0;
  gpu->log = path && *path
                 ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)
                 : -1;
}

/* Writes a line to the log without buffering, so that it is not lost if the
 * process ends. */
static void gpu_log(const FXrtGpu *gpu, const char *line, int bytes, int room) {
  if (gpu->log >= 0 && bytes > 0 && bytes < room &&
      write(gpu->log, line, (size_t)bytes) < 0)
    return; /* an error of the log is ignored */
}

static void gpu_log_image(const FXrtGpu *gpu, const char *target) {
  char line[128];
  const FXrtImage *image = gpu->image;
  if (!image->chip) { /* the only one */
    int n = snprintf(line, sizeof line, "{\"image\": \"%s\"}\n", target);
    gpu_log(gpu, line, n, sizeof line);
    return;
  }
  const char *suffix = image->family == FX_CHIP_EXACT    ? "a"
                       : image->family == FX_CHIP_FAMILY ? "f"
                                                         : "";
  int n = snprintf(
      line, sizeof line, "{\"image\": \"%s\", \"chip\": \"sm_%d%s\"}\n",
      image->is_binary ? "cubin" : "ptx", (int)image->chip, suffix);
  gpu_log(gpu, line, n, sizeof line);
}

/* The geometry of a launch, for messages; `shared` is the bytes of dynamic
 * shared memory. */
typedef struct {
  int64_t grid[3], block[3], shared;
} GpuGeometry;

static void gpu_log_launch(const FXrtGpu *gpu, const FXrtKernel *kernel,
                           const GpuGeometry *g) {
  char line[512];
  int n;
  if (gpu->log < 0 || !gpu->is_synchronous)
    return;
  n = snprintf(line, sizeof line,
               "{\"kernel\": \"%s\", \"grid\": [%lld, %lld, %lld], "
               "\"block\": [%lld, %lld, %lld], \"shared\": %lld}\n",
               kernel->name, (long long)g->grid[0], (long long)g->grid[1],
               (long long)g->grid[2], (long long)g->block[0],
               (long long)g->block[1], (long long)g->block[2],
               (long long)g->shared);
  gpu_log(gpu, line, n, sizeof line);
}

/* Fails the run if the launch failed. `verb` says what failed. */
static void gpu_check_launch(CUresult code, const char *verb,
                             const FXrtKernel *kernel, const GpuGeometry *g) {
  if (!code)
    return;
  fx_rt_fail(
      "%s: kernel '%s'%s%s%s %s: %s; grid %lld x %lld x %lld, "
      "blocks of %lld x %lld x %lld, %lld bytes of shared memory%s",
      gpu_name(fx_rt_thread.run->instance), kernel->name,
      *kernel->nodes ? " (of " : "", kernel->nodes, *kernel->nodes ? ")" : "",
      verb, get_error_text(code), (long long)g->grid[0], (long long)g->grid[1],
      (long long)g->grid[2], (long long)g->block[0], (long long)g->block[1],
      (long long)g->block[2], (long long)g->shared,
      is_sticky(code) && !fx_rt_thread.run->instance->gpu->is_synchronous
          ? "; an earlier kernel may be the one that failed: "
            "FX_GPU_SYNC=1 names it"
          : "");
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/* Returns the number of multiprocessors of the device, or 0 if the loaded image
 * is not the one for exactly this chip (90 for sm_90a) or if the driver cannot
 * make tensor maps. */
int64_t fx_rt_gpu_multiprocessors(int64_t chip) {
  const FXrtGpu *gpu = fx_rt_thread.run->instance->gpu;
  int is_there = gpu->image->chip == chip &&
                 gpu->image->family == FX_CHIP_EXACT && driver.encode_tiled &&
                 driver.encode_im2col;
  return is_there ? gpu->multiprocessors : 0;
}

/* Returns the place of a tensor map in the cache, which may hold another one.
 */
static GpuMap *find_map_place(FXrtGpu *gpu, const GpuMapKey *key) {
  uint64_t hash = GPU_HASH;
  for (int k = 0; k < GPU_MAP_WORDS; ++k)
    hash = hash_word(hash, (uint64_t)key->words[k]);
  return &gpu->maps[(hash >> 32) % GPU_MAPS];
}

static int is_equal_key(const GpuMapKey *a, const GpuMapKey *b) {
  int is_equal = 1;
  for (int k = 0; k < GPU_MAP_WORDS; ++k)
    is_equal &= a->words[k] == b->words[k];
  return is_equal;
}

static CUresult encode_map(void *map, const GpuMapKey *key) {
  enum { ROW_BYTES = 128 }; /* of a box, and of the channels of a pixel */
  static const struct {
    int type;
    unsigned bytes;
  } elements[] = {{CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2},
                  {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2},
                  {CU_TENSOR_MAP_DATA_TYPE_UINT8, 1},
                  {CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 4}};
  int type = elements[key->kind].type;
  unsigned long long sizes[4], strides[3];
  unsigned box[4] = {ROW_BYTES / elements[key->kind].bytes,
                     (unsigned)key->box_rows, 1, 1},
           steps[4] = {1, 1, 1, 1};
  void *data = (void *)(intptr_t)key->address;
  for (int64_t d = 0; d < key->rank; ++d)
    sizes[d] = (unsigned long long)key->sizes[d];
  for (int64_t d = 0; d + 1 < key->rank; ++d)
    strides[d] = (unsigned long long)key->strides[d];
  if (key->steps[0]) {
    int lower[2], upper[2];
    for (int d = 0; d < 2; ++d) {
      lower[d] = (int)key->lower[d];
      upper[d] = (int)key->upper[d];
      steps[d + 1] = (unsigned)key->steps[d];
    }
    return driver.encode_im2col(
        map, type, (unsigned)key->rank, data, sizes, strides, lower, upper,
        box[0], box[1], steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  }
  return driver.encode_tiled(
      map, type, (unsigned)key->rank, data, sizes, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/* Makes tensor map `slot` of the run. Returns its address. */
static int64_t make_map(int64_t slot, GpuMapKey key) {
  FXrtRun *run = fx_rt_thread.run;
  FXrtGpu *gpu = run->instance->gpu;
  void *map = run->tensor_maps[slot];
  /* An empty tensor has no map, and its kernel is not launched. */
  for (int d = 0; d < 4; ++d)
    if (key.sizes[d] == 0)
      return (int64_t)(intptr_t)map;
  CUresult code = 0;
  pthread_mutex_lock(&run->instance->common->lock);
  if (!gpu->maps)
    gpu->maps = calloc(GPU_MAPS, sizeof *gpu->maps);
  GpuMap *known = gpu->maps ? find_map_place(gpu, &key) : 0;
  if (known && is_equal_key(&known->key, &key)) {
    memcpy(map, known->map, FX_TENSOR_MAP_BYTES);
  } else {
    code = encode_map(map, &key);
    if (known && !code) {
      known->key = key;
      memcpy(known->map, map, FX_TENSOR_MAP_BYTES);
    }
  }
  pthread_mutex_unlock(&run->instance->common->lock);
  gpu_check(code, "an operand cannot be described");
  return (int64_t)(intptr_t)map;
}

/* Makes tensor map `slot` of the run for elements of `kind` (0: f16, 1: bf16,
 * 2: bytes, 3: f32, which the copies round to TF32) and boxes of 128 bytes by
 * `box_rows` elements. The sizes begin with the innermost dimension, the
 * strides, in bytes, with the second one. Returns the address of the map. */
int64_t fx_rt_gpu_tensor_map(int64_t slot, int64_t kind, int64_t address,
                             int64_t box_rows, int64_t rank, int64_t size0,
                             int64_t size1, int64_t size2, int64_t size3,
                             int64_t stride1, int64_t stride2,
                             int64_t stride3) {
  return make_map(slot, (GpuMapKey){{.kind = kind,
                                     .address = address,
                                     .box_rows = box_rows,
                                     .rank = rank,
                                     .sizes = {size0, size1, size2, size3},
                                     .strides = {stride1, stride2, stride3}}});
}

/* Does the same for images, whose dimensions are channels, one or two spatial
 * dimensions, and the number of the image. The kernel copies 128 bytes of
 * channels of `pixels` pixels: in each spatial dimension, those whose
 * coordinates are `lower` plus multiples of `step`, up to the last one plus
 * `upper`. Pixels outside of the image are zeros. */
int64_t fx_rt_gpu_image_map(int64_t slot, int64_t kind, int64_t address,
                            int64_t pixels, int64_t rank, int64_t size0,
                            int64_t size1, int64_t size2, int64_t size3,
                            int64_t stride1, int64_t stride2, int64_t stride3,
                            int64_t lower1, int64_t lower2, int64_t upper1,
                            int64_t upper2, int64_t step1, int64_t step2) {
  return make_map(slot, (GpuMapKey){{.kind = kind,
                                     .address = address,
                                     .box_rows = pixels,
                                     .rank = rank,
                                     .sizes = {size0, size1, size2, size3},
                                     .strides = {stride1, stride2, stride3},
                                     .lower = {lower1, lower2},
                                     .upper = {upper1, upper2},
                                     .steps = {step1, step2}}});
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/* Notes that the next launch accesses `bytes` from an address on. Launches
 * without such a call may access all memory. */
void fx_rt_gpu_access(int64_t address, int64_t bytes, int64_t writes) {
  GpuSlot *slot = fx_rt_thread.run->gpu_slot;
  if (slot && add_range(&slot->pending, (CUdeviceptr)address, (size_t)bytes,
                        (int)writes))
    fx_rt_fail("out of memory");
}

/* Launches a kernel. Each of the `n` arguments has 8 bytes; the first `n_maps`
 * are addresses of tensor maps. `shared` is the bytes of dynamic shared memory.
 */
void fx_rt_gpu_launch(int64_t kernel, int64_t gx, int64_t gy, int64_t gz,
                      int64_t bx, int64_t by, int64_t bz, int64_t shared,
                      int64_t *args, int64_t n, int64_t n_maps) {
  enum { SHARED_OF_ALL = 48 * 1024 };
  FXrtRun *run = fx_rt_thread.run;
  const FXrtGpu *gpu = run->instance->gpu;
  const FXrtKernel *named = &run->instance->model->device->kernels[kernel];
  void *params[GPU_MOST_PARAMS];
  if (gx == 0 || gy == 0 || gz == 0) { /* the driver rejects empty grids */
    if (run->gpu_slot)
      drop_ranges(&run->gpu_slot->pending);
    return;
  }
  if (gx > 0x7fffffff || gy > 0xffff || gz > 0xffff || n > GPU_MOST_PARAMS)
    fx_rt_fail("kernel '%s': expected a grid of at most 2147483647 x 65535 x "
               "65535 and %d "
               "arguments, got %lld x %lld x %lld and %lld",
               named->name, GPU_MOST_PARAMS, (long long)gx, (long long)gy,
               (long long)gz, (long long)n);
  for (int64_t k = 0; k < n; ++k)
    params[k] = k < n_maps ? (void *)(intptr_t)args[k] : &args[k];
  GpuGeometry geometry = {{gx, gy, gz}, {bx, by, bz}, shared};
  gpu_log_launch(gpu, named, &geometry);
  if (shared > SHARED_OF_ALL)
    gpu_check_launch(
        driver.function_set(gpu->kernels[kernel],
                            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                            (int)shared),
        "cannot be launched", named, &geometry);
  GpuOp op = {.kind = GPU_LAUNCH,
              .kernel = (int)kernel,
              .grid = {(unsigned)gx, (unsigned)gy, (unsigned)gz},
              .block = {(unsigned)bx, (unsigned)by, (unsigned)bz},
              .shared = (unsigned)shared,
              .n = (int)n,
              .n_maps = (int)n_maps};
  gpu_issue(run, &op, params);
}

/*===- VulkanDriver.c - the functions of `driver` on Vulkan ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements what the runtime calls for a GPU. All work of a device is executed
// in the order of the calls, so streams are all the same and events need
// nothing. One lock guards everything.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef FX_HAS_VULKAN
struct CUfunc_st {
  struct CUfunc_st *next; /* of the module */
  struct CUmod_st *module;
  const char *name;
  uint32_t block[3];   /* the number of threads, by the module */
  VkPipeline pipeline; /* made by the first launch */
};

struct CUmod_st {
  VulkanDevice *device;
  VkShaderModule shaders;
  struct CUfunc_st *functions;
  const uint32_t *words; /* SPIR-V, in the artefact */
  size_t n_words;
};

enum { VULKAN_CONTEXTS = 16 };
/* The devices that the thread has pushed. */
static __thread struct {
  VulkanDevice *devices[VULKAN_CONTEXTS];
  int n;
} vulkan_stack;

static VulkanDevice *get_vulkan_device(void) {
  return vulkan_stack.n ? vulkan_stack.devices[vulkan_stack.n - 1] : 0;
}

/* Calls a function of the current device while it holds the lock. */
#define ON_VULKAN(call)                                                        \
  VulkanDevice *d = get_vulkan_device();                                       \
  if (!d)                                                                      \
    return CUDA_ERROR_INVALID_VALUE;                                           \
  pthread_mutex_lock(&vk.lock);                                                \
  CUresult code = call;                                                        \
  pthread_mutex_unlock(&vk.lock);                                              \
  return code

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

static CUresult vulkan_device_count(int *count) {
  *count = (int)vk.n;
  return 0;
}

static CUresult vulkan_device_get(CUdevice *device, int ordinal) {
  *device = ordinal;
  return 0;
}

static CUresult vulkan_device_name(char *name, int size, CUdevice device) {
  snprintf(name, (size_t)size, "%s", vk.devices[device].properties.deviceName);
  return 0;
}

/* SPIR-V is for all chips, so chips have no numbers. */
static CUresult vulkan_device_attribute(int *value, int attribute,
                                        CUdevice device) {
  (void)device;
  *value = attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
  return 0;
}

static CUresult vulkan_context_retain(CUcontext *context, CUdevice device) {
  VulkanDevice *d = &vk.devices[device];
  CUresult code = 0;
  pthread_mutex_lock(&vk.lock);
  if (!d->device && (code = vulkan_code(make_vulkan_device(d))))
    drop_vulkan_device(d);
  if (!code)
    ++d->users;
  pthread_mutex_unlock(&vk.lock);
  *context = code ? 0 : d;
  return code;
}

static void release_vulkan(CUcontext d) {
  pthread_mutex_lock(&vk.lock);
  if (d && !--d->users)
    drop_vulkan_device(d);
  if (!--vk.users)
    drop_vulkan_instance();
  pthread_mutex_unlock(&vk.lock);
}

static CUresult vulkan_context_push(CUcontext context) {
  if (vulkan_stack.n == VULKAN_CONTEXTS)
    return CUDA_ERROR_INVALID_VALUE;
  vulkan_stack.devices[vulkan_stack.n++] = context;
  return 0;
}

static CUresult vulkan_context_pop(CUcontext *context) {
  *context = get_vulkan_device();
  vulkan_stack.n -= vulkan_stack.n > 0;
  return 0;
}

static CUresult vulkan_wait(void) { ON_VULKAN(wait_for_vulkan(d)); }

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/* Returns the next instruction of SPIR-V at or after *at that has the opcode,
 * or null, and sets *at to the one after it. */
static const uint32_t *find_spirv(const uint32_t *words, size_t n, size_t *at,
                                  uint32_t opcode) {
  while (*at < n) {
    const uint32_t *word = words + *at;
    size_t length = *word >> 16;
    if (!length || length > n - *at)
      return 0;
    *at += length;
    if ((*word & 0xffff) == opcode)
      return word;
  }
  return 0;
}

/* Returns the name of a feature that the module needs and the device lacks, or
 * null. */
static const char *find_missing_feature(const VulkanDevice *d,
                                        const uint32_t *words, size_t n) {
  enum { HEADER = 5, OP_CAPABILITY = 17 };
  const struct {
    uint32_t capability;
    VkBool32 is_there;
    const char *name;
  } known[] = {
      {9, d->features12.shaderFloat16, "shaderFloat16"},
      {10, d->features.shaderFloat64, "shaderFloat64"},
      {22, d->features.shaderInt16, "shaderInt16"},
      {39, d->features12.shaderInt8, "shaderInt8"},
      {4433, d->features11.storageBuffer16BitAccess,
       "storageBuffer16BitAccess"},
      {4434, d->features11.uniformAndStorageBuffer16BitAccess,
       "uniformAndStorageBuffer16BitAccess"},
      {4448, d->features12.storageBuffer8BitAccess, "storageBuffer8BitAccess"},
      {4449, d->features12.uniformAndStorageBuffer8BitAccess,
       "uniformAndStorageBuffer8BitAccess"},
      {4466, d->keeps_nan, "shaderSignedZeroInfNanPreserveFloat32"}};
  size_t at = HEADER;
  for (const uint32_t *op; (op = find_spirv(words, n, &at, OP_CAPABILITY));)
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
      if (op[1] == known[k].capability && !known[k].is_there)
        return known[k].name;
  return 0;
}

static CUresult load_vulkan_image(CUmodule *out, const FXrtImage *image,
                                  char *why, size_t size) {
  VulkanDevice *d = get_vulkan_device();
  size_t n = (size_t)image->bytes / 4;
  struct CUmod_st *module = calloc(1, sizeof *module);
  uint32_t *words = malloc(n * 4);
  if (!module || !words || !d) {
    free(module);
    free(words);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  memcpy(words, image->data, n * 4); /* bytes of the artefact, not aligned */
  *module = (struct CUmod_st){.device = d, .words = words, .n_words = n};
  const char *missing = find_missing_feature(d, words, n);
  VkShaderModuleCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = n * 4,
      .pCode = words};
  VkResult result = VK_ERROR_FEATURE_NOT_PRESENT;
  if (missing) {
    snprintf(why, size, "%s has no %s", d->properties.deviceName, missing);
  } else {
    pthread_mutex_lock(&vk.lock);
    result = vk.CreateShaderModule(d->device, &info, 0, &module->shaders);
    pthread_mutex_unlock(&vk.lock);
  }
  if (result) {
    free(words);
    free(module);
    return vulkan_code(result);
  }
  *out = module;
  return 0;
}

static CUresult vulkan_module_unload(CUmodule module) {
  VulkanDevice *d = module->device;
  pthread_mutex_lock(&vk.lock);
  wait_for_vulkan(d);
  for (struct CUfunc_st *f = module->functions, *next; f; f = next) {
    next = f->next;
    if (f->pipeline)
      vk.DestroyPipeline(d->device, f->pipeline, 0);
    free(f);
  }
  vk.DestroyShaderModule(d->device, module->shaders, 0);
  pthread_mutex_unlock(&vk.lock);
  free((void *)module->words);
  free(module);
  return 0;
}

static CUresult vulkan_module_function(CUfunction *out, CUmodule module,
                                       const char *name) {
  enum { HEADER = 5, OP_ENTRY_POINT = 15, OP_EXECUTION_MODE = 16, SIZE = 17 };
  size_t at = HEADER;
  const uint32_t *op;
  while (
      (op = find_spirv(module->words, module->n_words, &at, OP_ENTRY_POINT)) &&
      strcmp((const char *)(op + 3), name))
    ;
  if (!op)
    return CUDA_ERROR_NOT_FOUND;
  struct CUfunc_st *f = calloc(1, sizeof *f);
  if (!f)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *f = (struct CUfunc_st){
      .next = module->functions, .module = module, .name = name};
  for (const uint32_t *mode; (mode = find_spirv(module->words, module->n_words,
                                                &at, OP_EXECUTION_MODE));)
    if (mode[1] == op[2] && mode[2] == SIZE)
      memcpy(f->block, mode + 3, sizeof f->block);
  *out = module->functions = f;
  return 0;
}

static CUresult make_vulkan_pipeline(VulkanDevice *d, CUfunction f) {
  VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .flags = VK_PIPELINE_CREATE_DISPATCH_BASE,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = f->module->shaders,
                .pName = f->name},
      .layout = d->layout};
  return vulkan_code(
      vk.CreateComputePipelines(d->device, 0, 1, &info, 0, &f->pipeline));
}

/* Records the launch. Devices may limit a grid to 65,535 blocks in a dimension,
 * so a larger one is dispatched in parts. */
static CUresult record_vulkan_launch(VulkanDevice *d, CUfunction f,
                                     const unsigned grid[3], void **params,
                                     int n) {
  const uint32_t *most = d->properties.limits.maxComputeWorkGroupCount;
  VkCommandBuffer commands;
  VulkanPlace place;
  CUresult code = f->pipeline ? 0 : make_vulkan_pipeline(d, f);
  code = code ? code : record_vulkan_command(d, &commands);
  code = code ? code : stage_for_vulkan(d, 8 * ((size_t)n + 1), &place);
  if (code)
    return code;
  for (int k = 0; k < n; ++k)
    memcpy(place.host + 8 * k, params[k], 8);
  vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, f->pipeline);
  vk.CmdPushConstants(commands, d->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                      sizeof place.address, &place.address);
  unsigned step[3], at[3];
  for (int k = 0; k < 3; ++k)
    step[k] = grid[k] < most[k] ? grid[k] : most[k];
#define PARTS(k) (at[k] = 0; at[k] < grid[k]; at[k] += step[k])
#define PART(k) (grid[k] - at[k] < step[k] ? grid[k] - at[k] : step[k])
  for
    PARTS(2)
    for
      PARTS(1)
      for
        PARTS(0)
      vk.CmdDispatchBase(commands, at[0], at[1], at[2], PART(0), PART(1),
                         PART(2));
#undef PART
#undef PARTS
      return end_vulkan_command(d);
}

static CUresult launch_on_vulkan(CUfunction f, const unsigned grid[3],
                                 const unsigned block[3], unsigned shared,
                                 CUstream stream, void **params, int n,
                                 int overlaps) {
  VulkanDevice *d = f->module->device;
  (void)stream;
  (void)overlaps;
  if (shared || memcmp(block, f->block, sizeof f->block))
    return CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&vk.lock);
  CUresult code = record_vulkan_launch(d, f, grid, params, n);
  pthread_mutex_unlock(&vk.lock);
  return code;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static CUresult vulkan_memory_info(size_t *free, size_t *total) {
  VulkanDevice *d = get_vulkan_device();
  if (!d)
    return CUDA_ERROR_INVALID_VALUE;
  size_t used = d->bytes - d->spare_bytes;
  *total = d->heap_bytes;
  *free = used < *total ? *total - used : 0;
  return 0;
}

static CUresult vulkan_memory_alloc(CUdeviceptr *data, size_t bytes) {
  uint64_t address = 0;
  *data = 0;
  VulkanDevice *d = get_vulkan_device();
  if (!d)
    return CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&vk.lock);
  CUresult code = allocate_on_vulkan(d, &address, bytes);
  if (!code && d->fills_memory)
    code = fill_on_vulkan(d, address, UINT32_MAX, bytes);
  pthread_mutex_unlock(&vk.lock);
  *data = address;
  return code;
}

static CUresult vulkan_memory_free(CUdeviceptr data) {
  ON_VULKAN(free_on_vulkan(d, data));
}

static CUresult vulkan_to_device(CUdeviceptr to, const void *from, size_t bytes,
                                 CUstream stream) {
  (void)stream;
  ON_VULKAN(copy_to_vulkan(d, to, from, bytes));
}

static CUresult vulkan_to_host(void *to, CUdeviceptr from, size_t bytes,
                               CUstream stream) {
  (void)stream;
  ON_VULKAN(copy_from_vulkan(d, to, from, bytes));
}

static CUresult vulkan_copy(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                            CUstream stream) {
  (void)stream;
  ON_VULKAN(copy_on_vulkan(d, to, from, bytes));
}

static CUresult vulkan_fill8(CUdeviceptr to, unsigned char value, size_t n,
                             CUstream stream) {
  (void)stream;
  ON_VULKAN(fill_on_vulkan(d, to, value * 0x01010101u, n));
}

static CUresult vulkan_fill16(CUdeviceptr to, unsigned short value, size_t n,
                              CUstream stream) {
  (void)stream;
  ON_VULKAN(fill_on_vulkan(d, to, value * 0x00010001u, 2 * n));
}

static CUresult vulkan_fill32(CUdeviceptr to, unsigned value, size_t n,
                              CUstream stream) {
  (void)stream;
  ON_VULKAN(fill_on_vulkan(d, to, value, 4 * n));
}

//===----------------------------------------------------------------------===//
// What Vulkan does not need
//===----------------------------------------------------------------------===//

static CUresult vulkan_init(unsigned flags) {
  (void)flags;
  return 0;
}
static CUresult vulkan_function_set(CUfunction function, int attribute,
                                    int value) {
  (void)function, (void)attribute, (void)value;
  return CUDA_ERROR_INVALID_VALUE;
}
static CUresult vulkan_pool_create(CUmemoryPool *pool,
                                   const CUmemPoolProps *props) {
  (void)pool, (void)props;
  return CUDA_ERROR_INVALID_VALUE;
}
static CUresult vulkan_pool_destroy(CUmemoryPool pool) {
  (void)pool;
  return CUDA_ERROR_INVALID_VALUE;
}
static CUresult vulkan_pool_set(CUmemoryPool pool, int attribute, void *value) {
  (void)pool, (void)attribute, (void)value;
  return CUDA_ERROR_INVALID_VALUE;
}
static CUresult vulkan_pool_alloc(CUdeviceptr *data, size_t bytes,
                                  CUmemoryPool pool, CUstream stream) {
  (void)pool, (void)stream;
  return vulkan_memory_alloc(data, bytes);
}
static CUresult vulkan_pool_free(CUdeviceptr data, CUstream stream) {
  (void)stream;
  return vulkan_memory_free(data);
}
static CUresult vulkan_synchronize(CUstream stream) {
  (void)stream;
  return vulkan_wait();
}
static CUresult vulkan_context_synchronize(void) { return vulkan_wait(); }
static CUresult vulkan_stream_create(CUstream *stream, unsigned flags) {
  (void)flags;
  *stream = 0;
  return 0;
}
static CUresult vulkan_stream_destroy(CUstream stream) {
  (void)stream;
  return 0;
}
static CUresult vulkan_stream_wait(CUstream stream, CUevent event,
                                   unsigned flags) {
  (void)stream, (void)event, (void)flags;
  return 0;
}
static CUresult vulkan_event_create(CUevent *event, unsigned flags) {
  (void)flags;
  *event = 0;
  return 0;
}
static CUresult vulkan_event_destroy(CUevent event) {
  (void)event;
  return 0;
}
static CUresult vulkan_event_record(CUevent event, CUstream stream) {
  (void)event, (void)stream;
  return 0;
}

static int load_vulkan(char *err, size_t size) {
  pthread_mutex_lock(&vk.lock);
  driver.error_name = get_vulkan_error_name;
  driver.error_text = get_vulkan_error_text;
#define FIELD(name, cuda, hip, params) driver.name = vulkan_##name;
#define vulkan_error_name get_vulkan_error_name
#define vulkan_error_text get_vulkan_error_text
  DRIVER_FUNCTIONS(FIELD)
#undef vulkan_error_name
#undef vulkan_error_text
#undef FIELD
  int failed = open_vulkan(err, size);
  pthread_mutex_unlock(&vk.lock);
  return failed;
}

static const GpuPlatform vulkan_platform = {.load = load_vulkan,
                                            .load_image = load_vulkan_image,
                                            .launch = launch_on_vulkan,
                                            .release = release_vulkan};
#else
static int load_vulkan(char *err, size_t size) {
  snprintf(err, size,
           "this fx-compile was built without the headers of Vulkan, so its "
           "artefacts have no run-time for it");
  return 1;
}

static const GpuPlatform vulkan_platform = {.load = load_vulkan};
#endif

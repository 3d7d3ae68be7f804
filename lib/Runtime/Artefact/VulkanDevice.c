/*===- VulkanDevice.c - devices of Vulkan ---------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds libvulkan.so.1, or the library that FX_LIBVULKAN names, and creates a
// logical device with one queue for each physical device that instances of the
// artefact use. It is destroyed with the last of these. The logical device
// belongs to this artefact, so no other code can use its memory: inputs and
// outputs of a model are on the host.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<vulkan/vulkan_core.h>)
#define FX_HAS_VULKAN 1
#define VK_NO_PROTOTYPES 1
#include <vulkan/vulkan_core.h>

/* The functions of Vulkan that the runtime calls. */
#define VULKAN_FUNCTIONS(F)                                                    \
  F(AllocateCommandBuffers)                                                    \
  F(AllocateMemory)                                                            \
  F(BeginCommandBuffer)                                                        \
  F(BindBufferMemory)                                                          \
  F(CmdBindPipeline)                                                           \
  F(CmdCopyBuffer)                                                             \
  F(CmdDispatchBase)                                                           \
  F(CmdFillBuffer)                                                             \
  F(CmdPipelineBarrier)                                                        \
  F(CmdPushConstants)                                                          \
  F(CreateBuffer)                                                              \
  F(CreateCommandPool)                                                         \
  F(CreateComputePipelines)                                                    \
  F(CreateDevice)                                                              \
  F(CreateFence)                                                               \
  F(CreatePipelineLayout)                                                      \
  F(CreateShaderModule)                                                        \
  F(DestroyBuffer)                                                             \
  F(DestroyCommandPool)                                                        \
  F(DestroyDevice)                                                             \
  F(DestroyFence)                                                              \
  F(DestroyInstance)                                                           \
  F(DestroyPipeline)                                                           \
  F(DestroyPipelineLayout)                                                     \
  F(DestroyShaderModule)                                                       \
  F(DeviceWaitIdle)                                                            \
  F(EndCommandBuffer)                                                          \
  F(EnumeratePhysicalDevices)                                                  \
  F(FreeMemory)                                                                \
  F(GetBufferDeviceAddress)                                                    \
  F(GetBufferMemoryRequirements)                                               \
  F(GetDeviceQueue)                                                            \
  F(GetPhysicalDeviceFeatures2)                                                \
  F(GetPhysicalDeviceMemoryProperties)                                         \
  F(GetPhysicalDeviceProperties2)                                              \
  F(GetPhysicalDeviceQueueFamilyProperties)                                    \
  F(MapMemory)                                                                 \
  F(QueueSubmit)                                                               \
  F(ResetFences)                                                               \
  F(WaitForFences)

/* A buffer, its memory and its address on the device. */
typedef struct {
  uint64_t address;
  size_t bytes;
  char *host; /* where the host sees it, or null */
  VkBuffer buffer;
  VkDeviceMemory memory;
} VulkanChunk;

/* Memory that a caller has, or that is kept for a later one. */
typedef struct VulkanBlock {
  struct VulkanBlock *next;
  uint64_t address;
  size_t bytes;
  VulkanChunk *chunk; /* of this block alone, or null */
} VulkanBlock;

/* Memory of the host for the parameters of kernels and for copies. */
typedef struct VulkanStage {
  struct VulkanStage *next;
  VulkanChunk *chunk;
  size_t used;
} VulkanStage;

/* Commands that are submitted together. */
typedef struct {
  VkCommandBuffer commands;
  VkFence fence;
  int is_submitted;
  VulkanStage *stages;
} VulkanWork;

enum {
  VULKAN_DEVICES = 16,
  VULKAN_BUCKETS = 256,
  VULKAN_WORKS = 4 /* submitted ones before the host waits */
};

/* A device; the runtime's CUcontext. */
typedef struct CUctx_st {
  VkPhysicalDevice physical;
  VkPhysicalDeviceProperties properties;
  VkPhysicalDeviceFeatures features;
  VkPhysicalDeviceVulkan11Features features11;
  VkPhysicalDeviceVulkan12Features features12;
  VkBool32 keeps_nan; /* shaderSignedZeroInfNanPreserveFloat32 */
  int users;          /* the instances on this device */
  /* The rest is null without users. */
  VkDevice device;
  VkQueue queue;
  VkCommandPool pool;
  VkPipelineLayout layout;
  uint32_t own_type, host_type; /* memory types of VulkanMemory.c */
  int hides_memory;             /* see choose_vulkan_memory */
  int fills_memory;             /* FX_VULKAN_FILL: new memory is all ones */
  size_t heap_bytes;            /* of the heap of own_type */
  VulkanChunk **chunks;         /* sorted by address */
  int n_chunks, chunks_room;
  VulkanBlock *blocks[VULKAN_BUCKETS]; /* by address */
  VulkanBlock *spare[VULKAN_BUCKETS];  /* by size */
  size_t bytes, spare_bytes;           /* of chunks; of spare blocks' chunks */
  VulkanChunk *small;                  /* small blocks are parts of it */
  size_t small_used;
  VulkanWork works[VULKAN_WORKS];
  int current, is_recording, n_recorded;
} VulkanDevice;

static struct {
  pthread_mutex_t lock; /* guards everything that is Vulkan's */
  PFN_vkGetInstanceProcAddr get_function;
  VkInstance instance;
  int users; /* the instances of the artefact's model */
  uint32_t n;
  VulkanDevice devices[VULKAN_DEVICES];
#define FIELD(name) PFN_vk##name name;
  VULKAN_FUNCTIONS(FIELD)
#undef FIELD
} vk = {.lock = PTHREAD_MUTEX_INITIALIZER};

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/* Results of Vulkan become error numbers of the runtime: those that it treats
 * in a special way get CUDA's numbers, and -5 becomes 1005. */
enum { VULKAN_ERRORS = 1000, VULKAN_LOST = 719 };

static CUresult vulkan_code(VkResult result) {
  if (result >= 0)
    return 0;
  if (result == VK_ERROR_OUT_OF_HOST_MEMORY ||
      result == VK_ERROR_OUT_OF_DEVICE_MEMORY)
    return CUDA_ERROR_OUT_OF_MEMORY;
  return result == VK_ERROR_DEVICE_LOST ? VULKAN_LOST : VULKAN_ERRORS - result;
}

/* A number, a name, what it means. */
#define VULKAN_TEXTS(F)                                                        \
  F(CUDA_ERROR_INVALID_VALUE, "FX_ERROR_INVALID_VALUE", "invalid argument")    \
  F(CUDA_ERROR_OUT_OF_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY",                 \
    "out of memory")                                                           \
  F(CUDA_ERROR_NOT_FOUND, "FX_ERROR_NOT_FOUND",                                \
    "the module has no such entry point")                                      \
  F(VULKAN_LOST, "VK_ERROR_DEVICE_LOST", "the device does not respond")        \
  F(VULKAN_ERRORS - VK_ERROR_INITIALIZATION_FAILED,                            \
    "VK_ERROR_INITIALIZATION_FAILED", "the device cannot be initialized")      \
  F(VULKAN_ERRORS - VK_ERROR_MEMORY_MAP_FAILED, "VK_ERROR_MEMORY_MAP_FAILED",  \
    "memory cannot be mapped")                                                 \
  F(VULKAN_ERRORS - VK_ERROR_FEATURE_NOT_PRESENT,                              \
    "VK_ERROR_FEATURE_NOT_PRESENT",                                            \
    "expected Vulkan 1.2, bufferDeviceAddress and the features of the "        \
    "kernels' dtypes")                                                         \
  F(VULKAN_ERRORS - VK_ERROR_INCOMPATIBLE_DRIVER,                              \
    "VK_ERROR_INCOMPATIBLE_DRIVER", "no driver of Vulkan is installed")        \
  F(VULKAN_ERRORS - VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS",    \
    "too many objects of one kind")

static CUresult get_vulkan_error(CUresult code, const char **text,
                                 int is_meaning) {
#define CASE(number, name, meaning)                                            \
  case number:                                                                 \
    *text = is_meaning ? meaning : name;                                       \
    return 0;
  switch (code) {
    VULKAN_TEXTS(CASE)
  default:
    *text = 0;
    return 0;
  }
#undef CASE
}

static CUresult get_vulkan_error_name(CUresult code, const char **text) {
  return get_vulkan_error(code, text, 0);
}

static CUresult get_vulkan_error_text(CUresult code, const char **text) {
  return get_vulkan_error(code, text, 1);
}

//===----------------------------------------------------------------------===//
// Vulkan's instance
//===----------------------------------------------------------------------===//

/* Asks what a physical device is. */
static void describe_vulkan_device(VulkanDevice *d) {
  VkPhysicalDeviceFloatControlsProperties controls = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES};
  VkPhysicalDeviceProperties2 properties = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
      .pNext = &controls};
  vk.GetPhysicalDeviceProperties2(d->physical, &properties);
  d->properties = properties.properties;
  d->keeps_nan = controls.shaderSignedZeroInfNanPreserveFloat32;
  if (d->properties.apiVersion < VK_API_VERSION_1_2)
    return;
  d->features12 = (VkPhysicalDeviceVulkan12Features){
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  d->features11 = (VkPhysicalDeviceVulkan11Features){
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
      .pNext = &d->features12};
  VkPhysicalDeviceFeatures2 features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
      .pNext = &d->features11};
  vk.GetPhysicalDeviceFeatures2(d->physical, &features);
  d->features = features.features;
}

static VkResult make_vulkan_instance(void) {
  VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                           .pEngineName = "fx-mlir",
                           .apiVersion = VK_API_VERSION_1_2};
  VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                               .pApplicationInfo = &app};
  VkPhysicalDevice found[VULKAN_DEVICES];
  PFN_vkCreateInstance create =
      (PFN_vkCreateInstance)vk.get_function(0, "vkCreateInstance");
  VkResult result =
      create ? create(&info, 0, &vk.instance) : VK_ERROR_INCOMPATIBLE_DRIVER;
  if (result)
    return result;
  int has_all = 1;
#define FIND(name)                                                             \
  vk.name = (PFN_vk##name)vk.get_function(vk.instance, "vk" #name);            \
  has_all &= vk.name != 0;
  VULKAN_FUNCTIONS(FIND)
#undef FIND
  if (!has_all)
    return VK_ERROR_INCOMPATIBLE_DRIVER;
  vk.n = VULKAN_DEVICES;
  result = vk.EnumeratePhysicalDevices(vk.instance, &vk.n, found);
  for (uint32_t k = 0; result >= 0 && k < vk.n; ++k) {
    vk.devices[k] = (VulkanDevice){.physical = found[k]};
    describe_vulkan_device(&vk.devices[k]);
  }
  return result;
}

static void drop_vulkan_instance(void) {
  if (vk.instance && vk.DestroyInstance)
    vk.DestroyInstance(vk.instance, 0);
  vk.instance = 0;
}

/* Returns 0, or 1 with a message. */
static int open_vulkan(char *err, size_t size) {
  static const char *const names[] = {"libvulkan.so.1", 0};
  const char *path = 0;
  if (!vk.get_function) {
    void *library = open_driver("FX_LIBVULKAN", names, "a GPU through Vulkan",
                                &path, err, size);
    if (!library || find_function(library, "vkGetInstanceProcAddr",
                                  (void **)&vk.get_function, path, err, size))
      return 1;
  }
  if (!vk.instance) {
    CUresult code = vulkan_code(make_vulkan_instance());
    if (code) {
      snprintf(err, size, "Vulkan cannot be used: %s", get_error_text(code));
      drop_vulkan_instance();
      return 1;
    }
  }
  ++vk.users;
  return 0;
}

//===----------------------------------------------------------------------===//
// Logical devices
//===----------------------------------------------------------------------===//

/* Chooses the memory type of the device's memory, if possible one that the host
 * sees without a loss: that of a device without memory of its own, or one with
 * all of the device's memory. The memory type of the host's memory is cached by
 * the host if possible. For tests, FX_VULKAN_STAGES=1 hides the device's memory
 * from the host, and FX_VULKAN_FILL=1 fills memory when it is allocated, so
 * that results show if a kernel reads what nobody has written. */
static void choose_vulkan_memory(VulkanDevice *d) {
  enum {
    OWN = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
    HOST = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
    CACHED = VK_MEMORY_PROPERTY_HOST_CACHED_BIT
  };
  VkPhysicalDeviceMemoryProperties all;
  const char *stages = getenv("FX_VULKAN_STAGES");
  vk.GetPhysicalDeviceMemoryProperties(d->physical, &all);
  d->hides_memory = stages && *stages && strcmp(stages, "0") != 0;
  const char *fill = getenv("FX_VULKAN_FILL");
  d->fills_memory = fill && *fill && strcmp(fill, "0") != 0;
  int best_own = -1, best_host = -1;
  for (uint32_t k = 0; k < all.memoryTypeCount; ++k) {
    VkMemoryPropertyFlags flags = all.memoryTypes[k].propertyFlags;
    size_t heap = all.memoryHeaps[all.memoryTypes[k].heapIndex].size;
    int is_own = (flags & OWN) != 0, is_host = (flags & HOST) == HOST;
    /* More memory first, then memory that the host sees. */
    int own = !is_own ? 0 : heap > d->heap_bytes ? 4 : heap == d->heap_bytes;
    if (own && (own > 1 || best_own < 0 || is_host > best_own)) {
      d->own_type = k;
      d->heap_bytes = heap;
      best_own = is_host;
    }
    int host = !is_host ? -1 : 2 * ((flags & CACHED) != 0) + !is_own;
    if (host > best_host) {
      d->host_type = k;
      best_host = host;
    }
  }
}

static uint32_t find_compute_queue(VulkanDevice *d) {
  enum { FAMILIES = 32 };
  VkQueueFamilyProperties found[FAMILIES];
  uint32_t n = FAMILIES;
  vk.GetPhysicalDeviceQueueFamilyProperties(d->physical, &n, found);
  for (uint32_t k = 0; k < n; ++k)
    if (found[k].queueFlags & VK_QUEUE_COMPUTE_BIT)
      return k;
  return n;
}

static VkResult make_vulkan_commands(VulkanDevice *d, uint32_t family) {
  VkCommandPoolCreateInfo pool = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
      .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
      .queueFamilyIndex = family};
  VkResult result = vk.CreateCommandPool(d->device, &pool, 0, &d->pool);
  for (int k = 0; !result && k < VULKAN_WORKS; ++k) {
    VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = d->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1};
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    result = vk.AllocateCommandBuffers(d->device, &info, &d->works[k].commands);
    if (!result)
      result = vk.CreateFence(d->device, &fence, 0, &d->works[k].fence);
  }
  return result;
}

static VkResult make_vulkan_device(VulkanDevice *d) {
  uint32_t family = find_compute_queue(d);
  if (d->properties.apiVersion < VK_API_VERSION_1_2 ||
      !d->features12.bufferDeviceAddress || !d->features.shaderInt64 ||
      family >= 32)
    return VK_ERROR_FEATURE_NOT_PRESENT;
  VkPhysicalDeviceVulkan12Features of12 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
      .shaderFloat16 = d->features12.shaderFloat16,
      .shaderInt8 = d->features12.shaderInt8,
      .storageBuffer8BitAccess = d->features12.storageBuffer8BitAccess,
      .uniformAndStorageBuffer8BitAccess =
          d->features12.uniformAndStorageBuffer8BitAccess,
      .bufferDeviceAddress = VK_TRUE};
  VkPhysicalDeviceVulkan11Features of11 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
      .pNext = &of12,
      .storageBuffer16BitAccess = d->features11.storageBuffer16BitAccess,
      .uniformAndStorageBuffer16BitAccess =
          d->features11.uniformAndStorageBuffer16BitAccess};
  VkPhysicalDeviceFeatures2 features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
      .pNext = &of11,
      .features = {.shaderFloat64 = d->features.shaderFloat64,
                   .shaderInt64 = VK_TRUE,
                   .shaderInt16 = d->features.shaderInt16}};
  float priority = 1;
  VkDeviceQueueCreateInfo queue = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
      .queueFamilyIndex = family,
      .queueCount = 1,
      .pQueuePriorities = &priority};
  VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                             .pNext = &features,
                             .queueCreateInfoCount = 1,
                             .pQueueCreateInfos = &queue};
  VkResult result = vk.CreateDevice(d->physical, &info, 0, &d->device);
  if (result)
    return result;
  vk.GetDeviceQueue(d->device, family, 0, &d->queue);
  choose_vulkan_memory(d);
  /* A kernel gets the address of its parameters. */
  VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0,
                               sizeof(uint64_t)};
  VkPipelineLayoutCreateInfo layout = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &range};
  result = vk.CreatePipelineLayout(d->device, &layout, 0, &d->layout);
  return result ? result : make_vulkan_commands(d, family);
}

/* Defined in VulkanMemory.c. */
static void drop_vulkan_memory(VulkanDevice *d);

/* Destroys the logical device. Its modules and memory have no users. */
static void drop_vulkan_device(VulkanDevice *d) {
  if (d->device) {
    vk.DeviceWaitIdle(d->device);
    drop_vulkan_memory(d);
    for (int k = 0; k < VULKAN_WORKS; ++k)
      if (d->works[k].fence)
        vk.DestroyFence(d->device, d->works[k].fence, 0);
    if (d->pool)
      vk.DestroyCommandPool(d->device, d->pool, 0);
    if (d->layout)
      vk.DestroyPipelineLayout(d->device, d->layout, 0);
    vk.DestroyDevice(d->device, 0);
  }
  VulkanDevice kept = {.physical = d->physical};
  *d = kept;
  describe_vulkan_device(d);
}
#endif

//===- Driver.cpp - CUDA's driver interface on Vulkan ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that the run-time of artefacts calls, on the first device that
// Vulkan has: a second executor of kernels beside the emulator (test/Cuda),
// whose compiler is not LLVM's for this CPU and not ours. What a kernel
// takes is read from the artefact's image; its code comes from a module of
// `fx-compile --target=vulkan --emit=spirv`. Each launch is waited for.
// Variables of the environment:
//
//   FX_VULKAN_KERNELS  the SPIR-V
//   FX_VULKAN_LOG      a file that gets a line of JSON for each launch
//
//===----------------------------------------------------------------------===//

#include "../Cuda/Emulator.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <vulkan/vulkan.h>

using emulator::KernelInfo;

typedef int Result;
enum : Result {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kNotFound = 500
};

[[noreturn]] static void die(const std::string &why) {
  fprintf(stderr, "vulkan: %s\n", why.c_str());
  _Exit(2);
}

static void check(VkResult result, const char *what) {
  if (result)
    die(std::string(what) + ": expected VK_SUCCESS, got " +
        std::to_string(result));
}

namespace {
/// Memory of the device, which the host sees.
struct Memory {
  VkBuffer buffer;
  VkDeviceMemory memory;
  char *data;
  size_t bytes;
};
struct Function {
  KernelInfo info;
  uint32_t localSize[3];
  VkPipeline pipeline;
};
struct Module {
  std::map<std::string, Function> functions;
};
} // namespace

// One lock for all: the interface may be called from several threads.
static std::recursive_mutex lock;
static VkPhysicalDevice physical;
static VkPhysicalDeviceProperties properties;
static VkDevice device;
static VkQueue queue;
static VkCommandPool commands;
static VkPipelineLayout layout;
static VkShaderModule shaders;
static uint32_t memoryType;
static std::vector<uint32_t> code;
static std::map<uint64_t, Memory> memories; ///< by the device's address
static std::map<Module *, std::unique_ptr<Module>> modules;
static int kContext;

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

static bool findDevice() {
  VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
  app.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &app;
  VkInstance instance;
  uint32_t n = 1;
  if (vkCreateInstance(&info, nullptr, &instance) ||
      vkEnumeratePhysicalDevices(instance, &n, &physical) < 0 || n == 0)
    return false;
  vkGetPhysicalDeviceProperties(physical, &properties);
  return true;
}

static void makeDevice() {
  VkPhysicalDeviceVulkan12Features of12 = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  of12.shaderFloat16 = of12.shaderInt8 = of12.storageBuffer8BitAccess =
      of12.uniformAndStorageBuffer8BitAccess = of12.bufferDeviceAddress =
          VK_TRUE;
  VkPhysicalDeviceVulkan11Features of11 = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &of12};
  of11.storageBuffer16BitAccess = of11.uniformAndStorageBuffer16BitAccess =
      VK_TRUE;
  VkPhysicalDeviceFeatures2 features = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &of11};
  features.features.shaderFloat64 = features.features.shaderInt64 =
      features.features.shaderInt16 = VK_TRUE;
  float priority = 1;
  VkDeviceQueueCreateInfo queues = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queues.queueCount = 1;
  queues.pQueuePriorities = &priority;
  VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queues;
  check(vkCreateDevice(physical, &info, nullptr, &device), "a device");
  vkGetDeviceQueue(device, 0, 0, &queue);
  VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  check(vkCreateCommandPool(device, &pool, nullptr, &commands), "commands");
  VkPhysicalDeviceMemoryProperties kinds;
  vkGetPhysicalDeviceMemoryProperties(physical, &kinds);
  constexpr VkMemoryPropertyFlags kWanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  while (memoryType < kinds.memoryTypeCount &&
         (kinds.memoryTypes[memoryType].propertyFlags & kWanted) != kWanted)
    ++memoryType;
  // A kernel gets the address of its parameters.
  VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 8};
  VkPipelineLayoutCreateInfo shape = {
      VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  shape.pushConstantRangeCount = 1;
  shape.pPushConstantRanges = &range;
  check(vkCreatePipelineLayout(device, &shape, nullptr, &layout), "a layout");
}

static void readKernels() {
  const char *path = getenv("FX_VULKAN_KERNELS");
  std::ifstream file(path ? path : "", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (bytes.size() < 20 || bytes.size() % 4)
    die("FX_VULKAN_KERNELS: expected SPIR-V");
  code.resize(bytes.size() / 4);
  memcpy(code.data(), bytes.data(), bytes.size());
  VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = bytes.size();
  info.pCode = code.data();
  check(vkCreateShaderModule(device, &info, nullptr, &shaders), "the SPIR-V");
}

/// The threads of a block of `kernel`; false where it is not in the SPIR-V.
static bool findLocalSize(const std::string &kernel, uint32_t size[3]) {
  enum { EntryPoint = 15, ExecutionMode = 16, LocalSize = 17 };
  uint32_t id = 0;
  for (size_t i = 5; i < code.size(); i += code[i] >> 16) {
    uint32_t op = code[i] & 0xffff;
    if (op == EntryPoint && kernel == (const char *)&code[i + 3])
      id = code[i + 2];
    if (op == ExecutionMode && id && code[i + 1] == id &&
        code[i + 2] == LocalSize) {
      memcpy(size, &code[i + 3], 12);
      return true;
    }
    if (!(code[i] >> 16))
      break;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Null where there is none left.
static uint64_t allocate(size_t bytes) {
  Memory made = {};
  made.bytes = bytes;
  VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
               VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  check(vkCreateBuffer(device, &info, nullptr, &made.buffer), "a buffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, made.buffer, &needs);
  VkMemoryAllocateFlagsInfo flags = {
      VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo of = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags};
  of.allocationSize = needs.size;
  of.memoryTypeIndex = memoryType;
  if (vkAllocateMemory(device, &of, nullptr, &made.memory)) {
    vkDestroyBuffer(device, made.buffer, nullptr);
    return 0;
  }
  check(vkBindBufferMemory(device, made.buffer, made.memory, 0), "a buffer");
  check(vkMapMemory(device, made.memory, 0, VK_WHOLE_SIZE, 0,
                    (void **)&made.data),
        "memory");
  // Whoever reads what nobody wrote sees it.
  memset(made.data, 0xff, bytes);
  VkBufferDeviceAddressInfo asked = {
      VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
  asked.buffer = made.buffer;
  uint64_t address = vkGetBufferDeviceAddress(device, &asked);
  memories[address] = made;
  return address;
}

static void release(uint64_t address) {
  auto it = memories.find(address);
  if (it == memories.end())
    die("memory is freed that was not allocated");
  vkDestroyBuffer(device, it->second.buffer, nullptr);
  vkFreeMemory(device, it->second.memory, nullptr);
  memories.erase(it);
}

/// Where the host sees `bytes` at an address of the device.
static char *atHost(uint64_t address, size_t bytes) {
  auto it = memories.upper_bound(address);
  if (it == memories.begin())
    die("an address outside of what is allocated on the device");
  auto &[begin, memory] = *--it;
  if (address - begin > memory.bytes ||
      bytes > memory.bytes - (address - begin))
    die("an address outside of what is allocated on the device");
  return memory.data + (address - begin);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static void makePipeline(Function &function) {
  VkComputePipelineCreateInfo info = {
      VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                nullptr,
                0,
                VK_SHADER_STAGE_COMPUTE_BIT,
                shaders,
                function.info.name.c_str(),
                nullptr};
  info.layout = layout;
  check(vkCreateComputePipelines(device, nullptr, 1, &info, nullptr,
                                 &function.pipeline),
        "a pipeline");
}

static void dispatch(const Function &function, uint64_t params,
                     const uint32_t grid[3]) {
  VkCommandBufferAllocateInfo of = {
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  of.commandPool = commands;
  of.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  of.commandBufferCount = 1;
  VkCommandBuffer buffer;
  check(vkAllocateCommandBuffers(device, &of, &buffer), "commands");
  VkCommandBufferBeginInfo begin = {
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  vkBeginCommandBuffer(buffer, &begin);
  vkCmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, function.pipeline);
  vkCmdPushConstants(buffer, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8,
                     &params);
  vkCmdDispatch(buffer, grid[0], grid[1], grid[2]);
  check(vkEndCommandBuffer(buffer), "commands");
  VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &buffer;
  check(vkQueueSubmit(queue, 1, &submit, nullptr), "a launch");
  check(vkQueueWaitIdle(queue), "a launch");
  vkFreeCommandBuffers(device, commands, 1, &buffer);
}

static void log(const Function &function, const uint32_t grid[3]) {
  static FILE *file = [] {
    const char *path = getenv("FX_VULKAN_LOG");
    return path ? fopen(path, "w") : nullptr;
  }();
  if (!file)
    return;
  fprintf(file,
          "{\"call\": \"launch\", \"kernel\": \"%s\", \"grid\": [%u, %u, %u], "
          "\"block\": %u}\n",
          function.info.name.c_str(), grid[0], grid[1], grid[2],
          function.localSize[0]);
  fflush(file);
}

#define ENTER std::lock_guard<std::recursive_mutex> guard(lock)

template <typename Element>
static Result fill(uint64_t to, Element value, size_t n) {
  ENTER;
  for (size_t i = 0; i < n; ++i)
    memcpy(atHost(to, n * sizeof value) + i * sizeof value, &value,
           sizeof value);
  return kSuccess;
}
extern "C" {
Result cuInit(unsigned) {
  ENTER;
  if (device)
    return kSuccess;
  if (!findDevice())
    return kNoDevice;
  makeDevice();
  readKernels();
  return kSuccess;
}
Result cuDeviceGetCount(int *count) {
  *count = 1;
  return kSuccess;
}
Result cuDeviceGet(int *result, int ordinal) {
  *result = ordinal;
  return ordinal == 0 ? kSuccess : kInvalidDevice;
}
Result cuDeviceGetName(char *name, int size, int) {
  snprintf(name, size, "%s", properties.deviceName);
  return kSuccess;
}
Result cuDeviceGetAttribute(int *value, int attribute, int) {
  // The oldest chip that artefacts are made for; no pools of memory.
  *value = attribute == 75 ? 7 : attribute == 76 ? 5 : attribute == 16 ? 1 : 0;
  return kSuccess;
}
Result cuDevicePrimaryCtxRetain(void **context, int) {
  *context = &kContext;
  return kSuccess;
}
Result cuCtxPushCurrent_v2(void *) { return kSuccess; }
Result cuCtxPopCurrent_v2(void **context) {
  *context = &kContext;
  return kSuccess;
}
Result cuCtxSynchronize() { return kSuccess; }

Result cuModuleLoadDataEx(Module **out, const char *image, unsigned, int *,
                          void **) {
  ENTER;
  auto module = std::make_unique<Module>();
  std::vector<KernelInfo> kernels;
  bool isBinary;
  std::string why;
  if (Result error =
          emulator::readImage(image, /*chip=*/75, kernels, isBinary, why))
    return error;
  for (KernelInfo &info : kernels) {
    Function function = {info, {}, nullptr};
    if (!findLocalSize(info.name, function.localSize))
      die("kernel " + info.name + " is not in the SPIR-V");
    module->functions[info.name] = function;
  }
  *out = module.get();
  modules[*out] = std::move(module);
  return kSuccess;
}
Result cuModuleUnload(Module *module) {
  ENTER;
  return modules.erase(module) ? kSuccess : kInvalidValue;
}
Result cuModuleGetFunction(Function **function, Module *module,
                           const char *name) {
  ENTER;
  auto it = module->functions.find(name);
  if (it == module->functions.end())
    return kNotFound;
  *function = &it->second;
  return kSuccess;
}
Result cuFuncSetAttribute(Function *, int, int) { return kInvalidValue; }

Result cuLaunchKernel(Function *function, unsigned gx, unsigned gy, unsigned gz,
                      unsigned bx, unsigned by, unsigned bz, unsigned shared,
                      void *, void **params, void **) {
  ENTER;
  const uint32_t grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
  const std::string &name = function->info.name;
  if (memcmp(block, function->localSize, sizeof block))
    die("kernel " + name + " is launched with other blocks than its code has");
  if (shared)
    die("kernel " + name + ": dynamic shared memory");
  for (int d = 0; d < 3; ++d)
    if (grid[d] > properties.limits.maxComputeWorkGroupCount[d])
      return kInvalidValue;
  if (!function->pipeline)
    makePipeline(*function);
  // Eight bytes each, of which the kernel reads what its type has.
  size_t n = function->info.params;
  uint64_t place = allocate(8 * (n + 1));
  for (size_t i = 0; i < n; ++i) {
    if (function->info.sizes[i] > 8)
      die("kernel " + name + ": a parameter of more than 8 bytes");
    memcpy(atHost(place + 8 * i, 8), params[i], function->info.sizes[i]);
  }
  log(*function, grid);
  dispatch(*function, place, grid);
  release(place);
  return kSuccess;
}

Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  *free = *total = size_t(1) << 40;
  return kSuccess;
}
Result cuMemAlloc_v2(uint64_t *data, size_t bytes) {
  ENTER;
  if (!bytes)
    return kInvalidValue;
  *data = allocate(bytes);
  return *data ? kSuccess : kOutOfMemory;
}
Result cuMemFree_v2(uint64_t data) {
  ENTER;
  release(data);
  return kSuccess;
}
Result cuMemPoolCreate(void **, const void *) { return kInvalidValue; }
Result cuMemPoolDestroy(void *) { return kInvalidValue; }
Result cuMemPoolSetAttribute(void *, int, void *) { return kInvalidValue; }
Result cuMemAllocFromPoolAsync(uint64_t *, size_t, void *, void *) {
  return kInvalidValue;
}
Result cuMemFreeAsync(uint64_t data, void *) { return cuMemFree_v2(data); }
Result cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                            void *) {
  ENTER;
  memcpy(atHost(to, bytes), from, bytes);
  return kSuccess;
}
Result cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *) {
  ENTER;
  memcpy(to, atHost(from, bytes), bytes);
  return kSuccess;
}
Result cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *) {
  ENTER;
  memmove(atHost(to, bytes), atHost(from, bytes), bytes);
  return kSuccess;
}
// Everything is over when a call returns.
Result cuStreamSynchronize(void *) { return kSuccess; }
Result cuStreamCreate(void **stream, unsigned) {
  *stream = nullptr;
  return kSuccess;
}
Result cuStreamDestroy_v2(void *) { return kSuccess; }
Result cuStreamWaitEvent(void *, void *, unsigned) { return kSuccess; }
Result cuEventCreate(void **event, unsigned) {
  *event = nullptr;
  return kSuccess;
}
Result cuEventDestroy_v2(void *) { return kSuccess; }
Result cuEventRecord(void *, void *) { return kSuccess; }

Result cuMemsetD8Async(uint64_t to, uint8_t value, size_t n, void *) {
  return fill(to, value, n);
}
Result cuMemsetD16Async(uint64_t to, uint16_t value, size_t n, void *) {
  return fill(to, value, n);
}
Result cuMemsetD32Async(uint64_t to, uint32_t value, size_t n, void *) {
  return fill(to, value, n);
}

Result cuGetErrorName(Result error, const char **text) {
  *text = error == kInvalidValue  ? "CUDA_ERROR_INVALID_VALUE"
          : error == kOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == kNoDevice    ? "CUDA_ERROR_NO_DEVICE"
          : error == kNotFound    ? "CUDA_ERROR_NOT_FOUND"
                                  : "CUDA_ERROR_UNKNOWN";
  return kSuccess;
}
Result cuGetErrorString(Result error, const char **text) {
  *text = error == kInvalidValue  ? "invalid argument"
          : error == kOutOfMemory ? "out of memory"
          : error == kNoDevice    ? "no Vulkan device"
          : error == kNotFound    ? "named symbol not found"
                                  : "unknown error";
  return kSuccess;
}
}

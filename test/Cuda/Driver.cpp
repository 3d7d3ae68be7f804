//===- Driver.cpp - CUDA's driver interface without a GPU -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that the run-time of artefacts calls; those of streams are in
// Streams.cpp, of graphs in Graphs.cpp. What is asynchronous on a GPU is late
// here: copies and kernels run when someone waits for the stream, so that who
// does not wait sees old data. What a real driver would refuse is refused, what
// it would not notice (an address that is not allocated, or on another device,
// a parameter too few) ends the process. A kernel that touches what is not
// there, or what is another device's, leaves an error behind, which every later
// call returns, as on a GPU. Variables of the environment:
//
//   FX_FAKE_CUDA_CHIP     compute capability without its point (default 90)
//   FX_FAKE_CUDA_DEVICES  how many devices there are (default 1)
//   FX_FAKE_CUDA_MULTIPROCESSORS  that a device has (default 132)
//   FX_FAKE_CUDA_MEMORY   bytes of each (default: no limit)
//   FX_FAKE_CUDA_ALIGNMENT  of allocated memory, in bytes (default 8)
//   FX_FAKE_CUDA_POOLS    0: no pools of memory
//   FX_FAKE_CUDA_LOG      a file that gets a line of JSON for each call
//   FX_FAKE_CUDA_KERNELS  a library with kernels for this CPU, of
//                         test/EndToEnd/emulate.py; without it nothing runs:
//                         launches are checked, and data is
//                         zero, but a byte alone is one: conditions hold
//   FX_FAKE_CUDA_SEED     of the order in which threads and streams go on;
//                         with 0, the default, streams are as late as they may
//   FX_FAKE_CUDA_FAIL     NAME or NAME:K: a function whose calls, from the K-th
//                         on, return CUDA_ERROR_NOT_SUPPORTED
//   FX_FAKE_CUDA_OVERLAPS 0: graphs with programmatic edges cannot be launched
//   FX_FAKE_CUDA_BRANCHES 0: graphs that are no chains cannot be launched
//   FX_FAKE_CUDA_FORGETS_EVENTS  1: no stream waits for events
//   FX_FAKE_CUDA_FORGETS_EDGE  K: graphs are launched without their K-th edge
//   FX_EMULATOR_RACES     0: accesses of shared memory that nothing orders are
//                         no error
//   FX_EMULATOR_STATS     a file that gets a line of JSON for each kernel that
//                         has run: how its accesses fit the memory
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace emulator;

std::recursive_mutex emulator::lock;

static std::map<Module *, std::unique_ptr<Module>> modules;
static const EmulatedKernel *emulated;
static thread_local std::vector<Device *> contexts;

const char *emulator::getVariable(const char *name, const char *otherwise) {
  const char *text = getenv(name);
  return text && *text ? text : otherwise;
}

int emulator::getNumber(const char *name, const char *otherwise) {
  return atoi(getVariable(name, otherwise));
}

void emulator::log(const std::string &line) {
  static FILE *file = [] {
    const char *path = getVariable("FX_FAKE_CUDA_LOG", nullptr);
    return path ? fopen(path, "w") : nullptr;
  }();
  if (file) {
    fprintf(file, "{%s}\n", line.c_str());
    fflush(file);
  }
}

std::string emulator::field(const char *name, uint64_t value) {
  return std::string(", \"") + name + "\": " + std::to_string(value);
}

std::vector<std::unique_ptr<Device>> &emulator::getDevices() {
  static auto *devices = [] {
    auto *made = new std::vector<std::unique_ptr<Device>>;
    for (int i = 0; i < getNumber("FX_FAKE_CUDA_DEVICES", "1"); ++i) {
      auto device = std::make_unique<Device>();
      device->number = i;
      device->legacy.device = device.get();
      device->legacy.isLegacy = true;
      made->push_back(std::move(device));
    }
    return made;
  }();
  return *devices;
}

static Device *findDevice(void *context) {
  for (auto &device : getDevices())
    if (device.get() == context)
      return device.get();
  return nullptr;
}

Device *emulator::getCurrent() {
  return contexts.empty() ? nullptr : contexts.back();
}

bool emulator::hasKernels() { return emulated != nullptr; }

/// Whether FX_FAKE_CUDA_FAIL says that this call of `name` fails.
static bool isPlanted(const char *name) {
  static const std::string planted = getVariable("FX_FAKE_CUDA_FAIL", "");
  static const size_t colon = planted.find(':');
  static int left =
      colon == std::string::npos ? 1 : atoi(planted.c_str() + colon + 1);
  if (planted.empty() || planted.substr(0, colon) != name)
    return false;
  return left <= 1 || --left < 1;
}

Result emulator::begin(const char *name) {
  if (contexts.empty())
    return kInvalidContext;
  if (Result error = getCurrent()->sticky)
    return error;
  return isPlanted(name) ? kNotSupported : kSuccess;
}

//===----------------------------------------------------------------------===//
// Devices, contexts and modules
//===----------------------------------------------------------------------===//

void emulator::setCurrent(Device &device) { contexts.assign(1, &device); }

/// Whether the image tells the same parameters.
static bool takesParams(const EmulatedKernel &kernel, const KernelInfo &info) {
  if (strlen(kernel.params) != size_t(info.params))
    return false;
  for (size_t i = 0; i < info.isAddress.size(); ++i)
    if (info.isAddress[i] != (kernel.params[i] == 'p'))
      return false;
  return true;
}

Module *emulator::makeModule(const std::vector<KernelInfo> &kernels,
                             const char *kind) {
  auto module = std::make_unique<Module>();
  module->device = getCurrent();
  log(std::string("\"call\": \"load\", \"kind\": \"") + kind + "\"" +
      field("kernels", kernels.size()));
  for (const KernelInfo &info : kernels) {
    Function function{info};
    function.device = module->device;
    for (const EmulatedKernel *k = emulated; k && k->name; ++k)
      if (info.name == k->name)
        function.emulated = k;
    if (emulated && !function.emulated)
      die("no code of kernel " + info.name + " for this CPU");
    if (emulated && !takesParams(*function.emulated, info))
      die("kernel " + info.name +
          " has other parameters than its code for this CPU");
    module->functions[info.name] = function;
  }
  Module *made = module.get();
  modules[made] = std::move(module);
  return made;
}

extern "C" {
Result cuInit(unsigned) {
  if (getNumber("FX_FAKE_CUDA_DEVICES", "1") == 0)
    return kNoDevice;
  if (const char *bytes = getVariable("FX_FAKE_CUDA_MEMORY", nullptr))
    setLimit(strtoull(bytes, nullptr, 10));
  setSeed(getNumber("FX_FAKE_CUDA_SEED", "0"));
  if (const char *path = getVariable("FX_FAKE_CUDA_KERNELS", nullptr)) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    emulated =
        library ? (const EmulatedKernel *)dlsym(library, "fx_emulated_kernels")
                : nullptr;
    if (!emulated)
      die(std::string("no kernels for this CPU: ") + dlerror());
  }
  return kSuccess;
}

Result cuDeviceGetCount(int *count) {
  *count = getNumber("FX_FAKE_CUDA_DEVICES", "1");
  return kSuccess;
}
Result cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return ordinal < getNumber("FX_FAKE_CUDA_DEVICES", "1") ? kSuccess
                                                          : kInvalidDevice;
}
Result cuDeviceGetName(char *name, int size, int) {
  snprintf(name, size, "Emulated GPU");
  return kSuccess;
}
Result cuDeviceGetAttribute(int *value, int attribute, int) {
  int chip = getNumber("FX_FAKE_CUDA_CHIP", "90");
  switch (attribute) {
  case 16:
    *value = getNumber("FX_FAKE_CUDA_MULTIPROCESSORS", "132");
    return kSuccess;
  case 75:
    *value = chip / 10;
    return kSuccess;
  case 76:
    *value = chip % 10;
    return kSuccess;
  case 115:
    *value = getNumber("FX_FAKE_CUDA_POOLS", "1");
    return kSuccess;
  }
  return kInvalidValue;
}

Result cuDevicePrimaryCtxRetain(void **context, int device) {
  if (device < 0 || size_t(device) >= getDevices().size())
    return kInvalidDevice;
  *context = getDevices()[device].get();
  return kSuccess;
}
Result cuCtxPushCurrent_v2(void *context) {
  Device *device = findDevice(context);
  if (!device)
    return kInvalidContext;
  contexts.push_back(device);
  return kSuccess;
}
Result cuCtxPopCurrent_v2(void **context) {
  if (contexts.empty())
    return kInvalidContext;
  *context = contexts.back();
  contexts.pop_back();
  return kSuccess;
}
Result cuCtxGetCurrent(void **context) {
  *context = getCurrent();
  return kSuccess;
}

Result cuModuleLoadDataEx(Module **out, const char *image, unsigned n,
                          int *options, void **values) {
  ENTER;
  if (Result error = checkUnsafe())
    return error;
  std::vector<KernelInfo> kernels;
  bool isBinary;
  std::string why;
  if (Result error = readImage(image, getNumber("FX_FAKE_CUDA_CHIP", "90"),
                               kernels, isBinary, why)) {
    for (unsigned i = 0; i + 1 < n; ++i)
      if (options[i] == 5 && options[i + 1] == 6)
        snprintf((char *)values[i], (size_t)values[i + 1], "%s", why.c_str());
    return error;
  }
  *out = makeModule(kernels, isBinary ? "cubin" : "ptx");
  return kSuccess;
}
Result cuModuleUnload(Module *module) {
  ENTER;
  finishAll(*getCurrent());
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

Result cuFuncSetAttribute(Function *function, int attribute, int value) {
  ENTER;
  if (attribute != 8 || value < 0 || size_t(value) > kMaxShared)
    return kInvalidValue;
  function->maxShared = value;
  return kSuccess;
}
Result cuLaunchKernel(Function *function, unsigned gx, unsigned gy, unsigned gz,
                      unsigned bx, unsigned by, unsigned bz, unsigned shared,
                      void *stream, void **params, void **) {
  ENTER;
  Operation operation = {};
  unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
  if (Result error =
          makeLaunch(operation, function, grid, block, shared, params))
    return error;
  return issue(stream, std::move(operation));
}

/// CUlaunchAttribute and CUlaunchConfig of cuda.h.
struct LaunchAttribute {
  int id;
  char pad[4];
  int value;
  char rest[60];
};
struct LaunchConfig {
  unsigned grid[3], block[3], shared;
  void *stream;
  const LaunchAttribute *attributes;
  unsigned count;
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56);
Result cuLaunchKernelEx(const LaunchConfig *config, Function *function,
                        void **params, void **) {
  ENTER;
  // Programmatic serialization with the kernel in front is all that is known.
  for (unsigned i = 0; i < config->count; ++i)
    if (config->attributes[i].id != 6 || config->attributes[i].value != 1)
      return kInvalidValue;
  Operation operation = {};
  if (Result error = makeLaunch(operation, function, config->grid,
                                config->block, config->shared, params))
    return error;
  return issue(config->stream, std::move(operation));
}

static Result encodeMap(void *out, const TensorMapFields &fields) {
  std::lock_guard<std::recursive_mutex> guard(lock);
  TensorMap map;
  std::string why = (uintptr_t)out % 64 ? "expected a map aligned to 64 bytes"
                                        : makeTensorMap(map, fields);
  if (!why.empty()) {
    fprintf(stderr, "emulator: tensor map: %s\n", why.c_str());
    return kInvalidValue;
  }
  if (Device *device = getCurrent())
    checkMemory((uint64_t)fields.data, map.getBytes(), "a tensor map", *device);
  memset(out, 0, 128);
  memcpy(out, &map, sizeof map);
  std::string text = "\"call\": \"map\"" + field("rank", fields.rank);
  auto add = [&](const char *name, auto values, unsigned count) {
    text += std::string(", \"") + name + "\": [";
    for (unsigned d = 0; d < count; ++d)
      text += (d ? ", " : "") + std::to_string(values[d]);
    text += "]";
  };
  add("sizes", fields.sizes, fields.rank);
  add("strides", fields.strides, fields.rank - 1);
  add("box", fields.box, fields.isImage() ? 2 : fields.rank);
  if (fields.isImage()) {
    add("lower", fields.lower, fields.rank - 2);
    add("upper", fields.upper, fields.rank - 2);
    add("steps", fields.steps, fields.rank);
  }
  log(text);
  return kSuccess;
}

Result cuTensorMapEncodeTiled(void *out, int type, unsigned rank, void *data,
                              const uint64_t *sizes, const uint64_t *strides,
                              const unsigned *box, const unsigned *steps,
                              int interleave, int swizzle, int promotion,
                              int fill) {
  return encodeMap(out, {type, rank, data, sizes, strides, box, steps,
                         interleave, swizzle, promotion, fill});
}
Result cuTensorMapEncodeIm2col(void *out, int type, unsigned rank, void *data,
                               const uint64_t *sizes, const uint64_t *strides,
                               const int *lower, const int *upper,
                               unsigned channels, unsigned pixels,
                               const unsigned *steps, int interleave,
                               int swizzle, int promotion, int fill) {
  unsigned box[] = {channels, pixels};
  return encodeMap(out, {type, rank, data, sizes, strides, box, steps,
                         interleave, swizzle, promotion, fill, lower, upper});
}

static Result explain(Result code, const char **text, bool isName) {
  static const std::map<Result, std::pair<const char *, const char *>> texts = {
      {kInvalidValue, {"CUDA_ERROR_INVALID_VALUE", "invalid argument"}},
      {kOutOfMemory, {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"}},
      {kNoDevice,
       {"CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"}},
      {kInvalidDevice, {"CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"}},
      {200, {"CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"}},
      {kInvalidContext,
       {"CUDA_ERROR_INVALID_CONTEXT", "invalid device context"}},
      {209,
       {"CUDA_ERROR_NO_BINARY_FOR_GPU",
        "no kernel image is available for execution on the device"}},
      {kInvalidHandle,
       {"CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"}},
      {kNotFound, {"CUDA_ERROR_NOT_FOUND", "named symbol not found"}},
      {kNotSupported, {"CUDA_ERROR_NOT_SUPPORTED", "operation not supported"}},
      {kCaptureUnsupported,
       {"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
        "operation not permitted when stream is capturing"}},
      {kCaptureImplicit,
       {"CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
        "operation would make the legacy stream depend on a capturing "
        "blocking stream"}},
      {kCaptureInvalidated,
       {"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
        "operation failed due to a previous error during capture"}},
      {kIllegalAddress,
       {"CUDA_ERROR_ILLEGAL_ADDRESS",
        "an illegal memory access was encountered"}},
      {kMisalignedAddress,
       {"CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"}}};
  auto it = texts.find(code);
  *text = it == texts.end() ? nullptr
          : isName          ? it->second.first
                            : it->second.second;
  return it == texts.end() ? kInvalidValue : kSuccess;
}
Result cuGetErrorString(Result code, const char **text) {
  return explain(code, text, /*isName=*/false);
}
Result cuGetErrorName(Result code, const char **text) {
  return explain(code, text, /*isName=*/true);
}
Result cuDriverGetVersion(int *version) {
  *version = 13000;
  return kSuccess;
}
}

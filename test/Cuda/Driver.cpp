//===- Driver.cpp - CUDA's driver interface without a GPU -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that the run-time of artefacts calls. What is asynchronous on a
// GPU is late here: copies and kernels run when someone waits for the stream,
// so that who does not wait sees old data. What a real driver would refuse is
// refused, what it would not notice (an address that is not allocated, a
// parameter too few) ends the process. A kernel that touches what is not there
// leaves an error behind, which every later call returns, as on a GPU.
// Variables of the environment:
//
//   FX_FAKE_CUDA_CHIP     compute capability without its point (default 90)
//   FX_FAKE_CUDA_DEVICES  how many devices there are (default 1)
//   FX_FAKE_CUDA_PROCESSORS  that a device has (default 132)
//   FX_FAKE_CUDA_MEMORY   bytes of each (default: no limit)
//   FX_FAKE_CUDA_POOLS    0: no pools of memory
//   FX_FAKE_CUDA_LOG      a file that gets a line of JSON for each call
//   FX_FAKE_CUDA_KERNELS  a library with kernels for this processor, of
//                         test/EndToEnd/emulate.py; without it nothing runs:
//                         launches are checked, and data is
//                         zero, but a byte alone is one: conditions hold
//   FX_FAKE_CUDA_SEED     of the order in which threads go on
//   FX_EMULATOR_RACES     0: accesses of shared memory that nothing orders are
//                         no error
//   FX_EMULATOR_STATS     a file that gets a line of JSON for each kernel that
//                         has run: how its accesses fit the memory
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <setjmp.h>
#include <signal.h>

using namespace emulator;

typedef int Result;
enum : Result {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kNotFound = 500,
  kIllegalAddress = 700,
  kMisalignedAddress = 716
};

namespace {
struct Function {
  KernelInfo info;
  const EmulatedKernel *emulated = nullptr;
  unsigned maxShared = 48 * 1024; ///< dynamic
};
/// Of a kernel: a number, or a tensor map.
struct alignas(64) Parameter {
  uint64_t words[16];
};
struct Module {
  std::map<std::string, Function> functions;
};
} // namespace

// One lock for all: the interface may be called from several threads.
static std::recursive_mutex lock;
static std::deque<std::function<void()>> pending;
static std::map<Module *, std::unique_ptr<Module>> modules;
static const EmulatedKernel *emulated;
static thread_local int contexts;
static int kContext;

static const char *getVariable(const char *name, const char *otherwise) {
  const char *text = getenv(name);
  return text && *text ? text : otherwise;
}

static int getNumber(const char *name, const char *otherwise) {
  return atoi(getVariable(name, otherwise));
}

static void log(const std::string &line) {
  static FILE *file = [] {
    const char *path = getVariable("FX_FAKE_CUDA_LOG", nullptr);
    return path ? fopen(path, "w") : nullptr;
  }();
  if (file) {
    fprintf(file, "{%s}\n", line.c_str());
    fflush(file);
  }
}

static std::string field(const char *name, uint64_t value) {
  return std::string(", \"") + name + "\": " + std::to_string(value);
}

/// What a kernel left behind.
static Result sticky;
static sigjmp_buf afterFault;

/// Runs `work`; an access of memory that is not there ends it.
static void runGuarded(const std::function<void()> &work) {
  static char stack[1 << 16];
  stack_t here = {}, before;
  here.ss_sp = stack;
  here.ss_size = sizeof stack;
  struct sigaction action = {}, segv, bus;
  action.sa_handler = [](int signal) { siglongjmp(afterFault, signal); };
  action.sa_flags = SA_ONSTACK;
  sigaltstack(&here, &before);
  sigaction(SIGSEGV, &action, &segv);
  sigaction(SIGBUS, &action, &bus);
  if (int signal = sigsetjmp(afterFault, 1))
    sticky = signal == SIGBUS ? kMisalignedAddress : kIllegalAddress;
  else
    work();
  sigaction(SIGSEGV, &segv, nullptr);
  sigaction(SIGBUS, &bus, nullptr);
  sigaltstack(&before, nullptr);
}

/// Does what was put on streams, in order.
static Result finish() {
  if (pending.empty())
    return sticky;
  open(true);
  for (auto &work : pending)
    if (!sticky)
      runGuarded(work);
  pending.clear();
  open(false);
  return sticky;
}

/// Addresses of the device that a copy gets.
static void checkMemory(uint64_t data, size_t bytes, const char *what) {
  if (!isAllocated((const char *)data, bytes))
    die(std::string(what) + " outside of what is allocated on the device");
}

#define ENTER                                                                  \
  std::lock_guard<std::recursive_mutex> guard(lock);                           \
  if (sticky)                                                                  \
    return sticky;                                                             \
  if (!contexts)                                                               \
  return kInvalidContext

extern "C" {
Result cuInit(unsigned) {
  if (getNumber("FX_FAKE_CUDA_DEVICES", "1") == 0)
    return kNoDevice;
  if (const char *bytes = getVariable("FX_FAKE_CUDA_MEMORY", nullptr))
    setMemoryLimit(strtoull(bytes, nullptr, 10));
  setSeed(getNumber("FX_FAKE_CUDA_SEED", "0"));
  if (const char *path = getVariable("FX_FAKE_CUDA_KERNELS", nullptr)) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    emulated =
        library ? (const EmulatedKernel *)dlsym(library, "fx_emulated_kernels")
                : nullptr;
    if (!emulated)
      die(std::string("no kernels for this processor: ") + dlerror());
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
    *value = getNumber("FX_FAKE_CUDA_PROCESSORS", "132");
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

Result cuDevicePrimaryCtxRetain(void **context, int) {
  *context = &kContext;
  return kSuccess;
}
Result cuCtxPushCurrent_v2(void *context) {
  if (context != &kContext)
    return kInvalidContext;
  ++contexts;
  return kSuccess;
}
Result cuCtxPopCurrent_v2(void **context) {
  if (!contexts)
    return kInvalidContext;
  --contexts;
  *context = &kContext;
  return kSuccess;
}
Result cuCtxSynchronize() {
  ENTER;
  return finish();
}

Result cuModuleLoadDataEx(Module **out, const char *image, unsigned n,
                          int *options, void **values) {
  ENTER;
  auto module = std::make_unique<Module>();
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
  log(std::string("\"call\": \"load\", \"kind\": \"") +
      (isBinary ? "cubin" : "ptx") + "\"" + field("kernels", kernels.size()));
  for (KernelInfo &info : kernels) {
    Function function{info};
    for (const EmulatedKernel *k = emulated; k && k->name; ++k)
      if (info.name == k->name)
        function.emulated = k;
    if (emulated && !function.emulated)
      die("no code of kernel " + info.name + " for this processor");
    if (emulated && function.emulated->params != info.params)
      die("kernel " + info.name +
          " has other parameters than its code for this processor");
    module->functions[info.name] = function;
  }
  *out = module.get();
  modules[*out] = std::move(module);
  return kSuccess;
}
Result cuModuleUnload(Module *module) {
  ENTER;
  finish();
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
  const KernelInfo &info = function->info;
  unsigned grid[3] = {gx, gy, gz};
  if (!gx || !gy || !gz || gx > 0x7fffffff || gy > 65535 || gz > 65535 || !bx ||
      by != 1 || bz != 1 || bx > 1024 || shared > function->maxShared ||
      (info.maxThreads && int(bx) > info.maxThreads))
    return kInvalidValue;
  std::string text = "\"call\": \"launch\", \"kernel\": \"" + info.name +
                     "\", \"grid\": [" + std::to_string(gx) + ", " +
                     std::to_string(gy) + ", " + std::to_string(gz) + "]" +
                     field("block", bx) + field("shared", shared) +
                     field("stream", (uint64_t)stream) + ", \"args\": [";
  std::vector<Parameter> values(info.params + 1);
  for (int i = 0; i < info.params; ++i) {
    // The driver knows how much is there; of a number it reads no more.
    memcpy(&values[i], params[i], info.sizes[i]);
    uint64_t first = values[i].words[0];
    if (info.sizes[i] == sizeof(Parameter)) {
      TensorMap map;
      memcpy(&map, &values[i], sizeof map);
      if (!map.isValid())
        die("kernel " + info.name + ": expected a tensor map");
      first = (uint64_t)map.data;
    }
    text += (i ? ", " : "") + std::to_string(first);
    if (!info.isAddress.empty() && info.isAddress[i])
      checkMemory(first, 0, ("kernel " + info.name + ": an address").c_str());
  }
  log(text + "]");
  if (const EmulatedKernel *kernel = function->emulated)
    pending.push_back([=] {
      std::vector<Parameter> copies = values;
      std::vector<void *> pointers;
      for (Parameter &value : copies)
        pointers.push_back(&value);
      runKernel(*kernel, pointers.data(), grid, bx, shared);
    });
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  *total = getMemoryLimit();
  *free = *total - getMemoryInUse();
  return kSuccess;
}
Result cuMemAlloc_v2(uint64_t *data, size_t bytes) {
  ENTER;
  if (!bytes)
    return kInvalidValue;
  *data = (uint64_t)allocate(bytes);
  if (*data)
    log("\"call\": \"allocate\"" + field("bytes", bytes));
  return *data ? kSuccess : kOutOfMemory;
}
Result cuMemFree_v2(uint64_t data) {
  ENTER;
  finish();
  release((char *)data);
  log("\"call\": \"free\"");
  return kSuccess;
}
Result cuMemPoolCreate(void **pool, const void *) {
  static int made;
  *pool = &made;
  return kSuccess;
}
Result cuMemPoolDestroy(void *) { return kSuccess; }
Result cuMemPoolSetAttribute(void *, int, void *) { return kSuccess; }
Result cuMemAllocFromPoolAsync(uint64_t *data, size_t bytes, void *pool,
                               void *) {
  return pool ? cuMemAlloc_v2(data, bytes) : kInvalidValue;
}
Result cuMemFreeAsync(uint64_t data, void *) {
  ENTER;
  checkMemory(data, 0, "a free");
  pending.push_back([=] { release((char *)data); });
  log("\"call\": \"free\"");
  return kSuccess;
}

Result cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                            void *) {
  ENTER;
  checkMemory(to, bytes, "a copy to memory");
  log("\"call\": \"to device\"" + field("bytes", bytes));
  if (!emulated)
    return kSuccess;
  // Of memory that is not pinned the driver keeps a copy.
  std::string copy((const char *)from, bytes);
  pending.push_back([=] { memcpy((void *)to, copy.data(), bytes); });
  return kSuccess;
}
Result cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *) {
  ENTER;
  checkMemory(from, bytes, "a copy from memory");
  log("\"call\": \"to host\"" + field("bytes", bytes));
  if (emulated)
    pending.push_back([=] { memcpy(to, (const void *)from, bytes); });
  else
    memset(to, bytes == 1, bytes);
  return kSuccess;
}
Result cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *) {
  ENTER;
  checkMemory(to, bytes, "a copy to memory");
  checkMemory(from, bytes, "a copy from memory");
  log("\"call\": \"copy\"" + field("bytes", bytes));
  if (emulated)
    pending.push_back([=] { memmove((void *)to, (const void *)from, bytes); });
  return kSuccess;
}
/// For tests: nothing on a stream is left to do.
int fx_fake_cuda_is_idle() {
  std::lock_guard<std::recursive_mutex> guard(lock);
  return pending.empty();
}
Result cuStreamSynchronize(void *) {
  ENTER;
  log("\"call\": \"synchronize\"");
  return finish();
}

Result cuTensorMapEncodeTiled(void *out, int type, unsigned rank, void *data,
                              const uint64_t *sizes, const uint64_t *strides,
                              const unsigned *box, const unsigned *steps,
                              int interleave, int swizzle, int promotion,
                              int fill) {
  std::lock_guard<std::recursive_mutex> guard(lock);
  TensorMap map;
  std::string why =
      (uintptr_t)out % 64
          ? "expected a map aligned to 64 bytes"
          : makeTensorMap(map, {type, rank, data, sizes, strides, box, steps,
                                interleave, swizzle, promotion, fill});
  if (!why.empty()) {
    fprintf(stderr, "emulator: tensor map: %s\n", why.c_str());
    return kInvalidValue;
  }
  checkMemory((uint64_t)data, map.getBytes(), "a tensor map");
  memset(out, 0, 128);
  memcpy(out, &map, sizeof map);
  std::string text =
      "\"call\": \"map\"" + field("rank", rank) + ", \"sizes\": [";
  for (unsigned d = 0; d < rank; ++d)
    text += (d ? ", " : "") + std::to_string(sizes[d]);
  text += "], \"strides\": [";
  for (unsigned d = 0; d + 1 < rank; ++d)
    text += (d ? ", " : "") + std::to_string(strides[d]);
  text += "], \"box\": [";
  for (unsigned d = 0; d < rank; ++d)
    text += (d ? ", " : "") + std::to_string(box[d]);
  log(text + "]");
  return kSuccess;
}

static Result describe(Result code, const char **text, bool isName) {
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
      {kNotFound, {"CUDA_ERROR_NOT_FOUND", "named symbol not found"}},
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
  return describe(code, text, /*isName=*/false);
}
Result cuGetErrorName(Result code, const char **text) {
  return describe(code, text, /*isName=*/true);
}
Result cuDriverGetVersion(int *version) {
  *version = 13000;
  return kSuccess;
}
}

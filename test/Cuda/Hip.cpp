//===- Hip.cpp - HIP's interface without a GPU ----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that the runtime of artefacts for AMD GPUs calls, on the
// emulated device of Driver.cpp. A code object is checked: its chip, and the
// parameters of its kernels. What runs is the code for this CPU of the same
// kernels, which FX_FAKE_CUDA_KERNELS names. Besides the variables of
// Driver.cpp:
//
//   FX_FAKE_HIP_CHIP  the name of the chip (default gfx942)
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/AMDGPUMetadata.h"

#include <cstdio>

using namespace emulator;

extern "C" {
Result cuInit(unsigned);
Result cuDeviceGetCount(int *);
Result cuDeviceGet(int *, int);
Result cuDeviceGetAttribute(int *, int, int);
Result cuCtxSynchronize();
Result cuModuleUnload(Module *);
Result cuModuleGetFunction(Function **, Module *, const char *);
Result cuLaunchKernel(Function *, unsigned, unsigned, unsigned, unsigned,
                      unsigned, unsigned, unsigned, void *, void **, void **);
Result cuMemGetInfo_v2(size_t *, size_t *);
Result cuMemAlloc_v2(uint64_t *, size_t);
Result cuMemFree_v2(uint64_t);
Result cuMemPoolCreate(void **, const void *);
Result cuMemPoolDestroy(void *);
Result cuMemPoolSetAttribute(void *, int, void *);
Result cuMemAllocFromPoolAsync(uint64_t *, size_t, void *, void *);
Result cuMemFreeAsync(uint64_t, void *);
Result cuMemcpyHtoDAsync_v2(uint64_t, const void *, size_t, void *);
Result cuMemcpyDtoHAsync_v2(void *, uint64_t, size_t, void *);
Result cuMemcpyDtoDAsync_v2(uint64_t, uint64_t, size_t, void *);
Result cuMemsetD8Async(uint64_t, uint8_t, size_t, void *);
Result cuMemsetD16Async(uint64_t, uint16_t, size_t, void *);
Result cuMemsetD32Async(uint64_t, uint32_t, size_t, void *);
Result cuStreamCreate(void **, unsigned);
Result cuStreamDestroy_v2(void *);
Result cuStreamSynchronize(void *);
Result cuStreamWaitEvent(void *, void *, unsigned);
Result cuEventCreate(void **, unsigned);
Result cuEventDestroy_v2(void *);
Result cuEventRecord(void *, void *);
}

/// Reads the kernels of a code object for `chip`. Returns HIP's error.
static Result readCodeObject(const char *image, llvm::StringRef chip,
                             std::vector<KernelInfo> &kernels) {
  using namespace llvm::object;
  enum { InvalidImage = 200, NoBinaryForGpu = 209 };
  // The size of the image is not given: the section headers are last.
  const auto *header = (const llvm::ELF::Elf64_Ehdr *)image;
  if (!header->checkMagic())
    return InvalidImage;
  size_t bytes = header->e_shoff + header->e_shnum * header->e_shentsize;
  auto file = ELF64LEFile::create(llvm::StringRef(image, bytes));
  if (!file)
    die("a code object: " + llvm::toString(file.takeError()));
  auto object = ELF64LEObjectFile::create(
      llvm::MemoryBufferRef(llvm::StringRef(image, bytes), "code object"));
  if (!object)
    die("a code object: " + llvm::toString(object.takeError()));
  if (object->tryGetCPUName().value_or("") != chip)
    return NoBinaryForGpu;
  llvm::msgpack::Document document;
  for (const auto &section : llvm::cantFail(file->sections())) {
    if (section.sh_type != llvm::ELF::SHT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    for (const auto &note : file->notes(section, error))
      if (note.getType() == llvm::ELF::NT_AMDGPU_METADATA &&
          !document.readFromBlob(note.getDescAsStringRef(4), false))
        die("a code object: its metadata cannot be read");
    if (error)
      die("a code object: " + llvm::toString(std::move(error)));
  }
  auto root = document.getRoot().getMap();
  for (auto &kernel : root["amdhsa.kernels"].getArray()) {
    auto &fields = kernel.getMap();
    KernelInfo info{fields[".name"].getString().str()};
    info.maxThreads = fields[".max_flat_workgroup_size"].getUInt();
    for (auto &arg : fields[".args"].getArray()) {
      auto &of = arg.getMap();
      ++info.params;
      info.sizes.push_back(of[".size"].getUInt());
      info.isAddress.push_back(of[".value_kind"].getString() ==
                               "global_buffer");
    }
    kernels.push_back(info);
  }
  return kSuccess;
}

static thread_local int current = 0;

extern "C" {
Result hipInit(unsigned flags) { return cuInit(flags); }
Result hipGetDeviceCount(int *count) { return cuDeviceGetCount(count); }
Result hipDeviceGet(int *device, int ordinal) {
  return cuDeviceGet(device, ordinal);
}
Result hipDeviceGetName(char *name, int size, int) {
  snprintf(name, size, "Emulated AMD GPU");
  return kSuccess;
}
/// The numbers are those of hipDeviceAttribute_t.
Result hipDeviceGetAttribute(int *value, int attribute, int device) {
  switch (attribute) {
  case 63:
    return cuDeviceGetAttribute(value, 16, device);
  case 88:
    return cuDeviceGetAttribute(value, 115, device);
  }
  return kInvalidValue;
}
Result hipGetDevice(int *device) {
  *device = current;
  return kSuccess;
}
Result hipSetDevice(int device) {
  if (device < 0 || size_t(device) >= getDevices().size())
    return kInvalidDevice;
  current = device;
  setCurrent(*getDevices()[device]);
  return kSuccess;
}
Result hipDeviceSynchronize() { return cuCtxSynchronize(); }

Result hipModuleLoadData(Module **out, const char *image) {
  ENTER;
  std::vector<KernelInfo> kernels;
  if (Result error = readCodeObject(
          image, getVariable("FX_FAKE_HIP_CHIP", "gfx942"), kernels))
    return error;
  *out = makeModule(kernels, "hsaco");
  return kSuccess;
}
Result hipModuleUnload(Module *module) { return cuModuleUnload(module); }
Result hipModuleGetFunction(Function **function, Module *module,
                            const char *name) {
  return cuModuleGetFunction(function, module, name);
}
Result hipModuleLaunchKernel(Function *function, unsigned gx, unsigned gy,
                             unsigned gz, unsigned bx, unsigned by, unsigned bz,
                             unsigned shared, void *stream, void **params,
                             void **extra) {
  return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream,
                        params, extra);
}

Result hipMemGetInfo(size_t *free, size_t *total) {
  return cuMemGetInfo_v2(free, total);
}
Result hipMalloc(uint64_t *data, size_t bytes) {
  return cuMemAlloc_v2(data, bytes);
}
Result hipFree(uint64_t data) { return cuMemFree_v2(data); }
Result hipMemPoolCreate(void **pool, const void *props) {
  return cuMemPoolCreate(pool, props);
}
Result hipMemPoolDestroy(void *pool) { return cuMemPoolDestroy(pool); }
Result hipMemPoolSetAttribute(void *pool, int attribute, void *value) {
  return cuMemPoolSetAttribute(pool, attribute, value);
}
Result hipMallocFromPoolAsync(uint64_t *data, size_t bytes, void *pool,
                              void *stream) {
  return cuMemAllocFromPoolAsync(data, bytes, pool, stream);
}
Result hipFreeAsync(uint64_t data, void *stream) {
  return cuMemFreeAsync(data, stream);
}
Result hipMemcpyHtoDAsync(uint64_t to, const void *from, size_t bytes,
                          void *stream) {
  return cuMemcpyHtoDAsync_v2(to, from, bytes, stream);
}
Result hipMemcpyDtoHAsync(void *to, uint64_t from, size_t bytes, void *stream) {
  return cuMemcpyDtoHAsync_v2(to, from, bytes, stream);
}
Result hipMemcpyDtoDAsync(uint64_t to, uint64_t from, size_t bytes,
                          void *stream) {
  return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}
Result hipMemsetD8Async(uint64_t to, uint8_t value, size_t n, void *stream) {
  return cuMemsetD8Async(to, value, n, stream);
}
Result hipMemsetD16Async(uint64_t to, uint16_t value, size_t n, void *stream) {
  return cuMemsetD16Async(to, value, n, stream);
}
Result hipMemsetD32Async(uint64_t to, uint32_t value, size_t n, void *stream) {
  return cuMemsetD32Async(to, value, n, stream);
}

Result hipStreamCreateWithFlags(void **stream, unsigned flags) {
  return cuStreamCreate(stream, flags);
}
Result hipStreamDestroy(void *stream) { return cuStreamDestroy_v2(stream); }
Result hipStreamSynchronize(void *stream) {
  return cuStreamSynchronize(stream);
}
Result hipStreamWaitEvent(void *stream, void *event, unsigned flags) {
  return cuStreamWaitEvent(stream, event, flags);
}
Result hipEventCreateWithFlags(void **event, unsigned flags) {
  return cuEventCreate(event, flags);
}
Result hipEventDestroy(void *event) { return cuEventDestroy_v2(event); }
Result hipEventRecord(void *event, void *stream) {
  return cuEventRecord(event, stream);
}

const char *hipGetErrorName(Result code) {
  return code == kNoDevice         ? "hipErrorNoDevice"
         : code == kOutOfMemory    ? "hipErrorOutOfMemory"
         : code == kIllegalAddress ? "hipErrorIllegalAddress"
         : code == 209             ? "hipErrorNoBinaryForGpu"
                                   : "hipErrorUnknown";
}
const char *hipGetErrorString(Result code) {
  return code == kNoDevice         ? "no ROCm-capable device is detected"
         : code == kOutOfMemory    ? "out of memory"
         : code == kIllegalAddress ? "an illegal memory access was encountered"
         : code == 209
             ? "no kernel image is available for execution on the device"
             : "unknown error";
}
}

//===- Operations.cpp - what an emulated device does, and its memory ------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Threads.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace emulator;

namespace {
struct PoolBlock {
  size_t bytes;
  Device *device;
  /// Of a graph that took it while it was captured.
  bool isGraph;
};
} // namespace

static std::map<uint64_t, PoolBlock> allocations;
static size_t memoryLimit = size_t(1) << 40;

void emulator::setLimit(size_t bytes) { memoryLimit = bytes; }

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Addresses of the device that an operation gets.
void emulator::checkMemory(uint64_t data, size_t bytes, const std::string &what,
                           const Device &device) {
  if (!isAllocated((const char *)data, bytes))
    die(what + " outside of what is allocated on the device");
  auto it = allocations.upper_bound(data);
  const Device *owner =
      it == allocations.begin() ? nullptr : std::prev(it)->second.device;
  if (owner != &device)
    die(what + " of device " + std::to_string(owner ? owner->number : -1) +
        " on device " + std::to_string(device.number));
}

static uint64_t getAddress(const Parameter &parameter, int bytes) {
  TensorMap map;
  if (bytes != sizeof(Parameter))
    return parameter.words[0];
  memcpy(&map, &parameter, sizeof map);
  return (uint64_t)map.data;
}

void emulator::checkAddresses(const Operation &operation,
                              const Device &device) {
  switch (operation.kind) {
  case Operation::Nothing:
    return;
  case Operation::Launch: {
    const KernelInfo &info = operation.function->info;
    for (int i = 0; i < info.params; ++i)
      if (info.sizes[i] == sizeof(Parameter) ||
          (!info.isAddress.empty() && info.isAddress[i]))
        checkMemory(getAddress(operation.values[i], info.sizes[i]), 0,
                    "kernel " + info.name + ": an address", device);
    return;
  }
  case Operation::Copy:
  case Operation::ToDevice:
  case Operation::ToHost:
    if (operation.kind != Operation::ToHost)
      checkMemory(operation.to, operation.bytes, "a copy to memory", device);
    if (operation.kind != Operation::ToDevice)
      checkMemory(operation.from, operation.bytes, "a copy from memory",
                  device);
    return;
  case Operation::Fill:
    return checkMemory(operation.to, operation.bytes, "a fill of memory",
                       device);
  case Operation::Free:
    return checkMemory(operation.to, 0, "a free", device);
  }
}

std::string emulator::describe(const Operation &operation,
                               const Stream &stream) {
  switch (operation.kind) {
  case Operation::Nothing:
    return "";
  case Operation::Launch: {
    const KernelInfo &info = operation.function->info;
    std::string text =
        "\"call\": \"launch\", \"kernel\": \"" + info.name + "\", \"grid\": [" +
        std::to_string(operation.grid[0]) + ", " +
        std::to_string(operation.grid[1]) + ", " +
        std::to_string(operation.grid[2]) + "]" +
        field("block", operation.block) + field("shared", operation.shared) +
        field("stream", stream.isLegacy ? 0 : (uint64_t)&stream) +
        ", \"args\": [";
    for (int i = 0; i < info.params; ++i)
      text += (i ? ", " : "") +
              std::to_string(getAddress(operation.values[i], info.sizes[i]));
    return text + "]";
  }
  case Operation::Copy:
    return "\"call\": \"copy\"" + field("bytes", operation.bytes);
  case Operation::ToDevice:
    return "\"call\": \"to device\"" + field("bytes", operation.bytes);
  case Operation::ToHost:
    return "\"call\": \"to host\"" + field("bytes", operation.bytes);
  case Operation::Fill:
    return "\"call\": \"fill\"" + field("bytes", operation.bytes);
  case Operation::Free:
    return "\"call\": \"free\"";
  }
  return "";
}

void emulator::perform(Operation &operation) {
  void *to = (void *)operation.to;
  const void *from = operation.isKept ? (const void *)operation.kept.data()
                                      : (const void *)operation.from;
  if (operation.kind == Operation::Free)
    return freeMemory(operation.to);
  if (!hasKernels()) {
    // Nothing runs: data is zero, but a byte alone is one.
    if (operation.kind == Operation::ToHost)
      memset(to, operation.bytes == 1, operation.bytes);
    return;
  }
  sharing::setNode(operation.order.get(), operation.node, operation.graph);
  switch (operation.kind) {
  case Operation::Nothing:
  case Operation::Free:
    return;
  case Operation::Launch: {
    std::vector<Parameter> copies = operation.values;
    std::vector<void *> pointers;
    for (Parameter &value : copies)
      pointers.push_back(&value);
    return runKernel(*operation.function->emulated, pointers.data(),
                     operation.grid, operation.block, operation.shared);
  }
  case Operation::Copy:
  case Operation::ToDevice:
  case Operation::ToHost:
    sharing::accessAll((const char *)from, operation.bytes, /*isStore=*/false);
    sharing::accessAll((const char *)to, operation.bytes, /*isStore=*/true);
    memmove(to, from, operation.bytes);
    return;
  case Operation::Fill:
    sharing::accessAll((const char *)to, operation.bytes, /*isStore=*/true);
    for (size_t at = 0; at < operation.bytes; at += operation.element)
      memcpy((char *)to + at, &operation.value, operation.element);
  }
}

Result emulator::makeLaunch(Operation &operation, Function *function,
                            const unsigned grid[3], const unsigned block[3],
                            unsigned shared, void **params) {
  const KernelInfo &info = function->info;
  if (function->device != getCurrent())
    return kInvalidHandle;
  if (!grid[0] || !grid[1] || !grid[2] || grid[0] > 0x7fffffff ||
      grid[1] > 65535 || grid[2] > 65535 || !block[0] || block[1] != 1 ||
      block[2] != 1 || block[0] > 1024 || shared > function->maxShared ||
      (info.maxThreads && int(block[0]) > info.maxThreads))
    return kInvalidValue;
  operation = {Operation::Launch};
  operation.function = function;
  std::copy(grid, grid + 3, operation.grid);
  operation.block = block[0];
  operation.shared = shared;
  operation.values.resize(info.params + 1);
  for (int i = 0; i < info.params; ++i) {
    // The driver knows how much is there; of a number it reads no more.
    memcpy(&operation.values[i], params[i], info.sizes[i]);
    TensorMap map;
    memcpy(&map, &operation.values[i], sizeof map);
    if (info.sizes[i] == sizeof(Parameter) && !map.isValid())
      die("kernel " + info.name + ": expected a tensor map");
  }
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

uint64_t emulator::takeMemory(size_t bytes) {
  Device &device = *getCurrent();
  if (bytes > memoryLimit - device.memoryInUse)
    return 0;
  uint64_t data = (uint64_t)allocate(bytes);
  if (data) {
    allocations[data] = {bytes, &device, false};
    device.memoryInUse += bytes;
    log("\"call\": \"allocate\"" + field("bytes", bytes));
  }
  return data;
}

void emulator::freeMemory(uint64_t data) {
  auto it = allocations.find(data);
  if (it == allocations.end())
    die("memory is freed that was not allocated");
  it->second.device->memoryInUse -= it->second.bytes;
  allocations.erase(it);
  release((char *)data);
}

void emulator::openMemory(const Device *device) {
  static const Device *opened;
  if (device == opened)
    return;
  opened = device;
  open(device != nullptr);
  if (!device || getDevices().size() == 1)
    return;
  // A device does not reach the memory of another one.
  constexpr uint64_t kPage = 4096;
  for (auto &[data, allocation] : allocations) {
    uint64_t begin = data / kPage * kPage, end = data + allocation.bytes;
    if (allocation.device != device)
      mprotect((void *)begin, (end - begin + kPage - 1) / kPage * kPage,
               PROT_NONE);
  }
}

/// An operation with addresses.
static Operation makeOperation(Operation::Kind kind, uint64_t to, uint64_t from,
                               size_t bytes) {
  Operation operation = {kind};
  operation.to = to;
  operation.from = from;
  operation.bytes = bytes;
  return operation;
}

extern "C" {
Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  ENTER;
  *total = memoryLimit;
  *free = memoryLimit - getCurrent()->memoryInUse;
  return kSuccess;
}
Result cuMemAlloc_v2(uint64_t *data, size_t bytes) {
  ENTER;
  if (!bytes)
    return kInvalidValue;
  if (Result error = checkUnsafe())
    return error;
  *data = takeMemory(bytes);
  return *data ? kSuccess : kOutOfMemory;
}
Result cuMemFree_v2(uint64_t data) {
  ENTER;
  if (Result error = checkUnsafe())
    return error;
  for (auto &device : getDevices())
    finishAll(*device);
  freeMemory(data);
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
                               void *stream) {
  ENTER;
  if (!bytes || !pool)
    return kInvalidValue;
  if (!findStream(stream))
    return kInvalidHandle;
  *data = takeMemory(bytes);
  // A graph that is captured owns what is taken in it.
  if (Capture *capture = getCapture(stream); capture && *data) {
    allocations[*data].isGraph = true;
    capture->graph.memory->addresses.push_back(*data);
  }
  return *data ? kSuccess : kOutOfMemory;
}
Result cuMemFreeAsync(uint64_t data, void *stream) {
  ENTER;
  auto it = allocations.find(data);
  if (it != allocations.end() && it->second.isGraph)
    return kSuccess;
  if (Capture *capture = getCapture(stream)) {
    capture->isInvalid = true; // the graph did not take it
    return kInvalidValue;
  }
  return issue(stream, makeOperation(Operation::Free, data, 0, 0));
}

Result cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                            void *stream) {
  ENTER;
  return issue(stream,
               makeOperation(Operation::ToDevice, to, (uint64_t)from, bytes));
}
Result cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes,
                            void *stream) {
  ENTER;
  return issue(stream,
               makeOperation(Operation::ToHost, (uint64_t)to, from, bytes));
}
Result cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes,
                            void *stream) {
  ENTER;
  return issue(stream, makeOperation(Operation::Copy, to, from, bytes));
}

static Result fill(uint64_t to, uint32_t value, unsigned element, size_t n,
                   void *stream) {
  if (to % element)
    return kInvalidValue;
  Operation operation = makeOperation(Operation::Fill, to, 0, n * element);
  operation.value = value;
  operation.element = element;
  return issue(stream, operation);
}
Result cuMemsetD8Async(uint64_t to, uint8_t value, size_t n, void *stream) {
  ENTER;
  return fill(to, value, 1, n, stream);
}
Result cuMemsetD16Async(uint64_t to, uint16_t value, size_t n, void *stream) {
  ENTER;
  return fill(to, value, 2, n, stream);
}
Result cuMemsetD32Async(uint64_t to, uint32_t value, size_t n, void *stream) {
  ENTER;
  return fill(to, value, 4, n, stream);
}
}

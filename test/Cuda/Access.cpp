//===- Access.cpp - rules of loads and stores -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels call a function here before each load and store; see
// test/EndToEnd/instrument.py. An access must lie in one allocation and begin
// at a multiple of the alignment that the compiler was told, which is what a
// GPU demands of the instructions that come of it. Shared memory of a block is
// what kernels declare, then what they are launched with.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

#include <cstdio>
#include <cstring>
#include <signal.h>
#include <unistd.h>

using namespace emulator;

namespace {
struct Variable {
  char *data;
  uint32_t bytes, offset;
};
/// What an instruction accessed last.
struct Cached {
  const char *begin, *end;
  sharing::Cell *cells; ///< of memory of the device
};
} // namespace
static std::vector<Variable> variables; ///< the last: what a launch asks for
static uint32_t sharedBytes;
/// Shared memory that a block may have on AMD's GPUs.
static constexpr uint32_t kMostLDS = 64 * 1024;
static Cached cached[1024];

void emulator::fail(const char *rule, const std::string &what) {
  die(std::string(rule) + ": " + what + "; " + describePlace());
}

void emulator::fault(int signal, const char *rule, const std::string &what) {
  fprintf(stderr, "emulator: %s: %s; %s\n", rule, what.c_str(),
          describePlace().c_str());
  fflush(stderr);
  raise(signal);
  _exit(2);
}

void emulator::beginAccess(const EmulatedKernel &kernel, size_t dynamicBytes) {
  variables.clear();
  memset(cached, 0, sizeof cached);
  uint32_t offset = 0;
  auto add = [&](char *data, uint32_t bytes, uint32_t alignment) {
    offset = (offset + alignment - 1) / alignment * alignment;
    variables.push_back({data, bytes, offset});
    offset += bytes;
  };
  for (const EmulatedVariable *v = kernel.variables; v->data; ++v)
    add(v->data, v->bytes, v->alignment);
  uint32_t most = kernel.wave == 64 ? kMostLDS : 48 * 1024;
  if (offset > most)
    die(std::string("kernel ") + kernel.name + " declares " +
        std::to_string(offset) + " bytes of shared memory, " +
        std::to_string(most) + " at most");
  if (kernel.cluster > 1 && !variables.empty())
    die("a kernel of clusters that declares shared memory");
  add(kShared, dynamicBytes, 16);
  sharedBytes = offset;
  most = kernel.wave == 64 ? kMostLDS : kMaxShared;
  if (sharedBytes > most)
    die(std::string("kernel ") + kernel.name + " needs " +
        std::to_string(sharedBytes) + " bytes of shared memory, " +
        std::to_string(most) + " at most");
}

void emulator::beginBlockAccess() {
  // A number that is none, in each floating-point type.
  for (const Variable &variable : variables)
    for (int rank = 0; rank < getRanks(); ++rank)
      memset(variable.data + rank * kRankBytes, 0xff, variable.bytes);
}

/// Where the variable is that memory of any block of the cluster stands for.
static const char *inFirst(const char *data) {
  return data >= kShared + kRankBytes && data < kShared + 2 * kRankBytes
             ? data - kRankBytes
             : data;
}

/// A variable of the block that runs.
static const Variable *findVariable(const char *data, size_t bytes) {
  data -= getRank() * kRankBytes;
  for (const Variable &v : variables)
    if (data >= v.data && bytes <= v.bytes &&
        size_t(data - v.data) <= v.bytes - bytes)
      return &v;
  return nullptr;
}

uint32_t emulator::getSharedBytes() { return sharedBytes; }

uint32_t emulator::getOffset(const char *data) {
  const char *first = inFirst(data);
  for (const Variable &v : variables)
    if (first >= v.data && first < v.data + v.bytes)
      return v.offset + uint32_t(first - v.data) +
             (first == data ? 0 : sharedBytes);
  return sharedBytes * getRanks();
}

std::string emulator::describeShared(const char *data) {
  data = inFirst(data);
  // What is past the end is told by what it follows.
  const Variable *nearest = nullptr;
  for (const Variable &v : variables)
    if (data >= v.data && (!nearest || v.data > nearest->data))
      nearest = &v;
  if (!nearest)
    nearest = &variables.back();
  return "offset " +
         std::to_string(long(nearest->offset) + long(data - nearest->data)) +
         " of shared memory";
}

static std::string describeAccess(size_t bytes, const char *what) {
  return std::string(what) + " of " + std::to_string(bytes) + " bytes";
}

void emulator::checkShared(const char *data, size_t bytes, size_t alignment,
                           const char *what) {
  if ((uintptr_t)data % alignment)
    fail("alignment", describeAccess(bytes, what) + " at " +
                          describeShared(data) + " is not aligned to " +
                          std::to_string(alignment));
  if (!findVariable(data, bytes))
    fail("bounds", describeAccess(bytes, what) + " at " + describeShared(data) +
                       " is outside of the block's shared memory of " +
                       std::to_string(sharedBytes) + " bytes");
}

std::string emulator::describeGlobal(const char *data) {
  Allocation at = findAllocation(data);
  char text[64];
  snprintf(text, sizeof text, "address %p", (const void *)data);
  return at.data
             ? std::string(text) + ", offset " +
                   std::to_string(data - at.data) + " of an allocation of " +
                   std::to_string(at.bytes) + " bytes"
             : std::string(text);
}

void emulator::checkGlobal(const char *data, size_t bytes, size_t alignment,
                           bool isStore, bool isAtomic, uint8_t root) {
  Cached &last = cached[getInstruction() % 1024];
  if (data < last.begin || bytes > size_t(last.end - last.begin) ||
      data > last.end - bytes) {
    Allocation at = findAllocation(data);
    std::string what = describeAccess(bytes, isStore ? "a store" : "a load") +
                       " at " + describeGlobal(data);
    if (at.data && at.isFreed && at.contains(data, 1))
      fault(SIGSEGV, "freed memory", what);
    if (!at.data || !at.contains(data, bytes))
      fault(SIGSEGV, "bounds",
            what + (at.data && at.contains(data, 1)
                        ? " begins within it and ends outside"
                        : " is outside of what is allocated"));
    last = {at.data, at.data + at.bytes, sharing::getCells(at.data, at.bytes)};
  }
  if ((uintptr_t)data % alignment)
    fault(SIGBUS, "alignment",
          describeAccess(bytes, isStore ? "a store" : "a load") + " at " +
              describeGlobal(data) + " is not aligned to " +
              std::to_string(alignment));
  sharing::access(last.cells + (data - last.begin), data, bytes, isStore,
                  isAtomic, root);
}

/// What an access is, in one number; see test/EndToEnd/instrument.py.
static uint32_t getBytes(uint32_t kind) { return kind & 0xffff; }
static uint32_t getAlignment(uint32_t kind) { return 1u << (kind >> 16 & 15); }
static bool isStore(uint32_t kind) { return kind >> 20 & 1; }
static bool isAtomic(uint32_t kind) { return kind >> 21 & 1; }
static uint8_t getRoot(uint32_t kind) { return kind >> 22; }

extern "C" {
/// What the compiler was told of an argument.
void checkArgument(const char *, uint32_t, uint32_t) NAMED("argument");
void checkArgument(const char *data, uint32_t alignment, uint32_t instruction) {
  setInstruction(instruction);
  if ((uintptr_t)data % alignment)
    fail("alignment", "an argument, " + describeGlobal(data) +
                          ", is not aligned to " + std::to_string(alignment));
}

void accessGlobal(const char *, uint32_t, uint32_t) NAMED("access.p1");
void accessGlobal(const char *data, uint32_t kind, uint32_t instruction) {
  setInstruction(instruction);
  checkWait("an access of memory");
  checkGlobal(data, getBytes(kind), getAlignment(kind), isStore(kind),
              isAtomic(kind), getRoot(kind));
  if (statistics::isOn())
    statistics::noteGlobal(data, getBytes(kind));
}

/// Shared memory of any block of the cluster.
void accessCluster(const char *, uint32_t, uint32_t) NAMED("access.p7");
void accessCluster(const char *data, uint32_t kind, uint32_t instruction) {
  setInstruction(instruction);
  const char *mine =
      data + (getRank() - getRankOf(data)) * std::ptrdiff_t(kRankBytes);
  checkShared(mine, getBytes(kind), getAlignment(kind),
              isStore(kind) ? "a store" : "a load");
  if (isBarrier(data, getBytes(kind)))
    fail("mbarrier",
         "an access of a barrier's bytes at " + describeShared(data));
  if (races::isOn())
    races::access(data, getBytes(kind), isStore(kind));
}

void accessShared(const char *, uint32_t, uint32_t) NAMED("access.p3");
void accessShared(const char *data, uint32_t kind, uint32_t instruction) {
  setInstruction(instruction);
  noteUnfenced();
  uint32_t bytes = getBytes(kind);
  Cached &last = cached[(instruction * getRanks() + getRank()) % 1024];
  if (data < last.begin || data + bytes > last.end ||
      (uintptr_t)data % getAlignment(kind)) {
    checkShared(data, bytes, getAlignment(kind),
                isStore(kind) ? "a store" : "a load");
    const Variable *variable = findVariable(data, bytes);
    const char *begin = variable->data + getRank() * kRankBytes;
    last = {begin, begin + variable->bytes, nullptr};
  }
  if (isBarrier(data, bytes))
    fail("mbarrier", std::string(isStore(kind) ? "a store" : "a load") +
                         " of a barrier's bytes at " + describeShared(data));
  if (races::isOn() && !isAtomic(kind))
    races::access(data, bytes, isStore(kind));
  if (statistics::isOn())
    statistics::noteShared(data, bytes);
}

/// An address that tells the memory itself.
void accessAny(const char *, uint32_t, uint32_t) NAMED("access.p0");
void accessAny(const char *data, uint32_t kind, uint32_t instruction) {
  setInstruction(instruction);
  if (!isLocal(data, 1))
    return findVariable(data, 1) ? accessShared(data, kind, instruction)
                                 : accessGlobal(data, kind, instruction);
  if ((uintptr_t)data % getAlignment(kind) || !isLocal(data, getBytes(kind)))
    fail("alignment", describeAccess(getBytes(kind), "an access") +
                          " of local memory is not aligned to " +
                          std::to_string(getAlignment(kind)));
}
void accessLocal(const char *, uint32_t, uint32_t) NAMED("access.p5");
void accessLocal(const char *data, uint32_t kind, uint32_t instruction) {
  accessAny(data, kind, instruction);
}
}

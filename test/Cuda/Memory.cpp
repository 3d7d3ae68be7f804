//===- Memory.cpp - memory of an emulated GPU -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

using namespace emulator;

namespace {
struct Block {
  char *pages;
  size_t room, bytes;
};
} // namespace

/// By the address that was given out. What was freed keeps its addresses for
/// a while, so that who still reads it is told.
static std::map<char *, Block> blocks, freed;
static constexpr size_t kMostFreed = 4096;
static size_t limit = size_t(1) << 40, inUse;
static bool isOpened;
static constexpr size_t kPage = 4096;

void emulator::die(const std::string &why) {
  fprintf(stderr, "emulator: %s\n", why.c_str());
  _exit(2);
}

static int getProtection() {
  return isOpened ? PROT_READ | PROT_WRITE : PROT_NONE;
}

char *emulator::allocate(size_t bytes) {
  if (bytes > limit - inUse)
    return nullptr;
  size_t room = (bytes + kPage - 1) / kPage * kPage;
  char *pages =
      (char *)mmap(nullptr, room + kPage, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    return nullptr;
  mprotect(pages + room, kPage, PROT_NONE);
  // What is large is only recorded: do not make it real.
  if (room <= size_t(1) << 24)
    memset(pages, 0xff, room);
  mprotect(pages, room, getProtection());
  // Kernels may rely on the alignment of elements, 8 at most. CUDA aligns what
  // it allocates to 256 bytes, but views of tensors begin anywhere.
  static const size_t alignment = getNumber("FX_FAKE_CUDA_ALIGNMENT", "8");
  char *data = pages + (room - bytes) / alignment * alignment;
  blocks[data] = {pages, room, bytes};
  inUse += bytes;
  return data;
}

void emulator::release(char *data) {
  auto it = blocks.find(data);
  if (it == blocks.end())
    die("memory is freed that was not allocated");
  inUse -= it->second.bytes;
  Block block = it->second;
  blocks.erase(it);
  if (freed.size() == kMostFreed) {
    munmap(freed.begin()->second.pages, freed.begin()->second.room + kPage);
    freed.erase(freed.begin());
  }
  if (mmap(block.pages, block.room, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
           0) == MAP_FAILED)
    die("mmap failed");
  freed[data] = block;
}

Allocation emulator::findAllocation(const char *data) {
  Allocation found = {nullptr, 0, false};
  for (const auto *map : {&freed, &blocks}) {
    auto it = map->upper_bound(const_cast<char *>(data));
    if (it != map->begin() && (--it)->first >= found.data)
      found = {it->first, it->second.bytes, map == &freed};
  }
  return found;
}

bool emulator::isAllocated(const char *data, size_t bytes) {
  Allocation at = findAllocation(data);
  return at.data && !at.isFreed && at.contains(data, bytes);
}

void emulator::open(bool isOpen) {
  isOpened = isOpen;
  for (auto &[data, block] : blocks)
    if (mprotect(block.pages, block.room, getProtection()))
      die("mprotect failed");
}

void emulator::setMemoryLimit(size_t bytes) { limit = bytes; }
size_t emulator::getMemoryLimit() { return limit; }
size_t emulator::getMemoryInUse() { return inUse; }

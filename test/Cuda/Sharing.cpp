//===- Sharing.cpp - memory of the device that several use ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of a launch run in any order, or together: what one stores no other
// may load, or store, unless it is the value that is there. What is accessed by
// an argument that is `noalias` no other argument may access, if one of both
// stores: LLVM moves such accesses, and makes loads of them that a GPU's caches
// for constants serve. Each byte of the device's memory knows who used it in
// the last launch.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

#include <cstring>
#include <map>
#include <sys/mman.h>
#include <utility>

using namespace emulator;

static_assert(sizeof(sharing::Cell) == 8);

static constexpr uint16_t kSeveralBlocks = 0xffff, kAtomics = 0xfffe;
/// Roots are numbers of arguments; those that are noalias have the highest bit.
static constexpr uint8_t kSeveralRoots = 127, kNoAlias = 128;

/// By the address of an allocation, with the number of its bytes.
static std::map<const char *, std::pair<sharing::Cell *, size_t>> cells;
static uint16_t launch;

void sharing::begin() {
  if (++launch)
    return;
  // The numbers of launches begin again.
  for (const auto &[data, found] : cells)
    munmap(found.first, found.second * sizeof(Cell));
  cells.clear();
  launch = 1;
}

sharing::Cell *sharing::getCells(const char *data, size_t bytes) {
  auto &[found, room] = cells[data];
  if (found && room >= bytes)
    return found;
  if (found)
    munmap(found, room * sizeof(Cell));
  room = bytes;
  void *pages = mmap(nullptr, bytes * sizeof(Cell), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    die("mmap failed");
  return found = (Cell *)pages;
}

[[noreturn]] static void failBlocks(const char *data, const char *what,
                                    const char *other, uint16_t block) {
  std::string who = block == kSeveralBlocks ? "several blocks"
                    : block == kAtomics ? "atomic operations"
                                        : "block " + std::to_string(block - 1);
  fail("race of blocks", std::string(what) + " at " + describeGlobal(data) +
                             " and a " + other + " by " + who);
}

/// Whether accesses by two arguments contradict noalias.
static bool contradict(uint8_t one, uint8_t other) {
  return one && other && one != other && (one | other) & kNoAlias;
}
[[noreturn]] static void failRoots(const char *data, const char *what,
                                   const char *other, uint8_t root,
                                   uint8_t before) {
  auto name = [](uint8_t root) {
    return (root & 127) == kSeveralRoots
               ? std::string("several arguments")
               : "argument " + std::to_string((root & 127) - 1) +
                     (root & kNoAlias ? " (noalias)" : "");
  };
  fail("noalias", std::string(what) + " at " + describeGlobal(data) + " by " +
                      name(root) + " and a " + other + " by " + name(before));
}

namespace {
/// A store to bytes that another block has used, which is about to be done.
struct Pending {
  const char *data;
  uint32_t bytes, instruction;
  const char *other;
  uint16_t block;
  char before[64];
};
} // namespace
static std::vector<Pending> pending;

void sharing::finishStores() {
  for (const Pending &store : std::exchange(pending, {}))
    for (uint32_t i = 0; i < store.bytes; ++i)
      if (store.data[i] != store.before[i]) {
        setInstruction(store.instruction);
        failBlocks(store.data + i, "a store of another value", store.other,
                   store.block);
      }
}

void sharing::access(Cell *first, const char *data, uint32_t bytes,
                     bool isStore, bool isAtomic, uint8_t root) {
  uint16_t me = getBlock() % (kAtomics - 1) + 1;
  uint16_t storer = isAtomic ? kAtomics : me;
  const char *what = isStore ? "a store" : "a load", *other = nullptr;
  uint16_t block = 0;
  for (uint32_t i = 0; i < bytes; ++i) {
    Cell &cell = first[i];
    if (cell.launch != launch)
      cell = {launch, 0, 0, 0, 0};
    if (contradict(root, cell.storeRoot))
      failRoots(data + i, what, "store", root, cell.storeRoot);
    if (cell.storeBlock && cell.storeBlock != storer) {
      other = "store";
      block = cell.storeBlock;
    }
    if (isStore) {
      if (contradict(root, cell.loadRoot))
        failRoots(data + i, what, "load", root, cell.loadRoot);
      if (cell.loadBlock && cell.loadBlock != storer) {
        other = "load";
        block = cell.loadBlock;
      }
      cell.storeBlock = storer;
      cell.storeRoot = root;
    } else {
      if (other)
        failBlocks(data + i, what, other, block);
      cell.loadBlock =
          !cell.loadBlock || cell.loadBlock == me ? me : kSeveralBlocks;
      if (!cell.loadRoot)
        cell.loadRoot = root;
      else if (root && cell.loadRoot != root)
        cell.loadRoot = kSeveralRoots | ((cell.loadRoot | root) & kNoAlias);
    }
  }
  if (!other)
    return;
  if (isAtomic || block == kAtomics || bytes > sizeof Pending::before)
    failBlocks(data, what, other, block);
  // Whether the value is the one that is there shows when it is stored: LLVM
  // may do that later, but before the thread waits.
  Pending store = {data, bytes, getInstruction(), other, block, {}};
  memcpy(store.before, data, bytes);
  pending.push_back(store);
}

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
// for constants serve. Nodes of a graph, between which there is no path, run in
// any order, or together. Each byte of the device's memory knows who used it in
// the last launch, and in the last launch of a graph.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <sys/mman.h>
#include <utility>

using namespace emulator;

static_assert(sizeof(sharing::Cell) == 16);

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

//===----------------------------------------------------------------------===//
// Nodes of graphs
//===----------------------------------------------------------------------===//

/// What runs. `before` is null if it is no node of a graph.
static struct {
  const std::vector<std::vector<bool>> *before;
  size_t node;
  uint16_t graph;
} running;

void sharing::setNode(const std::vector<std::vector<bool>> *before, size_t node,
                      uint16_t graph) {
  running = {before, node, graph};
}

/// Checks that the other node, plus 1, is ordered with the one that runs.
static void checkOrder(uint16_t other, const char *data, const char *what,
                       const char *otherWhat) {
  if (!other || other == running.node + 1)
    return;
  size_t late = std::max<size_t>(running.node, other - 1),
         early = std::min<size_t>(running.node, other - 1);
  if (!(*running.before)[late][early])
    die("race of nodes: " + std::string(what) + " at " + describeGlobal(data) +
        " by node " + std::to_string(running.node) + " and a " + otherWhat +
        " by node " + std::to_string(other - 1) +
        ", between which there is no path");
}

static void useByNode(sharing::Cell &cell, const char *data, bool isStore) {
  const char *what = isStore ? "a store" : "a load";
  uint16_t me = running.node + 1;
  if (cell.graph != running.graph) {
    cell.graph = running.graph;
    cell.storeNode = cell.loadNodes[0] = cell.loadNodes[1] = 0;
  }
  checkOrder(cell.storeNode, data, what, "store");
  if (isStore) {
    for (uint16_t node : cell.loadNodes)
      checkOrder(node, data, what, "load");
    cell.storeNode = me;
    cell.loadNodes[0] = cell.loadNodes[1] = 0;
  } else {
    // A node that is behind another one takes its place: what is behind the
    // later one is behind both.
    auto &[first, second] = cell.loadNodes;
    auto isCovered = [&](uint16_t node) {
      return !node || node == me || (*running.before)[running.node][node - 1];
    };
    if (!isCovered(first))
      std::swap(first, second);
    first = me;
    if (second == me)
      second = 0;
  }
}

void sharing::accessAll(const char *data, size_t bytes, bool isStore) {
  Allocation at = findAllocation(data);
  if (!running.before || !at.data || !at.contains(data, bytes))
    return;
  Cell *first = getCells(at.data, at.bytes) + (data - at.data);
  for (size_t i = 0; i < bytes; ++i)
    useByNode(first[i], data + i, isStore);
}

//===----------------------------------------------------------------------===//
// Accesses of threads
//===----------------------------------------------------------------------===//

void sharing::access(Cell *first, const char *data, uint32_t bytes,
                     bool isStore, bool isAtomic, uint8_t root) {
  uint16_t me = getBlock() % (kAtomics - 1) + 1;
  uint16_t storer = isAtomic ? kAtomics : me;
  const char *what = isStore ? "a store" : "a load", *other = nullptr;
  uint16_t block = 0;
  for (uint32_t i = 0; i < bytes; ++i) {
    Cell &cell = first[i];
    if (running.before)
      useByNode(cell, data + i, isStore);
    if (cell.launch != launch) {
      cell.launch = launch;
      cell.storeBlock = cell.loadBlock = 0;
      cell.storeRoot = cell.loadRoot = 0;
    }
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

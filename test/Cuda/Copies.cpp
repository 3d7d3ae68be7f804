//===- Copies.cpp - barriers in shared memory and copies of boxes ---------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of boxes are done by nobody's thread: some time after they were
// started, in any order. Then they report to a barrier. Who reads earlier sees
// what was there before, and who starts a copy too early spoils what others
// read. Layouts are those of the PTX ISA, "Tensors" and "mbarrier".
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace emulator;

/// Memory of a block beside what its kernel declares. It begins where nothing
/// larger than 16 bytes is aligned: a kernel aligns what it needs itself.
extern "C" {
alignas(1024) char emuSharedRoom[1024 + kMaxShared];
}
asm(".globl __dynamic_shmem__0\n"
    ".set __dynamic_shmem__0, emuSharedRoom + 16\n");

static char *const kShared = emuSharedRoom + 16;
static size_t sharedBytes;

void emulator::checkShared(const char *data, size_t bytes, const char *what) {
  if (data < kShared || bytes > sharedBytes ||
      size_t(data - kShared) > sharedBytes - bytes)
    die(std::string(what) + " outside of the block's shared memory");
}

char *emulator::getShared(uint32_t address) {
  constexpr uintptr_t kWindow = uintptr_t(1) << 18;
  uintptr_t start = (uintptr_t)kShared,
            at = (start & ~(kWindow - 1)) | (address & (kWindow - 1));
  return (char *)(at < start ? at + kWindow : at);
}

char *emulator::permute(char *data) {
  uintptr_t at = (uintptr_t)data;
  return (char *)(at ^ (at >> 7 & 7) << 4);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

namespace {
struct Barrier {
  uint64_t phase : 1, expected : 15, pending : 16;
  int64_t bytes : 32;
};
static_assert(sizeof(Barrier) == 8);

struct Copy {
  char *to;
  TensorMap map;
  Barrier *barrier;
  int32_t at[5];
};
} // namespace
static std::set<Barrier *> barriers;
static std::vector<Copy> copies;

void emulator::beginBlock(size_t bytes) {
  sharedBytes = bytes;
  memset(kShared, 0xff, bytes);
  barriers.clear();
  copies.clear();
}

static Barrier *check(Barrier *barrier) {
  if (!barriers.count(barrier))
    die("a barrier that was not initialized");
  return barrier;
}

static void finishPhase(Barrier *barrier) {
  if (barrier->pending == 0 && barrier->bytes == 0) {
    barrier->phase ^= 1;
    barrier->pending = barrier->expected;
  }
  noteProgress();
}

static void arrive(Barrier *barrier) {
  if (check(barrier)->pending == 0)
    die("more arrivals at a barrier than it expects");
  --barrier->pending;
  finishPhase(barrier);
}

extern "C" {
void initialize(Barrier *barrier, int32_t arrivals)
    NAMED("nvvm.mbarrier.init.shared");
void initialize(Barrier *barrier, int32_t arrivals) {
  checkShared((char *)barrier, sizeof *barrier, "a barrier");
  if ((uintptr_t)barrier % 8)
    die("a barrier that is not aligned to 8 bytes");
  *barrier = {0, uint64_t(arrivals), uint64_t(arrivals), 0};
  barriers.insert(barrier);
}
void publish() NAMED("nvvm.fence.mbarrier_init.release.cluster");
void publish() {}
int64_t arriveOne(Barrier *barrier) NAMED("nvvm.mbarrier.arrive.shared");
int64_t arriveOne(Barrier *barrier) {
  arrive(barrier);
  return 0;
}
int64_t expect(Barrier *barrier, int32_t bytes)
    NAMED("nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta");
int64_t expect(Barrier *barrier, int32_t bytes) {
  check(barrier)->bytes += bytes;
  arrive(barrier);
  return 0;
}
/// Stands for assembly; see test/EndToEnd/emulate.py.
void waitPhase(Barrier *barrier, int32_t parity, int32_t)
    NAMED("mbarrier.wait");
void waitPhase(Barrier *barrier, int32_t parity, int32_t) {
  while (check(barrier)->phase == uint32_t(parity))
    giveWay();
}
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Copies rows of the box from dimension d on.
static void copyRows(const Copy &copy, int d, const char *from, bool isInside,
                     char *&to) {
  const TensorMap &map = copy.map;
  if (d == 0) {
    for (uint32_t x = 0; x < map.box[0]; ++x, to += 2) {
      int64_t at = int64_t(copy.at[0]) + x;
      uint16_t element = 0;
      if (isInside && at >= 0 && uint64_t(at) < map.sizes[0])
        memcpy(&element, from + at * 2, 2);
      memcpy(permute(to), &element, 2);
    }
    return;
  }
  for (uint32_t x = 0; x < map.box[d]; ++x) {
    int64_t at = int64_t(copy.at[d]) + x;
    bool is = isInside && at >= 0 && uint64_t(at) < map.sizes[d];
    copyRows(copy, d - 1, is ? from + at * map.strides[d - 1] : from, is, to);
  }
}

static void perform(const Copy &copy) {
  char *to = copy.to;
  copyRows(copy, copy.map.rank - 1, copy.map.data, true, to);
  copy.barrier->bytes -= copy.map.getBoxBytes();
  finishPhase(copy.barrier);
}

void emulator::performCopies(bool isOne) {
  for (size_t i = 0; i < copies.size();) {
    if (!isOne && draw() % 8) {
      ++i;
      continue;
    }
    Copy copy = copies[i];
    copies.erase(copies.begin() + i);
    perform(copy);
    if (isOne)
      return;
  }
}

bool emulator::hasCopies() { return !copies.empty(); }

static void start(char *to, Barrier *barrier, const TensorMap *map,
                  std::initializer_list<int32_t> at) {
  if (!map->isValid() || map->rank != at.size())
    die("a copy of a box without a tensor map of its rank");
  if ((uintptr_t)to % 128)
    die("a copy of a box that is not aligned to 128 bytes");
  checkShared(to, map->getBoxBytes(), "a copy of a box");
  Copy copy{to, *map, check(barrier), {}};
  std::copy(at.begin(), at.end(), copy.at);
  copies.push_back(copy);
  noteProgress();
}

extern "C" {
void prefetchMap(const TensorMap *map) NAMED("nvvm.prefetch.tensormap.p0");
void prefetchMap(const TensorMap *map) {
  if (!map->isValid())
    die("a prefetch of what is no tensor map");
}
void copy2(char *to, Barrier *barrier, const TensorMap *map, int32_t x,
           int32_t y, int16_t, int64_t, bool, bool, int32_t)
    NAMED("nvvm.cp.async.bulk.tensor.g2s.tile.2d");
void copy2(char *to, Barrier *barrier, const TensorMap *map, int32_t x,
           int32_t y, int16_t, int64_t, bool, bool, int32_t) {
  start(to, barrier, map, {x, y});
}
void copy3(char *to, Barrier *barrier, const TensorMap *map, int32_t x,
           int32_t y, int32_t z, int16_t, int64_t, bool, bool, int32_t)
    NAMED("nvvm.cp.async.bulk.tensor.g2s.tile.3d");
void copy3(char *to, Barrier *barrier, const TensorMap *map, int32_t x,
           int32_t y, int32_t z, int16_t, int64_t, bool, bool, int32_t) {
  start(to, barrier, map, {x, y, z});
}
void copy4(char *to, Barrier *barrier, const TensorMap *map, int32_t x,
           int32_t y, int32_t z, int32_t w, int16_t, int64_t, bool, bool,
           int32_t) NAMED("nvvm.cp.async.bulk.tensor.g2s.tile.4d");
void copy4(char *to, Barrier *barrier, const TensorMap *map, int32_t x,
           int32_t y, int32_t z, int32_t w, int16_t, int64_t, bool, bool,
           int32_t) {
  start(to, barrier, map, {x, y, z, w});
}
}

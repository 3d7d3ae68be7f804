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
#include <map>
#include <signal.h>

using namespace emulator;

/// Memory of a block beside what its kernel declares. It begins where nothing
/// larger than 16 bytes is aligned: a kernel aligns what it needs itself.
extern "C" {
alignas(1024) char emuSharedRoom[1024 + kMaxShared + kRankBytes];
}
asm(".globl __dynamic_shmem__0\n"
    ".set __dynamic_shmem__0, emuSharedRoom + 16\n");

char *const emulator::kShared = emuSharedRoom + 16;

char *emulator::getShared(uint32_t address) {
  uintptr_t start = (uintptr_t)kShared + getRank() * kRankBytes,
            at = (start & ~(kRankBytes - 1)) | (address & (kRankBytes - 1));
  return (char *)(at < start ? at + kRankBytes : at);
}

char *emulator::permute(char *data, int swizzle) {
  uintptr_t at = (uintptr_t)data;
  return (char *)(at ^ (at >> 7 & ((1 << swizzle) - 1)) << 4);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

namespace {
struct Barrier {
  uint64_t phase : 1, expected : 20, pending : 20;
  int64_t bytes : 23;
};
static_assert(sizeof(Barrier) == 8);
/// The largest number of arrivals and of bytes that a barrier counts.
constexpr int64_t kMostCounted = (1 << 20) - 1;

/// What the emulator knows of a barrier beside its bytes.
struct BarrierState {
  int thread; ///< that has initialized it
  bool isPublished;
  races::Order open, done; ///< of the phase that is open, and before
};

struct Copy {
  char *to;
  TensorMap map;
  Barrier *barrier;
  int32_t at[5];
  uint16_t offsets[3]; ///< of a tap, where the tensor is images
};
} // namespace
static std::map<Barrier *, BarrierState> barriers;
static std::vector<Copy> copies;

void emulator::beginBlock() {
  barriers.clear();
  copies.clear();
}

void emulator::endBlock() {
  if (hasCopies())
    fail("copy", "a block ends before its copies");
  for (const auto &[barrier, state] : barriers)
    if (barrier->bytes)
      fail("mbarrier", "a block ends while the barrier at " +
                           describeShared((char *)barrier) + " lacks " +
                           describeBarrier((char *)barrier));
}

bool emulator::isBarrier(const char *data, size_t bytes) {
  auto it = barriers.lower_bound((Barrier *)(data - 7));
  return it != barriers.end() && (const char *)it->first < data + bytes;
}

std::string emulator::describeBarrier(const char *data) {
  const Barrier *barrier = (const Barrier *)data;
  return std::to_string(barrier->pending) + " of " +
         std::to_string(barrier->expected) + " arrivals and " +
         std::to_string(barrier->bytes) + " bytes, in a phase of parity " +
         std::to_string(barrier->phase);
}

[[noreturn]] static void failBarrier(const Barrier *barrier,
                                     const std::string &why) {
  fail("mbarrier", why + " at " + describeShared((const char *)barrier));
}

static BarrierState &check(Barrier *barrier) {
  auto it = barriers.find(barrier);
  if (it == barriers.end())
    failBarrier(barrier, "use of a barrier that was not initialized");
  return it->second;
}
/// The same, by the thread that runs.
static BarrierState &use(Barrier *barrier) {
  BarrierState &state = check(barrier);
  if (races::isOn())
    races::access((char *)barrier, sizeof *barrier, /*isStore=*/false);
  return state;
}

static void finishPhase(Barrier *barrier, BarrierState &state) {
  noteProgress();
  if (barrier->pending)
    return;
  // Nobody is left who could expect more.
  if (barrier->bytes < 0)
    failBarrier(barrier, std::to_string(-barrier->bytes) +
                             " bytes more than were expected came to a "
                             "barrier");
  if (barrier->bytes)
    return;
  barrier->phase ^= 1;
  barrier->pending = barrier->expected;
  state.done.add(state.open);
}

static void expectBytes(Barrier *barrier, int64_t bytes) {
  if (bytes < 0 || barrier->bytes + bytes > kMostCounted)
    failBarrier(barrier, "expected at most " + std::to_string(kMostCounted) +
                             " bytes, got " + std::to_string(bytes) +
                             " more than " + std::to_string(barrier->bytes) +
                             " of a barrier");
  barrier->bytes += bytes;
}

static void arrive(Barrier *barrier, BarrierState &state) {
  if (barrier->pending == 0)
    failBarrier(barrier, "more arrivals than the " +
                             std::to_string(barrier->expected) +
                             " that are expected of a barrier");
  races::give(state.open);
  --barrier->pending;
  finishPhase(barrier, state);
}

int emulator::getRankOf(const char *data) {
  size_t rank = size_t(data - kShared) / kRankBytes;
  if (data < kShared || rank >= size_t(getRanks()))
    fail("cluster", "an access of memory that is no block's");
  if (hasEnded(rank))
    fail("cluster", "an access of memory of a block that has ended");
  return rank;
}

/// Where a byte of the block's shared memory is in that of another block.
template <typename T>
static T *map(T *data, int rank) {
  if (rank < 0 || rank >= getRanks())
    fail("cluster", "expected a block below " + std::to_string(getRanks()) +
                        ", got " + std::to_string(rank));
  return (T *)((char *)data + (rank - getRank()) * std::ptrdiff_t(kRankBytes));
}

extern "C" {
void initialize(Barrier *barrier, int32_t arrivals)
    NAMED("nvvm.mbarrier.init.shared");
void initialize(Barrier *barrier, int32_t arrivals) {
  checkShared((char *)barrier, sizeof *barrier, 8, "a barrier");
  if (arrivals < 1 || arrivals > kMostCounted)
    failBarrier(barrier, "expected 1 to " + std::to_string(kMostCounted) +
                             " arrivals, got " + std::to_string(arrivals) +
                             " of a barrier");
  if (isBarrier((char *)barrier, sizeof *barrier))
    failBarrier(barrier, "initialization of a barrier that is in use");
  if (races::isOn())
    races::access((char *)barrier, sizeof *barrier, /*isStore=*/true);
  *barrier = {0, uint64_t(arrivals), uint64_t(arrivals), 0};
  barriers[barrier] = {getThread(), false, {}, {}};
}
void invalidate(Barrier *barrier) NAMED("nvvm.mbarrier.inval.shared");
void invalidate(Barrier *barrier) {
  check(barrier);
  if (races::isOn())
    races::access((char *)barrier, sizeof *barrier, /*isStore=*/true);
  for (const Copy &copy : copies)
    if (copy.barrier == barrier)
      failBarrier(barrier, "an end of a barrier that a copy reports to");
  barriers.erase(barrier);
  memset(barrier, 0xff, sizeof *barrier);
}
void publish() NAMED("nvvm.fence.mbarrier_init.release.cluster");
void publish() { publishBarriers(/*areAll=*/false); }
int64_t arriveOne(Barrier *barrier) NAMED("nvvm.mbarrier.arrive.shared");
int64_t arriveOne(Barrier *barrier) {
  arrive(barrier, use(barrier));
  return 0;
}
/// At the barrier of any block of the cluster.
void arriveThere(Barrier *barrier, int32_t)
    NAMED("nvvm.mbarrier.arrive.scope.cluster.space.cluster");
void arriveThere(Barrier *barrier, int32_t) {
  getRankOf((char *)barrier);
  arrive(barrier, use(barrier));
}
char *locate(char *data, int32_t rank) NAMED("nvvm.mapa.shared.cluster");
char *locate(char *data, int32_t rank) { return map(data, rank); }
int64_t startOfShared() NAMED("shared.start");
int64_t startOfShared() { return (int64_t)(kShared + getRank() * kRankBytes); }
int64_t expect(Barrier *barrier, int32_t bytes)
    NAMED("nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta");
int64_t expect(Barrier *barrier, int32_t bytes) {
  BarrierState &state = use(barrier);
  expectBytes(barrier, bytes);
  arrive(barrier, state);
  return 0;
}
void expectOnly(Barrier *barrier, int32_t bytes)
    NAMED("nvvm.mbarrier.expect.tx.scope.cta.space.cta");
void expectOnly(Barrier *barrier, int32_t bytes) {
  use(barrier);
  expectBytes(barrier, bytes);
}
/// Stands for assembly; see test/EndToEnd/emulate.py.
void waitPhase(Barrier *barrier, int32_t parity, int32_t)
    NAMED("mbarrier.wait");
void waitPhase(Barrier *barrier, int32_t parity, int32_t) {
  use(barrier);
  waitUntil([&] { return check(barrier), barrier->phase != uint32_t(parity); },
            parity ? "the end of a phase of parity 1"
                   : "the end of a phase of "
                     "parity 0",
            (char *)barrier);
  races::take(check(barrier).done);
}
}

void emulator::publishBarriers(bool areAll) {
  for (auto &[barrier, state] : barriers)
    state.isPublished |= areAll || state.thread == getThread();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Copies an element to shared memory, if `isInside` from `from`.
static void copyElement(const TensorMap &map, const char *from, bool isInside,
                        char *to) {
  // All bits are set in a number that is none.
  uint64_t element = map.isNaNOutside ? ~uint64_t(0) : 0;
  if (isInside)
    memcpy(&element, from, map.elementBytes);
  if (map.roundsToTF32)
    element = roundToTF32(uint32_t(element));
  memcpy(permute(to, map.swizzle), &element, map.elementBytes);
}

/// Copies rows of the box from dimension d on.
static void copyRows(const Copy &copy, int d, const char *from, bool isInside,
                     char *&to) {
  const TensorMap &map = copy.map;
  uint32_t count = map.getCount(d);
  if (d == 0) {
    for (uint32_t x = 0; x < count; ++x, to += map.elementBytes) {
      int64_t at = int64_t(copy.at[0]) + x;
      bool is = isInside && at >= 0 && uint64_t(at) < map.sizes[0];
      copyElement(map, is ? from + at * map.elementBytes : nullptr, is, to);
    }
    return;
  }
  for (uint32_t x = 0; x < count; ++x) {
    int64_t at = int64_t(copy.at[d]) + int64_t(x) * map.steps[d];
    bool is = isInside && at >= 0 && uint64_t(at) < map.sizes[d];
    copyRows(copy, d - 1, is ? from + at * map.strides[d - 1] : from, is, to);
  }
}

/// Copies channels of pixels ("im2col mode" of the PTX ISA). The base of the
/// tap passes over the bounding box in steps, the innermost dimension first,
/// and then over the next image. The tap is at an offset from it.
static void copyPixels(const Copy &copy) {
  const TensorMap &map = copy.map;
  int image = map.rank - 1;
  int64_t base[5];
  std::copy(copy.at, copy.at + map.rank, base);
  char *to = copy.to;
  for (int pixel = 0; pixel < map.box[1]; ++pixel) {
    bool isInside = true;
    int64_t from = 0;
    for (int d = 1; d <= image; ++d) {
      int64_t at = base[d] + (d < image ? copy.offsets[d - 1] : 0);
      isInside &= at >= 0 && uint64_t(at) < map.sizes[d];
      from += at * int64_t(map.strides[d - 1]);
    }
    for (int c = 0; c < map.box[0]; ++c, to += map.elementBytes) {
      int64_t at = base[0] + c;
      bool is = isInside && at >= 0 && uint64_t(at) < map.sizes[0];
      copyElement(map, is ? map.data + from + at * map.elementBytes : nullptr,
                  is, to);
    }
    for (int d = 1; d <= image; ++d) {
      base[d] += d < image ? map.steps[d] : 1;
      if (d == image || base[d] < int64_t(map.sizes[d]) + map.upper[d - 1])
        break;
      base[d] = map.lower[d - 1];
    }
  }
}

static void perform(const Copy &copy) {
  char *to = copy.to;
  if (copy.map.isImage)
    copyPixels(copy);
  else
    copyRows(copy, copy.map.rank - 1, copy.map.data, true, to);
  uint32_t bytes = copy.map.getBoxBytes();
  BarrierState &state = check(copy.barrier);
  if (hasEnded(size_t(copy.to - kShared) / kRankBytes))
    fail("copy", "a block ends before its copies");
  races::endCopy(copy.to, bytes, &state.open);
  if (copy.barrier->bytes - int64_t(bytes) < -kMostCounted)
    failBarrier(copy.barrier, "more bytes than a barrier counts come to it");
  copy.barrier->bytes -= bytes;
  finishPhase(copy.barrier, state);
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

/// The base of a tap lies within the bounding box, and its offsets have few
/// bits.
static void checkTap(const TensorMap &map, std::initializer_list<int32_t> at,
                     std::initializer_list<uint16_t> offsets) {
  uint16_t most = map.rank == 3 ? 0xffff : map.rank == 4 ? 0xff : 0x1f;
  for (int d = 1; d < map.rank - 1; ++d) {
    int64_t base = at.begin()[d],
            end = int64_t(map.sizes[d]) + map.upper[d - 1];
    if (base < map.lower[d - 1] || base >= end || offsets.begin()[d - 1] > most)
      fail("tensor map",
           "a tap at " + std::to_string(base) + " + " +
               std::to_string(offsets.begin()[d - 1]) + " in dimension " +
               std::to_string(d) + ", where the bounding box is from " +
               std::to_string(map.lower[d - 1]) + " to " +
               std::to_string(end - 1) + " and offsets are at most " +
               std::to_string(most));
  }
}

/// Starts a copy to the block's memory, or, if `isMulticast`, to that of the
/// blocks in `mask`, and to their barriers.
static void start(char *to, Barrier *barrier, const TensorMap *map,
                  std::initializer_list<int32_t> at,
                  std::initializer_list<uint16_t> offsets = {},
                  bool isMulticast = false, uint16_t mask = 0) {
  if ((uintptr_t)map % 64 || !map->isValid() || map->rank != at.size() ||
      map->isImage != (offsets.size() > 0))
    fail("tensor map", "a copy of a box of " + std::to_string(at.size()) +
                           " dimensions without a map of them");
  checkWait("a copy of a box");
  if (map->isImage)
    checkTap(*map, at, offsets);
  uint32_t bytes = map->getBoxBytes();
  checkShared(to, bytes, map->getAlignment(), "a copy of a box");
  if (!isAllocated(map->data, map->getBytes()))
    fault(SIGSEGV, "bounds", "a tensor map of memory that is not allocated");
  if (isBarrier(to, bytes))
    fail("mbarrier",
         "a copy of a box to a barrier's bytes at " + describeShared(to));
  if (isMulticast && (!mask || mask >> getRanks()))
    fail("cluster", "expected some of " + std::to_string(getRanks()) +
                        " blocks, got a mask of " + std::to_string(mask));
  for (int rank = 0; rank < getRanks(); ++rank) {
    if (isMulticast ? !(mask >> rank & 1) : rank != getRank())
      continue;
    Barrier *reported = ::map(barrier, rank);
    char *there = ::map(to, rank);
    if (!use(reported).isPublished)
      failBarrier(reported, "no fence of its initialization: a copy reports to "
                            "a barrier");
    races::beginCopy(there, bytes, /*isBox=*/true);
    Copy copy{there, *map, reported, {}, {}};
    std::copy(at.begin(), at.end(), copy.at);
    std::copy(offsets.begin(), offsets.end(), copy.offsets);
    copies.push_back(copy);
  }
  noteProgress();
}

extern "C" {
void prefetchMap(const TensorMap *map) NAMED("nvvm.prefetch.tensormap.p0");
void prefetchMap(const TensorMap *map) {
  if (!map->isValid())
    fail("tensor map", "a prefetch of what is no tensor map");
}
void copy1(char *to, Barrier *barrier, const TensorMap *map, int32_t x, int16_t,
           int64_t, bool, bool, int32_t)
    NAMED("nvvm.cp.async.bulk.tensor.g2s.tile.1d");
void copy1(char *to, Barrier *barrier, const TensorMap *map, int32_t x,
           int16_t mask, int64_t, bool isMulticast, bool, int32_t) {
  start(to, barrier, map, {x}, {}, isMulticast, mask);
}
void copy2(char *to, Barrier *barrier, const TensorMap *map, int32_t x,
           int32_t y, int16_t, int64_t, bool, bool, int32_t)
    NAMED("nvvm.cp.async.bulk.tensor.g2s.tile.2d");
void copy2(char *to, Barrier *barrier, const TensorMap *map, int32_t x,
           int32_t y, int16_t mask, int64_t, bool isMulticast, bool, int32_t) {
  start(to, barrier, map, {x, y}, {}, isMulticast, mask);
}
void copy3(char *to, Barrier *barrier, const TensorMap *map, int32_t x,
           int32_t y, int32_t z, int16_t, int64_t, bool, bool, int32_t)
    NAMED("nvvm.cp.async.bulk.tensor.g2s.tile.3d");
void copy3(char *to, Barrier *barrier, const TensorMap *map, int32_t x,
           int32_t y, int32_t z, int16_t mask, int64_t, bool isMulticast, bool,
           int32_t) {
  start(to, barrier, map, {x, y, z}, {}, isMulticast, mask);
}
void copy4(char *to, Barrier *barrier, const TensorMap *map, int32_t x,
           int32_t y, int32_t z, int32_t w, int16_t, int64_t, bool, bool,
           int32_t) NAMED("nvvm.cp.async.bulk.tensor.g2s.tile.4d");
void copy4(char *to, Barrier *barrier, const TensorMap *map, int32_t x,
           int32_t y, int32_t z, int32_t w, int16_t mask, int64_t,
           bool isMulticast, bool, int32_t) {
  start(to, barrier, map, {x, y, z, w}, {}, isMulticast, mask);
}
void copyPixels3(char *to, Barrier *barrier, const TensorMap *map, int32_t c,
                 int32_t x, int32_t n, uint16_t dx, int16_t, int64_t, bool,
                 bool, int32_t)
    NAMED("nvvm.cp.async.bulk.tensor.g2s.im2col.3d");
void copyPixels3(char *to, Barrier *barrier, const TensorMap *map, int32_t c,
                 int32_t x, int32_t n, uint16_t dx, int16_t mask, int64_t,
                 bool isMulticast, bool, int32_t) {
  start(to, barrier, map, {c, x, n}, {dx}, isMulticast, mask);
}
void copyPixels4(char *to, Barrier *barrier, const TensorMap *map, int32_t c,
                 int32_t x, int32_t y, int32_t n, uint16_t dx, uint16_t dy,
                 int16_t, int64_t, bool, bool, int32_t)
    NAMED("nvvm.cp.async.bulk.tensor.g2s.im2col.4d");
void copyPixels4(char *to, Barrier *barrier, const TensorMap *map, int32_t c,
                 int32_t x, int32_t y, int32_t n, uint16_t dx, uint16_t dy,
                 int16_t mask, int64_t, bool isMulticast, bool, int32_t) {
  start(to, barrier, map, {c, x, y, n}, {dx, dy}, isMulticast, mask);
}
}

//===- Waves.cpp - instructions of AMD's GPUs -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wave has 64 threads. They come to a barrier together. Shuffles exchange
// values of 32 threads: kernels are the same as for NVIDIA's GPUs, so that each
// half of a wave is on its own. Or the halves exchange their values; all
// threads of the wave take part in this. A barrier alone orders no accesses of
// memory: for what a thread has accessed there is a fence in front of the
// barrier, and for what it accesses next another fence behind it.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

#include <cmath>

using namespace emulator;

namespace {
/// Whether a thread has passed a fence since its last access of shared memory,
/// and since the last barrier.
struct Fences {
  bool hasReleased = true, hasAcquired = true;
};
} // namespace
static std::vector<Fences> fences;

void emulator::forgetFences(int threads) { fences.assign(threads, {}); }

void emulator::noteUnfenced() {
  if (getWave() == 32)
    return;
  Fences &mine = fences[getThread()];
  if (!mine.hasAcquired)
    fail("fence", "an access of shared memory without an acquire fence after "
                  "the last barrier");
  mine.hasReleased = false;
}

/// The number of the thread in its wave.
static int32_t getLane() { return getThread() % 64; }

extern "C" {
void release() NAMED("fence.release");
void release() { fences[getThread()].hasReleased = true; }
void acquire() NAMED("fence.acquire");
void acquire() { fences[getThread()].hasAcquired = true; }

void waitForBlock() NAMED("amdgcn.s.barrier");
void waitForBlock() {
  Fences &mine = fences[getThread()];
  if (!mine.hasReleased)
    fail("fence", "a barrier without a release fence after the thread's last "
                  "access of shared memory");
  mine.hasAcquired = false;
  meetBlock();
}

/// The threads in front of this one, of the first 32 of the wave and of the
/// others, that `mask` names.
int32_t countLow(int32_t, int32_t) NAMED("amdgcn.mbcnt.lo");
int32_t countLow(int32_t mask, int32_t others) {
  uint32_t before = getLane() < 32 ? (1u << getLane()) - 1 : ~0u;
  return __builtin_popcount(mask & before) + others;
}
int32_t countHigh(int32_t, int32_t) NAMED("amdgcn.mbcnt.hi");
int32_t countHigh(int32_t mask, int32_t others) {
  uint32_t before = getLane() < 32 ? 0 : (1u << (getLane() - 32)) - 1;
  return __builtin_popcount(mask & before) + others;
}

/// `address` is four times the number of the thread whose value is read.
int32_t shuffleBackward(int32_t, int32_t) NAMED("amdgcn.ds.bpermute");
int32_t shuffleBackward(int32_t address, int32_t value) {
  int32_t from = address / 4 & 63;
  if (from == (getLane() ^ 32))
    return exchangeHalves(value);
  if (from / 32 != getLane() / 32)
    fail("shuffle", "expected a thread of the same half of the wave, got " +
                        std::to_string(from) + " in thread " +
                        std::to_string(getLane()) + " of the wave");
  uint64_t word = uint32_t(value);
  return exchange(&word, 1)[from % 32][0];
}

// Exact; a GPU's is off by one unit of the last place at most.
float exp2Flushed(float x) NAMED("amdgcn.exp2.f32");
float exp2Flushed(float x) {
  constexpr float kSmallest = 0x1p-126f;
  float y = std::exp2(std::fabs(x) < kSmallest ? 0.0f : x);
  return y < kSmallest ? 0.0f : y;
}
}

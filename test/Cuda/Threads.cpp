//===- Threads.cpp - CUDA threads on the processor ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fiber for each thread of a block, which gives way where it waits for
// others. The order in which fibers go on is drawn anew each time, and which
// warps fall behind, so that some are far ahead of others. Kernels are
// compiled from the NVVM dialect; what only a GPU has is a call of a function
// below.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

#include <cmath>
#include <cstring>
#include <sys/mman.h>
#include <utility>

using namespace emulator;

/// Leaves one fiber, whose stack goes to *left, for another. The registers that
/// a call keeps are all that a fiber has; swapcontext would ask the system to
/// swap signal masks, too, which takes most of a test's time.
extern "C" void emuSwitch(void **left, void *entered);
asm(R"(
.globl emuSwitch
emuSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");

namespace {
struct Thread {
  void *stack;
  bool isDone;
};
/// What 32 threads exchange.
struct Warp {
  uint64_t given[32][kWords], taken[32][kWords];
  int waiting, generation;
};
} // namespace
static std::vector<Thread> threads;
static std::vector<Warp> warps;
static void *scheduler;
static int current, atBarrier, barrierGeneration;
static unsigned blockId[3], blockSize, gridSize;
static size_t sharedBytes;
static long progress;
static uint64_t randomState;
static const EmulatedKernel *running;
static void **runningParams;

uint32_t emulator::draw() {
  randomState = randomState * 6364136223846793005u + 1442695040888963407u;
  return randomState >> 33;
}

void emulator::giveWay() { emuSwitch(&threads[current].stack, scheduler); }
void emulator::noteProgress() { ++progress; }

static void enter() {
  running->call(runningParams);
  threads[current].isDone = true;
  ++progress;
  giveWay();
}

static void runBlock() {
  constexpr size_t kStack = 1 << 16;
  int n = blockSize;
  static char *stacks =
      (char *)mmap(nullptr, kStack * 1024, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  threads.assign(n, {});
  warps.assign((n + 31) / 32, {});
  forgetCopies(n);
  forgetProducts(n);
  beginBlock(sharedBytes);
  atBarrier = 0;
  std::vector<int> order(n);
  for (int i = 0; i < n; ++i) {
    order[i] = i;
    // What emuSwitch takes from a stack: six registers, then where to go on.
    void **top = (void **)(stacks + kStack * (i + 1));
    top[-1] = nullptr;
    top[-2] = (void *)enter;
    threads[i].stack = top - 8;
  }
  // For how many more rounds each warp is left out.
  std::vector<int> behind(warps.size());
  for (int left = n; left;) {
    for (int i = n - 1; i > 0; --i)
      std::swap(order[i], order[draw() % (i + 1)]);
    bool areAll = true;
    for (int &rounds : behind) {
      rounds = rounds ? rounds - 1 : draw() % 32 ? 0 : draw() % 64;
      areAll &= !rounds;
    }
    long before = progress;
    left = 0;
    for (int i : order) {
      if (threads[i].isDone)
        continue;
      ++left;
      if (behind[i / 32])
        continue;
      current = i;
      emuSwitch(&scheduler, threads[i].stack);
    }
    performCopies(/*isOne=*/false);
    if (!left || !areAll || before != progress)
      continue;
    if (!hasCopies())
      die("deadlock: threads wait for others that have ended");
    performCopies(/*isOne=*/true);
  }
  if (hasCopies())
    die("a block ends before its copies");
}

extern "C" {
int32_t tidX() NAMED("nvvm.read.ptx.sreg.tid.x");
int32_t tidX() { return current; }
int32_t ctaidX() NAMED("nvvm.read.ptx.sreg.ctaid.x");
int32_t ctaidX() { return blockId[0]; }

static void barrier() {
  int generation = barrierGeneration;
  ++progress;
  if (++atBarrier == int(blockSize)) {
    atBarrier = 0;
    ++barrierGeneration;
  }
  while (generation == barrierGeneration)
    giveWay();
}
void barrier0(int32_t) NAMED("nvvm.barrier.cta.sync.aligned.all");
void barrier0(int32_t) { barrier(); }

int32_t ctaCount() NAMED("nvvm.read.ptx.sreg.nctaid.x");
int32_t ctaCount() { return gridSize; }
void synchronizeWarp(int32_t) NAMED("nvvm.bar.warp.sync");
void synchronizeWarp(int32_t) {
  uint64_t word = 0;
  exchange(&word, 1);
}

int32_t shuffleFrom(int32_t, int32_t v, int32_t lane, int32_t)
    NAMED("nvvm.shfl.sync.idx.i32");
int32_t shuffleFrom(int32_t, int32_t v, int32_t lane, int32_t) {
  uint64_t word = uint32_t(v);
  return exchange(&word, 1)[lane % 32][0];
}
static uint32_t shuffle(uint32_t value, int32_t distance) {
  uint64_t word = value;
  return exchange(&word, 1)[getThread() % 32 ^ distance][0];
}
int32_t shuffleI(int32_t, int32_t v, int32_t d, int32_t)
    NAMED("nvvm.shfl.sync.bfly.i32");
int32_t shuffleI(int32_t, int32_t v, int32_t d, int32_t) {
  return shuffle(v, d);
}
float shuffleF(int32_t, float v, int32_t d, int32_t)
    NAMED("nvvm.shfl.sync.bfly.f32");
float shuffleF(int32_t, float v, int32_t d, int32_t) {
  uint32_t bits;
  memcpy(&bits, &v, 4);
  bits = shuffle(bits, d);
  memcpy(&v, &bits, 4);
  return v;
}

/// Rounds to bf16, for which not every compiler's library has a function. The
/// result is in the lower half of the register that a float is returned in.
float __truncsfbf2(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  bits = x != x ? bits >> 16 | 64 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  memcpy(&x, &bits, 4);
  return x;
}
float __nv_fmaf(float a, float b, float c) { return fmaf(a, b, c); }
float __nv_fmaxf(float a, float b) { return fmaxf(a, b); }
float __nv_fminf(float a, float b) { return fminf(a, b); }
float __nv_sqrtf(float x) { return sqrtf(x); }
float __nv_rsqrtf(float x) { return 1 / sqrtf(x); }
float __nv_fabsf(float x) { return fabsf(x); }
float __nv_floorf(float x) { return floorf(x); }
float __nv_ceilf(float x) { return ceilf(x); }
float __nv_copysignf(float x, float y) { return copysignf(x, y); }
float __nv_rintf(float x) { return rintf(x); }
double __nv_fma(double a, double b, double c) { return fma(a, b, c); }
double __nv_fmax(double a, double b) { return fmax(a, b); }
double __nv_fmin(double a, double b) { return fmin(a, b); }
double __nv_fabs(double x) { return fabs(x); }
double __nv_floor(double x) { return floor(x); }
double __nv_copysign(double x, double y) { return copysign(x, y); }
double __nv_rint(double x) { return rint(x); }
double __nv_sqrt(double x) { return sqrt(x); }
}

int emulator::getThread() { return current; }

const uint64_t (*emulator::exchange(const uint64_t *words, int count))
    [kWords] {
      Warp &warp = warps[current / 32];
      int generation = warp.generation;
      memcpy(warp.given[current % 32], words, count * sizeof *words);
      ++progress;
      if (++warp.waiting == 32) {
        warp.waiting = 0;
        memcpy(warp.taken, warp.given, sizeof warp.taken);
        ++warp.generation;
      }
      while (generation == warp.generation)
        giveWay();
      return warp.taken;
    }

void emulator::setSeed(uint64_t seed) {
  randomState = seed;
}

void emulator::runKernel(const EmulatedKernel &kernel, void **params,
                         const unsigned grid[3], unsigned count,
                         size_t shared) {
  if (count % 32)
    die("a block that is no multiple of a warp");
  running = &kernel;
  runningParams = params;
  blockSize = count;
  gridSize = grid[0];
  sharedBytes = shared;
  for (blockId[2] = 0; blockId[2] < grid[2]; ++blockId[2])
    for (blockId[1] = 0; blockId[1] < grid[1]; ++blockId[1])
      for (blockId[0] = 0; blockId[0] < grid[0]; ++blockId[0])
        runBlock();
}

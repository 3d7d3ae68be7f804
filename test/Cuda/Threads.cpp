//===- Threads.cpp - CUDA threads on the CPU ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fiber for each thread of a block, or of a cluster of blocks, which gives
// way where it waits for others. The order in which fibers go on is drawn again
// each time, and which warps fall behind, so that some are far ahead of others.
// Kernels are compiled from the NVVM dialect; what only a GPU has is a call of
// a function below.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
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
  bool isDone, hasWaited;
  const char *waitsFor, *waitsAt;
};
/// What 32 threads exchange, and where they are.
struct Warp {
  uint64_t given[32][kWords], taken[32][kWords];
  int waiting, generation;
  uint32_t instruction; ///< at which the first one waits
  int atBarrier;        ///< how many of them have come
  uint32_t together;    ///< how often all of them have come
  uint32_t barrier;
  races::Order orders[2];
};
/// One of the 16 that a block has.
struct NamedBarrier {
  int arrived, generation, count;
  races::Order orders[2];
};
} // namespace
static std::vector<Thread> threads;
static std::vector<Warp> warps;
/// Blocks of a cluster at most.
static constexpr int kMostRanks = 2;
static NamedBarrier namedBarriers[16 * kMostRanks];
/// Of all threads of a cluster. Each has come to it so often.
static NamedBarrier clusterBarrier;
static std::vector<int> arrivals;
static void *scheduler;
static int current;
static bool isThread;
/// The first block of the cluster.
static unsigned blockId[3], blockSize, gridSize[3], ranks = 1;
static long progress;
static uint64_t randomState;
static const EmulatedKernel *running;
static void **runningParams;

static constexpr size_t kStack = 1 << 16, kStacks = kStack * 1024 * kMostRanks;
static char *const stacks =
    (char *)mmap(nullptr, kStacks, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

/// Kernels say here what they are about to do.
extern "C" {
uint32_t emuInstruction;
}

uint32_t emulator::draw() {
  randomState = randomState * 6364136223846793005u + 1442695040888963407u;
  return randomState >> 33;
}

uint32_t emulator::getInstruction() { return emuInstruction; }
std::string emulator::describeInstruction(uint32_t number) {
  return std::string("'") + running->instructions[number] + "'";
}
void emulator::setInstruction(uint32_t number) { emuInstruction = number; }

void emulator::giveWay() {
  sharing::finishStores();
  uint32_t instruction = emuInstruction;
  emuSwitch(&threads[current].stack, scheduler);
  emuInstruction = instruction;
}
void emulator::noteProgress() { ++progress; }
void emulator::setWait(const char *what, const char *at) {
  threads[current].waitsFor = what;
  threads[current].waitsAt = at;
}
bool emulator::isLocal(const char *data, size_t bytes) {
  return data >= stacks && data + bytes <= stacks + kStacks;
}

std::string emulator::describePlace() {
  if (!running)
    return "";
  std::string text = std::string("kernel ") + running->name + ", block (" +
                     std::to_string(blockId[0] + (isThread ? getRank() : 0)) +
                     ", " + std::to_string(blockId[1]) + ", " +
                     std::to_string(blockId[2]) + ")";
  if (!isThread)
    return text;
  text += ", thread " + std::to_string(current % blockSize);
  if (emuInstruction)
    text += ", at " + describeInstruction(emuInstruction);
  return text;
}

static void enter() {
  emuInstruction = 0;
  running->call(runningParams);
  sharing::finishStores();
  emuInstruction = 0;
  checkProducts();
  threads[current].isDone = true;
  ++progress;
  giveWay();
}

/// Who waits for what, where nothing goes on.
static void reportDeadlock() {
  checkWaves();
  std::map<std::string, std::pair<int, int>> waiting; // how many, the first
  int ended = 0;
  for (int i = 0; i < int(threads.size()); ++i) {
    const Thread &thread = threads[i];
    if (thread.isDone) {
      ++ended;
      continue;
    }
    std::string what = thread.waitsFor ? thread.waitsFor : "others";
    if (thread.waitsAt)
      what += " at " + describeShared(thread.waitsAt) + ", which lacks " +
              describeBarrier(thread.waitsAt);
    auto [it, isNew] = waiting.try_emplace(what, 0, i);
    ++it->second.first;
  }
  std::string text = std::to_string(ended) + " threads have ended";
  for (const auto &[what, who] : waiting)
    text += "; " + std::to_string(who.first) + " (the first is " +
            std::to_string(who.second) + ") wait for " + what;
  fail("deadlock", text);
}

/// Runs a cluster.
static void runBlocks() {
  int n = blockSize * ranks;
  threads.assign(n, {});
  warps.assign((n + 31) / 32, {});
  for (NamedBarrier &barrier : namedBarriers)
    barrier = {};
  clusterBarrier = {};
  arrivals.assign(n, 0);
  forgetCopies(n);
  forgetProducts(n);
  forgetFences(n);
  forgetWaves(n);
  beginBlockAccess();
  races::begin(n);
  beginBlock();
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
  // Rounds since something happened.
  constexpr int kMostIdle = 128;
  int idle = 0;
  for (int left = n; left;) {
    for (int i = n - 1; i > 0; --i)
      std::swap(order[i], order[draw() % (i + 1)]);
    bool areAll = true;
    for (int &rounds : behind) {
      rounds = rounds ? rounds - 1 : draw() % 32 ? 0 : draw() % 64;
      // Where nothing goes on, all get their turn.
      if (idle >= kMostIdle)
        rounds = 0;
      areAll &= !rounds;
    }
    long before = progress;
    left = 0;
    isThread = true;
    for (int i : order) {
      if (threads[i].isDone)
        continue;
      ++left;
      if (behind[i / 32])
        continue;
      current = i;
      emuSwitch(&scheduler, threads[i].stack);
    }
    isThread = false;
    performCopies(/*isOne=*/false);
    idle = before == progress ? idle + 1 : 0;
    if (!left || !areAll || before != progress)
      continue;
    if (!hasCopies())
      reportDeadlock();
    performCopies(/*isOne=*/true);
  }
  endBlock();
  statistics::endBlock();
}

extern "C" {
int32_t tidX() NAMED("nvvm.read.ptx.sreg.tid.x");
int32_t tidX() { return current % blockSize; }
int32_t ctaidX() NAMED("nvvm.read.ptx.sreg.ctaid.x");
int32_t ctaidX() { return blockId[0] + getRank(); }
int32_t ctaCount() NAMED("nvvm.read.ptx.sreg.nctaid.x");
int32_t ctaCount() { return gridSize[0]; }
int32_t workitemX() NAMED("amdgcn.workitem.id.x");
int32_t workitemX() { return tidX(); }
int32_t workgroupX() NAMED("amdgcn.workgroup.id.x");
int32_t workgroupX() { return ctaidX(); }

/// All threads of a warp, or of a wave, come to the same instruction. Returns
/// how often they had all come before.
static uint32_t comeTogether() {
  // The last wave of a block may be half of one.
  int first = current / getWave() * getWave();
  int count = std::min(getWave(), int(threads.size()) - first);
  Warp &warp = warps[first / 32];
  uint32_t before = warp.together;
  if (warp.atBarrier++ == 0)
    warp.barrier = emuInstruction;
  else if (warp.barrier != emuInstruction)
    fail("divergence", std::string("threads of a ") +
                           (getWave() == 32 ? "warp" : "wave") +
                           " are at different barriers, another one at " +
                           describeInstruction(warp.barrier));
  warp.atBarrier %= count;
  warp.together += warp.atBarrier == 0;
  return before;
}

static void barrier(int32_t id, int32_t count, bool isAll, bool isArrival) {
  if (id < 0 || id > 15)
    fail("barrier",
         "expected a number from 0 to 15, got " + std::to_string(id));
  if (count <= 0 || count % 32 || count > int(blockSize))
    fail("barrier", "expected a multiple of 32 threads, " +
                        std::to_string(blockSize) + " at most, got " +
                        std::to_string(count));
  NamedBarrier &named = namedBarriers[16 * getRank() + id];
  if (named.arrived && named.count != count)
    fail("barrier",
         "threads come to barrier " + std::to_string(id) +
             " with different counts: " + std::to_string(named.count) +
             " and " + std::to_string(count));
  uint32_t together = comeTogether();
  int generation = named.generation;
  named.count = count;
  races::Order &order = named.orders[generation % 2];
  if (!isAll)
    races::give(order);
  ++progress;
  if (++named.arrived == count) {
    named.arrived = 0;
    ++named.generation;
    if (isAll)
      races::meet();
  }
  if (isArrival) {
    // The instruction is aligned: no thread passes the others of its warp.
    const Warp &warp = warps[current / 32];
    return waitUntil([&] { return warp.together != together; },
                     "others of a warp");
  }
  waitUntil([&] { return generation != named.generation; },
            "others at a barrier");
  if (!isAll)
    races::take(order);
}
void barrierAll(int32_t) NAMED("nvvm.barrier.cta.sync.aligned.all");
void barrierAll(int32_t id) { meetBlock(id); }
void barrierSome(int32_t, int32_t) NAMED("nvvm.barrier.cta.sync.aligned.count");
void barrierSome(int32_t id, int32_t count) {
  barrier(id, count, false, false);
}
void barrierArrive(int32_t, int32_t)
    NAMED("nvvm.barrier.cta.arrive.aligned.count");
void barrierArrive(int32_t id, int32_t count) {
  barrier(id, count, false, true);
}

/// Stands for griddepcontrol.wait, which returns when the kernel in front has
/// ended.
void waitForKernel() NAMED("wait.kernel");
void waitForKernel() { threads[current].hasWaited = true; }

/// The barrier of all threads of a cluster.
void arriveAtCluster() NAMED("nvvm.barrier.cluster.arrive");
void arriveAtCluster() {
  if (arrivals[current] > clusterBarrier.generation)
    fail("cluster", "a thread arrives for the second time and has not waited");
  races::give(clusterBarrier.orders[clusterBarrier.generation % 2]);
  ++progress;
  ++arrivals[current];
  if (++clusterBarrier.arrived == int(blockSize * ranks)) {
    clusterBarrier.arrived = 0;
    ++clusterBarrier.generation;
  }
}
void waitForCluster() NAMED("nvvm.barrier.cluster.wait");
void waitForCluster() {
  int generation = arrivals[current];
  waitUntil([&] { return clusterBarrier.generation >= generation; },
            "others of a cluster");
  races::take(clusterBarrier.orders[(generation - 1) % 2]);
}

static void checkMask(int32_t mask) {
  if (mask != -1)
    fail("mask", "expected all threads of a warp, got a mask of " +
                     std::to_string(__builtin_popcount(mask)));
}
void synchronizeWarp(int32_t) NAMED("nvvm.bar.warp.sync");
void synchronizeWarp(int32_t mask) {
  checkMask(mask);
  Warp &warp = warps[current / 32];
  races::Order &order = warp.orders[warp.generation % 2];
  races::give(order);
  uint64_t word = 0;
  exchange(&word, 1, /*isAnywhere=*/true);
  races::take(order);
}

int32_t shuffleFrom(int32_t, int32_t v, int32_t lane, int32_t)
    NAMED("nvvm.shfl.sync.idx.i32");
int32_t shuffleFrom(int32_t mask, int32_t v, int32_t lane, int32_t) {
  checkMask(mask);
  uint64_t word = uint32_t(v);
  return exchange(&word, 1)[lane % 32][0];
}
static uint32_t shuffle(uint32_t value, int32_t distance) {
  uint64_t word = value;
  return exchange(&word, 1)[getThread() % 32 ^ distance][0];
}
int32_t shuffleI(int32_t, int32_t v, int32_t d, int32_t)
    NAMED("nvvm.shfl.sync.bfly.i32");
int32_t shuffleI(int32_t mask, int32_t v, int32_t d, int32_t) {
  checkMask(mask);
  return shuffle(v, d);
}
float shuffleF(int32_t, float v, int32_t d, int32_t)
    NAMED("nvvm.shfl.sync.bfly.f32");
float shuffleF(int32_t mask, float v, int32_t d, int32_t) {
  checkMask(mask);
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
// Off by two units of the last place, as a GPU's instruction may be.
float __nv_exp2f(float x) {
  float y = exp2f(x);
  if (x == 0 || !std::isnormal(y))
    return y;
  int bits;
  memcpy(&bits, &x, sizeof(bits));
  int step = bits % 2 ? 2 : -2;
  memcpy(&bits, &y, sizeof(bits));
  bits += step;
  float other;
  memcpy(&other, &bits, sizeof(bits));
  return std::isnormal(other) ? other : y;
}
float __nv_sqrtf(float x) { return sqrtf(x); }
float __nv_rsqrtf(float x) { return 1 / sqrtf(x); }
float __nv_fabsf(float x) { return fabsf(x); }
float __nv_floorf(float x) { return floorf(x); }
float __nv_ceilf(float x) { return ceilf(x); }
float __nv_copysignf(float x, float y) { return copysignf(x, y); }
float __nv_rintf(float x) { return rintf(x); }
int __nv_abs(int x) { return x < 0 ? int(0u - unsigned(x)) : x; }
long long __nv_llabs(long long x) {
  return x < 0 ? (long long)(0ull - (unsigned long long)(x)) : x;
}
float __nv_fmodf(float a, float b) { return fmodf(a, b); }
double __nv_fma(double a, double b, double c) { return fma(a, b, c); }
double __nv_fmax(double a, double b) { return fmax(a, b); }
double __nv_fmin(double a, double b) { return fmin(a, b); }
double __nv_fabs(double x) { return fabs(x); }
double __nv_floor(double x) { return floor(x); }
double __nv_copysign(double x, double y) { return copysign(x, y); }
double __nv_rint(double x) { return rint(x); }
double __nv_fmod(double a, double b) { return fmod(a, b); }
double __nv_sqrt(double x) { return sqrt(x); }
}

int emulator::getThread() { return current; }
int emulator::getThreads() { return blockSize; }
int emulator::getRank() { return isThread ? current / int(blockSize) : 0; }
int emulator::getRanks() { return ranks; }
int emulator::getWave() { return running->wave; }
void emulator::meetBlock(int32_t id) {
  barrier(id, blockSize, ranks == 1, false);
}
void emulator::checkWait(const char *what) {
  if (running->waits && !threads[current].hasWaited)
    fail("griddepcontrol", std::string(what) +
                               " by a thread that has not waited for the "
                               "kernel in front");
}
bool emulator::hasEnded(int rank) {
  for (unsigned i = 0; i < blockSize; ++i)
    if (!threads[rank * blockSize + i].isDone)
      return false;
  return true;
}
uint64_t emulator::getBlock() {
  return blockId[0] + getRank() +
         uint64_t(gridSize[0]) *
             (blockId[1] + uint64_t(gridSize[1]) * blockId[2]);
}

const uint64_t (*emulator::exchange(const uint64_t *words, int count,
                                    bool isAnywhere)) [kWords] {
  Warp &warp = warps[current / 32];
  int generation = warp.generation;
  memcpy(warp.given[current % 32], words, count * sizeof *words);
  ++progress;
  uint32_t here = isAnywhere ? 0 : emuInstruction;
  if (warp.waiting++ == 0)
    warp.instruction = here;
  else if (warp.instruction != here)
    fail("divergence",
         "threads of a warp are at different instructions, another one at " +
             describeInstruction(warp.instruction));
  if (warp.waiting == 32) {
    warp.waiting = 0;
    memcpy(warp.taken, warp.given, sizeof warp.taken);
    ++warp.generation;
  }
  waitUntil([&] { return generation != warp.generation; }, "others of a warp");
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
  ranks = kernel.cluster;
  if (ranks < 1 || ranks > kMostRanks || grid[0] % ranks)
    die("a grid that is no multiple of a cluster of " + std::to_string(ranks));
  memcpy(gridSize, grid, sizeof gridSize);
  beginAccess(kernel, shared);
  sharing::begin();
  statistics::beginKernel();
  for (blockId[2] = 0; blockId[2] < grid[2]; ++blockId[2])
    for (blockId[1] = 0; blockId[1] < grid[1]; ++blockId[1])
      for (blockId[0] = 0; blockId[0] < grid[0]; blockId[0] += ranks)
        runBlocks();
  statistics::endKernel(kernel.name, grid, count);
  running = nullptr;
}

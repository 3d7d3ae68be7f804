//===- emulator.cpp - CUDA threads on the processor -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a model whose kernels were compiled for this processor instead of a GPU:
// a fiber for each thread of a block, which gives way where it waits for
// others. The order in which fibers go on is drawn anew each time. It is the
// run-time of the host code too. What lies on the device can be touched only
// while a kernel or a copy runs, and every allocation ends at a page that
// nobody may touch. test/EndToEnd/emulate.py builds and calls this:
//
//   model CALL RESULTS SEED
//
// CALL holds int64: the number of arguments; for each its rank, bytes of an
// element, sizes and data (padded to 8 bytes); the number of results; for each
// its rank and bytes of an element. RESULTS gets sizes and data of each result.
//
//===----------------------------------------------------------------------===//

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <ucontext.h>
#include <utility>
#include <vector>

// Made by emulate.py.
extern "C" void emu_main(void *results, void **args);
extern "C" void emu_kernel(int64_t number, void **args);

[[noreturn]] static void die(const char *why) {
  fprintf(stderr, "emulator: %s\n", why);
  exit(2);
}

//===----------------------------------------------------------------------===//
// Memory of the device
//===----------------------------------------------------------------------===//

namespace {
struct Block {
  char *pages;
  size_t bytes;
};
} // namespace
static std::vector<Block> memory;

static void open(bool isOpen) {
  for (Block &b : memory)
    if (mprotect(b.pages, b.bytes, isOpen ? PROT_READ | PROT_WRITE : PROT_NONE))
      die("mprotect failed");
}

/// Memory that ends where a guard page begins, filled with ones.
static char *allocate(size_t bytes) {
  constexpr size_t kPage = 4096;
  size_t room = (bytes + kPage - 1) / kPage * kPage;
  char *pages = (char *)mmap(nullptr, room + kPage, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    die("out of memory");
  mprotect(pages + room, kPage, PROT_NONE);
  memset(pages, 0xff, room);
  if (room)
    memory.push_back({pages, room});
  // Kernels may rely on the alignment of elements, 8 at most.
  return pages + (room - bytes) / 8 * 8;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

namespace {
struct Thread {
  ucontext_t context;
  bool isDone;
};
/// What 32 threads exchange.
struct Warp {
  uint32_t given[32], taken[32];
  int waiting, generation;
};
} // namespace
static std::vector<Thread> threads;
static std::vector<Warp> warps;
static ucontext_t scheduler;
static int current, atBarrier, barrierGeneration;
static int64_t blockId[3], blockSize[3], gridSize[3];
static long progress;
static uint64_t randomState;
static int64_t kernelNumber;
static void **kernelArgs;

static uint32_t draw() {
  randomState = randomState * 6364136223846793005u + 1442695040888963407u;
  return randomState >> 33;
}

static void giveWay() { swapcontext(&threads[current].context, &scheduler); }

static void enter() {
  emu_kernel(kernelNumber, kernelArgs);
  threads[current].isDone = true;
  ++progress;
  giveWay();
}

static void runBlock() {
  constexpr size_t kStack = 1 << 16;
  int n = blockSize[0];
  static char *stacks =
      (char *)mmap(nullptr, kStack * 1024, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  threads.assign(n, {});
  warps.assign((n + 31) / 32, {});
  atBarrier = 0;
  std::vector<int> order(n);
  for (int i = 0; i < n; ++i) {
    order[i] = i;
    getcontext(&threads[i].context);
    threads[i].context.uc_stack.ss_sp = stacks + kStack * i;
    threads[i].context.uc_stack.ss_size = kStack;
    makecontext(&threads[i].context, enter, 0);
  }
  for (int left = n; left;) {
    for (int i = n - 1; i > 0; --i)
      std::swap(order[i], order[draw() % (i + 1)]);
    long before = progress;
    left = 0;
    for (int i : order) {
      if (threads[i].isDone)
        continue;
      ++left;
      current = i;
      swapcontext(&scheduler, &threads[i].context);
    }
    if (left && before == progress)
      die("deadlock: threads wait for others that have ended");
  }
}

extern "C" {
#define NAMED(name) asm("emu." name)
int32_t tidX() NAMED("nvvm.read.ptx.sreg.tid.x");
int32_t tidX() { return current; }
int32_t ctaidX() NAMED("nvvm.read.ptx.sreg.ctaid.x");
int32_t ctaidX() { return blockId[0]; }

static void barrier() {
  int generation = barrierGeneration;
  ++progress;
  if (++atBarrier == blockSize[0]) {
    atBarrier = 0;
    ++barrierGeneration;
  }
  while (generation == barrierGeneration)
    giveWay();
}
void barrier0(int32_t) NAMED("nvvm.barrier.cta.sync.aligned.all");
void barrier0(int32_t) { barrier(); }

static uint32_t exchange(uint32_t value, int32_t distance) {
  Warp &warp = warps[current / 32];
  int lane = current % 32, generation = warp.generation;
  warp.given[lane] = value;
  ++progress;
  if (++warp.waiting == 32) {
    warp.waiting = 0;
    memcpy(warp.taken, warp.given, sizeof warp.taken);
    ++warp.generation;
  }
  while (generation == warp.generation)
    giveWay();
  return warp.taken[lane ^ distance];
}
int32_t shuffleI(int32_t, int32_t v, int32_t d, int32_t)
    NAMED("nvvm.shfl.sync.bfly.i32");
int32_t shuffleI(int32_t, int32_t v, int32_t d, int32_t) {
  return exchange(v, d);
}
float shuffleF(int32_t, float v, int32_t d, int32_t)
    NAMED("nvvm.shfl.sync.bfly.f32");
float shuffleF(int32_t, float v, int32_t d, int32_t) {
  uint32_t bits;
  memcpy(&bits, &v, 4);
  bits = exchange(bits, d);
  memcpy(&v, &bits, 4);
  return v;
}

float __nv_fmaf(float a, float b, float c) { return fmaf(a, b, c); }
float __nv_sqrtf(float x) { return sqrtf(x); }
float __nv_rsqrtf(float x) { return 1 / sqrtf(x); }
float __nv_fabsf(float x) { return fabsf(x); }
float __nv_floorf(float x) { return floorf(x); }
float __nv_ceilf(float x) { return ceilf(x); }
float __nv_copysignf(float x, float y) { return copysignf(x, y); }
float __nv_rintf(float x) { return rintf(x); }
double __nv_fma(double a, double b, double c) { return fma(a, b, c); }
double __nv_fabs(double x) { return fabs(x); }
double __nv_rint(double x) { return rint(x); }
double __nv_sqrt(double x) { return sqrt(x); }

//===----------------------------------------------------------------------===//
// The run-time
//===----------------------------------------------------------------------===//

struct Bytes {
  char *allocated, *aligned;
  int64_t offset, size, stride;
};

void fx_rt_gpu_launch(int64_t number, int64_t gx, int64_t gy, int64_t gz,
                      int64_t bx, int64_t by, int64_t bz, int64_t *args,
                      int64_t count) {
  if (bx < 1 || by != 1 || bz != 1 || bx > 1024 || gx > 0x7fffffff || gy != 1 ||
      gz != 1)
    die("a geometry that no device has");
  if (bx % 32)
    die("a block that is no multiple of a warp");
  std::vector<void *> pointers;
  for (int64_t i = 0; i < count; ++i)
    pointers.push_back(&args[i]);
  kernelNumber = number;
  kernelArgs = pointers.data();
  blockSize[0] = bx;
  open(true);
  for (blockId[0] = 0; blockId[0] < gx; ++blockId[0])
    runBlock();
  open(false);
}

static void copy(int64_t to, int64_t from, int64_t bytes) {
  open(true);
  memmove((void *)to, (const void *)from, bytes);
  open(false);
}
void fx_rt_gpu_copy(int64_t to, int64_t from, int64_t bytes) {
  copy(to, from, bytes);
}
void fx_rt_gpu_read(int64_t to, int64_t from, int64_t bytes) {
  copy(to, from, bytes);
}
void fx_rt_gpu_write(int64_t to, int64_t from, int64_t bytes) {
  copy(to, from, bytes);
}

static void give(Bytes *out, int64_t bytes) {
  char *data = allocate(bytes);
  open(false);
  *out = {data, data, 0, bytes, 1};
}
void _mlir_ciface_fx_rt_gpu_constant(Bytes *out, int64_t from, int64_t bytes) {
  give(out, bytes);
  copy((int64_t)out->aligned, from, bytes);
}
void _mlir_ciface_fx_rt_arena(Bytes *out, int64_t bytes) { give(out, bytes); }
void _mlir_ciface_fx_rt_output(Bytes *out, int64_t bytes) { give(out, bytes); }
void *_mlir_memref_to_llvm_alloc(int64_t bytes) {
  Bytes b;
  give(&b, bytes);
  return b.aligned;
}
void *_mlir_memref_to_llvm_aligned_alloc(int64_t, int64_t bytes) {
  return _mlir_memref_to_llvm_alloc(bytes);
}
void _mlir_memref_to_llvm_free(void *) {}
[[noreturn]] void fx_rt_assert_fail(const char *message) { die(message); }
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

static void get(FILE *file, void *to, size_t bytes) {
  if (bytes && fread(to, bytes, 1, file) != 1)
    die("the call cannot be read");
}

static int64_t getWord(FILE *file) {
  int64_t word;
  get(file, &word, 8);
  return word;
}

int main(int argc, char **argv) {
  FILE *call = argc == 4 ? fopen(argv[1], "rb") : nullptr;
  FILE *out = call ? fopen(argv[2], "wb") : nullptr;
  if (!out)
    die("usage: model CALL RESULTS SEED");
  randomState = strtoull(argv[3], nullptr, 10);
  std::vector<std::vector<int64_t>> descriptors(getWord(call));
  std::vector<void *> args;
  for (auto &d : descriptors) {
    int64_t rank = getWord(call), bytes = getWord(call);
    d.assign(3 + 2 * rank, 0);
    for (int64_t i = 0; i < rank; ++i)
      bytes *= d[3 + i] = getWord(call);
    for (int64_t i = rank, stride = 1; i-- > 0; stride *= d[3 + i])
      d[3 + rank + i] = stride;
    char *data = allocate(bytes);
    get(call, data, bytes);
    fseek(call, (8 - bytes % 8) % 8, SEEK_CUR);
    d[0] = d[1] = (int64_t)data;
    args.push_back(d.data());
  }
  std::vector<std::pair<int64_t, int64_t>> results(getWord(call));
  int64_t words = 0;
  for (auto &[rank, bytes] : results) {
    rank = getWord(call);
    bytes = getWord(call);
    words += 3 + 2 * rank;
  }
  std::vector<int64_t> made(words + 1);
  open(false);
  emu_main(made.data(), args.data());
  open(true);
  int64_t *at = made.data();
  for (auto &[rank, bytes] : results) {
    int64_t n = bytes;
    for (int64_t i = 0; i < rank; ++i)
      n *= at[3 + i];
    fwrite(at + 3, 8, rank, out);
    fwrite((char *)at[1] + at[2] * bytes, 1, n, out);
    at += 3 + 2 * rank;
  }
  return fclose(out) ? 1 : 0;
}

//===- Probe.cpp - what a machine can do ----------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Probe.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <limits>
#include <thread>
#include <vector>

using namespace fx;

/// Steps of the loop of multiply-adds, and accumulators that hide its latency.
static constexpr int64_t kSteps = 2000000, kAccumulators = 12;
/// Elements of the array that is read, and the least number for each thread.
static constexpr int64_t kElements = 32 << 20, kLeastElements = 4 << 20;
/// A multiple of the elements that an iteration reads.
static constexpr int64_t kStep = 1024;

// The loops for vectors of BYTES bytes. Clang fuses a * b + c.
#define FX_PROBES(NAME, ATTRIBUTES, BYTES)                                     \
  ATTRIBUTES static float NAME##Flops(float x, float y) {                      \
    typedef float Vector __attribute__((vector_size(BYTES)));                  \
    Vector acc[kAccumulators] = {};                                            \
    for (int64_t i = 0; i < kSteps; ++i)                                       \
      _Pragma("clang loop unroll(full)") for (Vector &a : acc) a = a * x + y;  \
    float sum = 0;                                                             \
    for (const Vector &a : acc)                                                \
      for (int64_t k = 0; k < int64_t(BYTES / sizeof(float)); ++k)             \
        sum += a[k];                                                           \
    return sum;                                                                \
  }                                                                            \
  ATTRIBUTES static float NAME##Bytes(const float *data, int64_t count) {      \
    typedef float Vector __attribute__((vector_size(BYTES), aligned(4)));      \
    constexpr int64_t lanes = BYTES / sizeof(float);                           \
    Vector acc[8] = {};                                                        \
    for (int64_t i = 0; i < count; i += 8 * lanes)                             \
      _Pragma("clang loop unroll(full)") for (int64_t k = 0; k < 8; ++k)       \
          acc[k] += *reinterpret_cast<const Vector *>(data + i + k * lanes);   \
    float sum = 0;                                                             \
    for (const Vector &a : acc)                                                \
      for (int64_t k = 0; k < lanes; ++k)                                      \
        sum += a[k];                                                           \
    return sum;                                                                \
  }

#define FX_PROBE_TARGET(X) __attribute__((target(X), noinline))
FX_PROBES(generic, __attribute__((noinline)), 16)
#if defined(__x86_64__)
FX_PROBES(avx2, FX_PROBE_TARGET("avx2,fma"), 32)
FX_PROBES(avx512, FX_PROBE_TARGET("avx512f"), 64)
#endif

namespace {
struct Probes {
  float (*flops)(float, float) = genericFlops;
  float (*bytes)(const float *, int64_t) = genericBytes;
  int64_t lanes = 4;
};
} // namespace

static Probes chooseProbes() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {avx512Flops, avx512Bytes, 16};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {avx2Flops, avx2Bytes, 8};
#endif
  return {};
}

/// Calls `work(i)` in each of `threads` threads at the same time. Returns the
/// shortest of three times from the first start to the last end, in seconds.
/// Each thread reads the clock itself: this thread may continue late.
static double measure(unsigned threads,
                      llvm::function_ref<float(unsigned)> work) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < 3; ++repetition) {
    std::barrier start(threads);
    std::vector<Clock::time_point> begin(threads), end(threads);
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < threads; ++i)
      workers.emplace_back([&, i] {
        start.arrive_and_wait();
        begin[i] = Clock::now();
        volatile float kept = work(i);
        (void)kept;
        end[i] = Clock::now();
      });
    for (std::thread &worker : workers)
      worker.join();
    std::chrono::duration<double> spent =
        *std::max_element(end.begin(), end.end()) -
        *std::min_element(begin.begin(), begin.end());
    best = std::min(best, spent.count());
  }
  return best;
}

MachineRates fx::probeMachine(int threads) {
  unsigned count = threads > 0 ? threads : std::thread::hardware_concurrency();
  count = std::clamp(count, 1u, 1024u);
  Probes probes = chooseProbes();
  volatile float x = 0.5f, y = 0.25f;
  MachineRates rates;
  rates.flops = 2.0 * kSteps * kAccumulators * probes.lanes * count /
                measure(count, [&](unsigned) { return probes.flops(x, y); });
  int64_t each = std::max(kElements / count, kLeastElements) / kStep * kStep;
  std::vector<float> data(each * count);
  rates.bytes =
      sizeof(float) * double(data.size()) / measure(count, [&](unsigned i) {
        return probes.bytes(data.data() + i * each, each);
      });
  return rates;
}

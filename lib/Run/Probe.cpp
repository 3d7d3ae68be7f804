//===- Probe.cpp - what a machine can do ----------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Probe.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

using namespace fx;

/// Steps of the loop of multiply-adds, and accumulators that hide its latency.
static constexpr int64_t kSteps = 2000000, kAccumulators = 12;
/// Elements of the array that is read.
static constexpr int64_t kElements = 32 << 20;

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
  ATTRIBUTES static float NAME##Bytes(const float *data) {                     \
    typedef float Vector __attribute__((vector_size(BYTES), aligned(4)));      \
    constexpr int64_t lanes = BYTES / sizeof(float);                           \
    Vector acc[8] = {};                                                        \
    for (int64_t i = 0; i < kElements; i += 8 * lanes)                         \
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
  float (*bytes)(const float *) = genericBytes;
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

/// Returns the shortest of three times of `fn`, in seconds.
template <typename Fn>
static double measure(Fn fn) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    auto start = std::chrono::steady_clock::now();
    volatile float kept = fn();
    (void)kept;
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, spent.count());
  }
  return best;
}

static MachineRates probeThread() {
  Probes probes = chooseProbes();
  MachineRates rates;
  volatile float x = 0.5f, y = 0.25f;
  rates.flops = 2.0 * kSteps * kAccumulators * probes.lanes /
                measure([&] { return probes.flops(x, y); });
  auto data = std::make_unique<float[]>(kElements);
  rates.bytes = sizeof(float) * double(kElements) /
                measure([&] { return probes.bytes(data.get()); });
  return rates;
}

MachineRates fx::probeMachine(int threads) {
  unsigned count = threads > 0 ? threads : std::thread::hardware_concurrency();
  std::vector<MachineRates> rates(std::max(count, 1u));
  std::vector<std::thread> workers;
  for (MachineRates &mine : rates)
    workers.emplace_back([&mine] { mine = probeThread(); });
  MachineRates all;
  for (auto [worker, mine] : llvm::zip(workers, rates)) {
    worker.join();
    all.flops += mine.flops;
    all.bytes += mine.bytes;
  }
  return all;
}

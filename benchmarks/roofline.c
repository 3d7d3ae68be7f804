/*===- roofline.c - what one core of this machine can do ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the fp32 multiply-add rate (GFLOP/s) of loops with 512- and 256-bit
// vectors, the better of the two, the rate for bf16 operands, and the rate of
// reading memory (GB/s).
//
//===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* Enough independent chains to hide the latency of an FMA. */
#define CHAINS 12
#define PROBE(NAME, BYTES)                                                     \
  typedef float NAME##_t __attribute__((vector_size(BYTES)));                  \
  static double NAME(void) {                                                   \
    const long steps = 1 << 22;                                                \
    double best = 0;                                                           \
    for (int round = 0; round < 8; ++round) {                                  \
      NAME##_t acc[CHAINS];                                                    \
      NAME##_t x, y;                                                           \
      for (int l = 0; l < BYTES / 4; ++l)                                      \
        x[l] = 0.999f, y[l] = 1e-3f;                                           \
      for (int i = 0; i < CHAINS; ++i)                                         \
        acc[i] = y * (float)i;                                                 \
      __asm__ volatile("" : "+v"(x), "+v"(y));                                 \
      double start = now();                                                    \
      for (long s = 0; s < steps; ++s)                                         \
        _Pragma("clang loop unroll(full)") for (int i = 0; i < CHAINS; ++i)    \
            acc[i] = acc[i] * x + y;                                           \
      for (int i = 0; i < CHAINS; ++i)                                         \
        __asm__ volatile("" : "+v"(acc[i]));                                   \
      double rate = 2.0 * CHAINS * (BYTES / 4) * steps / (now() - start);      \
      best = rate > best ? rate : best;                                        \
    }                                                                          \
    return best * 1e-9;                                                        \
  }

#ifdef __AVX512F__
PROBE(fma512, 64)
#else
static double fma512(void) { return 0; }
#endif
PROBE(fma256, 32)

/* The rate of vdpbf16ps, which multiplies and adds two pairs of bf16 for each
 * sum of f32; 0 without AVX512-BF16. */
static double dotBF16(void) {
  double best = 0;
#ifdef __AVX512BF16__
  const long steps = 1 << 22;
  for (int round = 0; round < 8; ++round) {
    fma512_t acc[CHAINS] = {0};
    fma512_t x = {0}, y = {0};
    __asm__ volatile("" : "+v"(x), "+v"(y));
    double start = now();
    for (long s = 0; s < steps; ++s)
      _Pragma(
          "clang loop unroll(full)") for (int i = 0; i < CHAINS;
                                          ++i) __asm__("vdpbf16ps %2, %1, %0" :
                                                       "+v"(acc[i]) : "v"(x),
                                                       "v"(y));
    for (int i = 0; i < CHAINS; ++i)
      __asm__ volatile("" : "+v"(acc[i]));
    double rate = 2.0 * CHAINS * 32 * steps / (now() - start);
    best = rate > best ? rate : best;
  }
#endif
  return best * 1e-9;
}

#ifdef __AVX512F__
typedef float vec __attribute__((vector_size(64)));
#else
typedef float vec __attribute__((vector_size(32)));
#endif

/* Reads the memory once, in STREAMS streams with prefetches of AHEAD vectors,
 * and returns the seconds. */
#define READ(NAME, STREAMS, AHEAD)                                             \
  static double NAME(const vec *data, size_t vectors) {                        \
    const size_t part = vectors / STREAMS;                                     \
    vec sum[2 * STREAMS] = {0};                                                \
    double start = now();                                                      \
    for (size_t i = 0; i < part; i += 2)                                       \
      _Pragma("clang loop unroll(full)") for (int s = 0; s < STREAMS; ++s) {   \
        if (AHEAD) {                                                           \
          __builtin_prefetch(&data[s * part + i + AHEAD]);                     \
          __builtin_prefetch(&data[s * part + i + AHEAD + 1]);                 \
        }                                                                      \
        sum[2 * s] += data[s * part + i];                                      \
        sum[2 * s + 1] += data[s * part + i + 1];                              \
      }                                                                        \
    for (int s = 0; s < 2 * STREAMS; ++s)                                      \
      __asm__ volatile("" : "+v"(sum[s]));                                     \
    return now() - start;                                                      \
  }
READ(read1, 1, 0)
READ(read4, 4, 0)
READ(read4Ahead, 4, 64)

/* The fastest of several orders, because it depends on the CPU, in pages as
 * large as the system gives. */
static double readMemory(void) {
  const size_t bytes = (size_t)512 << 20, huge = (size_t)2 << 20;
  char *memory = aligned_alloc(huge, bytes);
  if (!memory)
    return 0;
  madvise(memory, bytes, MADV_HUGEPAGE);
  memset(memory, 1, bytes);
  double (*const orders[])(const vec *, size_t) = {read1, read4, read4Ahead};
  double least = 1e9;
  for (int round = 0; round < 5; ++round)
    for (int k = 0; k < 3; ++k) {
      double seconds = orders[k]((const vec *)memory, bytes / sizeof(vec));
      least = seconds < least ? seconds : least;
    }
  free(memory);
  return bytes / least * 1e-9;
}

int main(void) {
  double a = fma512(), b = fma256();
  double fma = a > b ? a : b, dot = dotBF16();
  printf("{\"fma512\": %.1f, \"fma256\": %.1f, \"gflops\": %.1f, "
         "\"gflops_bf16\": %.1f, \"gbytes\": %.1f}\n",
         a, b, fma, dot > fma ? dot : fma, readMemory());
  return 0;
}

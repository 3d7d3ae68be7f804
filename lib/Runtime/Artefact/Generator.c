/*===- Generator.c - the random generator of an instance ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The Mersenne Twister (Matsumoto and Nishimura, 1998). It draws the same
// numbers as PyTorch's generator of the CPU for the same seed.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <string.h>

enum { MT_N = FX_GENERATOR_WORDS, MT_M = 397 };

void fx_rt_seed_generator(FXGenerator *g, uint64_t seed) {
  memset(g, 0, sizeof *g);
  g->state[0] = (uint32_t)seed;
  for (uint32_t i = 1; i < MT_N; ++i) {
    uint32_t last = g->state[i - 1];
    g->state[i] = 1812433253u * (last ^ (last >> 30)) + i;
  }
  g->next = MT_N;
}

/* Returns the next word of the recurrence. */
static uint32_t twist(uint32_t far, uint32_t u, uint32_t v) {
  uint32_t mixed = (u & 0x80000000u) | (v & 0x7fffffffu);
  return far ^ (mixed >> 1) ^ (-(v & 1) & 0x9908b0dfu);
}

static __attribute__((noinline)) void next_state(FXGenerator *g) {
  uint32_t *s = g->state;
  int i = 0;
  for (; i < MT_N - MT_M; ++i)
    s[i] = twist(s[i + MT_M], s[i], s[i + 1]);
  for (; i < MT_N - 1; ++i)
    s[i] = twist(s[i + MT_M - MT_N], s[i], s[i + 1]);
  s[i] = twist(s[i + MT_M - MT_N], s[i], s[0]);
  g->next = 0;
}

static inline uint32_t random32(FXGenerator *g) {
  if (g->next == MT_N)
    next_state(g);
  uint32_t y = g->state[g->next++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

static inline uint64_t random64(FXGenerator *g) {
  uint64_t high = random32(g);
  return high << 32 | random32(g);
}

/* Draw numbers in [0, 1), multiples of 2^-24 and 2^-53. */
static inline float uniform_float(FXGenerator *g) {
  return (float)(random32(g) & 0xffffffu) * 0x1p-24f;
}
static inline double uniform_double(FXGenerator *g) {
  return (double)(random64(g) & ((1ull << 53) - 1)) * 0x1p-53;
}

void fx_rt_seed(FXInstance *i, uint64_t seed) {
  pthread_mutex_lock(&i->common->generator_lock);
  fx_rt_seed_generator(&i->common->generator, seed);
  pthread_mutex_unlock(&i->common->generator_lock);
}

void fx_rt_get_generator(FXInstance *i, FXGenerator *out) {
  pthread_mutex_lock(&i->common->generator_lock);
  *out = i->common->generator;
  pthread_mutex_unlock(&i->common->generator_lock);
}

void fx_rt_set_generator(FXInstance *i, const FXGenerator *generator) {
  pthread_mutex_lock(&i->common->generator_lock);
  i->common->generator = *generator;
  if (i->common->generator.next > FX_GENERATOR_WORDS)
    i->common->generator.next = FX_GENERATOR_WORDS;
  pthread_mutex_unlock(&i->common->generator_lock);
}

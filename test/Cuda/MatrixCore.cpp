//===- MatrixCore.cpp - products of matrices of AMD's GPUs ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions V_MFMA of CDNA3, with which all 64 threads of a wave
// multiply two matrices. The layouts are those that the AMD Matrix Instruction
// Calculator prints. Operands have no modifiers. Sums are rounded after each
// product, in the order of k; the order of a GPU is not documented.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

#include <cmath>
#include <cstring>

using namespace emulator;

namespace {
/// What a thread gives: at most 8 elements of each operand.
union Operands {
  float floats[2][4];
  int32_t ints[2][8];
};
struct Wave {
  /// By turns for one product and for the next: the last thread reads what was
  /// given when the first one gives more.
  Operands given[2][64];
  int waiting, generation;
  uint32_t instruction; ///< at which the first one waits
};
} // namespace
static std::vector<Wave> waves;
static int blockThreads;

void emulator::forgetWaves(int threads) {
  blockThreads = threads;
  waves.clear();
}

void emulator::checkWaves() {
  for (const Wave &wave : waves)
    if (wave.waiting)
      fail("divergence", std::to_string(wave.waiting) +
                             " of 64 threads of a wave are at " +
                             describeInstruction(wave.instruction));
}

/// Waits until all threads of the wave have given their operands, and returns
/// what each gave.
static const Operands *meetWave(const Operands &mine, const char *rule) {
  if (blockThreads % 64)
    fail(rule, "expected a block of a multiple of 64 threads, got " +
                   std::to_string(blockThreads));
  waves.resize(blockThreads / 64);
  int number = getThread() / 64;
  uint32_t here = getInstruction();
  Wave &wave = waves[number];
  if (wave.waiting++ == 0)
    wave.instruction = here;
  else if (wave.instruction != here)
    fail("divergence",
         "threads of a wave are at different instructions, another one at " +
             describeInstruction(wave.instruction));
  int generation = wave.generation;
  Operands *all = wave.given[generation % 2];
  all[getThread() % 64] = mine;
  noteProgress();
  if (wave.waiting == 64) {
    wave.waiting = 0;
    ++wave.generation;
  }
  waitUntil([&] { return generation != waves[number].generation; },
            "others of a wave");
  return all;
}

int32_t emulator::exchangeHalves(int32_t value) {
  Operands mine;
  mine.ints[0][0] = value;
  return meetWave(mine, "shuffle")[(getThread() + 32) % 64].ints[0][0];
}

static void checkModifiers(int32_t cbsz, int32_t abid, int32_t blgp) {
  if (cbsz || abid || blgp)
    fail("mfma", "expected no modifiers, got cbsz " + std::to_string(cbsz) +
                     ", abid " + std::to_string(abid) + ", blgp " +
                     std::to_string(blgp));
}

/// sums += x y, of `size` rows and columns. Of each operand a thread holds
/// `count` adjacent elements of k, of the row of x and the column of y that is
/// its number modulo `size`. Sums are in groups of 4 adjacent rows: a group for
/// each `size` threads, then the next groups.
template <int size, int count, typename T, typename Get, typename Add>
static void multiply(T *sums, const Operands &mine, Get get, Add add) {
  const Operands *all = meetWave(mine, "mfma");
  constexpr int parts = 64 / size;
  int part = getThread() % 64 / size, column = getThread() % size;
  for (int i = 0; i < size * size / 64; ++i) {
    int row = i / 4 * (4 * parts) + 4 * part + i % 4;
    for (int p = 0; p < parts; ++p)
      for (int k = 0; k < count; ++k)
        sums[i] = add(get(all[size * p + row], 0)[k],
                      get(all[size * p + column], 1)[k], sums[i]);
  }
}

static const float *getFloats(const Operands &operands, int which) {
  return operands.floats[which];
}
static const int32_t *getInts(const Operands &operands, int which) {
  return operands.ints[which];
}

/// Of 16-bit elements, whose products are exact in float.
template <int size, bool isBF16>
static void multiplyHalves(float *sums, uint64_t x, uint64_t y) {
  Operands mine;
  for (int k = 0; k < 4; ++k) {
    mine.floats[0][k] = toFloat(x >> (16 * k), isBF16);
    mine.floats[1][k] = toFloat(y >> (16 * k), isBF16);
  }
  multiply<size, 4>(sums, mine, getFloats,
                    [](float a, float b, float c) { return a * b + c; });
}

template <int size>
static void multiplyFloats(float *sums, float x, float y) {
  Operands mine;
  mine.floats[0][0] = x;
  mine.floats[1][0] = y;
  multiply<size, 1>(sums, mine, getFloats, [](float a, float b, float c) {
    return std::fma(a, b, c);
  });
}

template <int size>
static void multiplyBytes(int32_t *sums, uint64_t x, uint64_t y) {
  Operands mine;
  for (int k = 0; k < 8; ++k) {
    mine.ints[0][k] = int8_t(x >> (8 * k));
    mine.ints[1][k] = int8_t(y >> (8 * k));
  }
  // Sums wrap.
  multiply<size, 8>(sums, mine, getInts, [](int32_t a, int32_t b, int32_t c) {
    return int32_t(uint32_t(a * b) + uint32_t(c));
  });
}

extern "C" {
// The sums are given and returned in memory, vectors of other elements as
// integers; see test/EndToEnd/emulate.py.
#define MULTIPLY(FUNCTION, SYMBOL, SUM, OPERAND, PRODUCT)                      \
  void FUNCTION(SUM *, OPERAND, OPERAND, int32_t, int32_t, int32_t)            \
      NAMED("amdgcn.mfma." SYMBOL ".to");                                      \
  void FUNCTION(SUM *sums, OPERAND x, OPERAND y, int32_t cbsz, int32_t abid,   \
                int32_t blgp) {                                                \
    checkModifiers(cbsz, abid, blgp);                                          \
    PRODUCT(sums, x, y);                                                       \
  }
MULTIPLY(multiply32BF16, "f32.32x32x8bf16.1k", float, uint64_t,
         (multiplyHalves<32, true>))
MULTIPLY(multiply16BF16, "f32.16x16x16bf16.1k", float, uint64_t,
         (multiplyHalves<16, true>))
MULTIPLY(multiply32F16, "f32.32x32x8f16", float, uint64_t,
         (multiplyHalves<32, false>))
MULTIPLY(multiply16F16, "f32.16x16x16f16", float, uint64_t,
         (multiplyHalves<16, false>))
MULTIPLY(multiply32F32, "f32.32x32x2f32", float, float, multiplyFloats<32>)
MULTIPLY(multiply16F32, "f32.16x16x4f32", float, float, multiplyFloats<16>)
MULTIPLY(multiply32I8, "i32.32x32x16.i8", int32_t, uint64_t, multiplyBytes<32>)
MULTIPLY(multiply16I8, "i32.16x16x32.i8", int32_t, uint64_t, multiplyBytes<16>)
#undef MULTIPLY
}

//===- TensorCore.cpp - asynchronous copies and products of matrices ------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies happen when they are started or, as late as they may, when someone
// waits for them, which is drawn again for each: who reads without waiting sees
// what was there before, and who starts a copy to where others still read
// spoils it. The layouts of matrices are those of the PTX ISA, "Matrix
// fragments for mma.m16n8k16", "... mma.m16n8k8", "... mma.m16n8k32" and
// "ldmatrix".
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

#include <cmath>
#include <cstring>
#include <deque>
#include <utility>

using namespace emulator;

namespace {
struct Copy {
  char *to;
  const char *from;
  int bytes, size; ///< after `bytes` there are zeros
  bool isDone;
};
/// What a thread has in flight: closed groups, oldest first, and an open one.
struct Copies {
  std::deque<std::vector<Copy>> groups;
  std::vector<Copy> open;
};
} // namespace
static std::vector<Copies> copies;

void emulator::forgetCopies(int threads) { copies.assign(threads, {}); }

static void perform(const Copy &copy) {
  memcpy(copy.to, copy.from, copy.bytes);
  memset(copy.to + copy.bytes, 0, copy.size - copy.bytes);
}

/// Starts a copy of `size` bytes, of which some are zeros.
static void start(char *to, const char *from, int32_t bytes, int32_t size) {
  if (bytes < 0 || bytes > size)
    fail("copy", "an asynchronous copy of " + std::to_string(bytes) + " of " +
                     std::to_string(size) + " bytes");
  checkShared(to, size, size, "an asynchronous copy");
  if (bytes)
    checkGlobal(from, bytes, size, /*isStore=*/false);
  if (isBarrier(to, size))
    fail("mbarrier",
         "an asynchronous copy to a barrier's bytes at " + describeShared(to));
  if (statistics::isOn()) {
    statistics::noteShared(to, size);
    if (bytes)
      statistics::noteGlobal(from, bytes);
  }
  races::beginCopy(to, size, /*isBox=*/false);
  Copy copy = {to, from, bytes, size, draw() % 2 != 0};
  if (copy.isDone)
    perform(copy);
  copies[getThread()].open.push_back(copy);
}

uint32_t emulator::roundToTF32(uint32_t bits) {
  bool isNaN = (bits & 0x7fffffff) > 0x7f800000;
  return isNaN ? 0x7fffffff : (bits + 0x1000) & ~uint32_t(0x1fff);
}

extern "C" {
// As C has no default arguments: with the number of bytes that are no zeros,
// and without.
#define COPY(FUNCTION, SYMBOL, SIZE)                                           \
  void FUNCTION##Some(char *, const char *, int32_t) NAMED(SYMBOL ".s");       \
  void FUNCTION##Some(char *to, const char *from, int32_t bytes) {             \
    start(to, from, bytes, SIZE);                                              \
  }                                                                            \
  void FUNCTION(char *, const char *) NAMED(SYMBOL);                           \
  void FUNCTION(char *to, const char *from) { start(to, from, SIZE, SIZE); }
COPY(copyCG16, "nvvm.cp.async.cg.shared.global.16", 16)
COPY(copyCA16, "nvvm.cp.async.ca.shared.global.16", 16)
COPY(copyCA8, "nvvm.cp.async.ca.shared.global.8", 8)
COPY(copyCA4, "nvvm.cp.async.ca.shared.global.4", 4)
#undef COPY

void commit() NAMED("nvvm.cp.async.commit.group");
void commit() {
  Copies &mine = copies[getThread()];
  mine.groups.push_back(std::move(mine.open));
  mine.open.clear();
}
static void finish(const std::vector<Copy> &group) {
  for (const Copy &copy : group) {
    if (!copy.isDone)
      perform(copy);
    races::endCopy(copy.to, copy.size, nullptr);
  }
}
void waitGroup(int32_t pending) NAMED("nvvm.cp.async.wait.group");
void waitGroup(int32_t pending) {
  std::deque<std::vector<Copy>> &groups = copies[getThread()].groups;
  for (; groups.size() > size_t(pending); groups.pop_front())
    finish(groups.front());
}
void waitAll() NAMED("nvvm.cp.async.wait.all");
void waitAll() {
  commit();
  waitGroup(0);
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

static void loadMatrices(uint32_t *result, const char *address,
                         bool isTransposed) {
  checkShared(address, 16, 16, "a row of a matrix");
  if (races::isOn())
    races::access(address, 16, /*isStore=*/false);
  if (statistics::isOn())
    statistics::noteShared(address, 16);
  uint64_t word = (uint64_t)address;
  auto all = exchange(&word, 1);
  int lane = getThread() % 32;
  for (int matrix = 0; matrix < 4; ++matrix) {
    uint16_t two[2];
    for (int e = 0; e < 2; ++e) {
      int row = lane / 4, column = lane % 4 * 2 + e;
      if (isTransposed)
        std::swap(row, column);
      two[e] = ((const uint16_t *)all[matrix * 8 + row][0])[column];
    }
    memcpy(&result[matrix], two, 4);
  }
}
void loadRows(uint32_t *result, const char *address)
    NAMED("nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3.to");
void loadRows(uint32_t *result, const char *address) {
  loadMatrices(result, address, false);
}
void loadColumns(uint32_t *result, const char *address)
    NAMED("nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3.to");
void loadColumns(uint32_t *result, const char *address) {
  loadMatrices(result, address, true);
}
} // extern "C"

float emulator::toFloat(uint16_t bits, bool isBF16) {
  if (isBF16) {
    uint32_t wide = uint32_t(bits) << 16;
    float value;
    memcpy(&value, &wide, 4);
    return value;
  }
  _Float16 value;
  memcpy(&value, &bits, 2);
  return value;
}

float emulator::toFloat8(uint8_t bits, bool isE5M2) {
  if (isE5M2)
    return toFloat(uint16_t(bits << 8), /*isBF16=*/false);
  int exponent = bits >> 3 & 15, mantissa = bits & 7;
  float size = (bits & 0x7f) == 0x7f ? NAN
               : exponent == 0 ? std::ldexp(float(mantissa), -9)
                               : std::ldexp(float(8 + mantissa), exponent - 10);
  return bits & 0x80 ? -size : size;
}

/// Gives the registers of x and y, and returns those of all lanes: two of x in
/// each of two words, and those of y in the third.
static auto exchangeOperands(const uint32_t *x, const uint32_t *y) {
  uint64_t words[3] = {x[0] | uint64_t(x[1]) << 32, x[2] | uint64_t(x[3]) << 32,
                       y[0] | uint64_t(y[1]) << 32};
  return exchange(words, 3);
}

/// sum += x y, 16x16 by 16x8. Two elements of k are in one register.
static void multiply(float *sum, const uint32_t *x, const uint32_t *y,
                     bool isBF16) {
  auto all = exchangeOperands(x, y);
  int lane = getThread() % 32;
  for (int i = 0; i < 4; ++i) {
    // The register of x: rows 8-15 are in the odd ones, k from 8 on in the
    // second two.
    int row = lane / 4, column = lane % 4 * 2 + i % 2, lower = i / 2;
    for (int k = 0; k < 16; ++k) {
      uint32_t xs = all[row * 4 + k % 8 / 2][k / 8] >> (32 * lower),
               ys = all[column * 4 + k % 8 / 2][2] >> (32 * (k / 8));
      sum[i] += toFloat(xs >> (16 * (k % 2)), isBF16) *
                toFloat(ys >> (16 * (k % 2)), isBF16);
    }
  }
}

float emulator::addTF32(float sum, const uint32_t *x, const uint32_t *y) {
  auto get = [](uint32_t bits) {
    bits &= 0xffffe000u;
    float value;
    memcpy(&value, &bits, 4);
    return value;
  };
  double exact = sum;
  for (int k = 0; k < 8; ++k)
    exact += double(get(x[k])) * get(y[k]);
  sum = float(exact);
  bool isLarger = std::fabs(sum) > std::fabs(exact) && !std::isinf(sum);
  return isLarger ? std::nextafter(sum, 0.0f) : sum;
}

/// sum += x y, 16x8 by 8x8, of f32 without the lower 13 bits.
static void multiplyTF32(float *sum, const uint32_t *x, const uint32_t *y) {
  auto all = exchangeOperands(x, y);
  int lane = getThread() % 32;
  for (int i = 0; i < 4; ++i) {
    int row = lane / 4, column = lane % 4 * 2 + i % 2, lower = i / 2;
    uint32_t xs[8], ys[8];
    for (int k = 0; k < 8; ++k) {
      xs[k] = uint32_t(all[row * 4 + k % 4][k / 4] >> (32 * lower));
      ys[k] = uint32_t(all[column * 4 + k % 4][2] >> (32 * (k / 4)));
    }
    sum[i] = addTF32(sum[i], xs, ys);
  }
}

/// sum += x y, 16x32 unsigned by 32x8 signed bytes, modulo 2^32. Four terms of
/// k are in one register.
static void multiplyBytes(uint32_t *sum, const uint32_t *x, const uint32_t *y) {
  auto all = exchangeOperands(x, y);
  int lane = getThread() % 32;
  for (int i = 0; i < 4; ++i) {
    int row = lane / 4, column = lane % 4 * 2 + i % 2, lower = i / 2;
    for (int k = 0; k < 32; ++k) {
      uint32_t xs = all[row * 4 + k % 16 / 4][k / 16] >> (32 * lower),
               ys = all[column * 4 + k % 16 / 4][2] >> (32 * (k / 16));
      sum[i] += uint32_t(uint8_t(xs >> (8 * (k % 4)))) *
                uint32_t(int32_t(int8_t(ys >> (8 * (k % 4)))));
    }
  }
}

extern "C" {
// A mma.sync, as a function that gives its four sums through memory.
#define MULTIPLY(FUNCTION, SYMBOL, SUM, PRODUCT)                               \
  void FUNCTION(SUM *, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,       \
                uint32_t, SUM, SUM, SUM, SUM) NAMED(SYMBOL);                   \
  void FUNCTION(SUM *result, uint32_t x0, uint32_t x1, uint32_t x2,            \
                uint32_t x3, uint32_t y0, uint32_t y1, SUM c0, SUM c1, SUM c2, \
                SUM c3) {                                                      \
    uint32_t x[] = {x0, x1, x2, x3}, y[] = {y0, y1};                           \
    SUM sum[] = {c0, c1, c2, c3};                                              \
    PRODUCT;                                                                   \
    memcpy(result, sum, sizeof sum);                                           \
  }
MULTIPLY(multiplyBF16, "nvvm.mma.m16n8k16.row.col.bf16.to", float,
         multiply(sum, x, y, true))
MULTIPLY(multiplyF16, "nvvm.mma.m16n8k16.row.col.f32.f32.to", float,
         multiply(sum, x, y, false))
MULTIPLY(multiply32, "nvvm.mma.m16n8k8.row.col.tf32.to", float,
         multiplyTF32(sum, x, y))
MULTIPLY(multiplyIntegers, "nvvm.mma.m16n8k32.row.col.u8.s8.to", uint32_t,
         multiplyBytes(sum, x, y))
#undef MULTIPLY

int32_t convertToTF32(float x) NAMED("nvvm.f2tf32.rna");
int32_t convertToTF32(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return int32_t(roundToTF32(bits));
}

// Exact; a GPU's is off by two units of the last place at most.
float powerOfTwo(float x) NAMED("nvvm.ex2.approx.ftz.f32");
float powerOfTwo(float x) {
  constexpr float kSmallest = 0x1p-126f;
  float y = std::exp2(std::fabs(x) < kSmallest ? 0.0f : x);
  return y < kSmallest ? 0.0f : y;
}
}

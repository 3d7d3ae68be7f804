//===- Warpgroup.cpp - products of warpgroups -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread computes its sums when it starts the product; that its operands are
// read until someone waits shows in that they must be the same then. What it
// gives back are not sums but names of registers, which instructions may read
// when the product has been waited for; see test/EndToEnd/instrument.py.
// Layouts are those of the PTX ISA, "Asynchronous warpgroup level matrix
// instructions".
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>

using namespace emulator;

namespace {
/// An operand: `start` and distances in bytes of shared memory.
struct Matrix {
  uint32_t start, across, rows;
  bool isAcross; ///< neighbours in memory are not along K

  Matrix(uint64_t descriptor, bool isAcross)
      : start((descriptor & 0x3fff) << 4),
        across((descriptor >> 16 & 0x3fff) << 4),
        rows((descriptor >> 32 & 0x3fff) << 4), isAcross(isAcross) {
    if (descriptor >> 62 != 1)
      fail("wgmma", "a matrix that is not permuted by 128 bytes");
    if (descriptor >> 49 & 7)
      fail("wgmma", "a matrix that begins within a permutation");
  }
  const char *at(int row, int k) const {
    uint32_t offset =
        isAcross ? row / 64 * across + k / 8 * rows + k % 8 * 128 + row % 64 * 2
                 : row / 8 * rows + row % 8 * 128 + k * 2;
    return permute(getShared(start + offset));
  }
  uint16_t get(int row, int k) const { return *(const uint16_t *)at(row, k); }
  void check(int first, int count) const {
    for (int row = first; row < first + count; ++row)
      for (int k = 0; k < 16; ++k)
        checkShared(at(row, k), 2, 2, "a matrix's element");
  }
  uint64_t hash(int first, int count) const {
    uint64_t h = 14695981039346656037u;
    for (int row = first; row < first + count; ++row)
      for (int k = 0; k < 16; ++k)
        h = (h ^ get(row, k)) * 1099511628211u;
    return h;
  }
  void noteRead(int first, int count) const {
    // A permutation keeps 16 bytes together: 8 elements along K, or across.
    for (int row = first; row < first + count; row += isAcross ? 8 : 1)
      for (int k = 0; k < 16; k += isAcross ? 1 : 8)
        races::readMatrix(at(row, k), 16);
  }
};

struct Product {
  std::optional<Matrix> x; ///< none: in registers
  Matrix y;
  int columns, row0;
  uint64_t xHash, yHash;
  Product(std::optional<Matrix> x, Matrix y, int columns, int row0)
      : x(x), y(y), columns(columns), row0(row0), xHash(hashLeft()),
        yHash(y.hash(0, columns)) {
    noteRead();
  }
  uint64_t hashLeft() const { return x ? x->hash(row0, 16) : 0; }
  void noteRead() const {
    if (!races::isOn())
      return;
    if (x)
      x->noteRead(row0, 16);
    y.noteRead(0, columns);
  }
  void finish() const {
    if (hashLeft() != xHash || y.hash(0, columns) != yHash)
      fail("wgmma", "an operand changes while it is multiplied");
    noteRead();
  }
};
/// Of a warp: closed groups, oldest first, and an open one.
struct Products {
  std::deque<std::vector<Product>> groups;
  std::vector<Product> open;
  races::Order order; ///< of those that have been waited for
};

/// A register with a sum.
struct Register {
  float value;
  uint32_t product; ///< the last that wrote it; the thread counts them
  uint16_t columns;
  uint8_t version; ///< a name with another one is of an earlier value
};
/// Of a thread: how many products were started, and how many of them are
/// committed, with each group, and waited for.
struct Sums {
  std::vector<Register> registers;
  uint32_t next, started, committed, finished;
  std::deque<uint32_t> groups;
  bool isFenced;
};
} // namespace
static std::vector<Products> products;
static std::vector<Sums> sumsOf;
/// Of each thread of a warp. A multiprocessor has so many.
static std::vector<int32_t> registerCounts;
static constexpr int32_t kMostRegisters = 64 * 1024;

void emulator::forgetProducts(int threads) {
  products.assign((threads + 31) / 32, {});
  sumsOf.assign(threads, {});
  // As many as fill a multiprocessor, in units of 8.
  registerCounts.assign((threads + 31) / 32,
                        std::min(kMostRegisters / getThreads() / 8 * 8, 248));
}

void emulator::checkProducts() {
  const Sums &mine = sumsOf[getThread()];
  if (mine.finished != mine.started)
    fail("wgmma", "a thread ends before " +
                      std::to_string(mine.started - mine.finished) +
                      " of its products, of which " +
                      std::to_string(mine.started - mine.committed) +
                      " are in no group");
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// The name of a register is a number that is none: 10 bits of a signalling
/// one, 13 of the register, and 8 of the version.
static constexpr uint32_t kName = 0x7fa00000, kRegisters = 1 << 13;

static bool isName(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return (bits & 0xffe00000) == kName;
}
static Register &getRegister(Sums &mine, float name) {
  uint32_t bits;
  memcpy(&bits, &name, 4);
  Register &found = mine.registers[(bits >> 8) % kRegisters];
  if (found.version != (bits & 255))
    fail("wgmma", "a read of a register that a later product has written");
  return found;
}
static float getName(const Sums &mine, const Register &named) {
  uint32_t bits =
      kName | uint32_t(&named - mine.registers.data()) << 8 | named.version;
  float name;
  memcpy(&name, &bits, 4);
  return name;
}
static void checkFinished(const Sums &mine, const Register &named) {
  if (named.product > mine.finished)
    fail("wgmma",
         named.product > mine.committed
             ? "a read of a product's register, whose group is not committed"
             : "a read of a product's register, whose group was not waited "
               "for");
}

extern "C" {
float readRegister(float name) NAMED("read.register");
float readRegister(float name) {
  if (!isName(name))
    return name;
  Sums &mine = sumsOf[getThread()];
  const Register &named = getRegister(mine, name);
  checkFinished(mine, named);
  return named.value;
}
int32_t readInteger(int32_t name) NAMED("read.register.i32");
int32_t readInteger(int32_t name) {
  float value;
  memcpy(&value, &name, sizeof value);
  value = readRegister(value);
  memcpy(&name, &value, sizeof value);
  return name;
}
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// All threads of the warp come together, and one goes on for them.
static Products *meet() {
  uint64_t word = 0;
  exchange(&word, 1);
  return getThread() % 32 ? nullptr : &products[getThread() / 32];
}

/// Registers that a product adds to: what it was given as names, or new ones.
static std::vector<Register *> takeRegisters(Sums &mine, const float *sums,
                                             int count, int columns) {
  bool areChained = true;
  for (int i = 0; i < count; ++i)
    areChained &= isName(sums[i]);
  if (areChained)
    for (int i = 0; i < count; ++i) {
      Register &named = getRegister(mine, sums[i]);
      // Products of one shape follow each other without a fence.
      areChained &= named.columns == columns && named.product > mine.finished;
    }
  if (!areChained && !mine.isFenced)
    fail("wgmma", "no wgmma.fence after a thread's own access of registers "
                  "that a product adds to");
  if (mine.registers.empty())
    mine.registers.resize(kRegisters);
  std::vector<Register *> taken;
  for (int i = 0; i < count; ++i) {
    bool isNamed = isName(sums[i]);
    Register &one = isNamed ? getRegister(mine, sums[i])
                            : mine.registers[mine.next++ % kRegisters];
    if (isNamed && !areChained)
      checkFinished(mine, one);
    if (!isNamed)
      one.value = sums[i];
    one.columns = columns;
    one.product = mine.started + 1;
    ++one.version;
    taken.push_back(&one);
  }
  ++mine.started;
  return taken;
}

/// Sets the registers of each thread of the warp, which all warps of a
/// warpgroup do. Who wants more waits until others have given them.
static void setRegisters(int32_t count, bool isMore) {
  if (count < 24 || count > 256 || count % 8)
    fail("registers", "expected a multiple of 8 from 24 to 256, got " +
                          std::to_string(count));
  meet();
  if (getThread() % 32)
    return;
  int32_t &mine = registerCounts[getThread() / 32];
  if (isMore ? count < mine : count > mine)
    fail("registers", std::string("expected at ") +
                          (isMore ? "least" : "most") + " the " +
                          std::to_string(mine) + " that a thread has, got " +
                          std::to_string(count));
  mine = count;
  if (isMore)
    waitUntil(
        [] {
          int32_t sum = 0, warps = getThreads() / 32;
          for (int warp = 0; warp < warps; ++warp)
            sum += registerCounts[getRank() * warps + warp] * 32;
          return sum <= kMostRegisters;
        },
        "registers that others give");
}

/// Starts a product and gives the names of its sums, which `add` adds to their
/// registers when all lanes have arrived.
template <typename Add>
static void start(float *sums, std::optional<Matrix> left, Matrix right,
                  int columns, bool keepsSums, Add add) {
  int row0 = getThread() / 32 % 4 * 16;
  if (Products *mine = meet())
    mine->open.push_back({left, right, columns, row0});
  // Sums that are not kept are not read.
  if (!keepsSums)
    std::fill(sums, sums + columns / 2, 0.0f);
  std::vector<Register *> registers =
      takeRegisters(sumsOf[getThread()], sums, columns / 2, columns);
  add(registers);
  for (int i = 0; i < columns / 2; ++i)
    sums[i] = getName(sumsOf[getThread()], *registers[i]);
}

/// `get` returns element k of the two rows of the thread.
template <typename Get>
static void addProducts(const std::vector<Register *> &registers,
                        const Matrix &right, Get get, int columns, bool isBF16,
                        bool keepsSums) {
  int lane = getThread() % 32;
  float xs[2][16];
  for (int half = 0; half < 2; ++half)
    for (int k = 0; k < 16; ++k)
      xs[half][k] = toFloat(get(half, k), isBF16);
  for (int j = 0; j < columns / 8; ++j)
    for (int e = 0; e < 2; ++e) {
      float total[2] = {};
      for (int k = 0; k < 16; ++k) {
        float value = toFloat(right.get(8 * j + lane % 4 * 2 + e, k), isBF16);
        for (int half = 0; half < 2; ++half)
          total[half] += xs[half][k] * value;
      }
      for (int half = 0; half < 2; ++half) {
        Register &sum = *registers[4 * j + 2 * half + e];
        sum.value = (keepsSums ? sum.value : 0) + total[half];
      }
    }
}

/// Does the same for unsigned by signed bytes; sums are integers modulo 2^32.
static void addBytes(const std::vector<Register *> &registers,
                     const Matrix &left, const Matrix &right, int row,
                     int columns, bool keepsSums) {
  // Two bytes of a row are one element of 16 bits.
  auto get = [](const Matrix &matrix, int at, int k) {
    return uint8_t(matrix.get(at, k / 2) >> (k % 2 * 8));
  };
  int lane = getThread() % 32;
  for (int i = 0; i < columns / 2; ++i) {
    int half = i / 2 % 2, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    uint32_t sum = 0;
    if (keepsSums)
      memcpy(&sum, &registers[i]->value, sizeof sum);
    for (int k = 0; k < 32; ++k)
      sum += uint32_t(get(left, row + 8 * half, k)) *
             uint32_t(int8_t(get(right, column, k)));
    memcpy(&registers[i]->value, &sum, sizeof sum);
  }
}

/// Does the same for eight-bit floats. Tensor cores of sm_90 shift the products
/// and the sum to the largest exponent among them, and keep 14 bits of each
/// (DeepSeek-AI, "DeepSeek-V3 Technical Report", 2024, 3.3.2).
static void addFloat8(const std::vector<Register *> &registers,
                      const Matrix &left, const Matrix &right, int row,
                      int columns, bool isLeftE5M2, bool isRightE5M2,
                      bool keepsSums) {
  auto get = [](const Matrix &matrix, int at, int k, bool isE5M2) {
    return toFloat8(uint8_t(matrix.get(at, k / 2) >> (k % 2 * 8)), isE5M2);
  };
  int lane = getThread() % 32;
  for (int i = 0; i < columns / 2; ++i) {
    int half = i / 2 % 2, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    double terms[33], most = 0;
    for (int k = 0; k < 32; ++k)
      terms[k] = double(get(left, row + 8 * half, k, isLeftE5M2)) *
                 get(right, column, k, isRightE5M2);
    terms[32] = keepsSums ? registers[i]->value : 0;
    for (double term : terms)
      most = std::fmax(most, std::fabs(term));
    double unit = most > 0 && std::isfinite(most)
                      ? std::ldexp(1.0, std::ilogb(most) - 13)
                      : 1;
    double sum = 0;
    for (double term : terms)
      sum += std::isfinite(term) ? std::trunc(term / unit) * unit : term;
    registers[i]->value = float(sum);
  }
}

/// Does the same for f32, of which tensor cores read the bits of TF32.
static void addTF32Products(const std::vector<Register *> &registers,
                            const Matrix &left, const Matrix &right, int row,
                            int columns, bool keepsSums) {
  auto get = [](const Matrix &matrix, int at, int k) {
    return matrix.get(at, 2 * k) | uint32_t(matrix.get(at, 2 * k + 1)) << 16;
  };
  int lane = getThread() % 32;
  for (int i = 0; i < columns / 2; ++i) {
    int half = i / 2 % 2, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    uint32_t xs[8], ys[8];
    for (int k = 0; k < 8; ++k) {
      xs[k] = get(left, row + 8 * half, k);
      ys[k] = get(right, column, k);
    }
    registers[i]->value = addTF32(keepsSums ? registers[i]->value : 0, xs, ys);
  }
}

/// Checks what holds for all products, by one lane of each warp for all of it.
static void checkProduct(const Matrix *left, const Matrix &right, int columns) {
  if (getRanks() > 1 && getThreads() % 128)
    fail("wgmma", "a cluster whose blocks are no warpgroups");
  if (getThreads() % 128 && getThread() / 128 == getThreads() / 128)
    fail("wgmma", "a product by fewer than four warps");
  if (getThread() % 32)
    return;
  if (left)
    left->check(getThread() / 32 % 4 * 16, 16);
  right.check(0, columns);
}

extern "C" {
/// Stands for assembly; see test/EndToEnd/emulate.py.
void multiplyWarpgroup(float *sums, uint64_t x, uint64_t y, int32_t columns,
                       int32_t isBF16, int32_t keepsSums, int32_t xAcross,
                       int32_t yAcross) NAMED("wgmma");
void multiplyWarpgroup(float *sums, uint64_t x, uint64_t y, int32_t columns,
                       int32_t isBF16, int32_t keepsSums, int32_t xAcross,
                       int32_t yAcross) {
  Matrix left(x, xAcross), right(y, yAcross);
  checkProduct(&left, right, columns);
  int row = getThread() / 32 % 4 * 16 + getThread() % 32 / 4;
  auto get = [&](int half, int k) { return left.get(row + 8 * half, k); };
  start(sums, left, right, columns, keepsSums, [&](const auto &registers) {
    addProducts(registers, right, get, columns, isBF16, keepsSums);
  });
}
/// The same for bytes, whose sums are the bits of integers.
void multiplyWarpgroupBytes(float *sums, uint64_t x, uint64_t y,
                            int32_t columns, int32_t keepsSums)
    NAMED("wgmma.bytes");
void multiplyWarpgroupBytes(float *sums, uint64_t x, uint64_t y,
                            int32_t columns, int32_t keepsSums) {
  Matrix left(x, false), right(y, false);
  checkProduct(&left, right, columns);
  int row = getThread() / 32 % 4 * 16 + getThread() % 32 / 4;
  start(sums, left, right, columns, keepsSums, [&](const auto &registers) {
    addBytes(registers, left, right, row, columns, keepsSums);
  });
}
/// The same for f32, as TF32.
void multiplyWarpgroupTF32(float *sums, uint64_t x, uint64_t y, int32_t columns,
                           int32_t keepsSums) NAMED("wgmma.tf32");
void multiplyWarpgroupTF32(float *sums, uint64_t x, uint64_t y, int32_t columns,
                           int32_t keepsSums) {
  Matrix left(x, false), right(y, false);
  checkProduct(&left, right, columns);
  int row = getThread() / 32 % 4 * 16 + getThread() % 32 / 4;
  start(sums, left, right, columns, keepsSums, [&](const auto &registers) {
    addTF32Products(registers, left, right, row, columns, keepsSums);
  });
}
/// The same for eight-bit floats.
void multiplyWarpgroupFloat8(float *sums, uint64_t x, uint64_t y,
                             int32_t columns, int32_t isLeftE5M2,
                             int32_t isRightE5M2, int32_t keepsSums)
    NAMED("wgmma.float8");
void multiplyWarpgroupFloat8(float *sums, uint64_t x, uint64_t y,
                             int32_t columns, int32_t isLeftE5M2,
                             int32_t isRightE5M2, int32_t keepsSums) {
  Matrix left(x, false), right(y, false);
  checkProduct(&left, right, columns);
  int row = getThread() / 32 % 4 * 16 + getThread() % 32 / 4;
  start(sums, left, right, columns, keepsSums, [&](const auto &registers) {
    addFloat8(registers, left, right, row, columns, isLeftE5M2, isRightE5M2,
              keepsSums);
  });
}
/// The same with a left operand in registers. The layout is that of mma.sync:
/// rows 0-7 and 8-15 of columns 0-7, then of columns 8-15, two in a register.
void multiplyRegisters(float *sums, uint32_t x0, uint32_t x1, uint32_t x2,
                       uint32_t x3, uint64_t y, int32_t columns, int32_t isBF16,
                       int32_t keepsSums, int32_t yAcross)
    NAMED("wgmma.registers");
void multiplyRegisters(float *sums, uint32_t x0, uint32_t x1, uint32_t x2,
                       uint32_t x3, uint64_t y, int32_t columns, int32_t isBF16,
                       int32_t keepsSums, int32_t yAcross) {
  Matrix right(y, yAcross);
  checkProduct(nullptr, right, columns);
  uint64_t words[2] = {x0 | uint64_t(x1) << 32, x2 | uint64_t(x3) << 32};
  auto all = exchange(words, 2);
  int row = getThread() % 32 / 4;
  uint16_t xs[2][16];
  for (int half = 0; half < 2; ++half)
    for (int k = 0; k < 16; ++k) {
      uint64_t word = all[row * 4 + k % 8 / 2][k / 8] >> (32 * half);
      xs[half][k] = uint16_t(word >> (16 * (k % 2)));
    }
  auto get = [&](int half, int k) { return xs[half][k]; };
  start(sums, std::nullopt, right, columns, keepsSums,
        [&](const auto &registers) {
          addProducts(registers, right, get, columns, isBF16, keepsSums);
        });
}
void fenceProducts() NAMED("nvvm.wgmma.fence.sync.aligned");
void fenceProducts() {
  meet();
  sumsOf[getThread()].isFenced = true;
}
void commitProducts() NAMED("nvvm.wgmma.commit_group.sync.aligned");
void commitProducts() {
  if (Products *mine = meet())
    mine->groups.push_back(std::exchange(mine->open, {}));
  Sums &sums = sumsOf[getThread()];
  sums.committed = sums.started;
  sums.groups.push_back(sums.committed);
}
void waitProducts(int64_t pending) NAMED("nvvm.wgmma.wait_group.sync.aligned");
void waitProducts(int64_t pending) {
  // One lane ends the products for all, before the others go on.
  Products &mine = products[getThread() / 32];
  if (getThread() % 32 == 0) {
    for (; mine.groups.size() > size_t(pending); mine.groups.pop_front())
      for (const Product &product : mine.groups.front())
        product.finish();
    races::give(mine.order);
  }
  meet();
  races::take(mine.order);
  Sums &sums = sumsOf[getThread()];
  for (; sums.groups.size() > size_t(pending); sums.groups.pop_front())
    sums.finished = sums.groups.front();
  // What a product has given may be read and changed from now on.
  sums.isFenced = false;
}
void giveRegisters(int32_t) NAMED("nvvm.setmaxnreg.dec.sync.aligned.u32");
void giveRegisters(int32_t count) { setRegisters(count, /*isMore=*/false); }
void takeMoreRegisters(int32_t) NAMED("nvvm.setmaxnreg.inc.sync.aligned.u32");
void takeMoreRegisters(int32_t count) { setRegisters(count, /*isMore=*/true); }
/// Stands for assembly: memory that was written is seen by copies of boxes and
/// products.
void fenceProxy() NAMED("fence.proxy.async");
void fenceProxy() {
  publishBarriers(/*areAll=*/true);
  races::fence();
}
}

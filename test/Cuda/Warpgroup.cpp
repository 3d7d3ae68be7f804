//===- Warpgroup.cpp - products of warpgroups -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread computes its sums when it starts the product; that its operands are
// read until someone waits shows in that they must be the same then. Layouts
// are those of the PTX ISA, "Asynchronous warpgroup level matrix instructions".
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

#include <deque>
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
      die("a matrix that is not permuted by 128 bytes");
    if (descriptor >> 49 & 7)
      die("a matrix that begins within a permutation");
  }
  uint16_t get(int row, int k) const {
    uint32_t offset =
        isAcross ? row / 64 * across + k / 8 * rows + k % 8 * 128 + row % 64 * 2
                 : row / 8 * rows + row % 8 * 128 + k * 2;
    char *at = permute(getShared(start + offset));
    checkShared(at, 2, "a matrix");
    return *(const uint16_t *)at;
  }
  uint64_t hash(int first, int count) const {
    uint64_t h = 14695981039346656037u;
    for (int row = first; row < first + count; ++row)
      for (int k = 0; k < 16; ++k)
        h = (h ^ get(row, k)) * 1099511628211u;
    return h;
  }
};

struct Product {
  Matrix x, y;
  int columns, row0;
  uint64_t xHash, yHash;
  Product(Matrix x, Matrix y, int columns, int row0)
      : x(x), y(y), columns(columns), row0(row0), xHash(x.hash(row0, 16)),
        yHash(y.hash(0, columns)) {}
  void finish() const {
    if (x.hash(row0, 16) != xHash || y.hash(0, columns) != yHash)
      die("an operand changes while it is multiplied");
  }
};
/// Of a warp: closed groups, oldest first, and an open one.
struct Products {
  std::deque<std::vector<Product>> groups;
  std::vector<Product> open;
};
} // namespace
static std::vector<Products> products;

void emulator::forgetProducts(int threads) {
  products.assign((threads + 31) / 32, {});
}

/// All threads of the warp come together, and one goes on for them.
static Products *meet() {
  uint64_t word = 0;
  exchange(&word, 1);
  return getThread() % 32 ? nullptr : &products[getThread() / 32];
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
  int lane = getThread() % 32, row0 = getThread() / 32 % 4 * 16;
  if (Products *mine = meet())
    mine->open.push_back({left, right, columns, row0});
  float xs[2][16];
  for (int half = 0; half < 2; ++half)
    for (int k = 0; k < 16; ++k)
      xs[half][k] = toFloat(left.get(row0 + lane / 4 + 8 * half, k), isBF16);
  for (int j = 0; j < columns / 8; ++j)
    for (int e = 0; e < 2; ++e) {
      float total[2] = {};
      for (int k = 0; k < 16; ++k) {
        float value = toFloat(right.get(8 * j + lane % 4 * 2 + e, k), isBF16);
        for (int half = 0; half < 2; ++half)
          total[half] += xs[half][k] * value;
      }
      for (int half = 0; half < 2; ++half) {
        float &sum = sums[4 * j + 2 * half + e];
        sum = (keepsSums ? sum : 0) + total[half];
      }
    }
}
void fenceProducts() NAMED("nvvm.wgmma.fence.sync.aligned");
void fenceProducts() { meet(); }
void commitProducts() NAMED("nvvm.wgmma.commit_group.sync.aligned");
void commitProducts() {
  if (Products *mine = meet())
    mine->groups.push_back(std::exchange(mine->open, {}));
}
void waitProducts(int64_t pending) NAMED("nvvm.wgmma.wait_group.sync.aligned");
void waitProducts(int64_t pending) {
  Products *mine = meet();
  if (!mine)
    return;
  for (; mine->groups.size() > size_t(pending); mine->groups.pop_front())
    for (const Product &product : mine->groups.front())
      product.finish();
}
void giveRegisters(int32_t) NAMED("nvvm.setmaxnreg.dec.sync.aligned.u32");
void giveRegisters(int32_t) { meet(); }
void takeRegisters(int32_t) NAMED("nvvm.setmaxnreg.inc.sync.aligned.u32");
void takeRegisters(int32_t) { meet(); }
}

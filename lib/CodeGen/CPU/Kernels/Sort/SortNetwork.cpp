//===- SortNetwork.cpp - networks that sort vectors lane by lane ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of 8 vectors are sorted in registers. Then sorted blocks are merged,
// two at a time, by bitonic merges: element i of the first block is compared
// with element i from the end of the second one, and then elements at distances
// that are halved in each step. A pass over memory does up to three steps, with
// eight vectors in registers. All comparisons put the lesser element first, so
// comparisons with elements at the end that are greatest have no effect and
// are left out.
//
//===----------------------------------------------------------------------===//

#include "SortNetwork.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::cpu;

/// The comparisons that sort 8 elements.
static constexpr std::pair<int, int> kSort8[] = {
    {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6},
    {3, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {2, 4}, {3, 5},
    {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};

/// The number of vectors that a pass holds in registers.
static constexpr int64_t kRegisters = 8;

SortNetwork::SortNetwork(KernelCode &code, Value memory, VectorType type,
                         int64_t used)
    : code(code), memory(memory), type(type), used(used) {}

Value SortNetwork::load(const Index &at) {
  Value offset =
      code.materialize(code.mul(at, Index::of(type.getNumElements())));
  return vector::LoadOp::create(code.b, code.loc, type, memory,
                                ValueRange{offset});
}

void SortNetwork::store(const Index &at, Value v) {
  Value offset =
      code.materialize(code.mul(at, Index::of(type.getNumElements())));
  vector::StoreOp::create(code.b, code.loc, v, memory, ValueRange{offset});
}

// LLVM selects one instruction for a comparison and a select of its operands.
Value SortNetwork::least(Value a, Value b) {
  Value isLess =
      arith::CmpFOp::create(code.b, code.loc, arith::CmpFPredicate::OLT, a, b);
  return arith::SelectOp::create(code.b, code.loc, isLess, a, b);
}

void SortNetwork::order(Value &low, Value &high) {
  Value isGreater = arith::CmpFOp::create(code.b, code.loc,
                                          arith::CmpFPredicate::OGT, low, high);
  Value least = this->least(low, high);
  high = arith::SelectOp::create(code.b, code.loc, isGreater, low, high);
  low = least;
}

void SortNetwork::loop(int64_t count, int64_t step,
                       llvm::function_ref<void(const Index &)> body) {
  if (count <= step)
    return body(Index::of(0));
  Scope inner;
  scf::ForOp loop =
      code.beginFor(scope, inner, Index::of(0), Index::of(count), step);
  body(Index(loop.getInductionVar()));
  code.endFor(loop);
}

void SortNetwork::sortBlocks() {
  loop(used, kBlock, [&](const Index &at) {
    SmallVector<Value> v;
    for (int64_t i = 0; i < kBlock; ++i)
      v.push_back(load(code.add(at, Index::of(i))));
    for (auto [low, high] : kSort8)
      order(v[low], v[high]);
    for (int64_t i = 0; i < kBlock; ++i)
      store(code.add(at, Index::of(i)), v[i]);
  });
}

void SortNetwork::mergeRegisters(MutableArrayRef<Value> vectors) {
  int64_t n = vectors.size();
  for (int64_t d = n / 2; d >= 1; d /= 2)
    for (int64_t i = 0; i < n; ++i)
      if (!(i & d))
        order(vectors[i], vectors[i + d]);
}

/// Returns how many of the vectors that a merge compares the next pass holds in
/// registers, if `steps` steps are left. Passes have similar numbers of steps.
static int64_t getPassSize(int64_t steps) {
  int64_t most = llvm::Log2_64(kRegisters);
  return int64_t(1) << llvm::divideCeil(steps, llvm::divideCeil(steps, most));
}

void SortNetwork::mergeBitonic(int64_t size, int64_t distance, int64_t step,
                               int64_t end) {
  while (distance >= 1) {
    int64_t vectors = getPassSize(llvm::Log2_64(distance) + 1);
    int64_t apart = 2 * distance / vectors;
    loop(end, step, [&](const Index &block) {
      loop(size, 2 * distance, [&](const Index &part) {
        loop(apart, 1, [&](const Index &i) {
          Index first = code.add(code.add(block, part), i);
          SmallVector<Value> v;
          for (int64_t j = 0; j < vectors; ++j)
            v.push_back(load(code.add(first, Index::of(j * apart))));
          mergeRegisters(v);
          for (int64_t j = 0; j < vectors; ++j)
            store(code.add(first, Index::of(j * apart)), v[j]);
        });
      });
    });
    distance = apart / 2;
  }
}

/// Merges the sorted halves of each block of `size` vectors.
void SortNetwork::mergeHalves(int64_t size) {
  // Blocks whose second half is not used are sorted.
  int64_t end = llvm::alignTo(used - size / 2, size);
  int64_t vectors = getPassSize(llvm::Log2_64(size));
  int64_t half = vectors / 2, apart = size / vectors;
  loop(end, size, [&](const Index &block) {
    loop(apart, 1, [&](const Index &i) {
      Index low = code.add(block, i);
      // The partners, in the order of the first half; `high` is the last one.
      Index high = code.sub(code.add(block, Index::of(size - 1)), i);
      SmallVector<Value> v, partners;
      for (int64_t j = 0; j < half; ++j) {
        v.push_back(load(code.add(low, Index::of(j * apart))));
        partners.push_back(load(code.add(high, Index::of(-j * apart))));
        order(v[j], partners[j]);
      }
      std::reverse(partners.begin(), partners.end());
      mergeRegisters(v);
      mergeRegisters(partners);
      for (int64_t j = 0; j < half; ++j) {
        store(code.add(low, Index::of(j * apart)), v[j]);
        store(code.add(high, Index::of((j + 1 - half) * apart)), partners[j]);
      }
    });
  });
  mergeBitonic(size, apart / 2, size, end);
}

/// Sets each second sorted block of `size` vectors, `distance` apart, aside:
/// the block before it gets the least vectors of both.
void SortNetwork::keepLeast(int64_t size, int64_t distance) {
  int64_t step = 2 * distance;
  int64_t end = llvm::alignTo(used - distance, step);
  int64_t vectors = getPassSize(llvm::Log2_64(size));
  int64_t apart = size / vectors;
  loop(end, step, [&](const Index &block) {
    loop(apart, 1, [&](const Index &i) {
      Index low = code.add(block, i);
      Index high = code.sub(code.add(block, Index::of(distance + size - 1)), i);
      SmallVector<Value> v;
      for (int64_t j = 0; j < vectors; ++j)
        v.push_back(least(load(code.add(low, Index::of(j * apart))),
                          load(code.add(high, Index::of(-j * apart)))));
      mergeRegisters(v);
      for (int64_t j = 0; j < vectors; ++j)
        store(code.add(low, Index::of(j * apart)), v[j]);
    });
  });
  mergeBitonic(size, apart / 2, step, end);
}

void SortNetwork::emit(int64_t count) {
  sortBlocks();
  int64_t sorted = kBlock;
  for (; sorted < count && sorted < used; sorted *= 2)
    mergeHalves(2 * sorted);
  for (int64_t distance = count; distance < used; distance *= 2)
    keepLeast(count, distance);
}

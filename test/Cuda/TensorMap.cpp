//===- TensorMap.cpp - how a tensor is copied by boxes --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"

using namespace emulator;

bool TensorMap::isValid() const { return magic == kMagic; }

uint32_t TensorMap::getBoxBytes() const {
  uint32_t bytes = 2;
  for (int d = 0; d < rank; ++d)
    bytes *= box[d];
  return bytes;
}

uint64_t TensorMap::getBytes() const {
  uint64_t bytes = 2 * sizes[0];
  for (int d = 1; d < rank; ++d)
    bytes += (sizes[d] - 1) * strides[d - 1];
  return bytes;
}

/// The rules of CUDA's driver interface for rows of 128 bytes that are
/// permuted.
bool emulator::makeTensorMap(TensorMap &map, int type, unsigned rank,
                             void *data, const uint64_t *sizes,
                             const uint64_t *strides, const unsigned *box,
                             const unsigned *steps) {
  constexpr int kFloat16 = 6, kBFloat16 = 9;
  map = {TensorMap::kMagic, (char *)data, {}, {}, {}, uint8_t(rank)};
  bool isValid = (type == kFloat16 || type == kBFloat16) && rank >= 1 &&
                 rank <= 5 && (uintptr_t)data % 16 == 0;
  for (unsigned d = 0; isValid && d < rank; ++d) {
    isValid = sizes[d] >= 1 && sizes[d] <= uint64_t(1) << 32 && box[d] >= 1 &&
              box[d] <= 256 && steps[d] == 1;
    map.sizes[d] = sizes[d];
    map.box[d] = box[d];
  }
  for (unsigned d = 0; isValid && d + 1 < rank; ++d) {
    isValid = strides[d] % 16 == 0 && strides[d] < uint64_t(1) << 40;
    map.strides[d] = strides[d];
  }
  return isValid && box[0] * 2 <= 128;
}

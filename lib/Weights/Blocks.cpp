//===- Blocks.cpp - the quantized blocks of GGUF --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file is compiled without contraction: a multiplication and a subtraction
// round separately, as in NumPy.
//
//===----------------------------------------------------------------------===//

#include "fx/Weights/Blocks.h"
#include "fx/Support/HalfFloat.h"

#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace fx;

namespace {
struct BlockInfo {
  StringRef name;
  unsigned elements, bytes;
};
constexpr unsigned kSuper = 256;
} // namespace

static constexpr BlockInfo kInfo[] = {
    {"", 1, 1},
    {"Q4_0", 32, 2 + 16},
    {"Q8_0", 32, 2 + 32},
    {"Q4_K", kSuper, 2 + 2 + 12 + kSuper / 2},
    {"Q6_K", kSuper, kSuper / 2 + kSuper / 4 + kSuper / 16 + 2}};

StringRef fx::getName(BlockFormat format) {
  return kInfo[unsigned(format)].name;
}
unsigned fx::getBlockElements(BlockFormat format) {
  return kInfo[unsigned(format)].elements;
}
unsigned fx::getBlockBytes(BlockFormat format) {
  return kInfo[unsigned(format)].bytes;
}

static float readHalf(const uint8_t *bytes) {
  return halfToFloat(support::endian::read16le(bytes));
}

/// Integers of Q4_0: the low halves of the bytes, then the high halves.
static int getQ4_0(const uint8_t *bytes, unsigned i) {
  return int(i < 16 ? bytes[i] & 15 : bytes[i - 16] >> 4) - 8;
}

static void dequantizeQ4_0(const uint8_t *block, float *out) {
  float scale = readHalf(block);
  for (unsigned i = 0; i < 32; ++i)
    out[i] = scale * float(getQ4_0(block + 2, i));
}

static void dequantizeQ8_0(const uint8_t *block, float *out) {
  float scale = readHalf(block);
  for (unsigned i = 0; i < 32; ++i)
    out[i] = float(int8_t(block[2 + i])) * scale;
}

/// 8 groups of 32 elements. Their scales and minima have 6 bits each, packed in
/// 12 bytes.
static void dequantizeQ4_K(const uint8_t *block, float *out) {
  float scale = readHalf(block), least = readHalf(block + 2);
  const uint8_t *packed = block + 4, *bytes = block + 16;
  for (unsigned g = 0; g < 8; ++g) {
    unsigned s, m;
    if (g < 4) {
      s = packed[g] & 63;
      m = packed[g + 4] & 63;
    } else {
      s = (packed[g + 4] & 15) | (packed[g - 4] >> 2 & 48);
      m = packed[g + 4] >> 4 | (packed[g] >> 2 & 48);
    }
    float groupScale = scale * float(s), groupLeast = least * float(m);
    const uint8_t *row = bytes + g / 2 * 32;
    for (unsigned i = 0; i < 32; ++i) {
      unsigned q = g % 2 ? row[i] >> 4 : row[i] & 15;
      float product = groupScale * float(q);
      out[g * 32 + i] = product - groupLeast;
    }
  }
}

/// 16 groups of 16 elements with scales of 8 bits. Each half of the block has
/// 64 bytes with four low bits and 32 bytes with two high bits of its elements.
static void dequantizeQ6_K(const uint8_t *block, float *out) {
  const uint8_t *low = block, *high = block + 128, *scales = block + 192;
  float scale = readHalf(block + 208);
  for (unsigned i = 0; i < kSuper; ++i) {
    unsigned half = i / 128, quarter = i % 128 / 32, at = i % 32;
    unsigned l = low[half * 64 + quarter % 2 * 32 + at];
    l = quarter < 2 ? l & 15 : l >> 4;
    unsigned h = high[half * 32 + at] >> (2 * quarter) & 3;
    float groupScale = scale * float(int8_t(scales[i / 16]));
    out[i] = groupScale * float(int(l | h << 4) - 32);
  }
}

void fx::dequantize(BlockFormat format, ArrayRef<char> blocks, float *out) {
  auto *at = reinterpret_cast<const uint8_t *>(blocks.data());
  unsigned bytes = getBlockBytes(format), elements = getBlockElements(format);
  for (size_t n = blocks.size() / bytes; n; --n, at += bytes, out += elements)
    switch (format) {
    case BlockFormat::None:
      return;
    case BlockFormat::Q4_0:
      dequantizeQ4_0(at, out);
      break;
    case BlockFormat::Q8_0:
      dequantizeQ8_0(at, out);
      break;
    case BlockFormat::Q4_K:
      dequantizeQ4_K(at, out);
      break;
    case BlockFormat::Q6_K:
      dequantizeQ6_K(at, out);
      break;
    }
}

void fx::readIntegers(BlockFormat format, ArrayRef<char> blocks,
                      int8_t *integers) {
  auto *at = reinterpret_cast<const uint8_t *>(blocks.data());
  unsigned bytes = getBlockBytes(format);
  for (size_t n = blocks.size() / bytes; n; --n, at += bytes, integers += 32)
    for (unsigned i = 0; i < 32; ++i)
      integers[i] = int8_t(format == BlockFormat::Q4_0 ? getQ4_0(at + 2, i)
                                                       : int8_t(at[2 + i]));
}

void fx::forEachScale(BlockFormat format, ArrayRef<char> blocks,
                      function_ref<void(uint16_t)> fn) {
  unsigned bytes = getBlockBytes(format);
  for (; !blocks.empty(); blocks = blocks.drop_front(bytes))
    fn(support::endian::read16le(blocks.data()));
}

//===- Blocks.h - the quantized blocks of GGUF ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row of a quantized tensor consists of blocks with one or more scales:
//
//   Q4_0, Q8_0  32 integers of 4 or 8 bits, and a scale
//   Q4_K        256 integers of 4 bits in groups of 32 with scales and minima
//   Q6_K        256 integers of 6 bits in groups of 16 with scales
//
// The values are those of the Python package `gguf`, bit for bit.
//
//===----------------------------------------------------------------------===//

#ifndef FX_WEIGHTS_BLOCKS_H
#define FX_WEIGHTS_BLOCKS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace fx {

enum class BlockFormat : uint8_t { None, Q4_0, Q8_0, Q4_K, Q6_K };

llvm::StringRef getName(BlockFormat format);
/// Returns the number of elements of a block.
unsigned getBlockElements(BlockFormat format);
/// Returns the number of bytes of a block.
unsigned getBlockBytes(BlockFormat format);

/// Writes the values of whole blocks to `out`, one float for each element.
void dequantize(BlockFormat format, llvm::ArrayRef<char> blocks, float *out);

/// Writes the integers of blocks of Q4_0 or Q8_0. A value is its integer times
/// the scale of its block.
void readIntegers(BlockFormat format, llvm::ArrayRef<char> blocks,
                  int8_t *integers);
/// Calls `fn` with the bits of the scale of each block, a float16.
void forEachScale(BlockFormat format, llvm::ArrayRef<char> blocks,
                  llvm::function_ref<void(uint16_t)> fn);

} // namespace fx

#endif // FX_WEIGHTS_BLOCKS_H

//===- Emulator.h - a GPU on the processor ----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What libFakeCuda.so is made of: memory that the host must not touch, threads,
// images of kernels, and the functions of CUDA's driver interface on top, which
// the artefacts' run-time finds where FX_LIBCUDA names this library.
//
//===----------------------------------------------------------------------===//

#ifndef FX_TEST_CUDA_EMULATOR_H
#define FX_TEST_CUDA_EMULATOR_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// A kernel that was compiled for this processor; test/EndToEnd/emulate.py
/// makes tables of them, which end with a null name. A parameter takes 8 bytes,
/// or is a tensor map.
struct EmulatedKernel {
  const char *name;
  int params;
  void (*call)(void **params);
};

namespace emulator {

/// For misuse that a real driver does not tell: ends the process.
[[noreturn]] void die(const std::string &why);

//===----------------------------------------------------------------------===//
// Memory.cpp
//===----------------------------------------------------------------------===//

/// Memory that ends where a page begins that nobody may touch, filled with
/// ones. Null where more than `setMemoryLimit` said would be in use.
char *allocate(size_t bytes);
/// Ends the process where `data` was not allocated.
void release(char *data);
/// Whether `bytes` from `data` on lie in one allocation.
bool isAllocated(const char *data, size_t bytes);
/// While memory is closed the host cannot touch it.
void open(bool isOpen);
void setMemoryLimit(size_t bytes);
size_t getMemoryLimit();
size_t getMemoryInUse();

//===----------------------------------------------------------------------===//
// Threads.cpp
//===----------------------------------------------------------------------===//

/// Seeds the order in which threads go on.
void setSeed(uint64_t seed);
/// Runs all blocks, one after the other, of `threads` threads and `shared`
/// bytes of memory each.
void runKernel(const EmulatedKernel &kernel, void **params,
               const unsigned grid[3], unsigned threads, size_t shared);

//===----------------------------------------------------------------------===//
// TensorMap.cpp
//===----------------------------------------------------------------------===//

/// Shared memory that a block may have on sm_90.
inline constexpr size_t kMaxShared = 227 * 1024;

/// What cuTensorMapEncodeTiled fills, of elements of 2 bytes.
struct TensorMap {
  static constexpr uint64_t kMagic = 0x70614d726f736e54;
  uint64_t magic;
  char *data;
  uint64_t sizes[5], strides[4]; ///< in bytes, from the second dimension on
  uint16_t box[5];
  uint8_t rank;
  bool isValid() const;
  uint32_t getBoxBytes() const;
  /// What the tensor spans.
  uint64_t getBytes() const;
};
/// Makes a map of what the driver takes; else returns false. `type`: that of
/// f16 or bf16.
bool makeTensorMap(TensorMap &map, int type, unsigned rank, void *data,
                   const uint64_t *sizes, const uint64_t *strides,
                   const unsigned *box, const unsigned *steps);
static_assert(sizeof(TensorMap) <= 128);

//===----------------------------------------------------------------------===//
// Images.cpp
//===----------------------------------------------------------------------===//

/// What an image says of a kernel.
struct KernelInfo {
  std::string name;
  int params = 0;
  /// Their bytes.
  std::vector<int> sizes;
  /// Which parameters are addresses; empty where the image does not say.
  std::vector<bool> isAddress;
  /// The most threads of a block; 0: not said.
  int maxThreads = 0;
};

/// Reads PTX or machine code. `chip`: 90 for sm_90. Returns what the driver
/// would: 0, or an error, with a line in `log`.
int readImage(const char *image, int chip, std::vector<KernelInfo> &kernels,
              bool &isBinary, std::string &log);

} // namespace emulator

#endif // FX_TEST_CUDA_EMULATOR_H

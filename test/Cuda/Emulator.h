//===- Emulator.h - a GPU on the CPU ----------------------*- C++ -*-===//
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

/// A variable in shared memory.
struct EmulatedVariable {
  char *data;
  uint32_t bytes, alignment;
};

/// A kernel that was compiled for this CPU; test/EndToEnd/emulate.py
/// makes tables of them, which end with a null name. A parameter takes 8 bytes,
/// or is a tensor map.
struct EmulatedKernel {
  const char *name;
  const char *params; ///< a letter each: p pointer, v value, m tensor map
  void (*call)(void **params);
  const EmulatedVariable *variables; ///< the last has no data
  const char *const *instructions;   ///< text of those that are checked
  unsigned cluster;                  ///< blocks of a cluster, along x
  unsigned wave; ///< threads of a warp, or of a wave of an AMD GPU: 32 or 64
  bool waits;    ///< for the kernel in front of it, before it accesses memory
};

namespace emulator {

/// For misuse that a real driver does not tell: ends the process.
[[noreturn]] void die(const std::string &why);
/// Ends the process for a rule that the kernel breaks, and says where.
[[noreturn]] void fail(const char *rule, const std::string &what);
/// Says the same of an access that a real GPU tells, too: ends the kernel by
/// a signal, of which the driver makes an error.
[[noreturn]] void fault(int signal, const char *rule, const std::string &what);

//===----------------------------------------------------------------------===//
// Memory.cpp
//===----------------------------------------------------------------------===//

/// Memory that ends where a page begins that nobody may touch, filled with
/// ones. Null where more than `setMemoryLimit` said would be in use.
char *allocate(size_t bytes);
/// Ends the process where `data` was not allocated.
void release(char *data);
/// Memory that was allocated, or was until it was freed.
struct Allocation {
  const char *data;
  size_t bytes;
  bool isFreed;
  bool contains(const char *first, size_t count) const {
    return first >= data && count <= bytes &&
           size_t(first - data) <= bytes - count;
  }
};
/// What begins at or before `data`; without data where there is none.
Allocation findAllocation(const char *data);
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
/// Runs all clusters of blocks, one after the other; blocks have `threads`
/// threads and `shared` bytes of memory each.
void runKernel(const EmulatedKernel &kernel, void **params,
               const unsigned grid[3], unsigned threads, size_t shared);

//===----------------------------------------------------------------------===//
// TensorMap.cpp
//===----------------------------------------------------------------------===//

/// Shared memory that a block may have on sm_90.
inline constexpr size_t kMaxShared = 227 * 1024;

/// What cuTensorMapEncodeTiled gets, or cuTensorMapEncodeIm2col, which has no
/// box, but `box` holds the channels and the pixels of a copy.
struct TensorMapFields {
  int type;
  unsigned rank;
  void *data;
  const uint64_t *sizes, *strides;
  const unsigned *box, *steps;
  int interleave, swizzle, promotion, fill;
  const int *lower = nullptr, *upper = nullptr;
  bool isImage() const { return lower != nullptr; }
};
/// What cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col fill.
struct TensorMap {
  static constexpr uint64_t kMagic = 0x70614d726f736e54;
  uint64_t magic;
  char *data;
  uint64_t sizes[5], strides[4]; ///< in bytes, from the second dimension on
  uint16_t box[5];
  uint8_t steps[5]; ///< from one element of a box to the next
  uint8_t rank, elementBytes, swizzle;
  bool isNaNOutside, isImage;
  bool roundsToTF32; ///< elements of f32
  /// The corners of the bounding box of images.
  int16_t lower[3], upper[3];
  bool isValid() const;
  /// Elements along a dimension of a box.
  uint32_t getCount(int d) const { return (box[d] + steps[d] - 1) / steps[d]; }
  uint32_t getBoxBytes() const;
  /// Bytes after which the permutation of a box repeats.
  uint32_t getAlignment() const { return 128u << swizzle; }
  /// What the tensor spans.
  uint64_t getBytes() const;
};
/// Makes a map of what the driver takes; else returns why not.
std::string makeTensorMap(TensorMap &map, const TensorMapFields &fields);
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

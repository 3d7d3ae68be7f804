//===- Threads.h - what instructions need of the threads --------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_TEST_CUDA_THREADS_H
#define FX_TEST_CUDA_THREADS_H

#include "Emulator.h"

/// Names the function that stands for an intrinsic `llvm.<name>`.
#define NAMED(name) asm("emu." name)

namespace emulator {

/// Words that a thread may give to `exchange`.
inline constexpr int kWords = 8;

//===----------------------------------------------------------------------===//
// Threads.cpp
//===----------------------------------------------------------------------===//

/// The number of the thread that runs.
int getThread();
/// A random number.
uint32_t draw();
/// Waits until all threads of the warp have given their words, and returns what
/// each gave. It is valid until the thread next waits.
const uint64_t (*exchange(const uint64_t *words, int count))[kWords];
/// Lets others run.
void giveWay();
/// Tells that something happened that others may wait for.
void noteProgress();

//===----------------------------------------------------------------------===//
// Copies.cpp: shared memory that is no kernel's own
//===----------------------------------------------------------------------===//

/// Begins a block with `bytes` of it and no copies of boxes.
void beginBlock(size_t bytes);
/// Ends the process unless the bytes are the block's.
void checkShared(const char *data, size_t bytes, const char *what);
/// Where an address in shared memory is, of which instructions have 18 bits.
char *getShared(uint32_t address);
/// Where a byte lies whose chunk of 16, of 8, is permuted by its row of 128.
char *permute(char *data);
/// Does some of the copies that were started, or one.
void performCopies(bool isOne);
bool hasCopies();

//===----------------------------------------------------------------------===//
// TensorCore.cpp, Warpgroup.cpp
//===----------------------------------------------------------------------===//

float toFloat(uint16_t bits, bool isBF16);
/// Begins a block of `threads` threads, none of which has copies in flight.
void forgetCopies(int threads);
void forgetProducts(int threads);

} // namespace emulator

#endif // FX_TEST_CUDA_THREADS_H

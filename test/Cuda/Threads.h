//===- Threads.h - what instructions need of the threads -------*- C++ -*-===//
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

/// The number of the thread that runs.
int getThread();
/// A random number.
uint32_t draw();
/// Waits until all threads of the warp have given their words, and returns what
/// each gave. It is valid until the thread next waits.
const uint64_t (*exchange(const uint64_t *words, int count))[kWords];
/// Begins a block of `threads` threads, none of which has copies in flight.
void forgetCopies(int threads);

} // namespace emulator

#endif // FX_TEST_CUDA_THREADS_H

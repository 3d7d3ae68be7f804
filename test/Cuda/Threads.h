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

/// The number of the thread that runs, of all of the cluster.
int getThread();
/// Threads of a block.
int getThreads();
/// Threads of a wave.
int getWave();
/// The block that runs, in its cluster, and the blocks of a cluster.
int getRank();
int getRanks();
/// Ends the process if the thread has to wait for another kernel first.
void checkWait(const char *what);
/// The block of the cluster in whose shared memory an address is. Ends the
/// process if it is in none, or if the block has ended.
int getRankOf(const char *data);
/// Whether a block of the cluster has ended.
bool hasEnded(int rank);
/// The number of the block that runs, of all of the launch.
uint64_t getBlock();
/// A random number.
uint32_t draw();
/// Waits for all threads of the block.
void meetBlock(int32_t barrier = 0);
/// Waits until all threads of the warp have given their words, and returns what
/// each gave. It is valid until the thread next waits. All must be at the same
/// instruction, unless `isAnywhere`.
const uint64_t (*exchange(const uint64_t *words, int count,
                          bool isAnywhere = false))[kWords];
/// Lets others run.
void giveWay();
/// What a thread waits for, for who finds a deadlock, and at which place of
/// shared memory, if any.
void setWait(const char *what, const char *at);
/// Lets others run until `isOver`.
template <typename T>
void waitUntil(T isOver, const char *what, const char *at = nullptr) {
  if (isOver())
    return;
  setWait(what, at);
  while (!isOver())
    giveWay();
  setWait(nullptr, nullptr);
}
/// Tells that something happened that others may wait for.
void noteProgress();
/// Where in the kernel the thread is: a number of an instruction.
uint32_t getInstruction();
void setInstruction(uint32_t number);
std::string describeInstruction(uint32_t number);
/// Memory of threads alone.
bool isLocal(const char *data, size_t bytes);
/// The kernel, block, thread and instruction that runs.
std::string describePlace();

//===----------------------------------------------------------------------===//
// Access.cpp
//===----------------------------------------------------------------------===//

/// Begins a kernel, whose variables in shared memory have no data yet.
void beginAccess(const EmulatedKernel &kernel, size_t dynamicBytes);
/// Begins a block: shared memory has no data.
void beginBlockAccess();
/// Ends the process unless the bytes are shared memory of the block's, and
/// begin at a multiple of `alignment`.
void checkShared(const char *data, size_t bytes, size_t alignment,
                 const char *what);
/// The same of memory of the device, and that no other block uses it.
void checkGlobal(const char *data, size_t bytes, size_t alignment, bool isStore,
                 bool isAtomic = false, uint8_t root = 0);
std::string describeGlobal(const char *data);
/// The place of a byte in the block's shared memory.
uint32_t getOffset(const char *data);
/// Bytes of shared memory that the block has.
uint32_t getSharedBytes();
std::string describeShared(const char *data);

//===----------------------------------------------------------------------===//
// Copies.cpp: shared memory that is no kernel's own
//===----------------------------------------------------------------------===//

/// Where that of the first block of a cluster begins, and what is between those
/// of two blocks.
extern char *const kShared;
/// Instructions have so many bytes of addresses in shared memory.
inline constexpr size_t kRankBytes = size_t(1) << 18;
/// Begins a block without barriers and copies of boxes.
void beginBlock();
/// Ends a block.
void endBlock();
/// Where an address in shared memory is, of which instructions have 18 bits.
char *getShared(uint32_t address);
/// Where a byte lies whose chunk of 16 is permuted by its row of 128: of 8,
/// of 4 or of 2, as `swizzle` is 3, 2 or 1.
char *permute(char *data, int swizzle = 3);
/// Does some of the copies that were started, or one.
void performCopies(bool isOne);
bool hasCopies();
/// Whether there are bytes of a barrier.
bool isBarrier(const char *data, size_t bytes);
/// What a barrier waits for.
std::string describeBarrier(const char *data);
/// Tells that copies may see barriers: the thread's own, or all.
void publishBarriers(bool areAll);

//===----------------------------------------------------------------------===//
// Races.cpp: what orders accesses of shared memory
//===----------------------------------------------------------------------===//

namespace races {

/// What a thread that comes later gets from those that were there before.
struct Order {
  std::vector<uint32_t> seen, fenced;
  void add(const Order &other);
};
bool isOn();
/// Begins a block.
void begin(int threads);
/// The thread that runs gives what it has done, and gets what others gave.
void give(Order &order);
void take(const Order &order);
/// All threads of the block have met.
void meet();
/// An access by the thread that runs.
void access(const char *data, uint32_t bytes, bool isStore);
/// A matrix is read by a product, which is not part of the thread's own order.
void readMatrix(const char *data, uint32_t bytes);
/// A copy begins to write; when it ends, it is the thread's own doing, or, of
/// boxes, known to who waits for a barrier with that order.
void beginCopy(const char *data, uint32_t bytes, bool isBox);
void endCopy(const char *data, uint32_t bytes, Order *order);
/// fence.proxy.async
void fence();

} // namespace races

//===----------------------------------------------------------------------===//
// Sharing.cpp: who uses memory of the device
//===----------------------------------------------------------------------===//

namespace sharing {

/// Of a byte: who has used it. Zero: nobody.
struct Cell {
  uint16_t launch, storeBlock, loadBlock;
  uint8_t storeRoot, loadRoot;
  /// In the launch `graph` of a graph: the node, plus 1, that stored it last,
  /// and nodes that have loaded it since.
  uint16_t graph, storeNode, loadNodes[2];
};
/// Begins a launch.
void begin();
/// Says that what runs is a node of a graph, of its launch `graph`, which is
/// never 0. `before` has the nodes that are in front of each node. Null: no
/// graph.
void setNode(const std::vector<std::vector<bool>> *before, size_t node,
             uint16_t graph);
/// An access by a node that is no kernel.
void accessAll(const char *data, size_t bytes, bool isStore);
/// Of all bytes of an allocation.
Cell *getCells(const char *data, size_t bytes);
/// An access by the thread that runs, of bytes that have these cells. `root`:
/// the argument that the address is made of; see test/EndToEnd/instrument.py.
void access(Cell *first, const char *data, uint32_t bytes, bool isStore,
            bool isAtomic, uint8_t root);
/// Looks at what the thread that runs has stored since it last waited.
void finishStores();

} // namespace sharing

//===----------------------------------------------------------------------===//
// Statistics.cpp: how well accesses fit the memory
//===----------------------------------------------------------------------===//

namespace statistics {

bool isOn();
void beginKernel();
/// Writes what there was.
void endKernel(const char *name, const unsigned grid[3], int threads);
/// A request is what the threads of a warp ask for at one instruction.
void noteShared(const char *data, uint32_t bytes);
void noteGlobal(const char *data, uint32_t bytes);
void endBlock();

} // namespace statistics

//===----------------------------------------------------------------------===//
// Waves.cpp, MatrixCore.cpp: AMD's GPUs
//===----------------------------------------------------------------------===//

/// Begins a block of `threads` threads.
void forgetFences(int threads);
void forgetWaves(int threads);
/// The thread that runs accesses shared memory.
void noteUnfenced();
/// Where nothing goes on: ends the process if threads of a wave wait for others
/// at a product of matrices or in `exchangeHalves`.
void checkWaves();
/// Returns the value of the thread 32 before or behind this one in the wave.
int32_t exchangeHalves(int32_t value);

//===----------------------------------------------------------------------===//
// TensorCore.cpp, Warpgroup.cpp
//===----------------------------------------------------------------------===//

float toFloat(uint16_t bits, bool isBF16);
/// The value of an eight-bit float, f8E4M3FN or f8E5M2.
float toFloat8(uint8_t bits, bool isE5M2);
/// Rounds the bits of an f32 to TF32; ties away from zero.
uint32_t roundToTF32(uint32_t bits);
/// Returns `sum` plus the products of eight f32 without their lower 13 bits. As
/// those of GPUs, the result is rounded toward zero.
float addTF32(float sum, const uint32_t *x, const uint32_t *y);
/// Begins a block of `threads` threads, none of which has copies in flight.
void forgetCopies(int threads);
void forgetProducts(int threads);
/// A thread ends: nothing that it started may be left.
void checkProducts();

} // namespace emulator

#endif // FX_TEST_CUDA_THREADS_H

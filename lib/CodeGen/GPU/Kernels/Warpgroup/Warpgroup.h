//===- Warpgroup.h - instructions of sm_90a's tensor cores ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The PTX instructions of schedules for compute capability 9.0a: copies of
// boxes of a tensor (cp.async.bulk.tensor) that signal barriers in shared
// memory (mbarrier), and matrix multiplications of 64 rows by a warpgroup of
// 128 threads (wgmma). The right operand is in shared memory, the left one
// there or in registers.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_WARPGROUP_H
#define FX_LIB_CODEGEN_GPU_WARPGROUP_H

#include "../TensorCore/TensorCore.h"

namespace fx::gpu {

struct Launch;

/// Number of threads of a warpgroup.
inline constexpr int64_t kWarpgroup = 128;
/// Number of rows that a warpgroup multiplies with one instruction.
inline constexpr int64_t kWarpgroupRows = 64;
/// Bytes of a row of a box. The chunks of 16 bytes of a row are permuted: chunk
/// c of row r is stored at position c xor r % 8.
inline constexpr int64_t kBoxBytes = 128;
/// Elements of bf16 or f16 of a row of a box.
inline constexpr int64_t kBoxColumns = 64;
/// Returns the elements of this type of a row of a box: 64, or 128 bytes.
int64_t getBoxColumns(mlir::Type element);
/// Alignment of boxes in shared memory: the permutation repeats every 8 rows.
inline constexpr int64_t kBoxAlignment = 1024;
/// Registers of each thread of a warpgroup that only starts copies.
inline constexpr int64_t kProducerRegisters = 40;

/// The position of a role in a ring of stages in shared memory: the current
/// stage, and the parity of the phase of the stage's barrier that the role
/// waits for. Both are i32.
struct Ring {
  mlir::Value stage, parity;
  /// Returns the next position in a ring of `stages` stages.
  Ring next(Int32 &i, int64_t stages) const;
};

/// Shared memory for boxes: its start, a pointer and an i32.
struct BoxMemory {
  mlir::Value pointer, address;
};
/// Returns the first aligned place in the dynamic shared memory of a launch,
/// which must have `kBoxAlignment` bytes more than are needed.
BoxMemory placeBoxes(Launch &launch);

/// Emits the instructions for bf16 or f16 elements, which are accumulated in
/// f32, for f32, of which the upper 19 bits are multiplied (TF32), for f8E4M3FN
/// and f8E5M2, which are accumulated in f32 with fewer bits, or for bytes,
/// unsigned by signed ones, which are accumulated in i32. Operands of bytes and
/// of f32 lie along K. A barrier is a pointer to 8 bytes of shared memory. All
/// threads of a warp or warpgroup must execute the instructions that act on all
/// of them.
struct Warpgroup {
  Int32 i;
  mlir::Type element;
  /// Of the right operand. It may be null, and is not read, unless both are
  /// eight-bit floats.
  mlir::Type rightElement = {};

  //===--- barriers ------------------------------------------------------===//
  /// Initializes a barrier. A phase of the barrier ends after the given number
  /// of arrivals and when all expected bytes have been copied. One thread calls
  /// this, then `publish`; then all threads of the block synchronize.
  void initialize(mlir::Value barrier, int64_t arrivals);
  /// Makes initialized barriers visible to asynchronous copies.
  void publish();
  void arrive(mlir::Value barrier);
  /// Arrives at the same barrier of another block of the cluster, an i32.
  void arriveThere(mlir::Value barrier, mlir::Value block);
  /// Returns the same address in the shared memory of another block.
  mlir::Value there(mlir::Value address, mlir::Value block);
  /// The same as `wait`; what threads of the cluster did before they arrived is
  /// visible then.
  void waitForCluster(mlir::Value barrier, mlir::Value parity);
  /// Waits for the kernel in front of this one, and lets the next one start
  /// (Platform.cpp of NVVM). All threads call it before they access memory of
  /// the device.
  void waitForKernel();
  /// Waits for all threads of the cluster.
  void meetCluster();
  /// Arrives, and adds `bytes` to the bytes that the phase waits for.
  void expect(mlir::Value barrier, int64_t bytes);
  /// Waits for the end of the phase whose number has `parity` as its lowest
  /// bit. The first phase of a barrier is 0; the phase before it, with parity
  /// 1, counts as ended.
  void wait(mlir::Value barrier, mlir::Value parity);

  //===--- copies --------------------------------------------------------===//
  /// Prefetches a tensor map, which is a parameter of the kernel.
  void prefetch(mlir::Value map);
  /// Starts a copy of the box of `map` at coordinates `at`, the innermost
  /// first, to the shared memory `to`. Elements outside of the tensor are
  /// zeros, and count as bytes that `barrier` waits for.
  /// If there are `blocks` of a cluster, a mask of i16, the box is copied to
  /// the same place of each, whose own barrier waits for the bytes.
  void copyBox(mlir::Value to, mlir::Value map, mlir::Value barrier,
               mlir::ValueRange at, mlir::Value blocks = {});
  /// Starts a copy of channels of pixels in the same way. `at` are coordinates
  /// of the first one: the channel, those of tap 0 in the image, and the image.
  /// `offsets`, of i16, are those of the tap.
  void copyPixels(mlir::Value to, mlir::Value map, mlir::Value barrier,
                  mlir::ValueRange at, mlir::ValueRange offsets,
                  mlir::Value blocks = {});

  //===--- products ------------------------------------------------------===//
  /// Returns the 64 by `columns` sums of a warpgroup, not set, as a struct of
  /// sums. Elements 4 j to 4 j + 3 of a thread belong to columns 8 j to 8 j +
  /// 7: they are in columns 8 j + 2 * (lane % 4) and the next of row lane / 4,
  /// then of row lane / 4 + 8, of the 16 rows of the thread's warp.
  mlir::Value undefined(int64_t columns);
  /// Returns the descriptor of an operand at an i32 address in shared memory.
  /// If `isAlongK`, the operand is one box whose rows hold 64 elements along K.
  /// Otherwise it is a sequence of boxes of `k` rows; a row holds 64 elements
  /// across K.
  mlir::Value describe(mlir::Value address, bool isAlongK, int64_t k);
  /// Returns the descriptor of the operand 16 * `steps` elements of 16 bits (32
  /// * `steps` bytes) further along K.
  mlir::Value advance(mlir::Value descriptor, bool isAlongK, int64_t steps);
  /// Returns `sums` plus the product of a 64 x 16 and a 16 x `columns` matrix
  /// (32 instead of 16 for bytes, 8 for f32), or the product alone if
  /// `isFirst`. The result may only be read after `commit` and `finish`.
  mlir::Value multiply(mlir::Value sums, mlir::Value x, bool xAlongK,
                       mlir::Value y, bool yAlongK, int64_t columns,
                       bool isFirst);
  /// Returns `sums` plus the product of a left operand in registers and one in
  /// shared memory. `x` is that of `TensorCore::multiply` for the 16 rows of
  /// each warp; the registers may be read until `finish`.
  mlir::Value multiply(mlir::Value sums, llvm::ArrayRef<mlir::Value> x,
                       mlir::Value y, bool yAlongK, int64_t columns);
  /// Orders writes to registers before the first `multiply` that uses them.
  void fence();
  /// Makes the products since the last call a group.
  void commit();
  /// Waits until at most the last `pending` groups are incomplete.
  void finish(int64_t pending);
  /// Does the same and returns `sums`, which are complete then. No read of the
  /// result can be moved before the wait. `reads` are values of 32 bits whose
  /// registers incomplete products read, and that must exist before the wait.
  mlir::Value finish(int64_t pending, mlir::Value sums,
                     mlir::ValueRange reads = {});
  /// Return sums as a struct, and those of a struct.
  mlir::Value pack(mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value> unpack(mlir::Value sums);

  //===--- threads -------------------------------------------------------===//
  /// Returns the first lane's `v`, so that the compiler knows that the value is
  /// the same in all lanes.
  mlir::Value uniform(mlir::Value v);
  /// Sets the number of registers of each thread of a warpgroup. `isMore` says
  /// that the number grows.
  void setRegisters(int64_t count, bool isMore);
  /// Synchronizes the threads of a warp.
  void synchronizeWarp();
  /// Waits at the block's barrier `number` (an i32 from 1 to 15) for `threads`
  /// threads, or only counts as having come. All lanes of a warp do the same.
  void meet(mlir::Value number, int64_t threads);
  void announce(mlir::Value number, int64_t threads);
  /// Emits `body` for thread 0 of the block, or for lane 0 of each warp: for
  /// the threads whose `number` is 0.
  void first(mlir::Value number, llvm::function_ref<void()> body);
};

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_WARPGROUP_H

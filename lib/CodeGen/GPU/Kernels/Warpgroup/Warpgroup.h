//===- Warpgroup.h - instructions of sm_90a's tensor cores ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a schedule for compute capability 9.0a is made of, as PTX has it: copies
// of boxes of a tensor (cp.async.bulk.tensor) that report to barriers in shared
// memory (mbarrier), and products of 64 rows by warpgroups, 128 threads, that
// read both operands from shared memory (wgmma).
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_WARPGROUP_H
#define FX_LIB_CODEGEN_GPU_WARPGROUP_H

#include "../TensorCore/TensorCore.h"

namespace fx::gpu {

/// Threads that multiply together.
inline constexpr int64_t kWarpgroup = 128;
/// Rows of a matmul.
inline constexpr int64_t kWarpgroupRows = 64;
/// Bytes of a row of a box, whose chunks of 16 bytes are permuted by the row's
/// number: chunk c of row r is in the place of c xor r % 8.
inline constexpr int64_t kBoxBytes = 128;
/// Elements of such a row.
inline constexpr int64_t kBoxColumns = 64;
/// Where tiles of boxes must begin: a permutation spans 8 rows.
inline constexpr int64_t kBoxAlignment = 1024;

/// Emits them, for elements of 2 bytes, bf16 or f16, that are summed in f32.
/// Barriers are 8 bytes of shared memory, those of instructions on all threads
/// of a warp(group) must be reached by all.
struct Warpgroup {
  Int32 i;
  mlir::Type element;

  //===--- barriers ------------------------------------------------------===//
  /// A phase ends after so many arrivals, and when all bytes have come that
  /// were expected. By one thread, before `publish` and a barrier of all.
  void initialize(mlir::Value barrier, int64_t arrivals);
  void publish();
  void arrive(mlir::Value barrier);
  /// Arrives, and lets the phase wait for `bytes` more.
  void expect(mlir::Value barrier, int64_t bytes);
  /// Waits for the end of the phase whose number's lowest bit is `parity`; of a
  /// new barrier the phase before the first, 1, has ended.
  void wait(mlir::Value barrier, mlir::Value parity);

  //===--- copies --------------------------------------------------------===//
  /// Fetches a tensor map of the kernel's parameters ahead of its use.
  void prefetch(mlir::Value map);
  /// Starts a copy of the box of `map` at `at`, its innermost coordinate first.
  /// What lies outside of the tensor is zeros, which count as bytes.
  void copyBox(mlir::Value to, mlir::Value map, mlir::Value barrier,
               mlir::ValueRange at);

  //===--- products ------------------------------------------------------===//
  /// A warpgroup's 64 by `columns` sums, zero. A thread has, of the 8 columns
  /// from 8 j on, elements 4 j to 4 j + 3: columns 2 * (lane % 4) and the next
  /// of rows lane / 4, then lane / 4 + 8, of the 16 rows of its warp.
  mlir::Value zeros(int64_t columns);
  /// How an operand lies at an address in shared memory, an i32: along K as a
  /// box with 64 of K in each row; else as boxes with 64 elements of one place
  /// of K in each of `k` rows, one box after the other.
  mlir::Value describe(mlir::Value address, bool isAlongK, int64_t k);
  /// The same, `steps` times 16 further along K.
  mlir::Value advance(mlir::Value descriptor, bool isAlongK, int64_t steps);
  /// `sums` plus the product of 64 x 16 by 16 x `columns`; read the result
  /// after `commit` and `finish` only.
  mlir::Value multiply(mlir::Value sums, mlir::Value x, bool xAlongK,
                       mlir::Value y, bool yAlongK, int64_t columns);
  /// Before the first matmul on registers that were written otherwise.
  void fence();
  /// Ends a group of products.
  void commit();
  /// Waits for all groups but the last `pending`.
  void finish(int64_t pending);

  //===--- threads -------------------------------------------------------===//
  /// What the first lane has: tells the compiler that all have the same.
  mlir::Value uniform(mlir::Value v);
  /// Takes registers for, or gives them up from, a warpgroup.
  void setRegisters(int64_t count, bool isMore);
  /// A barrier of a warp.
  void synchronizeWarp();
};

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_WARPGROUP_H

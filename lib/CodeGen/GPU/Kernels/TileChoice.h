//===- TileChoice.h - tiles that were asked for or measured -----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which tiles are best only measurements tell. `fx-compile --gpu-tiles` sets
// those of a schedule, to compile variants; benchmarks/gpu/variants.py writes
// the fastest ones of each size to TileTable.inc.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_TILECHOICE_H
#define FX_LIB_CODEGEN_GPU_TILECHOICE_H

#include "MatMulPlan.h"

namespace fx::gpu {

/// Of a kernel: `--gpu-tiles`, as it was written.
inline constexpr llvm::StringLiteral kTilesAttr = "fx.tiles";

/// The numbers of schedule `kind`: those that the kernel was given, else those
/// of the table for its sizes; empty if there are none.
///
///   warpgroup=COLUMNS:STAGES           0:0: not this schedule
///   tensorcore=M:N:K:WARPSM:WARPSN:STAGES
///   matmul=M:N:K:THREADM:THREADN
llvm::SmallVector<int64_t> getTiles(const MatMulPlan &plan,
                                    llvm::StringRef kind);

/// Of a kernel: its sizes, where they are known, and the tiles that it got:
/// `{k = 64, m = 128, n = 256, tiles = "256:4"}`.
inline constexpr llvm::StringLiteral kProductAttr = "fx.product";

/// Notes them; those of the first schedule that a kernel is emitted by.
void noteProduct(const MatMulPlan &plan, llvm::ArrayRef<int64_t> tiles);

/// An error where `text` is none that `getTiles` can read.
llvm::Error checkTiles(llvm::StringRef text);

/// Shared memory that a kernel may have without asking the driver for more.
inline constexpr int64_t kStaticShared = 48 * 1024;
/// The most that a block of sm_90 may have.
inline constexpr int64_t kMostShared = 227 * 1024;

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_TILECHOICE_H

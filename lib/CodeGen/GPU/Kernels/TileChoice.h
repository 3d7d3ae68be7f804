//===- TileChoice.h - tiles that were asked for or measured -----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The best tiles are found by measurement. `fx-compile --gpu-tiles` sets the
// tiles of a schedule, to compile variants; benchmarks/gpu/variants.py writes
// the fastest ones for each size to TileTable.inc.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_TILECHOICE_H
#define FX_LIB_CODEGEN_GPU_TILECHOICE_H

#include "MatMulPlan.h"

#include "llvm/Support/Error.h"

namespace fx::gpu {

/// Parses what `--gpu-tiles` asks for, separated by commas:
///
///   warpgroup=COLUMNS:STAGES[:PARTS[:WARPGROUPS[:CLUSTER]]]
///                                      0:0 excludes this schedule;
///                                      0:0:1:2:2 makes the compiler consider
///                                      clusters, too
///   tensorcore=M:N:K:WARPSM:WARPSN:STAGES[:PARTS]
///   matrixcore=M:N:K:WAVESM:WAVESN[:PARTS]
///   matmul=M:N:K:THREADM:THREADN
///   attention=PARTS[:WARPGROUPS[:KEYS[:TURNS]]]
///                                      at most so many parts of the keys; 1:
///                                      blocks do not share keys. By wgmma with
///                                      WARPGROUPS and pieces of KEYS, in turns
///                                      if TURNS is 1, or (WARPGROUPS is 0 or
///                                      not given) by mma.sync
///
/// The error says what was expected.
llvm::Expected<mlir::ArrayAttr> parseTiles(mlir::MLIRContext *ctx,
                                           llvm::StringRef text);

/// Returns the schedule of the class `kernelClass` that the kernel was given,
/// or else the one that the table has for its sizes, or null if there is none.
kernel::ScheduleAttrInterface getTiles(const MatMulPlan &plan,
                                       llvm::StringRef kernelClass);
template <typename ScheduleT>
ScheduleT getTiles(const MatMulPlan &plan) {
  return llvm::dyn_cast_if_present<ScheduleT>(
      mlir::Attribute(getTiles(plan, ScheduleT::getMnemonic())));
}

/// Returns true if the kernel was asked to consider clusters.
bool considersClusters(const MatMulPlan &plan);

/// Sets the attributes of the kernel that hold its schedule and its M, N and K
/// (-1 if dynamic), unless they are set already: the first schedule counts.
void noteSchedule(const MatMulPlan &plan,
                  kernel::ScheduleAttrInterface schedule);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_TILECHOICE_H

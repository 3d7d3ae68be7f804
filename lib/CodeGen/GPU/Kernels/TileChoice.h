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

/// The schedules that `--gpu-tiles` asks for:
///
///   warpgroup=COLUMNS:STAGES           0:0: not this schedule
///   tensorcore=M:N:K:WARPSM:WARPSN:STAGES
///   matmul=M:N:K:THREADM:THREADN
///
/// with commas. The error says what was expected.
llvm::Expected<mlir::ArrayAttr> parseTiles(mlir::MLIRContext *ctx,
                                           llvm::StringRef text);

/// The schedule of the class `kernelClass` that the kernel was given, else that
/// of the table for its sizes; null if there is none.
kernel::ScheduleAttrInterface getTiles(const MatMulPlan &plan,
                                       llvm::StringRef kernelClass);
template <typename ScheduleT>
ScheduleT getTiles(const MatMulPlan &plan) {
  return llvm::dyn_cast_if_present<ScheduleT>(
      mlir::Attribute(getTiles(plan, ScheduleT::getMnemonic())));
}

/// Notes on the kernel how it is computed, and of which sizes it is; the first
/// schedule that it is emitted by.
void noteSchedule(const MatMulPlan &plan,
                  kernel::ScheduleAttrInterface schedule);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_TILECHOICE_H

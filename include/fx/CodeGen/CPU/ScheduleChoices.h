//===- ScheduleChoices.h - the schedules of a module's kernels --*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_CPU_SCHEDULECHOICES_H
#define FX_CODEGEN_CPU_SCHEDULECHOICES_H

#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace fx::cpu {

/// A kernel and the schedules with which its class can compute it.
struct ScheduleChoices {
  mlir::func::FuncOp kernel;
  /// The class's own choice, then the candidates.
  llvm::SmallVector<kernel::ScheduleAttrInterface> schedules;
};

/// Returns the kernels of `module` whose code is not emitted yet and that have
/// more than one schedule.
std::vector<ScheduleChoices> listSchedules(mlir::ModuleOp module,
                                           const KernelOptions &options);

/// Gives `kernel` one of the schedules that `listSchedules` returned for it or
/// for a kernel of which it is a clone.
void applySchedule(mlir::func::FuncOp kernel,
                   kernel::ScheduleAttrInterface schedule,
                   const KernelOptions &options);

} // namespace fx::cpu

#endif // FX_CODEGEN_CPU_SCHEDULECHOICES_H

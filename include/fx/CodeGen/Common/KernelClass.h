//===- KernelClass.h - ways to compute kernels on a target ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_COMMON_KERNELCLASS_H
#define FX_CODEGEN_COMMON_KERNELCLASS_H

#include "fx/Kernels/IR/KernelDialect.h"
#include "fx/Kernels/TargetInfo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace fx::codegen {

class KernelCode;

/// What a class says of a kernel that it can compute.
struct KernelMatch {
  /// Holds the schedule: the op that the loops are made of, or the function.
  mlir::Operation *root;
  /// Null where it is chosen while code is emitted, on the function.
  kernel::ScheduleAttrInterface schedule;
};

/// A way to compute kernels on a target. What belongs to a class is in one
/// folder; a target lists its classes in one table.
struct KernelClass {
  /// The mnemonic of its schedules.
  llvm::StringLiteral name;
  /// As of rewrite patterns: of the classes that match, the one of the highest
  /// benefit is tried first.
  unsigned benefit;
  std::optional<KernelMatch> (*match)(mlir::func::FuncOp kernel,
                                      const kernel::TargetInfo &target);
  /// Fills `code.target`, or sets `code.error`: the class does not fit after
  /// all.
  void (*emit)(KernelCode &code);
};

/// The classes that match, by descending benefit.
llvm::SmallVector<std::pair<const KernelClass *, KernelMatch>>
matchKernelClasses(llvm::ArrayRef<KernelClass> classes,
                   mlir::func::FuncOp kernel, const kernel::TargetInfo &target);

/// The functions of `module` that are kernels without code.
llvm::SmallVector<mlir::func::FuncOp> getKernels(mlir::ModuleOp module);

} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_KERNELCLASS_H

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

/// The result of matching a kernel with a class.
struct KernelMatch {
  /// The op that gets the attribute of the schedule: the op from which the
  /// loops are generated, or the function.
  mlir::Operation *root;
  /// The schedule; null if the emitter chooses it and sets it on the function.
  kernel::ScheduleAttrInterface schedule;
};

/// A way to compute kernels on a target. The implementation of a class is in
/// one folder, and each target has a table of its classes.
struct KernelClass {
  /// The mnemonic of its schedules.
  llvm::StringLiteral name;
  /// Of the classes that match, the one with the highest benefit is tried
  /// first, as for rewrite patterns.
  unsigned benefit;
  std::optional<KernelMatch> (*match)(mlir::func::FuncOp kernel,
                                      const kernel::TargetInfo &target);
  /// Emits the body of `code.target`. Sets `code.error` if the class cannot
  /// compute the kernel.
  void (*emit)(KernelCode &code);
  /// Returns the other schedules with which the class can compute a kernel that
  /// it matches, the most promising ones first. All of them compute the same
  /// sums, up to the order of their terms. Null: there are none.
  llvm::SmallVector<kernel::ScheduleAttrInterface> (*getCandidates)(
      const KernelMatch &match, const kernel::TargetInfo &target) = nullptr;
  /// The inputs may have any strides, except of the last dimension. The strides
  /// of inputs of other classes are those of row-major buffers.
  bool takesStrides = false;
};

/// Returns the classes that match, by descending benefit.
llvm::SmallVector<std::pair<const KernelClass *, KernelMatch>>
matchKernelClasses(llvm::ArrayRef<KernelClass> classes,
                   mlir::func::FuncOp kernel, const kernel::TargetInfo &target);

/// Returns the schedules that `getCandidates` of the class returns, without the
/// one of `match`.
llvm::SmallVector<kernel::ScheduleAttrInterface>
getCandidates(const KernelClass &kernelClass, const KernelMatch &match,
              const kernel::TargetInfo &target);

/// Returns the kernel functions of `module` whose code is not emitted yet.
llvm::SmallVector<mlir::func::FuncOp> getKernels(mlir::ModuleOp module);

} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_KERNELCLASS_H

//===- Outline.h - make a kernel function of a group ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_OUTLINE_H
#define FX_KERNELS_OUTLINE_H

#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace fx::kernel {

/// Moves groups of ops to private functions, which `fx_kernel.invoke` calls.
/// Groups whose functions print alike share a function.
class Outliner {
public:
  /// With `stridedViews`, kernels take the sources of strided views, and
  /// compute the addresses of their elements (`isReadInPlace`).
  explicit Outliner(mlir::ModuleOp module, bool stridedViews = false);
  /// Replaces `ops`, all of one block and convex in it, by an
  /// `fx_kernel.invoke`.
  void outline(llvm::ArrayRef<mlir::Operation *> ops);
  unsigned numKernels() const { return kernels.size(); }
  unsigned numShared() const { return shared; }

private:
  /// Returns the kernel that prints like `func`, if there is one. Otherwise
  /// inserts `func` into the module and returns it.
  mlir::func::FuncOp findOrInsert(mlir::func::FuncOp func);

  mlir::ModuleOp module;
  const bool stridedViews;
  llvm::StringMap<mlir::func::FuncOp> kernels;
  unsigned nextId = 0, shared = 0;
};

/// Replaces `invoke` by the ops of `kernel`, which are then lowered without a
/// schedule.
void inlineKernel(mlir::func::FuncOp kernel, kernel::InvokeOp invoke);

} // namespace fx::kernel

#endif // FX_KERNELS_OUTLINE_H

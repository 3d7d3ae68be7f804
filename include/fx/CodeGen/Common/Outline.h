//===- Outline.h - make a kernel function of a group ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_COMMON_OUTLINE_H
#define FX_CODEGEN_COMMON_OUTLINE_H

#include "fx/CodeGen/IR/FXCPU.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace fx::codegen {

/// Moves groups of ops to private functions and invokes them. Groups that print
/// alike share a function.
class Outliner {
public:
  explicit Outliner(mlir::ModuleOp module);
  /// Replaces `ops`, all of one block and convex in it, by an `fx_cpu.invoke`.
  void outline(llvm::ArrayRef<mlir::Operation *> ops);
  unsigned numKernels() const { return kernels.size(); }
  unsigned numShared() const { return shared; }

private:
  mlir::ModuleOp module;
  llvm::StringMap<mlir::func::FuncOp> kernels;
  unsigned nextId = 0, shared = 0;
};

/// Puts the ops of `kernel` where it is invoked: the general path lowers them.
void inlineKernel(mlir::func::FuncOp kernel, cpu::InvokeOp invoke);

} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_OUTLINE_H

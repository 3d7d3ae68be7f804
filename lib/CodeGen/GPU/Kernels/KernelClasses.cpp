//===- KernelClasses.cpp - the classes of kernels on GPUs -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;

namespace fx::gpu {
/// softmax(Q K^T) V of bf16 or f16, on tensor cores of compute capability 9.0a
/// if the device has them, or else on those of 8.0.
codegen::KernelClass getAttentionClass();
/// Contractions of bf16, f16 or bytes on tensor cores of compute capability
/// 9.0a if the device has them, or else on those of 8.0.
codegen::KernelClass getWarpgroupClass();
/// Contractions of bf16, f16, f32 or signed bytes on AMD's matrix cores.
codegen::KernelClass getMatrixCoreClass();
/// Contractions with at most 16 rows, limited by the right operand's memory.
codegen::KernelClass getGemvClass();
/// Contractions in f32 without matrix instructions, with tiles in shared memory
/// and registers.
codegen::KernelClass getMatMulClass();
/// Reductions along rows: softmax, layer norm and their like.
codegen::KernelClass getRowsClass();
/// Reductions over outer dimensions.
codegen::KernelClass getColumnsClass();
/// Pointwise kernels with operands in another order than that of the output,
/// through tiles in shared memory.
codegen::KernelClass getTransposeClass();
/// Threads for the elements of the result: pointwise ops, data movement, and
/// reductions that each thread computes alone.
codegen::KernelClass getElementsClass();
} // namespace fx::gpu

ArrayRef<codegen::KernelClass> fx::gpu::getKernelClasses() {
  static const codegen::KernelClass classes[] = {
      getAttentionClass(),  getGemvClass(),       getWarpgroupClass(),
      getTensorCoreClass(), getMatrixCoreClass(), getMatMulClass(),
      getRowsClass(),       getColumnsClass(),    getTransposeClass(),
      getElementsClass()};
  return classes;
}

SmallVector<linalg::GenericOp> fx::gpu::getReductions(func::FuncOp kernel) {
  SmallVector<linalg::GenericOp> reductions;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>())
    if (op.getNumReductionLoops())
      reductions.push_back(op);
  return reductions;
}

std::optional<kernel::Contraction>
fx::gpu::findContraction(func::FuncOp kernel,
                         const kernel::TargetInfo &target) {
  for (linalg::GenericOp op : getReductions(kernel))
    if (auto match = kernel::matchContraction(op, target))
      return match;
  return std::nullopt;
}

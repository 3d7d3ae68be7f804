//===- Launch.h - grids of threads around kernels ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a kernel function is host code: it computes sizes, then a
// `gpu.launch` whose region is what each thread does. The region is emitted by
// cpu::KernelCode, one element at a time: neighbouring threads take
// neighbouring elements, so that a warp's accesses are one line of memory.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_LAUNCH_H
#define FX_LIB_CODEGEN_GPU_LAUNCH_H

#include "../../CPU/Kernels/Analysis.h"
#include "../../CPU/Kernels/KernelCode.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fx::cuda {

/// Threads of a block where nothing else decides.
inline constexpr int64_t kThreads = 256;
/// Threads that run in step.
inline constexpr int64_t kWarp = 32;

/// A grid of `blocks` blocks of `threads` threads, both in one dimension. While
/// it is open the builder stands in its body; nothing that the body reads from
/// memory is computed outside of it.
struct Launch {
  /// With `dynamicBytes` of shared memory, which `dynamicShared` is the start
  /// of.
  Launch(cpu::KernelCode &code, const cpu::Index &blocks, int64_t threads,
         int64_t dynamicBytes = 0);
  void close();
  /// Memory that the threads of a block share.
  mlir::Value shared(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// The address of the memory of which the launch has `dynamicBytes`, an i64.
  mlir::Value dynamicShared();

  cpu::KernelCode &code;
  mlir::gpu::LaunchOp op;
  cpu::Scope scope;
  cpu::Index block, thread;
};

/// The product; 1 of none.
cpu::Index product(cpu::KernelCode &code, llvm::ArrayRef<cpu::Index> sizes);

/// Where the `linear`-th element of a row-major array of `sizes` is.
llvm::SmallVector<cpu::Index> delinearize(cpu::KernelCode &code,
                                          cpu::Index linear,
                                          llvm::ArrayRef<cpu::Index> sizes);

/// Runs `body(scope)` where all of `at[i] < below[i]` hold; pairs that hold
/// whatever `at` is are given as a static `below` of -1.
void guarded(cpu::KernelCode &code, cpu::Scope &outer,
             llvm::ArrayRef<std::pair<cpu::Index, cpu::Index>> atBelow,
             llvm::function_ref<void(cpu::Scope &)> body);

//===----------------------------------------------------------------------===//
// Emission by kind. Each fills code.target or sets code.error.
//===----------------------------------------------------------------------===//

/// One thread for each element of the result: pointwise ops, data movement, and
/// reductions that each thread computes alone.
void emitElements(cpu::KernelCode &code);
/// One block for each row: softmax, layer norm and their like.
void emitRows(cpu::KernelCode &code);
/// softmax(Q K^T) V of bf16 or f16, on tensor cores of compute capability 8.0.
void emitAttention(cpu::KernelCode &code);
/// Sums of products of bf16 or f16 on tensor cores of compute capability 8.0.
void emitTensorCore(cpu::KernelCode &code);
/// The same on those of 9.0a where the device has them, else as above.
void emitWarpgroup(cpu::KernelCode &code);
/// Sums of products by tiles in shared memory and registers, in f32.
void emitMatMul(cpu::KernelCode &code);

} // namespace fx::cuda

#endif // FX_LIB_CODEGEN_GPU_LAUNCH_H

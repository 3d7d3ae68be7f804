//===- Launch.h - grids of threads around kernels ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a kernel function is host code: it computes sizes, then a
// `gpu.launch` whose region is what each thread does. The region is emitted by
// codegen::KernelCode, one element at a time: neighbouring threads take
// neighbouring elements, so that a warp's accesses are one line of memory.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_LAUNCH_H
#define FX_LIB_CODEGEN_GPU_LAUNCH_H

#include "fx/CodeGen/Common/KernelClass.h"
#include "fx/CodeGen/Common/KernelCode.h"
#include "fx/Kernels/Analysis.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fx::gpu {

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
  Launch(codegen::KernelCode &code, const codegen::Index &blocks,
         int64_t threads, int64_t dynamicBytes = 0);
  void close();
  /// Memory that the threads of a block share.
  mlir::Value shared(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// The address of the memory of which the launch has `dynamicBytes`, an i64.
  mlir::Value dynamicShared();

  codegen::KernelCode &code;
  mlir::gpu::LaunchOp op;
  codegen::Scope scope;
  codegen::Index block, thread;
};

/// The product; 1 of none.
codegen::Index product(codegen::KernelCode &code,
                       llvm::ArrayRef<codegen::Index> sizes);

/// Where the `linear`-th element of a row-major array of `sizes` is.
llvm::SmallVector<codegen::Index>
delinearize(codegen::KernelCode &code, codegen::Index linear,
            llvm::ArrayRef<codegen::Index> sizes);

/// Runs `body(scope)` where all of `at[i] < below[i]` hold; pairs that hold
/// whatever `at` is are given as a static `below` of -1.
void guarded(codegen::KernelCode &code, codegen::Scope &outer,
             llvm::ArrayRef<std::pair<codegen::Index, codegen::Index>> atBelow,
             llvm::function_ref<void(codegen::Scope &)> body);

/// On the tensor cores of compute capability 8.0.
codegen::KernelClass getTensorCoreClass();
/// The classes of kernels on GPUs.
llvm::ArrayRef<codegen::KernelClass> getKernelClasses();

/// The reductions of a kernel, contractions among them.
llvm::SmallVector<mlir::linalg::GenericOp>
getReductions(mlir::func::FuncOp kernel);
std::optional<kernel::Contraction>
findContraction(mlir::func::FuncOp kernel, const kernel::TargetInfo &target);
bool hasHalfContraction(mlir::func::FuncOp kernel,
                        const kernel::TargetInfo &target);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_LAUNCH_H

//===- Launch.h - grids of threads around kernels ---------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a kernel function is host code that computes sizes, followed by a
// `gpu.launch` whose region is the code of each thread. codegen::KernelCode
// emits the region in terms of single elements: neighbouring threads take
// neighbouring elements, so that the accesses of a warp are coalesced.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_GPU_LAUNCH_H
#define FX_LIB_CODEGEN_GPU_LAUNCH_H

#include "fx/CodeGen/Common/KernelClass.h"
#include "fx/CodeGen/Common/KernelCode.h"
#include "fx/Kernels/Analysis.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fx::gpu {

/// Default number of threads of a block.
inline constexpr int64_t kThreads = 256;
/// Number of threads of a warp.
inline constexpr int64_t kWarp = 32;
/// The number of blocks of 256 threads that an H100 runs at the same time: 8 on
/// each of 132 multiprocessors.
inline constexpr int64_t kDeviceBlocks = 8 * 132;
/// The number of threads that it runs at the same time.
inline constexpr int64_t kDeviceThreads = kDeviceBlocks * kThreads;

/// A one-dimensional grid of `blocks` blocks of `threads` threads each. From
/// construction to `close`, the builder inserts into the body of the launch.
/// Loads from memory that the body needs are emitted within the body.
struct Launch {
  /// `dynamicBytes` is the size of the dynamic shared memory.
  Launch(codegen::KernelCode &code, const codegen::Index &blocks,
         int64_t threads, int64_t dynamicBytes = 0);
  void close();
  /// Adds static shared memory to the launch and returns it as a memref.
  mlir::Value shared(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// Sets what a launch does besides that of its kernel (`describeWork`): the
  /// bytes that it reads and writes, and its operations in f32.
  void describe(int64_t bytes, int64_t operations);
  /// Returns the address of the dynamic shared memory as an i64.
  mlir::Value dynamicShared();

  codegen::KernelCode &code;
  mlir::gpu::LaunchOp op;
  codegen::Scope scope;
  codegen::Index block, thread;
};

/// Returns the product of `sizes`, or 1 if there are none.
codegen::Index product(codegen::KernelCode &code,
                       llvm::ArrayRef<codegen::Index> sizes);

/// Returns true if the size is static and a multiple of `of`.
bool isMultiple(const codegen::Index &size, int64_t of);

/// Returns the coordinates of the `linear`-th element of a row-major array with
/// the given sizes.
llvm::SmallVector<codegen::Index>
delinearize(codegen::KernelCode &code, codegen::Index linear,
            llvm::ArrayRef<codegen::Index> sizes);

/// Emits `body` so that it runs if `at < below` holds for all pairs. A static
/// `below` of -1 stands for a condition that always holds. Without conditions
/// no scf.if is emitted.
void guarded(codegen::KernelCode &code, codegen::Scope &outer,
             llvm::ArrayRef<std::pair<codegen::Index, codegen::Index>> atBelow,
             llvm::function_ref<void(codegen::Scope &)> body);

/// Returns `v` of the lane whose number is the own one xor `distance`. A
/// shuffle moves 32 bits, so wider values need two.
mlir::Value shuffleXor(codegen::KernelCode &code, mlir::Value v,
                       int64_t distance);

/// Emits host code that computes the address of the first element of a tensor
/// with a buffer, an i64.
mlir::Value getAddress(codegen::KernelCode &code, mlir::Value tensor);
/// Emits host code that tests whether the buffers of all arguments begin at
/// multiples of 16 bytes.
mlir::Value areAligned(codegen::KernelCode &code);

/// Returns the class of contractions on the tensor cores of compute capability
/// 8.0.
codegen::KernelClass getTensorCoreClass();
/// Returns all classes of kernels on GPUs.
llvm::ArrayRef<codegen::KernelClass> getKernelClasses();

/// Returns the reductions of a kernel, including contractions.
llvm::SmallVector<mlir::linalg::GenericOp>
getReductions(mlir::func::FuncOp kernel);
/// Returns the first contraction of a kernel that `target` supports, if any.
std::optional<kernel::Contraction>
findContraction(mlir::func::FuncOp kernel, const kernel::TargetInfo &target);

} // namespace fx::gpu

#endif // FX_LIB_CODEGEN_GPU_LAUNCH_H

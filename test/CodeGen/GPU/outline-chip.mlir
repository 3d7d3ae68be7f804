// RUN: fx-opt %s --fx-gpu-outline --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,OUTLINE
// RUN: fx-opt %s --fx-gpu-outline --fx-gpu-launch-to-runtime --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,CALL

// A kernel for one chip has the chip in its name, whichever launch comes first.
// Tensor maps are the first arguments. The run-time gets the number of tensor
// maps and the bytes of shared memory.
// CHECK-LABEL: func.func private @kernel_0
// OUTLINE: gpu.launch_func @kernels::@kernel_0_sm_90a {{.*}} dynamic_shared_memory_size %{{.*}} args(%[[MAP:.*]] : !llvm.ptr, %arg0 : index, %{{.*}} : !llvm.ptr<1>)
// OUTLINE: gpu.launch_func @kernels::@kernel_0 blocks
// CALL: call @fx_rt_gpu_launch(%{{.*}}, %c65536_i64, %{{.*}}, %c3_i64, %c1_i64)
// CALL: call @fx_rt_gpu_launch(%{{.*}}, %c0_i64, %{{.*}}, %c1_i64, %c0_i64)
func.func private @kernel_0(%n: index, %x: memref<4xf32, strided<[1], offset: ?>>, %map: i64) attributes {fx.kernel} {
  %c1 = arith.constant 1 : index
  %bytes = arith.constant 65536 : i32
  %zero = arith.constant 0.0 : f32
  %p = llvm.inttoptr %map : i64 to !llvm.ptr
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) dynamic_shared_memory_size %bytes {
    nvvm.prefetch tensormap, %p : !llvm.ptr
    %0 = arith.remui %bx, %n : index
    memref.store %zero, %x[%0] : memref<4xf32, strided<[1], offset: ?>>
    gpu.terminator
  } {fx.chip = "sm_90a"}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %zero, %x[%bx] : memref<4xf32, strided<[1], offset: ?>>
    gpu.terminator
  }
  return
}

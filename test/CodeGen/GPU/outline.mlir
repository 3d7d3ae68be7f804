// RUN: fx-opt %s --fx-gpu-outline --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,OUTLINE
// RUN: fx-opt %s --fx-gpu-outline --canonicalize --cse --fx-gpu-launch-to-runtime | FileCheck %s --check-prefixes=CHECK,CALL

// Buffers are passed as addresses, together with the sizes and strides that the
// kernel needs. The constant is materialized inside of the kernel. A boolean is
// passed as a byte. The run-time is told that a launch accesses the arguments,
// and writes the last buffer.
// CHECK: gpu.container_module
// CHECK-LABEL: func.func private @kernel_0
// CALL: %[[SLOTS:.*]] = llvm.alloca {{.*}} x !llvm.array<4 x i64>
// CHECK: call @fx_rt_gpu_access(%{{.*}}, %{{.*}}, %c0_i64{{(_[0-9]+)?}})
// CHECK: call @fx_rt_gpu_access(%{{.*}}, %{{.*}}, %c1_i64{{(_[0-9]+)?}})
// CHECK-NOT: fx_rt_gpu_access
// OUTLINE: gpu.launch_func @kernels::@kernel_0 blocks in (%arg2, %c1, %c1) threads in (%c128, %c1, %c1) args(%arg2 : index, %{{.*}} : i8, %{{.*}} : !llvm.ptr<1>, %{{.*}} : !llvm.ptr<1>)
// CALL-COUNT-4: llvm.store
// CALL: call @fx_rt_gpu_launch(%c0{{.*}}, %{{.*}}, %{{.*}}, %[[SLOTS]], %c4
func.func private @kernel_0(%x: memref<?xf32, strided<[1], offset: ?>>, %y: memref<?xf32, strided<[1], offset: ?>>, %n: index, %flag: i1) attributes {fx.kernel, fx.num_outputs = 1 : i64} {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %two = arith.constant 2.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c128, %sy = %c1, %sz = %c1) {
    %0 = arith.muli %bx, %c128 : index
    %i = arith.addi %0, %tx : index
    %in = arith.cmpi ult, %i, %n : index
    %do = arith.andi %in, %flag : i1
    scf.if %do {
      %v = memref.load %x[%i] : memref<?xf32, strided<[1], offset: ?>>
      %w = arith.mulf %v, %two : f32
      memref.store %w, %y[%i] : memref<?xf32, strided<[1], offset: ?>>
    }
    gpu.terminator
  }
  return
}

// Outside of kernels addresses may be equal, and strides are passed.
// CHECK-LABEL: func.func @main
// CHECK: call @fx_rt_gpu_access(%{{.*}}, %{{.*}}, %{{.*}})
// OUTLINE: gpu.launch_func @kernels::@main_0 {{.*}} args(%{{.*}} : !llvm.ptr<1>, %{{.*}} : index)
func.func @main(%x: memref<4x8xf32, strided<[?, 1]>>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %zero, %x[%bx, %tx] : memref<4x8xf32, strided<[?, 1]>>
    gpu.terminator
  }
  return
}

// A buffer with static strides has a static extent: 3 rows of 16 and 8 elements
// of 4 bytes. The launch reads it and writes the other one.
// CHECK-LABEL: func.func @copies
// CHECK-DAG: call @fx_rt_gpu_access(%{{.*}}, %c224_i64{{(_[0-9]+)?}}, %c0_i64{{(_[0-9]+)?}})
// CHECK-DAG: call @fx_rt_gpu_access(%{{.*}}, %c128_i64{{(_[0-9]+)?}}, %c1_i64{{(_[0-9]+)?}})
func.func @copies(%x: memref<4x8xf32, strided<[16, 1]>>, %y: memref<4x8xf32>) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %v = memref.load %x[%bx, %tx] : memref<4x8xf32, strided<[16, 1]>>
    memref.store %v, %y[%bx, %tx] : memref<4x8xf32>
    gpu.terminator
  }
  return
}

// A kernel whose outputs are not known, or which uses other memory, tells
// nothing.
// CHECK-LABEL: func.func private @unknown
// CHECK-NOT: fx_rt_gpu_access
func.func private @unknown(%x: memref<8xf32>) attributes {fx.kernel} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %zero, %x[%tx] : memref<8xf32>
    gpu.terminator
  }
  return
}

// CHECK: gpu.module @kernels
// CHECK: gpu.func @kernel_0(%{{.*}}: index, %{{.*}}: i8, %{{.*}}: !llvm.ptr<1> {llvm.noalias}, %{{.*}}: !llvm.ptr<1> {llvm.noalias}) kernel attributes {known_block_size = array<i32: 128, 1, 1>}
// CHECK-DAG: arith.constant 2.0
// CHECK-DAG: gpu.block_id x
// CHECK-DAG: gpu.thread_id x
// CHECK: memref.store {{.*}} : memref<?xf32, strided<[1]>, 1>
// CHECK: gpu.func @main_0(%{{.*}}: !llvm.ptr<1>, %{{.*}}: index) kernel

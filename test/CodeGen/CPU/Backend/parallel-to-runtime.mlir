// RUN: fx-opt %s --fx-cpu-parallel-to-runtime | FileCheck %s
// RUN: fx-opt %s --fx-cpu-lower-pipeline | FileCheck %s --check-prefix=LLVM

// The loop becomes a call over its linearized iterations. Constants are not
// captured. A stack buffer inside of the loop is allocated once per range.

// CHECK: func.func private @fx_rt_parallel_for(i64, i64, !llvm.ptr, !llvm.ptr)
// CHECK-LABEL: func.func @kernel_0
// CHECK: %[[SLOT:.*]] = llvm.alloca
// CHECK-NOT: scf.forall
// CHECK: %[[GRAIN:.*]] = arith.constant 16 : i64
// CHECK: call @fx_rt_parallel_for(%{{.*}}, %[[GRAIN]], %{{.*}}, %[[SLOT]])
// CHECK-LABEL: func.func private @kernel_0_parallel0
// CHECK-SAME: memref<?x8xf32>
// CHECK-SAME: attributes {fx.kernel}
// CHECK: memref.alloca
// CHECK: scf.for
// CHECK: arith.remui
// CHECK: memref.store
// CHECK-LABEL: func.func private @kernel_0_parallel0_range(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK: call @kernel_0_parallel0(

// LLVM: llvm.func internal @kernel_0_parallel0(%{{.*}}: !llvm.ptr {llvm.noalias}
// LLVM-NOT: unrealized_conversion_cast
func.func @kernel_0(%x: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  scf.forall (%i, %j) in (%n, 8) {
    %t = memref.alloca() : memref<1xf32>
    memref.store %one, %t[%c0] : memref<1xf32>
    %v = memref.load %t[%c0] : memref<1xf32>
    memref.store %v, %x[%i, %j] : memref<?x8xf32>
  } {fx.grain = 16 : i64}
  return
}

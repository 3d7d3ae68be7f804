// RUN: fx-opt %s --fx-cpu-profile-kernels | FileCheck %s

// Each call of a kernel is timed, also in a loop. The bytes of dynamic buffers
// are computed. Operations that were not counted are 0.

// CHECK-DAG: func.func private @fx_rt_profile_begin() -> i64
// CHECK-DAG: func.func private @fx_rt_profile_end(i64, index, index, index)
func.func private @kernel_3(memref<?x4xf32>, memref<4xbf16>) attributes {fx.kernel, fx.flops = 40 : i64}
func.func private @kernel_12(memref<4xbf16>, index) attributes {fx.kernel}
func.func private @other(memref<4xbf16>)

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[A:.*]]: memref<?x4xf32>
// CHECK: %[[START:.*]] = call @fx_rt_profile_begin()
// CHECK: call @kernel_3
// CHECK: %[[NUMBER:.*]] = arith.constant 3 : index
// CHECK: %[[ROWS:.*]] = memref.dim %[[A]]
// CHECK: %[[ROW:.*]] = arith.constant 16 : index
// CHECK: %[[BYTES:.*]] = arith.muli %[[ROW]], %[[ROWS]]
// CHECK: %[[HALVES:.*]] = arith.constant 8 : index
// CHECK: %[[ALL:.*]] = arith.addi %{{.*}}, %[[HALVES]]
// CHECK: %[[FLOPS:.*]] = arith.constant 40 : index
// CHECK: call @fx_rt_profile_end(%[[START]], %[[NUMBER]], %[[ALL]], %[[FLOPS]])
// CHECK: scf.for
// CHECK: call @fx_rt_profile_begin()
// CHECK: call @kernel_12
// CHECK: arith.addi
// CHECK: %[[UNKNOWN:.*]] = arith.constant 0 : index
// CHECK: call @fx_rt_profile_end(%{{.*}}, %{{.*}}, %{{.*}}, %[[UNKNOWN]])
// CHECK-NOT: call @fx_rt_profile
// CHECK: call @other
func.func @main(%a: memref<?x4xf32>, %b: memref<4xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  call @kernel_3(%a, %b) : (memref<?x4xf32>, memref<4xbf16>) -> ()
  scf.for %i = %c0 to %n step %c1 {
    func.call @kernel_12(%b, %i) : (memref<4xbf16>, index) -> ()
  }
  call @other(%b) : (memref<4xbf16>) -> ()
  return
}

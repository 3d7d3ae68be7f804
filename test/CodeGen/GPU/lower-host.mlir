// RUN: fx-opt %s --fx-gpu-lower-host | FileCheck %s

memref.global "private" constant @numbers : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>

// The run-time copies contiguous memory; a launch copies all other memory.
// CHECK-LABEL: func.func @copies
// CHECK: call @fx_rt_gpu_copy(%{{.*}}, %{{.*}}, %{{.*}}) : (i64, i64, i64) -> ()
// CHECK: gpu.launch
// CHECK: memref.load
// CHECK: memref.store
// CHECK-NOT: memref.copy
func.func @copies(%x: memref<?x8xf32>, %y: memref<?x8xf32>, %z: memref<4x8xf32, strided<[16, 1]>>, %u: memref<4x8xf32>) {
  memref.copy %x, %y : memref<?x8xf32> to memref<?x8xf32>
  memref.copy %z, %u : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
  return
}

// The host reads and writes single elements through a slot in host memory.
// CHECK-LABEL: func.func @elements
// CHECK: %[[SLOT:.*]] = memref.alloca() : memref<i64>
// CHECK: call @fx_rt_gpu_read
// CHECK: memref.load %[[SLOT_B:.*]][] : memref<i64>
// CHECK: memref.store %{{.*}}, %[[SLOT]][] : memref<i64>
// CHECK: call @fx_rt_gpu_write
func.func @elements(%x: memref<?xi64>, %i: index) {
  %v = memref.load %x[%i] : memref<?xi64>
  %w = arith.addi %v, %v : i64
  memref.store %w, %x[%i] : memref<?xi64>
  return
}

// CHECK-LABEL: func.func @constants
// CHECK: %[[HOST:.*]] = memref.get_global @numbers
// CHECK: %[[DEVICE:.*]] = call @fx_rt_gpu_constant
// CHECK: %[[VIEW:.*]] = memref.view %[[DEVICE]]
// CHECK: return %[[VIEW]]
func.func @constants() -> memref<4xf32> {
  %c = memref.get_global @numbers : memref<4xf32>
  return %c : memref<4xf32>
}

// CHECK-LABEL: func.func @ops
// CHECK: %[[N:.*]] = memref.dim
// CHECK: gpu.launch
// CHECK: arith.cmpi ult
// CHECK: scf.for
// CHECK: arith.addf
// CHECK: memref.store
// CHECK-NOT: linalg
func.func @ops(%x: memref<?x5xf32>, %y: memref<?xf32>) {
  linalg.reduce ins(%x : memref<?x5xf32>) outs(%y : memref<?xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    }
  return
}

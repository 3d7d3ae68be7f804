// RUN: fx-opt %s --fx-cpu-free-temporaries | FileCheck %s

// CHECK-LABEL: func.func @used_through_a_view
func.func @used_through_a_view(%n: index, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[A:.+]] = memref.alloc
  %a = memref.alloc(%n) : memref<?xf32>
  // CHECK: %[[V:.+]] = memref.subview
  %v = memref.subview %a[0] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1]>>
  // CHECK: memref.copy %[[V]]
  // CHECK-NEXT: memref.dealloc %[[A]]
  memref.copy %v, %out : memref<4xf32, strided<[1]>> to memref<4xf32>
  // CHECK-NEXT: memref.load
  %x = memref.load %out[%c0] : memref<4xf32>
  return
}

// A buffer that a loop uses lives until the end of the loop.
// CHECK-LABEL: func.func @used_in_a_loop
func.func @used_in_a_loop(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[A:.+]] = memref.alloc
  %a = memref.alloc(%n) : memref<?xf32>
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    // CHECK-NOT: memref.dealloc
    memref.store %x, %a[%i] : memref<?xf32>
  }
  // CHECK: }
  // CHECK-NEXT: memref.dealloc %[[A]]
  return
}

// The run-time frees the returned buffer. A buffer that is already freed is not
// freed again.
// CHECK-LABEL: func.func @returned
func.func @returned(%n: index) -> memref<?xf32> {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  // CHECK: memref.dealloc
  memref.dealloc %b : memref<?xf32>
  // CHECK-NOT: memref.dealloc
  return %a : memref<?xf32>
}

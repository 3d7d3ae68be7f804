// RUN: fx-opt %s --fx-cpu-place-outputs --split-input-file | FileCheck %s

// An allocation that is returned once is an output as it is; one returned
// twice, an argument and a view are copied.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: memref<4xf32>)
// CHECK: %[[B0:.*]] = call @fx_rt_output
// CHECK: %[[A:.*]] = memref.view %[[B0]]
// CHECK-NOT: memref.alloc
// CHECK: %[[B1:.*]] = call @fx_rt_output
// CHECK: %[[V1:.*]] = memref.view %[[B1]]
// CHECK: memref.copy %[[A]], %[[V1]]
// CHECK: %[[B2:.*]] = call @fx_rt_output
// CHECK: %[[V2:.*]] = memref.view %[[B2]]
// CHECK: memref.copy %[[X]], %[[V2]]
// CHECK: return %[[A]], %[[V1]], %[[V2]]
func.func @main(%x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  return %a, %a, %x : memref<4xf32>, memref<4xf32>, memref<4xf32>
}

// -----

// A result that is written back leaves the results; a reshape of an allocation
// is still the whole of it.

// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (memref<2x2xf32> {fx.name = "y"})
// CHECK: call @fx_rt_output
// CHECK-NOT: memref.copy
// CHECK: %[[Y:.*]] = memref.expand_shape
// CHECK: return %[[Y]] : memref<2x2xf32>
func.func @main(%s: memref<4xf32> {fx.state = @s, fx.mutable})
    -> (memref<4xf32> {fx.mutates = @s}, memref<2x2xf32> {fx.name = "y"}) {
  %a = memref.alloc() : memref<4xf32>
  %y = memref.expand_shape %a [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
  return %s, %y : memref<4xf32>, memref<2x2xf32>
}

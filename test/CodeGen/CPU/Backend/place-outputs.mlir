// RUN: fx-opt %s --fx-cpu-place-outputs --split-input-file | FileCheck %s

// An allocation that is returned once becomes an output itself. An allocation
// that is returned twice, an argument and a view are copied.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: memref<4xf32>)
// CHECK: %[[I0:.*]] = arith.constant 0 : index
// CHECK: %[[B0:.*]] = call @fx_rt_output(%{{.*}}, %[[I0]])
// CHECK: %[[A:.*]] = memref.view %[[B0]]
// CHECK-NOT: memref.alloc
// CHECK: %[[I1:.*]] = arith.constant 1 : index
// CHECK: %[[B1:.*]] = call @fx_rt_output(%{{.*}}, %[[I1]])
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

// A result that is written back is removed from the results and not counted. A
// reshape of an allocation still covers the whole allocation.

// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (memref<2x2xf32> {fx.name = "y"})
// CHECK: %[[I0:.*]] = arith.constant 0 : index
// CHECK: call @fx_rt_output(%{{.*}}, %[[I0]])
// CHECK-NOT: memref.copy
// CHECK: %[[Y:.*]] = memref.expand_shape
// CHECK: return %[[Y]] : memref<2x2xf32>
func.func @main(%s: memref<4xf32> {fx.state = @s, fx.mutable})
    -> (memref<4xf32> {fx.mutates = @s}, memref<2x2xf32> {fx.name = "y"}) {
  %a = memref.alloc() : memref<4xf32>
  %y = memref.expand_shape %a [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
  return %s, %y : memref<4xf32>, memref<2x2xf32>
}

// -----

// Two arguments are swapped, and the old value of one is returned. The outputs
// are copied first; a value that lies in an argument is copied through a
// temporary.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[S:.*]]: memref<4xf32> {fx.state = @s}, %[[T:.*]]: memref<4xf32> {fx.state = @t})
// CHECK: %[[OUT:.*]] = memref.view
// CHECK: memref.copy %[[S]], %[[OUT]]
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: memref.copy %[[T]], %[[A]]
// CHECK-NEXT: memref.copy %[[S]], %[[T]]
// CHECK-NEXT: memref.copy %[[A]], %[[S]]
// CHECK-NEXT: return %[[OUT]]
func.func @main(%s: memref<4xf32> {fx.state = @s}, %t: memref<4xf32> {fx.state = @t})
    -> (memref<4xf32> {fx.mutates = @s}, memref<4xf32> {fx.mutates = @t}, memref<4xf32>) {
  return %t, %s, %s : memref<4xf32>, memref<4xf32>, memref<4xf32>
}

// -----

// A value is computed directly in the argument that it is written back to if
// nothing reads the argument afterwards.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: memref<4xf32>, %[[S:.*]]: memref<4xf32> {fx.state = @s})
// CHECK-NEXT: linalg.exp ins(%[[X]] : {{.*}}) outs(%[[S]] :
// CHECK-NEXT: return
func.func @main(%x: memref<4xf32>, %s: memref<4xf32> {fx.state = @s})
    -> (memref<4xf32> {fx.mutates = @s}) {
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  return %a : memref<4xf32>
}

// -----

// Here the argument is read after the value is computed.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: memref<4xf32>, %[[S:.*]]: memref<4xf32> {fx.state = @s})
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: linalg.exp ins(%[[X]] : {{.*}}) outs(%[[A]] :
// CHECK: linalg.log ins(%[[S]] :
// CHECK: memref.copy %[[A]], %[[S]]
func.func @main(%x: memref<4xf32>, %s: memref<4xf32> {fx.state = @s})
    -> (memref<4xf32> {fx.mutates = @s}, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  linalg.log ins(%s : memref<4xf32>) outs(%b : memref<4xf32>)
  return %a, %b : memref<4xf32>, memref<4xf32>
}

// RUN: fx-opt %s --fx-cpu-finalize-boundary --split-input-file | FileCheck %s

// Scalars become 0-d tensors; what is written back is materialized in its
// argument, which alone is writable.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[N:.*]]: tensor<i64> {bufferization.writable = false}
// CHECK-SAME: %[[S:.*]]: tensor<4xf32> {bufferization.writable = true, fx.mutable, fx.state = @s, fx.written}
// CHECK-SAME: -> (tensor<4xf32> {fx.mutates = @s}, tensor<i64>)
// CHECK-SAME: llvm.emit_c_interface
// CHECK: %[[V:.*]] = tensor.extract %[[N]][] : tensor<i64>
// CHECK: %[[T:.*]] = tensor.splat
// CHECK: %[[M:.*]] = bufferization.materialize_in_destination %[[T]] in %[[S]]
// CHECK: %[[R:.*]] = tensor.from_elements %[[V]] : tensor<i64>
// CHECK: return %[[M]], %[[R]]
func.func @main(%n: i64, %s: tensor<4xf32> {fx.state = @s, fx.mutable})
    -> (tensor<4xf32> {fx.mutates = @s}, i64) {
  %c = arith.constant 1.0 : f32
  %t = tensor.splat %c : tensor<4xf32>
  return %t, %n : tensor<4xf32>, i64
}

// -----

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<4xf32> {bufferization.writable = true, fx.written}
// CHECK: bufferization.materialize_in_destination %{{.*}} in %[[X]]
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {fx.mutates_input = 0 : i64}) {
  %c = arith.constant 1.0 : f32
  %t = tensor.splat %c : tensor<4xf32>
  return %t : tensor<4xf32>
}

// -----

// What arguments held before they are written is copied first, where it is
// returned and where two change places.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[S:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}fx.state = @s
// CHECK-SAME: %[[T:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}fx.state = @t
// CHECK: %[[A:.*]] = bufferization.alloc_tensor() copy(%[[T]])
// CHECK: %[[B:.*]] = bufferization.alloc_tensor() copy(%[[S]])
// CHECK: %[[C:.*]] = bufferization.alloc_tensor() copy(%[[S]])
// CHECK: %[[M:.*]] = bufferization.materialize_in_destination %[[A]] in %[[S]]
// CHECK: %[[N:.*]] = bufferization.materialize_in_destination %[[B]] in %[[T]]
// CHECK: return %[[M]], %[[N]], %[[C]]
func.func @main(%s: tensor<4xf32> {fx.state = @s, fx.mutable}, %t: tensor<4xf32> {fx.state = @t, fx.mutable})
    -> (tensor<4xf32> {fx.mutates = @s}, tensor<4xf32> {fx.mutates = @t}, tensor<4xf32>) {
  return %t, %s, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// What is written back and also returned is returned as it was written.
// CHECK-LABEL: func.func @main
// CHECK: %[[T:.*]] = tensor.splat
// CHECK: %[[M:.*]] = bufferization.materialize_in_destination %[[T]] in
// CHECK: return %[[M]], %[[M]]
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {fx.mutates_input = 0 : i64}) {
  %c = arith.constant 1.0 : f32
  %t = tensor.splat %c : tensor<4xf32>
  return %t, %t : tensor<4xf32>, tensor<4xf32>
}

// -----

// So are views of what an argument held, and views of what is written to it.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[S:[a-z0-9]+]]: tensor<6xf32>
// CHECK: %[[T:.*]] = tensor.splat
// CHECK: %[[OLD:.*]] = tensor.expand_shape %[[S]]
// CHECK: %[[NEW:.*]] = tensor.extract_slice %[[T]]
// CHECK: %[[A:.*]] = bufferization.alloc_tensor() copy(%[[OLD]])
// CHECK: %[[B:.*]] = bufferization.alloc_tensor() copy(%[[NEW]])
// CHECK: %[[M:.*]] = bufferization.materialize_in_destination %[[T]] in %[[S]]
// CHECK: return %[[M]], %[[A]], %[[B]]
func.func @main(%s: tensor<6xf32> {fx.state = @s, fx.mutable})
    -> (tensor<6xf32> {fx.mutates = @s}, tensor<2x3xf32>, tensor<2xf32>) {
  %c = arith.constant 1.0 : f32
  %t = tensor.splat %c : tensor<6xf32>
  %old = tensor.expand_shape %s [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
  %new = tensor.extract_slice %t[1] [2] [1] : tensor<6xf32> to tensor<2xf32>
  return %t, %old, %new : tensor<6xf32>, tensor<2x3xf32>, tensor<2xf32>
}

// RUN: fx-opt %s --fx-cpu-finalize-boundary --split-input-file | FileCheck %s

// Scalars become 0-d tensors. Only arguments that are written back are
// writable.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[N:.*]]: tensor<i64> {bufferization.writable = false}
// CHECK-SAME: tensor<4xf32> {bufferization.writable = true, fx.mutable, fx.state = @s, fx.written}
// CHECK-SAME: -> (tensor<4xf32> {fx.mutates = @s}, tensor<i64>)
// CHECK-SAME: llvm.emit_c_interface
// CHECK: %[[V:.*]] = tensor.extract %[[N]][] : tensor<i64>
// CHECK: %[[T:.*]] = tensor.splat
// CHECK: %[[R:.*]] = tensor.from_elements %[[V]] : tensor<i64>
// CHECK: return %[[T]], %[[R]]
func.func @main(%n: i64, %s: tensor<4xf32> {fx.state = @s, fx.mutable})
    -> (tensor<4xf32> {fx.mutates = @s}, i64) {
  %c = arith.constant 1.0 : f32
  %t = tensor.splat %c : tensor<4xf32>
  return %t, %n : tensor<4xf32>, i64
}

// -----

// CHECK-LABEL: func.func @main
// CHECK-SAME: tensor<4xf32> {bufferization.writable = true, fx.written}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {fx.mutates_input = 0 : i64}) {
  %c = arith.constant 1.0 : f32
  %t = tensor.splat %c : tensor<4xf32>
  return %t : tensor<4xf32>
}

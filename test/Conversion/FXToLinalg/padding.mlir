// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// Padding with elements of the input.

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 3, 6, 7], f32>
  // Reflection: two selects for each padded dimension.
  // CHECK-COUNT-4: arith.select
  // CHECK: tensor.extract
  %r = call_function @aten.pad.default(%x, [1, 2, 0, 1], "reflect") : (!fx.tensor<[s0, 3, 6, 7], f32>) -> !fx.tensor<[s0, 3, 7, 10], f32>
  // CHECK: arith.maxsi
  // CHECK: arith.minsi
  %p = call_function @aten.pad.default(%x, [1, 2], "replicate") : (!fx.tensor<[s0, 3, 6, 7], f32>) -> !fx.tensor<[s0, 3, 6, 10], f32>
  // CHECK: tensor.pad
  %c = call_function @aten.im2col.default(%x, [2, 3], [1, 1], [1, 0], [2, 2]) : (!fx.tensor<[s0, 3, 6, 7], f32>) -> !fx.tensor<[s0, 18, 12], f32>
  // Each element is the sum over the windows that contain it.
  // CHECK-COUNT-6: tensor.extract
  %i = call_function @aten.col2im.default(%c, [6, 7], [2, 3], [1, 1], [1, 0], [2, 2]) : (!fx.tensor<[s0, 18, 12], f32>) -> !fx.tensor<[s0, 3, 6, 7], f32>
  output(%r, %p, %c, %i) : (!fx.tensor<[s0, 3, 7, 10], f32>, !fx.tensor<[s0, 3, 6, 10], f32>, !fx.tensor<[s0, 18, 12], f32>, !fx.tensor<[s0, 3, 6, 7], f32>)
}

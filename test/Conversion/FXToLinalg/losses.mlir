// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// Losses.

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 5], f32>
  %t = placeholder "t" : !fx.tensor<[s0], i64>
  %p = placeholder "p" : !fx.tensor<[s0, 5], f32>
  // Targets are checked. An ignored target is read as class 0.
  // CHECK: arith.select
  // CHECK: cf.assert %{{.*}}, "{{[^ ]*}}: aten.nll_loss_nd.default: a target is out of range (
  // CHECK: tensor.extract
  // CHECK: arith.divf
  %n = call_function @aten.nll_loss_nd.default(%x, %t) : (!fx.tensor<[s0, 5], f32>, !fx.tensor<[s0], i64>) -> !fx.tensor<[], f32>
  // CHECK: math.exp
  // CHECK: cf.assert %{{.*}}, "{{[^ ]*}}: aten.cross_entropy_loss.default: a target is out of range (
  %c = call_function @aten.cross_entropy_loss.default(%x, %t) : (!fx.tensor<[s0, 5], f32>, !fx.tensor<[s0], i64>) -> !fx.tensor<[], f32>
  // Large logits do not overflow.
  // CHECK: math.log1p
  %b = call_function @aten.binary_cross_entropy_with_logits.default(%x, %p) : (!fx.tensor<[s0, 5], f32>, !fx.tensor<[s0, 5], f32>) -> !fx.tensor<[], f32>
  output(%n, %c, %b) : (!fx.tensor<[], f32>, !fx.tensor<[], f32>, !fx.tensor<[], f32>)
}

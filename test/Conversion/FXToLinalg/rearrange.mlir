// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// Elements at constant indices.

// CHECK-LABEL: func.func @main
// CHECK: arith.constant dense<{{\[\[}}0, 1], [0, 2], [1, 2]]> : tensor<3x2xi64>
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 4], f32>
  %y = placeholder "y" : !fx.tensor<[s0, 4], f32>
  %m = placeholder "m" : !fx.tensor<[5, 4], f32>
  %v = placeholder "v" : !fx.tensor<[3], f32>
  // CHECK: tensor.extract %{{.*}}[%{{.*}}, %{{.*}}]
  %d = call_function @aten.diagonal.default(%m, 1) : (!fx.tensor<[5, 4], f32>) -> !fx.tensor<[3], f32>
  // Elements off the diagonal are not read.
  // CHECK: arith.select
  // CHECK: tensor.extract
  %e = call_function @aten.diag_embed.default(%x) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4, 4], f32>
  // CHECK: arith.subi
  // CHECK: tensor.extract
  %r = call_function @aten.rot90.default(%x, 1, [0, 1]) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[4, s0], f32>
  // CHECK-COUNT-2: tensor.insert_slice
  %h = call_function @aten.hstack.default([%x, %y]) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 8], f32>
  // CHECK: tensor.extract_slice {{.*}}[0, 1] [%{{.*}}, 3]
  %s, %t = call_function @aten.tensor_split.indices(%x, [1], 1) : (!fx.tensor<[s0, 4], f32>) -> (!fx.tensor<[s0, 1], f32>, !fx.tensor<[s0, 3], f32>)
  // CHECK: tensor.extract
  %c = call_function @aten.combinations.default(%v) : (!fx.tensor<[3], f32>) -> !fx.tensor<[u0, 2], f32>
  output(%d, %e, %r, %h, %s, %t, %c) : (!fx.tensor<[3], f32>, !fx.tensor<[s0, 4, 4], f32>, !fx.tensor<[4, s0], f32>, !fx.tensor<[s0, 8], f32>, !fx.tensor<[s0, 1], f32>, !fx.tensor<[s0, 3], f32>, !fx.tensor<[u0, 2], f32>)
}

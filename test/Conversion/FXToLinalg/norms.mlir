// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// Norms and distances.

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 3, 4], f32>
  %y = placeholder "y" : !fx.tensor<[s0, 5, 4], f32>
  // The largest sum of absolute values of a column.
  // CHECK: math.absf
  // CHECK: arith.maximumf
  %n = call_function @aten.linalg_matrix_norm.default(%x, 1) : (!fx.tensor<[s0, 3, 4], f32>) -> !fx.tensor<[s0], f32>
  // All pairs of rows.
  // CHECK: arith.subf
  // CHECK: math.sqrt
  %c = call_function @aten.cdist.default(%x, %y) : (!fx.tensor<[s0, 3, 4], f32>, !fx.tensor<[s0, 5, 4], f32>) -> !fx.tensor<[s0, 3, 5], f32>
  // CHECK: arith.maximumf
  // CHECK: arith.divf
  %s = call_function @aten.cosine_similarity.default(%x, %x, -1) : (!fx.tensor<[s0, 3, 4], f32>, !fx.tensor<[s0, 3, 4], f32>) -> !fx.tensor<[s0, 3], f32>
  // CHECK: arith.cmpf ogt
  // CHECK: arith.select
  %r = call_function @aten.renorm.default(%x, 2, 1, 1.5) : (!fx.tensor<[s0, 3, 4], f32>) -> !fx.tensor<[s0, 3, 4], f32>
  output(%n, %c, %s, %r) : (!fx.tensor<[s0], f32>, !fx.tensor<[s0, 3, 5], f32>, !fx.tensor<[s0, 3], f32>, !fx.tensor<[s0, 3, 4], f32>)
}

// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// Batch norm with the statistics of the batch.

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 3, 4], f32>
  %w = placeholder "w" : !fx.tensor<[3], f32>
  %m = placeholder "m" : !fx.tensor<[3], f32>
  %v = placeholder "v" : !fx.tensor<[3], f32>
  // The running statistics move towards the statistics of the batch. Their
  // variance divides by the number of elements minus one.
  // CHECK: math.sqrt
  // CHECK: arith.mulf
  // CHECK: linalg.generic
  // CHECK: arith.addf
  %y, %a, %b, %rm, %rv = call_function @aten._native_batch_norm_legit_functional.default(%x, %w, %w, %m, %v, true, 0.1, 1.0e-5) : (!fx.tensor<[s0, 3, 4], f32>, !fx.tensor<[3], f32>, !fx.tensor<[3], f32>, !fx.tensor<[3], f32>, !fx.tensor<[3], f32>) -> (!fx.tensor<[s0, 3, 4], f32>, !fx.tensor<[3], f32>, !fx.tensor<[3], f32>, !fx.tensor<[3], f32>, !fx.tensor<[3], f32>)
  output(%y, %rm, %rv) : (!fx.tensor<[s0, 3, 4], f32>, !fx.tensor<[3], f32>, !fx.tensor<[3], f32>)
}

// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// Products that become contractions.

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 3, 4], f32>
  %y = placeholder "y" : !fx.tensor<[3, 5, 4], f32>
  %w = placeholder "w" : !fx.tensor<[6, 3, 4], f32>
  %a = placeholder "a" : !fx.tensor<[s0, 3], f32>
  %b = placeholder "b" : !fx.tensor<[s0, 4], f32>
  // CHECK: iterator_types = ["parallel", "parallel", "reduction", "reduction"]
  %t = call_function @aten.tensordot.default(%x, %y, [1, 2], [0, 2]) : (!fx.tensor<[s0, 3, 4], f32>, !fx.tensor<[3, 5, 4], f32>) -> !fx.tensor<[s0, 5], f32>
  // Contracts with the first input, then with the second.
  // CHECK: iterator_types = ["parallel", "parallel", "parallel", "reduction"]
  // CHECK: iterator_types = ["parallel", "parallel", "reduction"]
  %i = call_function @aten.bilinear.default(%a, %b, %w) : (!fx.tensor<[s0, 3], f32>, !fx.tensor<[s0, 4], f32>, !fx.tensor<[6, 3, 4], f32>) -> !fx.tensor<[s0, 6], f32>
  // CHECK: iterator_types = ["parallel", "parallel", "parallel", "reduction"]
  // CHECK: iterator_types = ["parallel", "parallel", "reduction"]
  %l = call_function @aten._trilinear.default(%b, %w, %a, [1, 2], [0], [1, 3], [2, 3]) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[6, 3, 4], f32>, !fx.tensor<[s0, 3], f32>) -> !fx.tensor<[s0, 6], f32>
  // CHECK: arith.mulf
  // CHECK: arith.subf
  %c = call_function @aten.linalg_cross.default(%a, %a, dim = 1) : (!fx.tensor<[s0, 3], f32>, !fx.tensor<[s0, 3], f32>) -> !fx.tensor<[s0, 3], f32>
  output(%t, %i, %l, %c) : (!fx.tensor<[s0, 5], f32>, !fx.tensor<[s0, 6], f32>, !fx.tensor<[s0, 6], f32>, !fx.tensor<[s0, 3], f32>)
}

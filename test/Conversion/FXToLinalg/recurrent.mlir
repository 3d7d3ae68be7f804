// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// One matmul for all steps, then a loop that carries the state.

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 3, 4], f32>
  %h = placeholder "h" : !fx.tensor<[1, 3, 6], f32>
  %c = placeholder "c" : !fx.tensor<[1, 3, 6], f32>
  %wi = placeholder "wi" : !fx.tensor<[24, 4], f32>
  %wh = placeholder "wh" : !fx.tensor<[24, 6], f32>
  %bi = placeholder "bi" : !fx.tensor<[24], f32>
  %bh = placeholder "bh" : !fx.tensor<[24], f32>
  // CHECK: iterator_types = ["parallel", "parallel", "parallel", "reduction"]
  // CHECK: scf.for {{.*}} -> (tensor<?x3x6xf32>, tensor<3x6xf32>, tensor<3x6xf32>)
  // CHECK: iterator_types = ["parallel", "parallel", "reduction"]
  // CHECK: math.tanh
  // CHECK: math.tanh
  // CHECK: tensor.insert_slice
  %y, %hn, %cn = call_function @aten.lstm.input(%x, [%h, %c], [%wi, %wh, %bi, %bh], true, 1, 0.0, false, false, false) : (!fx.tensor<[s0, 3, 4], f32>, !fx.tensor<[1, 3, 6], f32>, !fx.tensor<[1, 3, 6], f32>, !fx.tensor<[24, 4], f32>, !fx.tensor<[24, 6], f32>, !fx.tensor<[24], f32>, !fx.tensor<[24], f32>) -> (!fx.tensor<[s0, 3, 6], f32>, !fx.tensor<[1, 3, 6], f32>, !fx.tensor<[1, 3, 6], f32>)
  output(%y, %hn, %cn) : (!fx.tensor<[s0, 3, 6], f32>, !fx.tensor<[1, 3, 6], f32>, !fx.tensor<[1, 3, 6], f32>)
}

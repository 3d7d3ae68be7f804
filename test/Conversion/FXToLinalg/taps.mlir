// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// Windows of few taps are unrolled. Windows of many taps are a loop, so that
// the size of the code does not depend on them.

// CHECK-LABEL: func.func @main
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[2, 3, 40, 40], f32>
  %w = placeholder "w" : !fx.tensor<[2, 300, 961], f32>
  // CHECK: linalg.pooling_nchw_max
  // CHECK-NOT: scf.for
  // CHECK-COUNT-9: tensor.extract %
  // CHECK: linalg.pooling_nchw_max
  // CHECK: linalg.generic
  // CHECK-NEXT: ^bb0
  // CHECK: scf.for {{.*}} to %c49 step %c1 iter_args
  // CHECK: arith.remui %{{.*}}, %c7
  // CHECK-COUNT-1: tensor.extract %
  // CHECK-NOT: tensor.extract %
  // CHECK: scf.yield
  %a:2 = call_function @aten.max_pool2d_with_indices.default(%x, [3, 3]) : (!fx.tensor<[2, 3, 40, 40], f32>) -> (!fx.tensor<[2, 3, 13, 13], f32>, !fx.tensor<[2, 3, 13, 13], i64>)
  %b:2 = call_function @aten.max_pool2d_with_indices.default(%x, [7, 7]) : (!fx.tensor<[2, 3, 40, 40], f32>) -> (!fx.tensor<[2, 3, 5, 5], f32>, !fx.tensor<[2, 3, 5, 5], i64>)
  // CHECK: scf.for {{.*}} to %c100 step %c1 iter_args
  // CHECK-COUNT-1: tensor.extract %
  // CHECK-NOT: tensor.extract %
  // CHECK: scf.yield
  %i = call_function @aten.col2im.default(%w, [40, 40], [10, 10], [1, 1], [0, 0], [1, 1]) : (!fx.tensor<[2, 300, 961], f32>) -> !fx.tensor<[2, 3, 40, 40], f32>
  output(%a#0, %a#1, %b#0, %b#1, %i) : (!fx.tensor<[2, 3, 13, 13], f32>, !fx.tensor<[2, 3, 13, 13], i64>, !fx.tensor<[2, 3, 5, 5], f32>, !fx.tensor<[2, 3, 5, 5], i64>, !fx.tensor<[2, 3, 40, 40], f32>)
}

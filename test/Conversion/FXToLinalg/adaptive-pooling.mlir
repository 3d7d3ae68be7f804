// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// Windows of unequal size.

// CHECK-LABEL: func.func @main
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[2, 3, 7, 5], f32>
  // Beyond the end of a window 0 is added. The sum is divided by the size of
  // the window.
  // CHECK: arith.divsi
  // CHECK: iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]
  // CHECK: arith.divf
  %a = call_function @aten.adaptive_avg_pool2d.default(%x, [3, 4]) : (!fx.tensor<[2, 3, 7, 5], f32>) -> !fx.tensor<[2, 3, 3, 4], f32>
  // CHECK: linalg.generic
  // CHECK: arith.maximumf
  // CHECK: arith.minsi
  %m, %k = call_function @aten.adaptive_max_pool2d.default(%x, [3, 4]) : (!fx.tensor<[2, 3, 7, 5], f32>) -> (!fx.tensor<[2, 3, 3, 4], f32>, !fx.tensor<[2, 3, 3, 4], i64>)
  // CHECK: cf.assert %{{.*}}, "{{[^ ]*}}: aten.max_unpool2d.default: an index is out of range (
  // CHECK: tensor.insert
  %u = call_function @aten.max_unpool2d.default(%m, %k, [7, 5]) : (!fx.tensor<[2, 3, 3, 4], f32>, !fx.tensor<[2, 3, 3, 4], i64>) -> !fx.tensor<[2, 3, 7, 5], f32>
  output(%a, %m, %k, %u) : (!fx.tensor<[2, 3, 3, 4], f32>, !fx.tensor<[2, 3, 3, 4], f32>, !fx.tensor<[2, 3, 3, 4], i64>, !fx.tensor<[2, 3, 7, 5], f32>)
}

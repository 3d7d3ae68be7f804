// The generator's state is the last argument and the first result.
// RUN: fx-opt %s --convert-fx-to-linalg --fx-strip-attributes | FileCheck %s --implicit-check-not=fx.
// RUN: fx-opt %s --convert-fx-to-linalg --fx-strip-attributes | mlir-opt -o /dev/null

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<?x3xf32>, %[[G:.*]]: tensor<628xi32>) -> (tensor<628xi32>, tensor<?x3xf32>, tensor<f16>)
// CHECK: %[[R:.*]]:2 = call @random_uniform_f32(%[[G]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: %[[A:.*]] = tensor.expand_shape %[[R]]#0 {{\[\[}}0, 1]]
// CHECK: %[[S:.*]]:2 = call @random_normal_f16(%[[R]]#1, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: %[[B:.*]] = tensor.collapse_shape
// CHECK: return %[[S]]#1, %[[A]], %[[B]]
// CHECK: func.func @seed_generator(%{{.*}}: i64) -> tensor<628xi32>
// CHECK: func.func private @random_uniform_f32
// CHECK-NOT: @random_bernoulli
// CHECK: func.func private @random_normal_f16
fx.graph @main symbols [s0 in [2, 8]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 3], f32>
  %a = call_function @aten.rand_like.default(%x) : (!fx.tensor<[s0, 3], f32>) -> !fx.tensor<[s0, 3], f32>
  %b = call_function @aten.randn.default([], dtype = f16) : () -> !fx.tensor<[], f16>
  output(%a, %b) : (!fx.tensor<[s0, 3], f32>, !fx.tensor<[], f16>)
}

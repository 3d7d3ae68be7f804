// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s
// RUN: fx-opt %s --convert-fx-to-linalg | FileCheck %s --check-prefix=ORDER

// Grouped-query attention: the keys and values are not repeated; the heads of
// the queries are split. All operations of one attention carry the same number.

// CHECK-DAG: #[[$Q:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d5)>
// CHECK-DAG: #[[$K:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4, d5)>
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[Q:.*]]: tensor<1x8x?x16xf32>{{.*}}, %[[K:.*]]: tensor<1x2x?x16xf32>{{.*}}, %[[V:.*]]: tensor<1x2x?x16xf32>
fx.graph @main symbols [s0 in [2, 512]] attributes {functional} {
  %q = placeholder "q" : !fx.tensor<[1, 8, s0, 16], f32>
  %k = placeholder "k" : !fx.tensor<[1, 2, s0, 16], f32>
  %v = placeholder "v" : !fx.tensor<[1, 2, s0, 16], f32>
  %k1 = call_function @aten.unsqueeze.default(%k, 2) : (!fx.tensor<[1, 2, s0, 16], f32>) -> !fx.tensor<[1, 2, 1, s0, 16], f32>
  %k2 = call_function @aten.expand.default(%k1, [1, 2, 4, -1, 16]) : (!fx.tensor<[1, 2, 1, s0, 16], f32>) -> !fx.tensor<[1, 2, 4, s0, 16], f32>
  %k3 = call_function @aten.reshape.default(%k2, [1, 8, -1, 16]) : (!fx.tensor<[1, 2, 4, s0, 16], f32>) -> !fx.tensor<[1, 8, s0, 16], f32>
  %v1 = call_function @aten.unsqueeze.default(%v, 2) : (!fx.tensor<[1, 2, s0, 16], f32>) -> !fx.tensor<[1, 2, 1, s0, 16], f32>
  %v2 = call_function @aten.expand.default(%v1, [1, 2, 4, -1, 16]) : (!fx.tensor<[1, 2, 1, s0, 16], f32>) -> !fx.tensor<[1, 2, 4, s0, 16], f32>
  %v3 = call_function @aten.reshape.default(%v2, [1, 8, -1, 16]) : (!fx.tensor<[1, 2, 4, s0, 16], f32>) -> !fx.tensor<[1, 8, s0, 16], f32>
  // CHECK-NOT: tensor<1x8x?x16xf32>, tensor<1x8x?x16xf32>
  // CHECK: %[[SPLIT:.*]] = tensor.expand_shape %[[Q]] {{\[\[}}0], [1, 2], [3], [4]]
  // CHECK: %[[S:.*]] = linalg.generic {indexing_maps = [#[[$Q]], #[[$K]], {{.*}}ins(%[[SPLIT]], %[[K]] : {{.*}} attrs = {fx.attention = 0 : i64}
  // A causal mask is a comparison of indices.
  // CHECK: linalg.index 3
  // CHECK: linalg.index 4
  // CHECK: arith.maximumf
  // CHECK: math.exp
  // CHECK: linalg.generic {{.*}} %[[V]] : {{.*}} attrs = {fx.attention = 0 : i64}
  // CHECK: arith.divf
  // ORDER: arith.divf
  %y = call_function @aten.scaled_dot_product_attention.default(%q, %k3, %v3, None, 0.0, true) : (!fx.tensor<[1, 8, s0, 16], f32>, !fx.tensor<[1, 8, s0, 16], f32>, !fx.tensor<[1, 8, s0, 16], f32>) -> !fx.tensor<[1, 8, s0, 16], f32>
  // ORDER: attrs =  {fx.attention = 1 : i64}
  %z = call_function @aten.scaled_dot_product_attention.default(%q, %k, %v, enable_gqa = true) : (!fx.tensor<[1, 8, s0, 16], f32>, !fx.tensor<[1, 2, s0, 16], f32>, !fx.tensor<[1, 2, s0, 16], f32>) -> !fx.tensor<[1, 8, s0, 16], f32>
  // Dropout: a mask with an element for each score.
  // ORDER: fx_kernel.random "bernoulli" of i1{{.*}} outs(%{{.*}} : tensor<1x8x?x?xi1>)
  // ORDER: attrs =  {fx.attention = 2 : i64}
  %r = call_function @aten.scaled_dot_product_attention.default(%q, %q, %q, None, 0.5) : (!fx.tensor<[1, 8, s0, 16], f32>, !fx.tensor<[1, 8, s0, 16], f32>, !fx.tensor<[1, 8, s0, 16], f32>) -> !fx.tensor<[1, 8, s0, 16], f32>
  output(%y, %z, %r) : (!fx.tensor<[1, 8, s0, 16], f32>, !fx.tensor<[1, 8, s0, 16], f32>, !fx.tensor<[1, 8, s0, 16], f32>)
}

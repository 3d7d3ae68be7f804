// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s

// Views move no data. The indexing maps of the users absorb transpose,
// unsqueeze and expand; view becomes collapse_shape and expand_shape.

// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[$LAST:.*]] = affine_map<(d0, d1, d2) -> (d1)>

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<?x6x4xf32>{{.*}}, %[[B:.*]]: tensor<6xf32>
fx.graph @main symbols [s0 in [2, 1024]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 6, 4], f32>
  %b = placeholder "b" : !fx.tensor<[6], f32>

  // The addition iterates in memory order, not in the order of the transposed
  // view.
  // CHECK: %[[ADD:.*]] = linalg.generic {indexing_maps = [#[[$ID]], #[[$LAST]], #[[$ID]]]{{.*}} ins(%[[X]], %[[B]] : tensor<?x6x4xf32>, tensor<6xf32>)
  %t = call_function @aten.transpose.int(%x, 1, 2) : (!fx.tensor<[s0, 6, 4], f32>) -> !fx.tensor<[s0, 4, 6], f32>
  %a = call_function @aten.add.Tensor(%t, %b) : (!fx.tensor<[s0, 4, 6], f32>, !fx.tensor<[6], f32>) -> !fx.tensor<[s0, 4, 6], f32>
  // Splitting a transposed dimension is still a view.
  // CHECK: %[[SPLIT:.*]] = tensor.expand_shape %[[ADD]] {{\[\[}}0], [1, 2], [3]]{{.*}} into tensor<?x2x3x4xf32>
  %v = call_function @aten.view.default(%a, [-1, 4, 2, 3]) : (!fx.tensor<[s0, 4, 6], f32>) -> !fx.tensor<[s0, 4, 2, 3], f32>
  // CHECK: %[[SEL:.*]] = tensor.extract_slice %[[SPLIT]][0, 1, 0, 0] [%{{.*}}, 1, 3, 4] [1, 1, 1, 1] : tensor<?x2x3x4xf32> to tensor<?x3x4xf32>
  %s = call_function @aten.select.int(%v, 2, -1) : (!fx.tensor<[s0, 4, 2, 3], f32>) -> !fx.tensor<[s0, 4, 3], f32>
  // Merging dimensions that do not follow each other in memory needs a copy.
  // CHECK: %[[COPY:.*]] = linalg.transpose ins(%[[SEL]]
  // CHECK: tensor.collapse_shape %[[COPY]] {{\[\[}}0], [1, 2]] : tensor<?x4x3xf32> into tensor<?x12xf32>
  %f = call_function @aten.flatten.using_ints(%s, 1) : (!fx.tensor<[s0, 4, 3], f32>) -> !fx.tensor<[s0, 12], f32>
  // CHECK: tensor.extract_slice {{.*}}[0, 2] [%{{.*}}, 5] [1, 2]
  %sl = call_function @aten.slice.Tensor(%f, 1, 2, 9223372036854775807, 2) : (!fx.tensor<[s0, 12], f32>) -> !fx.tensor<[s0, 5], f32>
  // CHECK: tensor.insert_slice
  // CHECK: tensor.insert_slice {{.*}}[0, 5]
  %c = call_function @aten.cat.default([%sl, %sl], -1) : (!fx.tensor<[s0, 5], f32>, !fx.tensor<[s0, 5], f32>) -> !fx.tensor<[s0, 10], f32>
  output(%c) : (!fx.tensor<[s0, 10], f32>)
}

// Tensors without elements are not sliced, joined or written.
// CHECK-LABEL: func.func @empty
// CHECK-NOT: slice
// CHECK: return
fx.graph @empty attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4, 3], f32>
  %z = placeholder "z" : !fx.tensor<[0, 3], f32>
  %s = call_function @aten.slice.Tensor(%x, 0, 4, 9223372036854775807) : (!fx.tensor<[4, 3], f32>) -> !fx.tensor<[0, 3], f32>
  %c = call_function @aten.cat.default([%z, %z]) : (!fx.tensor<[0, 3], f32>, !fx.tensor<[0, 3], f32>) -> !fx.tensor<[0, 3], f32>
  %e = call_function @aten.select.int(%z, 1, 2) : (!fx.tensor<[0, 3], f32>) -> !fx.tensor<[0], f32>
  output(%s, %c, %e) : (!fx.tensor<[0, 3], f32>, !fx.tensor<[0, 3], f32>, !fx.tensor<[0], f32>)
}

// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[W:.*]]: tensor<10x8xf32>{{.*}}, %[[I:.*]]: tensor<?xi64>{{.*}}, %[[CACHE:.*]]: tensor<1x2x16x8xf32>
fx.graph @main symbols [s0 in [2, 16]] attributes {functional} {
  %w = placeholder "w" : !fx.tensor<[10, 8], f32>
  %i = placeholder "i" : !fx.tensor<[s0], i64>
  %cache = placeholder "cache" : !fx.tensor<[1, 2, 16, 8], f32>
  %pos = placeholder "pos" : !fx.tensor<[1], i64>
  %new = placeholder "new" : !fx.tensor<[1, 2, 1, 8], f32>
  // The indices are checked once, before the loop.
  // CHECK: cf.assert %{{.*}}, "{{[a-z0-9_]+}}: aten.embedding: an index is out of range
  // CHECK: linalg.generic {{.*}} ins(%[[I]] : tensor<?xi64>)
  // CHECK: tensor.extract %[[W]]
  %e = call_function @aten.embedding.default(%w, %i) : (!fx.tensor<[10, 8], f32>, !fx.tensor<[s0], i64>) -> !fx.tensor<[s0, 8], f32>
  // One step of a static cache writes one slice in place.
  // CHECK: cf.assert %{{.*}}, "{{[a-z0-9_]+}}: aten.index_put: an index is out of range
  // CHECK-NOT: scf.for
  // CHECK: tensor.insert_slice %{{.*}} into %[[CACHE]][0, 0, %{{.*}}, 0] [1, 2, 1, 8]
  %v = call_function @aten.view.default(%new, [2, 1, 8]) : (!fx.tensor<[1, 2, 1, 8], f32>) -> !fx.tensor<[2, 1, 8], f32>
  %p = call_function @aten.index_put.default(%cache, [None, None, %pos], %v) : (!fx.tensor<[1, 2, 16, 8], f32>, !fx.tensor<[1], i64>, !fx.tensor<[2, 1, 8], f32>) -> !fx.tensor<[1, 2, 16, 8], f32>
  // More than one index: a loop over the indices.
  // CHECK: scf.for
  // CHECK: tensor.insert_slice
  %c = call_function @aten.index_copy.default(%w, 0, %i, %e) : (!fx.tensor<[10, 8], f32>, !fx.tensor<[s0], i64>, !fx.tensor<[s0, 8], f32>) -> !fx.tensor<[10, 8], f32>
  output(%p, %c) : (!fx.tensor<[1, 2, 16, 8], f32>, !fx.tensor<[10, 8], f32>)
}

// RUN: fx-opt %s --fx-shape-prop | FileCheck %s

// CHECK-LABEL: fx.graph @einsum
fx.graph @einsum symbols [s0 in [2, 64], s1 in [2, 64]] {
  %a = placeholder "a" : !fx.tensor<[s0, 4, 8], f32>
  %b = placeholder "b" : !fx.tensor<[8, s1], f32>
  %c = placeholder "c" : !fx.tensor<[1, s0, 8, 5], f32>
  // CHECK: %ab = {{.*}} -> !fx.tensor<[s0, 4, s1], f32>
  %ab = call_function @aten.einsum.default("bij,jk->bik", [%a, %b]) : (!fx.tensor<[s0, 4, 8], f32>, !fx.tensor<[8, s1], f32>) -> !fx.any
  // CHECK: %ac = {{.*}} -> !fx.tensor<[1, s0, 4, 5], f32>
  %ac = call_function @aten.einsum.default("...ij, ...jk", [%a, %c]) : (!fx.tensor<[s0, 4, 8], f32>, !fx.tensor<[1, s0, 8, 5], f32>) -> !fx.any
  // CHECK: %sum = {{.*}} -> !fx.tensor<[4], f32>
  %sum = call_function @aten.einsum.default("bij->i", [%a]) : (!fx.tensor<[s0, 4, 8], f32>) -> !fx.any
  // The result type stays unknown where the operands do not fit: the equation,
  // the sizes, an unknown letter.
  // CHECK: %w = {{.*}} -> !fx.any
  %w = call_function @aten.einsum.default("bi,jk->bik", [%a, %b]) : (!fx.tensor<[s0, 4, 8], f32>, !fx.tensor<[8, s1], f32>) -> !fx.any
  // CHECK: %v = {{.*}} -> !fx.any
  %v = call_function @aten.einsum.default("bij,ik->bk", [%a, %b]) : (!fx.tensor<[s0, 4, 8], f32>, !fx.tensor<[8, s1], f32>) -> !fx.any
  // CHECK: %u = {{.*}} -> !fx.any
  %u = call_function @aten.einsum.default("bij->z", [%a]) : (!fx.tensor<[s0, 4, 8], f32>) -> !fx.any
  output()
}

// CHECK-LABEL: fx.graph @lstm
fx.graph @lstm symbols [s0 in [2, 64]] {
  %x = placeholder "x" : !fx.tensor<[s0, 3, 8], f32>
  %h = placeholder "h" : !fx.tensor<[2, 3, 5], f32>
  %w = placeholder "w" : !fx.tensor<[20, 8], f32>
  // CHECK: call_function @aten.lstm.input{{.*}} -> (!fx.tensor<[s0, 3, 10], f32>, !fx.tensor<[2, 3, 5], f32>, !fx.tensor<[2, 3, 5], f32>)
  %o, %h1, %c1 = call_function @aten.lstm.input(%x, [%h, %h], [%w], false, 1, 0.0, false, true, false) : (!fx.tensor<[s0, 3, 8], f32>, !fx.tensor<[2, 3, 5], f32>, !fx.tensor<[2, 3, 5], f32>, !fx.tensor<[20, 8], f32>) -> (!fx.any, !fx.any, !fx.any)
  // CHECK: call_function @aten.glu.default{{.*}} -> !fx.tensor<[s0, 3, 4], f32>
  %glu = call_function @aten.glu.default(%x) : (!fx.tensor<[s0, 3, 8], f32>) -> !fx.any
  // CHECK: call_function @aten.mse_loss.default{{.*}} -> !fx.tensor<[], f32>
  %mse = call_function @aten.mse_loss.default(%x, %x) : (!fx.tensor<[s0, 3, 8], f32>, !fx.tensor<[s0, 3, 8], f32>) -> !fx.any
  output()
}

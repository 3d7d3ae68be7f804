// RUN: fx-opt %s --fx-gpu-round-attention | FileCheck %s

#p = affine_map<(m, n, k) -> (m, k)>
#v = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

// The probabilities are rounded to the dtype of the values; the probabilities
// that are summed are not. A matmul that is not part of an attention stays as
// it is.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[P:.*]]: tensor<?x16xf32>, %[[V:.*]]: tensor<16x8xbf16>, %[[INIT:.*]]: tensor<?x8xf32>)
// CHECK: %[[SIZE:.*]] = tensor.dim %[[P]], %c0
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[SIZE]]) : tensor<?x16xbf16>
// CHECK: %[[ROUND:.*]] = linalg.generic {{.*}} ins(%[[P]] : tensor<?x16xf32>) outs(%[[EMPTY]] : tensor<?x16xbf16>) attrs = {fx.attention = 3 : i64}
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: linalg.generic {{.*}} ins(%[[ROUND]], %[[V]] : tensor<?x16xbf16>, tensor<16x8xbf16>) outs(%[[INIT]]
// CHECK-NEXT: ^bb0(%[[X:.*]]: bf16, %[[W:.*]]: bf16, %{{.*}}: f32):
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK: arith.mulf %[[WIDE]]
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[V]] : tensor<?x16xf32>, tensor<16x8xbf16>)
// CHECK: ^bb0(%[[X:.*]]: f32,
// CHECK: arith.mulf %[[X]]
func.func @main(%p: tensor<?x16xf32>, %v: tensor<16x8xbf16>, %init: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = linalg.generic {indexing_maps = [#p, #v, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %v : tensor<?x16xf32>, tensor<16x8xbf16>) outs(%init : tensor<?x8xf32>) attrs = {fx.attention = 3 : i64} {
  ^bb0(%a: f32, %b: bf16, %o: f32):
    %w = arith.extf %b : bf16 to f32
    %m = arith.mulf %a, %w : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  %1 = linalg.generic {indexing_maps = [#p, #v, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %v : tensor<?x16xf32>, tensor<16x8xbf16>) outs(%init : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: bf16, %o: f32):
    %w = arith.extf %b : bf16 to f32
    %m = arith.mulf %a, %w : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  return %0, %1 : tensor<?x8xf32>, tensor<?x8xf32>
}

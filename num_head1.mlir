

// Pooling, the mean over H and W and the flattening of what is left follow;
// batch, height and width are dynamic.
// CHECK-DAG: #[[$POOL:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2 * 2 + d5, d3)>
// CHECK-DAG: #[[$MEAN:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
// CHECK-LABEL: func.func @head
// CHECK-DAG: permutation = [0, 2, 3, 1]
// CHECK-DAG: permutation = [2, 3, 1, 0]
// CHECK: %[[CONV:.*]] = linalg.generic
// CHECK: linalg.generic {indexing_maps = [#[[$POOL]]
// CHECK: linalg.generic {indexing_maps = [#[[$MEAN]]{{.*}}outs(%{{.*}} : tensor<?x8xf32>)
// CHECK-NOT: transpose
// CHECK: return
func.func @head(%x: tensor<?x3x?x?xf32>, %w: tensor<8x3x1x1xf32>, %n: index, %h: index, %h2: index) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n, %h, %h) : tensor<?x8x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  %c = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x, %w : tensor<?x3x?x?xf32>, tensor<8x3x1x1xf32>) outs(%f : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %e2 = tensor.empty(%n, %h2, %h2) : tensor<?x8x?x?xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  %p = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%c, %window : tensor<?x8x?x?xf32>, tensor<3x3xf32>) outs(%f2 : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  %e3 = tensor.empty(%n) : tensor<?x8xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (n, c)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%p : tensor<?x8x?x?xf32>) outs(%f3 : tensor<?x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %0 = arith.addf %v, %o : f32
    linalg.yield %0 : f32
  } -> tensor<?x8xf32>
  return %m : tensor<?x8xf32>
}


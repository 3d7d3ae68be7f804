

// An upsampling that picks elements by index picks them where they lie, and is
// made as the next convolution wants it.
// CHECK-LABEL: func.func @upsample
// CHECK: %[[CONV:.*]] = linalg.generic
// CHECK: %[[UP:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x8x8x8xf32>)
// CHECK-DAG: %[[N:.*]] = linalg.index 0
// CHECK-DAG: %[[C:.*]] = linalg.index 3
// CHECK-DAG: %[[H:.*]] = linalg.index 1
// CHECK-DAG: %[[W:.*]] = linalg.index 2
// CHECK-DAG: %[[H2:.*]] = arith.divui %[[H]], %c2
// CHECK-DAG: %[[W2:.*]] = arith.divui %[[W]], %c2
// CHECK: tensor.extract %[[CONV]][%[[N]], %[[H2]], %[[W2]], %[[C]]]
// CHECK-NOT: transpose
// CHECK: linalg.generic {{.*}} ins(%[[UP]]
func.func @upsample(%x: tensor<1x3x4x4xf32>, %w: tensor<8x3x1x1xf32>, %w2: tensor<8x8x1x1xf32>) -> tensor<1x8x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<1x8x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x4x4xf32>, tensor<8x3x1x1xf32>) outs(%f : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %e2 = tensor.empty() : tensor<1x8x8x8xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e2 : tensor<1x8x8x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %l = linalg.index 3 : index
    %k2 = arith.divui %k, %c2 : index
    %l2 = arith.divui %l, %c2 : index
    %v = tensor.extract %c[%i, %j, %k2, %l2] : tensor<1x8x4x4xf32>
    linalg.yield %v : f32
  } -> tensor<1x8x8x8xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %d = linalg.conv_2d_nchw_fchw ins(%u, %w2 : tensor<1x8x8x8xf32>, tensor<8x8x1x1xf32>) outs(%f2 : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  return %d : tensor<1x8x8x8xf32>
}


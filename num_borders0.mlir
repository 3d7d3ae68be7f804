

// What an op without a rule reads, and what a branch yields, is transposed;
// loop indices follow the loops. The normalisation in front of the convolution
// is made channels-last, so the image is transposed.
// CHECK-LABEL: func.func @borders
// CHECK-SAME: %[[X:.*]]: tensor<1x3x4x4xf32>
// CHECK: %[[XT:.*]] = linalg.transpose ins(%[[X]]
// CHECK: linalg.generic {{.*}} ins(%[[XT]] : tensor<1x4x4x3xf32>)
// CHECK: arith.subf
// CHECK: %[[CONV:.*]] = linalg.generic
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[CONV]] {{.*}} permutation = [0, 3, 1, 2]
// CHECK: scf.if
// CHECK: linalg.generic
// CHECK: linalg.index 3
// CHECK: %[[Y:.*]] = linalg.transpose
// CHECK: scf.yield %[[Y]]
// CHECK: scf.yield %[[T]]
#map = affine_map<(n, c, h, w) -> (n, c, h, w)>
func.func @borders(%x: tensor<1x3x4x4xf32>, %w: tensor<8x3x1x1xf32>, %p: i1) -> tensor<1x8x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %ex = tensor.empty() : tensor<1x3x4x4xf32>
  %x0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x3x4x4xf32>) outs(%ex : tensor<1x3x4x4xf32>) {
    ^bb0(%v: f32, %o: f32):
      %0 = arith.subf %v, %half : f32
      linalg.yield %0 : f32
    } -> tensor<1x3x4x4xf32>
  %e = tensor.empty() : tensor<1x8x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x0, %w : tensor<1x3x4x4xf32>, tensor<8x3x1x1xf32>) outs(%f : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %r = scf.if %p -> tensor<1x8x4x4xf32> {
    %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<1x8x4x4xf32>) outs(%e : tensor<1x8x4x4xf32>) {
    ^bb0(%v: f32, %o: f32):
      %i = linalg.index 1 : index
      %j = arith.index_cast %i : index to i32
      %k = arith.sitofp %j : i32 to f32
      %0 = arith.addf %v, %k : f32
      linalg.yield %0 : f32
    } -> tensor<1x8x4x4xf32>
    scf.yield %y : tensor<1x8x4x4xf32>
  } else {
    scf.yield %c : tensor<1x8x4x4xf32>
  }
  return %r : tensor<1x8x4x4xf32>
}


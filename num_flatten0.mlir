

// The flattening of a global pool that kept its dimensions is a reshape.
// CHECK-LABEL: func.func @flatten
// CHECK: %[[CONV:.*]] = linalg.generic
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[CONV]] {{\[}}[0], [1, 2, 3]] : tensor<2x1x1x8xf32> into tensor<2x8xf32>
// CHECK-NEXT: return %[[FLAT]]
func.func @flatten(%x: tensor<2x4x1x1xf32>, %w: tensor<8x4x1x1xf32>) -> tensor<2x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x1x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x1x1xf32>) -> tensor<2x8x1x1xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x4x1x1xf32>, tensor<8x4x1x1xf32>) outs(%f : tensor<2x8x1x1xf32>) -> tensor<2x8x1x1xf32>
  %r = tensor.collapse_shape %c [[0], [1, 2, 3]] : tensor<2x8x1x1xf32> into tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}


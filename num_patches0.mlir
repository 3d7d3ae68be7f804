

// Patches to tokens: [N, C, H, W] -> [N, C, H*W] -> [N, H*W, C] costs nothing.
// CHECK-LABEL: func.func @patches
// CHECK: %[[CONV:.*]] = linalg.generic
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[CONV]] {{\[}}[0], [1, 2], [3]] : tensor<2x4x4x8xf32> into tensor<2x16x8xf32>
// CHECK-NEXT: return %[[FLAT]]
func.func @patches(%x: tensor<2x3x8x8xf32>, %w: tensor<8x3x2x2xf32>) -> tensor<2x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %c = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x3x8x8xf32>, tensor<8x3x2x2xf32>) outs(%f : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %r = tensor.collapse_shape %c [[0], [1], [2, 3]] : tensor<2x8x4x4xf32> into tensor<2x8x16xf32>
  %e2 = tensor.empty() : tensor<2x16x8xf32>
  %t = linalg.transpose ins(%r : tensor<2x8x16xf32>) outs(%e2 : tensor<2x16x8xf32>) permutation = [0, 2, 1]
  return %t : tensor<2x16x8xf32>
}


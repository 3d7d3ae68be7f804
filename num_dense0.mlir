

// A concatenation that starts with the image is made channels-last as a whole:
// the image is transposed once, for it and for the convolution.
// CHECK-LABEL: func.func @dense
// CHECK-SAME: %[[X:.*]]: tensor<1x8x4x4xf32>
// CHECK: %[[XT:.*]] = linalg.transpose ins(%[[X]]
// CHECK: %[[A:.*]] = tensor.insert_slice %[[XT]] into %{{.*}}[0, 0, 0, 0] [1, 4, 4, 8] [1, 1, 1, 1]
// CHECK: %[[CONV:.*]] = linalg.generic
// CHECK-NOT: transpose
// CHECK: tensor.insert_slice %[[CONV]] into %[[A]][0, 0, 0, 8] [1, 4, 4, 8] [1, 1, 1, 1]
func.func @dense(%x: tensor<1x8x4x4xf32>, %w: tensor<8x8x1x1xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<1x8x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %e2 = tensor.empty() : tensor<1x16x4x4xf32>
  %a = tensor.insert_slice %x into %e2[0, 0, 0, 0] [1, 8, 4, 4] [1, 1, 1, 1] : tensor<1x8x4x4xf32> into tensor<1x16x4x4xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x8x4x4xf32>, tensor<8x8x1x1xf32>) outs(%f : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %b = tensor.insert_slice %c into %a[0, 8, 0, 0] [1, 8, 4, 4] [1, 1, 1, 1] : tensor<1x8x4x4xf32> into tensor<1x16x4x4xf32>
  %v = tensor.extract %b[%c0, %c0, %c0, %c0] : tensor<1x16x4x4xf32>
  return %v : f32
}


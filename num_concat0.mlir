

// Concatenation into a fresh tensor, a slice of it, its size and one element.
// CHECK-LABEL: func.func @concat
// CHECK: %[[CONV:.*]] = linalg.generic
// CHECK: %[[NEW:.*]] = tensor.empty() : tensor<1x4x4x16xf32>
// CHECK: %[[A:.*]] = tensor.insert_slice %[[CONV]] into %[[NEW]][0, 0, 0, 0] [1, 4, 4, 8] [1, 1, 1, 1]
// CHECK: %[[B:.*]] = tensor.insert_slice %[[CONV]] into %[[A]][0, 0, 0, 8] [1, 4, 4, 8] [1, 1, 1, 1]
// CHECK: tensor.extract_slice %[[B]][0, 1, 0, 4] [1, 2, 4, 8] [1, 1, 1, 1] : tensor<1x4x4x16xf32> to tensor<2x4x8xf32>
// CHECK: linalg.transpose {{.*}} permutation = [2, 0, 1]
// CHECK: tensor.extract %[[B]][%c0, %c3, %c1, %c2]
func.func @concat(%x: tensor<1x3x4x4xf32>, %w: tensor<8x3x1x1xf32>) -> (tensor<8x2x4xf32>, f32) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x4x4xf32>, tensor<8x3x1x1xf32>) outs(%f : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %e2 = tensor.empty() : tensor<1x16x4x4xf32>
  %a = tensor.insert_slice %c into %e2[0, 0, 0, 0] [1, 8, 4, 4] [1, 1, 1, 1] : tensor<1x8x4x4xf32> into tensor<1x16x4x4xf32>
  %b = tensor.insert_slice %c into %a[0, 8, 0, 0] [1, 8, 4, 4] [1, 1, 1, 1] : tensor<1x8x4x4xf32> into tensor<1x16x4x4xf32>
  %s = tensor.extract_slice %b[0, 4, 1, 0] [1, 8, 2, 4] [1, 1, 1, 1] : tensor<1x16x4x4xf32> to tensor<8x2x4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %v = tensor.extract %b[%c0, %c2, %c3, %c1] : tensor<1x16x4x4xf32>
  return %s, %v : tensor<8x2x4xf32>, f32
}




// A grouped and a depthwise convolution; the channels are split and joined
// where they lie.
// CHECK-DAG: #[[$GIMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1 + d5, d2 + d6, d3, d7)>
// CHECK-DAG: #[[$GFILTER:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d3, d5, d6, d7, d4)>
// CHECK-DAG: #[[$GRESULT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4)>
// CHECK-DAG: #[[$DIMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d4 * 2, d2 + d5 * 2, d3)>
// CHECK-DAG: #[[$DFILTER:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5, d3)>
// CHECK-LABEL: func.func @groups
// CHECK-DAG: permutation = [0, 3, 4, 1, 2]
// CHECK-DAG: permutation = [0, 3, 4, 2, 1]
// CHECK-DAG: permutation = [1, 2, 0]
// CHECK: linalg.generic {indexing_maps = [#[[$GIMAGE]], #[[$GFILTER]], #[[$GRESULT]]]
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0], [1], [2], [3, 4]] : tensor<1x6x6x2x4xf32> into tensor<1x6x6x8xf32>
// CHECK: linalg.generic {indexing_maps = [#[[$DIMAGE]], #[[$DFILTER]], #{{.*}}]
func.func @groups(%x: tensor<1x2x3x8x8xf32>, %w: tensor<2x4x3x3x3xf32>, %d: tensor<8x3x3xf32>) -> tensor<1x8x2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x4x6x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x4x6x6xf32>) -> tensor<1x2x4x6x6xf32>
  %c = linalg.conv_2d_ngchw_gfchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x, %w : tensor<1x2x3x8x8xf32>, tensor<2x4x3x3x3xf32>) outs(%f : tensor<1x2x4x6x6xf32>) -> tensor<1x2x4x6x6xf32>
  %r = tensor.collapse_shape %c [[0], [1, 2], [3], [4]] : tensor<1x2x4x6x6xf32> into tensor<1x8x6x6xf32>
  %e2 = tensor.empty() : tensor<1x8x2x2xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32>
  %c2 = linalg.depthwise_conv_2d_nchw_chw {strides = dense<1> : tensor<2xi64>, dilations = dense<2> : tensor<2xi64>}
    ins(%r, %d : tensor<1x8x6x6xf32>, tensor<8x3x3xf32>) outs(%f2 : tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32>
  return %c2 : tensor<1x8x2x2xf32>
}


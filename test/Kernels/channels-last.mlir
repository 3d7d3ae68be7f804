// RUN: fx-opt %s -fx-channels-last -split-input-file | FileCheck %s
// RUN: fx-opt %s -fx-channels-last -fx-channels-last -split-input-file | FileCheck %s

// A residual block: one transpose of the input, one of the result, those of the
// weights, and no others.
// CHECK-DAG: #[[$IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 2 + d4, d2 * 2 + d5, d6)>
// CHECK-DAG: #[[$FILTER:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
// CHECK-DAG: #[[$RESULT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[$LAST:.*]] = affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK-LABEL: func.func @block
// CHECK-SAME: %[[X:.*]]: tensor<1x3x15x15xf32>, %[[W:.*]]: tensor<8x3x3x3xf32>
// CHECK-DAG: %[[XT:.*]] = linalg.transpose ins(%[[X]] : {{.*}}) outs({{.*}} : tensor<1x15x15x3xf32>) permutation = [0, 2, 3, 1]
// CHECK-DAG: %[[WT:.*]] = linalg.transpose ins(%[[W]] : {{.*}}) outs({{.*}} : tensor<3x3x3x8xf32>) permutation = [2, 3, 1, 0]
// CHECK: %[[PAD:.*]] = tensor.pad %[[XT]] low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK: %[[CONV:.*]] = linalg.generic {indexing_maps = [#[[$IMAGE]], #[[$FILTER]], #[[$RESULT]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%[[PAD]], %{{.*}} : tensor<1x17x17x3xf32>, tensor<3x3x3x8xf32>)
// CHECK: %[[RELU:.*]] = linalg.generic {indexing_maps = [#[[$ID]], #[[$LAST]], #[[$ID]]]{{.*}} ins(%[[CONV]], %{{.*}} : tensor<1x8x8x8xf32>, tensor<8xf32>) outs({{.*}} : tensor<1x8x8x8xf32>)
// CHECK: tensor.pad %[[RELU]] low[0, 1, 1, 0]
// CHECK: %[[CONV2:.*]] = linalg.generic
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[$ID]], #[[$ID]], #[[$ID]]]{{.*}} ins(%[[RELU]], %[[CONV2]]
// CHECK: %[[BACK:.*]] = linalg.transpose ins(%[[SUM]] : {{.*}}) outs({{.*}} : tensor<1x8x8x8xf32>) permutation = [0, 3, 1, 2]
// CHECK-NOT: transpose
// CHECK: return %[[BACK]]
#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>
func.func @block(%x: tensor<1x3x15x15xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<8xf32>, %w2: tensor<8x8x3x3xf32>) -> tensor<1x8x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x3x15x15xf32> to tensor<1x3x17x17xf32>
  %e = tensor.empty() : tensor<1x8x8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %c = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%p, %w : tensor<1x3x17x17xf32>, tensor<8x3x3x3xf32>) outs(%f : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%c, %b : tensor<1x8x8x8xf32>, tensor<8xf32>) outs(%e : tensor<1x8x8x8xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %0 = arith.addf %v, %u : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<1x8x8x8xf32>
  %q = tensor.pad %r low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x8x8x8xf32> to tensor<1x8x10x10xf32>
  %c2 = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%q, %w2 : tensor<1x8x10x10xf32>, tensor<8x8x3x3xf32>) outs(%f : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%r, %c2 : tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) outs(%e : tensor<1x8x8x8xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %0 = arith.addf %v, %u : f32
    linalg.yield %0 : f32
  } -> tensor<1x8x8x8xf32>
  return %s : tensor<1x8x8x8xf32>
}

// -----

// Pooling, the mean over H and W and the flattening of its result are
// channels-last, too. Batch, height and width are dynamic.
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

// -----

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

// -----

// Patches to tokens: [N, C, H, W] -> [N, C, H*W] -> [N, H*W, C] moves no data.
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

// -----

// A grouped and a depthwise convolution. The channels are split and joined
// without a transpose.
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

// -----

// Concatenation into a new tensor, a slice of it, its size and one element.
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

// -----

// Operands of ops without a rule, and values that a branch yields, are
// transposed. Loop indices are permuted with the loops. The normalization
// before the convolution becomes channels-last, so the image is transposed.
// CHECK-LABEL: func.func @boundary
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
func.func @boundary(%x: tensor<1x3x4x4xf32>, %w: tensor<8x3x1x1xf32>, %p: i1) -> tensor<1x8x4x4xf32> {
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

// -----

// An upsampling that reads elements by index reads them in the channels-last
// tensor, and its result has the layout that the next convolution needs.
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

// -----

// A concatenation that starts with the image becomes channels-last as a whole:
// the image is transposed once, for the concatenation and the convolution.
// CHECK-LABEL: func.func @dense
// CHECK-SAME: %[[X:.*]]: tensor<1x8x4x4xf32>
// CHECK: %[[XT:.*]] = linalg.transpose ins(%[[X]]
// CHECK: %[[A:.*]] = tensor.insert_slice %[[XT]] into %{{.*}}[0, 0, 0, 0] [1, 4, 4, 8] [1, 1, 1, 1]
// CHECK: %[[CONV:.*]] = linalg.generic
// CHECK-NOT: linalg.transpose
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

// -----

// Without a convolution nothing changes.
// CHECK-LABEL: func.func @none
// CHECK: linalg.pooling_nchw_max
// CHECK-NOT: transpose
func.func @none(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x2x2xf32> {
  %e = tensor.empty() : tensor<1x8x2x2xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %p = linalg.pooling_nchw_max ins(%x, %window : tensor<1x8x4x4xf32>, tensor<3x3xf32>) outs(%e : tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xf32>
  return %p : tensor<1x8x2x2xf32>
}

// RUN: fx-opt %s --fx-align-shapes --cse | FileCheck %s

// The reshape between an op on rows and an op on a batch of sequences is moved
// to the operands.
// CHECK-LABEL: func.func @batch
// CHECK-SAME: %[[X:[^:]+]]: tensor<2x?x8xf32>
// CHECK-NOT: collapse_shape
// CHECK: %[[E:.+]] = linalg.generic {{.*}} ins(%[[X]]
// CHECK-NOT: shape
// CHECK: linalg.generic {{.*}} ins(%[[E]]
func.func @batch(%x: tensor<2x?x8xf32>) -> tensor<2x?x8xf32> {
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c1 : tensor<2x?x8xf32>
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x?x8xf32> into tensor<?x8xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %c, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, %d, 8] : tensor<?x8xf32> into tensor<2x?x8xf32>
  %e1 = tensor.empty(%d) : tensor<2x?x8xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<2x?x8xf32>) outs(%e1 : tensor<2x?x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.tanh %a : f32
    linalg.yield %r : f32
  } -> tensor<2x?x8xf32>
  return %2 : tensor<2x?x8xf32>
}

// A unit dimension in between is removed as well.
// CHECK-LABEL: func.func @unit
// CHECK: %[[A:.+]] = linalg.generic
// CHECK-NOT: shape
// CHECK: linalg.generic {{.*}} ins(%[[A]]
func.func @unit(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8x1xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<8x1xf32>
  %c = tensor.collapse_shape %0 [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%c : tensor<8xf32>) outs(%e1 : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.tanh %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// A window that is smaller than its image keeps the unit loops of the result.
// Without them the window would cover the whole image.
// CHECK-LABEL: func.func @window
// CHECK: linalg.generic {{.*}}"reduction", "reduction"]} ins(%{{.*}}, %{{.*}} : tensor<3x3x8xf32>, tensor<2x2xf32>)
func.func @window(%x: tensor<1x3x3x8xf32>) -> tensor<1x1x1x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1x1x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %r = linalg.generic {indexing_maps = [
      affine_map<(n, h, w, c, kh, kw) -> (n, h * 2 + kh, w * 2 + kw, c)>,
      affine_map<(n, h, w, c, kh, kw) -> (kh, kw)>,
      affine_map<(n, h, w, c, kh, kw) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x3x3x8xf32>, tensor<2x2xf32>) outs(%f : tensor<1x1x1x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.maximumf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<1x1x1x8xf32>
  return %r : tensor<1x1x1x8xf32>
}

// The ops on the result of a convolution keep its shape, so that they become a
// part of its kernel. The groups of channels of what follows are a view.
// CHECK-LABEL: func.func @convolution
// CHECK: %[[C:.*]] = linalg.conv_2d_nhwc_hwcf
// CHECK: %[[D:.*]] = tensor.collapse_shape %[[C]]
// CHECK: %[[B:.*]] = linalg.generic {{.*}} ins(%[[D]], %{{.*}} : tensor<4x4x8xf32>, tensor<8xf32>)
// CHECK: %[[G:.*]] = tensor.expand_shape %[[B]]
// CHECK: linalg.generic {{.*}} ins(%[[G]] : tensor<4x4x2x4xf32>)
func.func @convolution(%x: tensor<1x6x6x3xf32>, %w: tensor<3x3x3x8xf32>, %b: tensor<8xf32>, %init: tensor<1x4x4x8xf32>) -> tensor<1x4x4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %c = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x6x6x3xf32>, tensor<3x3x3x8xf32>) outs(%init : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  %e = tensor.empty() : tensor<1x4x4x8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c, %b : tensor<1x4x4x8xf32>, tensor<8xf32>) outs(%e : tensor<1x4x4x8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %a = arith.addf %p, %q : f32
    linalg.yield %a : f32
  } -> tensor<1x4x4x8xf32>
  %g = tensor.expand_shape %s [[0], [1], [2], [3, 4]] output_shape [1, 4, 4, 2, 4] : tensor<1x4x4x8xf32> into tensor<1x4x4x2x4xf32>
  %r = tensor.empty() : tensor<1x4x4x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(n, h, w, g, c) -> (n, h, w, g, c)>, affine_map<(n, h, w, g, c) -> (n, h, w, g)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%g : tensor<1x4x4x2x4xf32>) outs(%f : tensor<1x4x4x2xf32>) {
  ^bb0(%p: f32, %o: f32):
    %a = arith.addf %o, %p : f32
    linalg.yield %a : f32
  } -> tensor<1x4x4x2xf32>
  return %sum : tensor<1x4x4x2xf32>
}

// A transpose loses its unit dimensions, so that the pad reads its result
// without a reshape and becomes a part of the same kernel.
// CHECK-LABEL: func.func @transpose
// CHECK: %[[IN:.*]] = tensor.collapse_shape %{{.*}} : tensor<1x3x8x8xf32> into tensor<3x8x8xf32>
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%[[IN]] : tensor<3x8x8xf32>)
// CHECK: tensor.pad %[[T]] low[1, 1, 0] high[1, 1, 0]
func.func @transpose(%x: tensor<1x3x8x8xf32>) -> tensor<1x10x10x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x8x3xf32>
  %t = linalg.transpose ins(%x : tensor<1x3x8x8xf32>) outs(%e : tensor<1x8x8x3xf32>) permutation = [0, 2, 3, 1]
  %p = tensor.pad %t low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x8x8x3xf32> to tensor<1x10x10x3xf32>
  return %p : tensor<1x10x10x3xf32>
}

// A slice with all elements of the dimensions that are dropped is one of the
// whole tensor, and so is one that is inserted.
// CHECK-LABEL: func.func @slices
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x16x8x64xf32>,
// CHECK-DAG: %[[WHOLE:.*]] = tensor.collapse_shape %[[X]] {{.}}[0, 1], [2], [3]] : tensor<1x16x8x64xf32> into tensor<16x8x64xf32>
// CHECK: %[[HALF:.*]] = tensor.extract_slice %[[WHOLE]][0, 0, 32] [16, 8, 32] [1, 1, 1]
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[HALF]] : tensor<16x8x32xf32>)
// CHECK: %[[ALL:.*]] = tensor.insert_slice %[[Y]] into %{{.*}}[0, 0, 32] [16, 8, 32] [1, 1, 1] : tensor<16x8x32xf32> into tensor<16x8x64xf32>
// CHECK: %[[R:.*]] = tensor.expand_shape %[[ALL]] {{.}}[0, 1], [2], [3]]
// CHECK: return %[[R]]
func.func @slices(%x: tensor<1x16x8x64xf32>, %out: tensor<1x16x8x64xf32>) -> tensor<1x16x8x64xf32> {
  %half = tensor.extract_slice %x[0, 0, 0, 32] [1, 16, 8, 32] [1, 1, 1, 1] : tensor<1x16x8x64xf32> to tensor<1x16x8x32xf32>
  %e = tensor.empty() : tensor<1x16x8x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%half : tensor<1x16x8x32xf32>) outs(%e : tensor<1x16x8x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.absf %a : f32
    linalg.yield %r : f32
  } -> tensor<1x16x8x32xf32>
  %all = tensor.insert_slice %y into %out[0, 0, 0, 32] [1, 16, 8, 32] [1, 1, 1, 1] : tensor<1x16x8x32xf32> into tensor<1x16x8x64xf32>
  return %all : tensor<1x16x8x64xf32>
}

// An element of a vector has no dimension for its offset.
// CHECK-LABEL: func.func @element
// CHECK: %[[ONE:.*]] = tensor.extract_slice %{{.*}}[2] [1] [1]
// CHECK: tensor.collapse_shape %[[ONE]] []
func.func @element(%x: tensor<5xf32>, %y: tensor<f32>) -> tensor<f32> {
  %one = tensor.extract_slice %x[2] [1] [1] : tensor<5xf32> to tensor<1xf32>
  %number = tensor.collapse_shape %one [] : tensor<1xf32> into tensor<f32>
  %e = tensor.empty() : tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%number, %y : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}

// The columns of a matmul are not divided into groups of two: a vector would
// have two of them.
// CHECK-LABEL: func.func @groups
// CHECK: linalg.matmul {{.*}} -> tensor<8x64xf32>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x64xf32>)
// CHECK: tensor.expand_shape {{.*}} into tensor<8x32x2xf32>
func.func @groups(%x: tensor<8x24xf32>, %w: tensor<24x64xf32>, %out: tensor<8x64xf32>) -> tensor<8x32x2xf32> {
  %p = linalg.matmul ins(%x, %w : tensor<8x24xf32>, tensor<24x64xf32>) outs(%out : tensor<8x64xf32>) -> tensor<8x64xf32>
  %e = tensor.empty() : tensor<8x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.absf %a : f32
    linalg.yield %r : f32
  } -> tensor<8x64xf32>
  %parts = tensor.expand_shape %y [[0], [1, 2]] output_shape [8, 32, 2] : tensor<8x64xf32> into tensor<8x32x2xf32>
  return %parts : tensor<8x32x2xf32>
}

// Heads of 16 columns are.
// CHECK-LABEL: func.func @heads
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x4x16xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x4x16xf32>)
// CHECK-NOT: tensor.expand_shape
func.func @heads(%x: tensor<8x24xf32>, %w: tensor<24x64xf32>, %out: tensor<8x64xf32>) -> tensor<8x4x16xf32> {
  %p = linalg.matmul ins(%x, %w : tensor<8x24xf32>, tensor<24x64xf32>) outs(%out : tensor<8x64xf32>) -> tensor<8x64xf32>
  %e = tensor.empty() : tensor<8x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.absf %a : f32
    linalg.yield %r : f32
  } -> tensor<8x64xf32>
  %parts = tensor.expand_shape %y [[0], [1, 2]] output_shape [8, 4, 16] : tensor<8x64xf32> into tensor<8x4x16xf32>
  return %parts : tensor<8x4x16xf32>
}

// RUN: fx-opt %s --fx-collapse-reductions --canonicalize --cse | FileCheck %s

// Adjacent loops are collapsed, in the reduction and in the ops before and
// after it.
// CHECK-LABEL: func.func @normalize
// CHECK-SAME: %[[X:.+]]: tensor<64x4x?xf32>
// CHECK: %[[C:.+]] = tensor.collapse_shape %[[X]] {{\[}}[0], [1, 2]]
// CHECK: %[[S:.+]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[C]] : tensor<64x?xf32>)
// CHECK: %[[R:.+]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%[[C]], %[[S]]
// CHECK: tensor.expand_shape %[[R]]
func.func @normalize(%x: tensor<64x4x?xf32>) -> tensor<64x4x?xf32> {
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %d = tensor.dim %x, %c2 : tensor<64x4x?xf32>
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : tensor<64x4x?xf32>) outs(%f : tensor<64xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.addf %acc, %a : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %o = tensor.empty(%d) : tensor<64x4x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %sum : tensor<64x4x?xf32>, tensor<64xf32>) outs(%o : tensor<64x4x?xf32>) {
  ^bb0(%a: f32, %s: f32, %out: f32):
    %r = arith.divf %a, %s : f32
    linalg.yield %r : f32
  } -> tensor<64x4x?xf32>
  return %y : tensor<64x4x?xf32>
}

// Loops that are not adjacent are reduced one after the other, the last one
// first. The function of each element is computed once.
// CHECK-LABEL: func.func @apart
// CHECK: %[[F:.+]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: -> tensor<8x64xf32>
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]} ins(%[[F]]
// CHECK-NOT: math.exp
// CHECK: return
func.func @apart(%x: tensor<8x64x32xf32>, %init: tensor<64xf32>) -> tensor<64xf32> {
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (j)>], iterator_types = ["reduction", "parallel", "reduction"]} ins(%x : tensor<8x64x32xf32>) outs(%init : tensor<64xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %b = math.exp %a : f32
    %r = arith.addf %acc, %b : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  return %sum : tensor<64xf32>
}

// A large tensor that is reduced to a scalar is reduced to rows first.
// CHECK-LABEL: func.func @number
// CHECK: tensor.collapse_shape %{{.+}} {{\[}}[0], [1, 2]] : tensor<16x256x256xf32> into tensor<16x65536xf32>
// CHECK: %[[F:.+]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]}
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%[[F]] : tensor<16xf32>)
func.func @number(%x: tensor<16x256x256xf32>, %init: tensor<f32>) -> tensor<f32> {
  %max = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> ()>], iterator_types = ["reduction", "reduction", "reduction"]} ins(%x : tensor<16x256x256xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.maximumf %acc, %a : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %max : tensor<f32>
}

// A reduction over the columns of a small tensor stays as it is; for a large
// tensor it is split.
// CHECK-LABEL: func.func @columns
// CHECK: iterator_types = ["reduction", "reduction", "parallel"]} {{.*}}tensor<4x8x64xf32>
// CHECK: iterator_types = ["parallel", "reduction", "parallel"]} {{.*}}tensor<32x512x64xf32>
// CHECK: iterator_types = ["reduction", "parallel"]} {{.*}}tensor<32x64xf32>
func.func @columns(%x: tensor<4x8x64xf32>, %y: tensor<32x512x64xf32>, %init: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k)>], iterator_types = ["reduction", "reduction", "parallel"]} ins(%x : tensor<4x8x64xf32>) outs(%init : tensor<64xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.addf %acc, %a : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k)>], iterator_types = ["reduction", "reduction", "parallel"]} ins(%y : tensor<32x512x64xf32>) outs(%init : tensor<64xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.addf %acc, %a : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}

// A slice is not copied in order to collapse it: the loops stay two steps.
// CHECK-LABEL: func.func @slice
// CHECK-NOT: collapse_shape
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]}
func.func @slice(%x: tensor<64x8x32xf32>, %init: tensor<64xf32>) -> tensor<64xf32> {
  %s = tensor.extract_slice %x[0, 0, 0] [64, 8, 16] [1, 1, 1] : tensor<64x8x32xf32> to tensor<64x8x16xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%s : tensor<64x8x16xf32>) outs(%init : tensor<64xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.addf %acc, %a : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  return %sum : tensor<64xf32>
}

// The pass skips contractions, and bodies that read indices.
// CHECK-LABEL: func.func @others
// CHECK: iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
// CHECK: iterator_types = ["parallel", "reduction", "reduction"]}
func.func @others(%x: tensor<64x4x32xf32>, %w: tensor<16x4x32xf32>, %p: tensor<64x16xf32>, %init: tensor<64xi64>) -> (tensor<64x16xf32>, tensor<64xi64>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, n, j, k) -> (i, j, k)>, affine_map<(i, n, j, k) -> (n, j, k)>, affine_map<(i, n, j, k) -> (i, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<64x4x32xf32>, tensor<16x4x32xf32>) outs(%p : tensor<64x16xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %acc, %m : f32
    linalg.yield %r : f32
  } -> tensor<64x16xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : tensor<64x4x32xf32>) outs(%init : tensor<64xi64>) {
  ^bb0(%a: f32, %acc: i64):
    %i = linalg.index 2 : index
    %c = arith.index_cast %i : index to i64
    %r = arith.maxsi %acc, %c : i64
    linalg.yield %r : i64
  } -> tensor<64xi64>
  return %0, %1 : tensor<64x16xf32>, tensor<64xi64>
}

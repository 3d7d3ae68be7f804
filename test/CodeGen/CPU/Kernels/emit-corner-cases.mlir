// RUN: fx-opt %s --split-input-file --fx-cpu-kernels=lanes=16 | FileCheck %s

// A diagonal: both dimensions slide with the same loop, so it is no window of an
// image. Each tap is added once.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: scf.for
// CHECK-COUNT-2: arith.addf
// CHECK-NOT: arith.addf
// CHECK: return
func.func @diagonal(%x: tensor<18x18x16xf32>) -> tensor<16x16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %t = tensor.empty() : tensor<3xf32>
  %e = tensor.empty() : tensor<16x16x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16x16xf32>) -> tensor<16x16x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, w, c, i) -> (h + i, w + i, c)>, affine_map<(h, w, c, i) -> (i)>, affine_map<(h, w, c, i) -> (h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %t : tensor<18x18x16xf32>, tensor<3xf32>) outs(%f : tensor<16x16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<16x16x16xf32>
  return %r : tensor<16x16x16xf32>
}

// -----

// Threads do not share channels whose number is not known.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: scf.forall
// CHECK: vector.store
func.func @channels(%x: tensor<18x?xf32>, %n: index) -> tensor<16x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c1 : tensor<18x?xf32>
  %t = tensor.empty() : tensor<3xf32>
  %e = tensor.empty(%d) : tensor<16x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x?xf32>) -> tensor<16x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, c, i) -> (h + i, c)>, affine_map<(h, c, i) -> (i)>, affine_map<(h, c, i) -> (h, c)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %t : tensor<18x?xf32>, tensor<3xf32>) outs(%f : tensor<16x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<16x?xf32>
  return %r : tensor<16x?xf32>
}

// -----

// There is nothing to compute.
// CHECK-LABEL: func.func @empty
func.func @empty(%x: tensor<0x20x21x32xf32>, %w: tensor<3x3x32xf32>) -> tensor<0x18x19x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<0x18x19x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<0x18x19x32xf32>) -> tensor<0x18x19x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, i, j) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, c, i, j) -> (i, j, c)>, affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<0x20x21x32xf32>, tensor<3x3x32xf32>) outs(%f : tensor<0x18x19x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<0x18x19x32xf32>
  return %r : tensor<0x18x19x32xf32>
}

// -----

// Booleans are bytes. A row of 512 is prefetched 16 rows ahead.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: arith.addi %{{.*}}, %c8192
// CHECK: memref.prefetch
func.func @booleans(%m: tensor<?x512xi1>) -> tensor<?xi1> {
  %f0 = arith.constant false
  %c0 = arith.constant 0 : index
  %d = tensor.dim %m, %c0 : tensor<?x512xi1>
  %e = tensor.empty(%d) : tensor<?xi1>
  %f = linalg.fill ins(%f0 : i1) outs(%e : tensor<?xi1>) -> tensor<?xi1>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>], iterator_types = ["parallel", "reduction"]} ins(%m : tensor<?x512xi1>) outs(%f : tensor<?xi1>) {
  ^bb0(%a: i1, %o: i1):
    %1 = arith.ori %o, %a : i1
    linalg.yield %1 : i1
  } -> tensor<?xi1>
  return %r : tensor<?xi1>
}

// -----

// Winograd's method with columns that fit into one vector.
// CHECK-NOT: linalg.generic
// CHECK-LABEL: func.func @narrow
#x = affine_map<(n, h, w, k, r, s, c) -> (n, h + r, w + s, c)>
#f = affine_map<(n, h, w, k, r, s, c) -> (r, s, c, k)>
#y = affine_map<(n, h, w, k, r, s, c) -> (n, h, w, k)>
func.func @narrow(%x: tensor<1x66x66x128xf32>, %w: tensor<3x3x128x16xf32> {fx.state = @w}) -> tensor<1x64x64x16xf32> {
  %e = tensor.empty() : tensor<1x64x64x16xf32>
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64x64x16xf32>) -> tensor<1x64x64x16xf32>
  %r = linalg.generic {indexing_maps = [#x, #f, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x66x66x128xf32>, tensor<3x3x128x16xf32>) outs(%init : tensor<1x64x64x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x64x64x16xf32>
  return %r : tensor<1x64x64x16xf32>
}

// RUN: fx-opt %s --split-input-file --fx-cpu-emit-kernels=lanes=16 --canonicalize --cse | FileCheck %s

// The rows of 16 images, 196 of each, are one left operand of 3.2 MB. It would be
// read for each of 8 panels, so the panels are walked within an image: the
// weights of 256 KB are read again for each image.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: scf.forall (%[[IMAGE:.*]], %[[PANEL:.*]]) in (16, 8)
#x = affine_map<(i, h, w, n, k) -> (i, h, w, k)>
#w = affine_map<(i, h, w, n, k) -> (k, n)>
#y = affine_map<(i, h, w, n, k) -> (i, h, w, n)>
func.func private @kernel_0(%x: tensor<16x14x14x256xf32>, %w: tensor<8x256x32xf32>, %out: tensor<16x14x14x256xf32>) -> tensor<16x14x14x256xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] : tensor<8x256x32xf32> -> tensor<256x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<16x14x14x256xf32>) -> tensor<16x14x14x256xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%x, %u : tensor<16x14x14x256xf32>, tensor<256x256xf32>) outs(%f : tensor<16x14x14x256xf32>) attrs = {fx_kernel.schedule = #fx_kernel.contraction<rows = 7, vectors = 2, row_block = 252, prefetch = 16>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16x14x14x256xf32>
  return %r : tensor<16x14x14x256xf32>
}
func.func @main(%x: tensor<16x14x14x256xf32>, %w: tensor<8x256x32xf32>) -> tensor<16x14x14x256xf32> {
  %e = tensor.empty() : tensor<16x14x14x256xf32>
  %r = fx_kernel.invoke @kernel_0 ins(%x, %w : tensor<16x14x14x256xf32>, tensor<8x256x32xf32>) outs(%e : tensor<16x14x14x256xf32>) -> tensor<16x14x14x256xf32>
  return %r : tensor<16x14x14x256xf32>
}

// -----

// A block has 252 rows, of which an image has 49: the block is four images. The
// epilogue adds a tensor of 6.4 MB, so each tile first prefetches its 7 rows by
// 2 vectors.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: scf.forall (%[[BLOCK:.*]], %[[PANEL:.*]], %[[IMAGE:.*]]) in (8, 32, 4)
// CHECK-COUNT-14: memref.prefetch %{{.*}}, read, locality<3>, data
// CHECK: scf.for
// CHECK: vector.fma
#id = affine_map<(i, h, w, n) -> (i, h, w, n)>
#x = affine_map<(i, h, w, n, k) -> (i, h, w, k)>
#w = affine_map<(i, h, w, n, k) -> (k, n)>
#y = affine_map<(i, h, w, n, k) -> (i, h, w, n)>
func.func private @kernel_0(%x: tensor<32x7x7x256xf32>, %w: tensor<32x256x32xf32>, %z: tensor<32x7x7x1024xf32>, %out: tensor<32x7x7x1024xf32>) -> tensor<32x7x7x1024xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] : tensor<32x256x32xf32> -> tensor<256x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<32x7x7x1024xf32>) -> tensor<32x7x7x1024xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%x, %u : tensor<32x7x7x256xf32>, tensor<256x1024xf32>) outs(%f : tensor<32x7x7x1024xf32>) attrs = {fx_kernel.schedule = #fx_kernel.contraction<rows = 7, vectors = 2, row_block = 252, prefetch = 16>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<32x7x7x1024xf32>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r, %z : tensor<32x7x7x1024xf32>, tensor<32x7x7x1024xf32>) outs(%out : tensor<32x7x7x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<32x7x7x1024xf32>
  return %s : tensor<32x7x7x1024xf32>
}
func.func @main(%x: tensor<32x7x7x256xf32>, %w: tensor<32x256x32xf32>, %z: tensor<32x7x7x1024xf32>) -> tensor<32x7x7x1024xf32> {
  %e = tensor.empty() : tensor<32x7x7x1024xf32>
  %r = fx_kernel.invoke @kernel_0 ins(%x, %w, %z : tensor<32x7x7x256xf32>, tensor<32x256x32xf32>, tensor<32x7x7x1024xf32>) outs(%e : tensor<32x7x7x1024xf32>) -> tensor<32x7x7x1024xf32>
  return %r : tensor<32x7x7x1024xf32>
}

// -----

// All 784 rows would fit into one block. There are eight, so that each of up to eight
// threads has rows of its own.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (8, 3)
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func private @kernel_0(%x: tensor<784x64xf32>, %w: tensor<3x64x32xf32>, %out: tensor<784x96xf32>) -> tensor<784x96xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] : tensor<3x64x32xf32> -> tensor<64x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<784x96xf32>) -> tensor<784x96xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %u : tensor<784x64xf32>, tensor<64x96xf32>) outs(%f : tensor<784x96xf32>) attrs = {fx_kernel.schedule = #fx_kernel.contraction<rows = 7, vectors = 2, row_block = 1022, rows_first = true>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<784x96xf32>
  return %r : tensor<784x96xf32>
}
func.func @main(%x: tensor<784x64xf32>, %w: tensor<3x64x32xf32>) -> tensor<784x96xf32> {
  %e = tensor.empty() : tensor<784x96xf32>
  %r = fx_kernel.invoke @kernel_0 ins(%x, %w : tensor<784x64xf32>, tensor<3x64x32xf32>) outs(%e : tensor<784x96xf32>) -> tensor<784x96xf32>
  return %r : tensor<784x96xf32>
}

// -----

// With one row, the work of a panel is to read its 128 KiB, as many bytes as 16384
// elements of other kernels read and write: four panels are worth a thread.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: scf.forall (%{{.*}}) in (88)
// CHECK: fx.grain = 4
#x = affine_map<(n, k) -> (k)>
#w = affine_map<(n, k) -> (k, n)>
#y = affine_map<(n, k) -> (n)>
func.func private @kernel_0(%x: tensor<1024xf32>, %w: tensor<88x1024x32xf32>, %out: tensor<2816xf32>) -> tensor<2816xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] : tensor<88x1024x32xf32> -> tensor<1024x2816xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<2816xf32>) -> tensor<2816xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "reduction"]} ins(%x, %u : tensor<1024xf32>, tensor<1024x2816xf32>) outs(%f : tensor<2816xf32>) attrs = {fx_kernel.schedule = #fx_kernel.contraction<rows = 1, vectors = 2, row_block = 128, prefetch = 1>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2816xf32>
  return %r : tensor<2816xf32>
}
func.func @main(%x: tensor<1024xf32>, %w: tensor<88x1024x32xf32>) -> tensor<2816xf32> {
  %e = tensor.empty() : tensor<2816xf32>
  %r = fx_kernel.invoke @kernel_0 ins(%x, %w : tensor<1024xf32>, tensor<88x1024x32xf32>) outs(%e : tensor<2816xf32>) -> tensor<2816xf32>
  return %r : tensor<2816xf32>
}

// -----

// 16384 rows in blocks of 112 stay in more than 64 blocks.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (147, 3)
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func private @kernel_0(%x: tensor<16384x64xf32>, %w: tensor<3x64x32xf32>, %out: tensor<16384x96xf32>) -> tensor<16384x96xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] : tensor<3x64x32xf32> -> tensor<64x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<16384x96xf32>) -> tensor<16384x96xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %u : tensor<16384x64xf32>, tensor<64x96xf32>) outs(%f : tensor<16384x96xf32>) attrs = {fx_kernel.schedule = #fx_kernel.contraction<rows = 8, vectors = 2, row_block = 112, rows_first = true>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16384x96xf32>
  return %r : tensor<16384x96xf32>
}
func.func @main(%x: tensor<16384x64xf32>, %w: tensor<3x64x32xf32>) -> tensor<16384x96xf32> {
  %e = tensor.empty() : tensor<16384x96xf32>
  %r = fx_kernel.invoke @kernel_0 ins(%x, %w : tensor<16384x64xf32>, tensor<3x64x32xf32>) outs(%e : tensor<16384x96xf32>) -> tensor<16384x96xf32>
  return %r : tensor<16384x96xf32>
}

// -----

// The left operand has 8 MiB, and its rows are contiguous: each step of a tile
// reads 32 bytes, four of each of its eight rows, and prefetches as many of the
// next tile, which starts 2,048 elements later.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: scf.for %
// CHECK-NEXT: %[[ROW:.*]] = arith.muli %{{.*}}, %c256
// CHECK: scf.for %[[K:[a-z0-9]+]] = %c0 to %c256
// CHECK: %[[AHEAD:.*]] = arith.muli %[[K]], %c8
// CHECK: %[[FROM:.*]] = arith.addi %[[ROW]], %[[AHEAD]]
// CHECK: %[[AT:.*]] = arith.addi %[[FROM]], %c2048
// CHECK: memref.prefetch %{{.*}}[%[[AT]]], read, locality<2>, data : memref<2097152xf32
// CHECK-NOT: memref.prefetch
// CHECK: vector.fma
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func private @kernel_0(%x: tensor<8192x256xf32>, %w: tensor<2x256x32xf32>, %out: tensor<8192x64xf32>) -> tensor<8192x64xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] : tensor<2x256x32xf32> -> tensor<256x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<8192x64xf32>) -> tensor<8192x64xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %u : tensor<8192x256xf32>, tensor<256x64xf32>) outs(%f : tensor<8192x64xf32>) attrs = {fx_kernel.schedule = #fx_kernel.contraction<rows = 8, vectors = 2, row_block = 256, rows_first = true>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8192x64xf32>
  return %r : tensor<8192x64xf32>
}
func.func @main(%x: tensor<8192x256xf32>, %w: tensor<2x256x32xf32>) -> tensor<8192x64xf32> {
  %e = tensor.empty() : tensor<8192x64xf32>
  %r = fx_kernel.invoke @kernel_0 ins(%x, %w : tensor<8192x256xf32>, tensor<2x256x32xf32>) outs(%e : tensor<8192x64xf32>) -> tensor<8192x64xf32>
  return %r : tensor<8192x64xf32>
}

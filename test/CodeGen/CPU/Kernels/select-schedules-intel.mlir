// RUN: fx-opt %s --split-input-file --fx-cpu-select-schedules="lanes=16 cpu=icelake-server" | FileCheck %s
// RUN: fx-opt %s --split-input-file --fx-cpu-select-schedules="lanes=16 cpu=znver4" | FileCheck %s --check-prefix=OTHER
// RUN: fx-opt %s --split-input-file --fx-cpu-select-schedules="lanes=16 cpu=x86-64-v4" | FileCheck %s --check-prefix=OTHER
// RUN: fx-opt %s --split-input-file --fx-cpu-select-schedules="lanes=8 cpu=haswell" | FileCheck %s --check-prefix=NARROW

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#r = affine_map<(m, n, k) -> (m, n)>

// The tiles of 12 rows multiply a part of a panel, 256 terms, before the next.
// All rows are one block.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: #fx_kernel.contraction<rows = 12, vectors = 2, row_block = 132, prefetch = 8, terms = 256>
// OTHER: #fx_kernel.contraction<rows = 8, vectors = 2, row_block = 128, prefetch = 16>
// NARROW-NOT: terms
func.func private @kernel_0(%x: tensor<128x1024xf32>, %w: tensor<40x1024x32xf32>, %out: tensor<128x1280xf32>) -> tensor<128x1280xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] : tensor<40x1024x32xf32> -> tensor<1280x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<128x1280xf32>) -> tensor<128x1280xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %u : tensor<128x1024xf32>, tensor<1280x1024xf32>) outs(%f : tensor<128x1280xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<128x1280xf32>
  return %r : tensor<128x1280xf32>
}

// -----

#a = affine_map<(h, w, n, k) -> (h, w, k)>
#b = affine_map<(h, w, n, k) -> (n, k)>
#r = affine_map<(h, w, n, k) -> (h, w, n)>

// The lines and columns of an image are walked as one: 49 rows are four tiles
// of ten and one of nine. A panel of 320 terms is read as a whole.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: #fx_kernel.contraction<rows = 10, vectors = 2, row_block = 210, prefetch = 4>
// OTHER: #fx_kernel.contraction<rows = 7,
func.func private @kernel_0(%x: tensor<7x7x320xf32>, %w: tensor<40x320x32xf32>, %out: tensor<7x7x1280xf32>) -> tensor<7x7x1280xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] : tensor<40x320x32xf32> -> tensor<1280x320xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<7x7x1280xf32>) -> tensor<7x7x1280xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %u : tensor<7x7x320xf32>, tensor<1280x320xf32>) outs(%f : tensor<7x7x1280xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<7x7x1280xf32>
  return %r : tensor<7x7x1280xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#r = affine_map<(m, n, k) -> (m, n)>

// Two tiles read a panel that is not prefetched as a whole.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: #fx_kernel.contraction<rows = 8, vectors = 2, row_block = 128, prefetch = 2, terms = 256>
// OTHER: #fx_kernel.contraction<rows = 8, vectors = 2, row_block = 128, prefetch = 1>
func.func private @kernel_0(%x: tensor<16x17768xf32>, %w: tensor<2x17768x32xf32>, %out: tensor<16x64xf32>) -> tensor<16x64xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] : tensor<2x17768x32xf32> -> tensor<64x17768xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<16x64xf32>) -> tensor<16x64xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %u : tensor<16x17768xf32>, tensor<64x17768xf32>) outs(%f : tensor<16x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

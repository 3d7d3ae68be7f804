// RUN: fx-opt %s --split-input-file --fx-cpu-select-schedules=lanes=16 | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#r = affine_map<(m, n, k) -> (m, n)>

// Sixteen tiles use a panel: each tile prefetches a sixteenth of the next
// panel.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: fx_kernel.schedule = #fx_kernel.contraction<rows = 8, vectors = 2, row_block = 128, prefetch = 16>
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

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#r = affine_map<(m, n, k) -> (m, n)>

// One tile uses a panel: it prefetches the next panel alone.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: rows = 3, {{.*}}prefetch = 1>
func.func private @kernel_0(%x: tensor<3x1024xf32>, %w: tensor<40x1024x32xf32>, %out: tensor<3x1280xf32>) -> tensor<3x1280xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] : tensor<40x1024x32xf32> -> tensor<1280x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<3x1280xf32>) -> tensor<3x1280xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %u : tensor<3x1024xf32>, tensor<1280x1024xf32>) outs(%f : tensor<3x1280xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x1280xf32>
  return %r : tensor<3x1280xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#r = affine_map<(m, n, k) -> (m, n)>

// All panels stay in the cache: nothing is prefetched.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: fx_kernel.schedule = #fx_kernel.contraction<rows = 8, vectors = 2, row_block = 1024, rows_first = true>
func.func private @kernel_0(%x: tensor<128x64xf32>, %w: tensor<4x64x32xf32>, %out: tensor<128x128xf32>) -> tensor<128x128xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] : tensor<4x64x32xf32> -> tensor<128x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<128x128xf32>) -> tensor<128x128xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %u : tensor<128x64xf32>, tensor<128x64xf32>) outs(%f : tensor<128x128xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<128x128xf32>
  return %r : tensor<128x128xf32>
}

// -----

// Without rows the schedule has tiles of one row, which never run.
// CHECK-LABEL: func.func private @no_rows
// CHECK: fx_kernel.schedule = #fx_kernel.contraction<rows = 1,
func.func private @no_rows(%x: tensor<0x3xf32>, %y: tensor<3x4xf32>, %out: tensor<0x4xf32>) -> tensor<0x4xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<0x4xf32>) -> tensor<0x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<0x3xf32>, tensor<3x4xf32>) outs(%f : tensor<0x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<0x4xf32>
  return %r : tensor<0x4xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#r = affine_map<(m, n, k) -> (m, n)>

// Many rows find the whole right operand, 512 KiB, in the second-level cache.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: rows_first = true>
func.func private @kernel_0(%x: tensor<128x256xf32>, %w: tensor<16x256x32xf32>, %out: tensor<128x512xf32>) -> tensor<128x512xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] : tensor<16x256x32xf32> -> tensor<512x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<128x512xf32>) -> tensor<128x512xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %u : tensor<128x256xf32>, tensor<512x256xf32>) outs(%f : tensor<128x512xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<128x512xf32>
  return %r : tensor<128x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#r = affine_map<(m, n, k) -> (m, n)>

// Few rows wait for it, and prefetch its panels.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: #fx_kernel.contraction<
// CHECK-NOT: rows_first
// CHECK-SAME: prefetch
func.func private @kernel_0(%x: tensor<8x256xf32>, %w: tensor<16x256x32xf32>, %out: tensor<8x512xf32>) -> tensor<8x512xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] : tensor<16x256x32xf32> -> tensor<512x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<8x512xf32>) -> tensor<8x512xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %u : tensor<8x256xf32>, tensor<512x256xf32>) outs(%f : tensor<8x512xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x512xf32>
  return %r : tensor<8x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#r = affine_map<(m, n, k) -> (m, n)>

// So do rows whose number is not known.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: #fx_kernel.contraction<
// CHECK-NOT: rows_first
// CHECK-SAME: prefetch
func.func private @kernel_0(%x: tensor<?x256xf32>, %w: tensor<16x256x32xf32>, %out: tensor<?x512xf32>) -> tensor<?x512xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] : tensor<16x256x32xf32> -> tensor<512x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<?x512xf32>) -> tensor<?x512xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %u : tensor<?x256xf32>, tensor<512x256xf32>) outs(%f : tensor<?x512xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x512xf32>
  return %r : tensor<?x512xf32>
}

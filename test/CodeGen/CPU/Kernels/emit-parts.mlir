// RUN: fx-opt %s --split-input-file --fx-cpu-emit-kernels=lanes=16 --canonicalize --cse | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#r = affine_map<(m, n, k) -> (m, n)>

// All tiles of rows add the products of a part of the panel, 256 terms, to the
// sums of the task before the next part is read.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: scf.forall
// CHECK: %[[SUMS:.+]] = memref.alloca() {alignment = 64 : i64} : memref<768xf32>
// CHECK: scf.for {{.+}} = %c0 to %c768 step %c16
// CHECK: vector.store %{{.+}}, %[[SUMS]]
// CHECK: scf.for {{.+}} = %c0 to %c3 step %c1
// CHECK: scf.for {{.+}} = %c0 to %c24 step %c12
// CHECK: scf.for {{.+}} = %c0 to %c256 step %c1
// CHECK-COUNT-24: vector.fma
// CHECK: scf.yield
// CHECK-COUNT-24: vector.load %[[SUMS]]
// CHECK: scf.for {{.+}} = %c0 to %c24 step %c1
// CHECK-COUNT-2: vector.load %[[SUMS]]
func.func private @kernel_0(%x: tensor<24x768xf32>, %w: tensor<2x768x32xf32>, %out: tensor<24x64xf32>) -> tensor<24x64xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] : tensor<2x768x32xf32> -> tensor<64x768xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<24x64xf32>) -> tensor<24x64xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %u : tensor<24x768xf32>, tensor<64x768xf32>) outs(%f : tensor<24x64xf32>) attrs = {fx_kernel.schedule = #fx_kernel.contraction<rows = 12, vectors = 2, row_block = 120, terms = 256>} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<24x64xf32>
  return %r : tensor<24x64xf32>
}

// -----

#x = affine_map<(h, w, n, r, s, c) -> (h + r, w + s, c)>
#y = affine_map<(h, w, n, r, s, c) -> (r, s, c, n)>
#p = affine_map<(h, w, n, r, s, c) -> (h, w, n)>

// Of a convolution, a part is a line of the window, or less. Here a line has 150
// terms, which are contiguous in both operands: two parts of 75.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<256xf32>
// CHECK: scf.for %[[LINE:.+]] = %c0 to %c3 step %c1
// CHECK: scf.for %[[PART:.+]] = %c0 to %c2 step %c1
// CHECK: scf.for {{.+}} = %c0 to %c75 step %c1
// CHECK-COUNT-16: vector.fma
func.func private @kernel_0(%x: tensor<10x10x50xf32>, %w: tensor<2x3x3x50x32xf32>, %out: tensor<8x8x64xf32>) -> tensor<8x8x64xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3] inner_tiles = [32] : tensor<2x3x3x50x32xf32> -> tensor<3x3x50x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<8x8x64xf32>) -> tensor<8x8x64xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #p], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %u : tensor<10x10x50xf32>, tensor<3x3x50x64xf32>) outs(%f : tensor<8x8x64xf32>) attrs = {fx_kernel.schedule = #fx_kernel.contraction<rows = 8, vectors = 2, row_block = 120, terms = 100>} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x8x64xf32>
  return %r : tensor<8x8x64xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#r = affine_map<(m, n, k) -> (m, n)>

// The sums of a task must have a limit: there are no parts without blocks of
// rows if the number of rows is dynamic.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-NOT: memref.alloca
// CHECK: return
func.func private @kernel_0(%x: tensor<?x768xf32>, %w: tensor<2x768x32xf32>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %u = fx_kernel.unpack %w outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] : tensor<2x768x32xf32> -> tensor<64x768xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %u : tensor<?x768xf32>, tensor<64x768xf32>) outs(%f : tensor<?x64xf32>) attrs = {fx_kernel.schedule = #fx_kernel.contraction<rows = 12, vectors = 2, terms = 256>} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
